# SPDX-License-Identifier: Apache-2.0
# Manual pages and completions, made from what the programs say about themselves.
set(program_files)
foreach(program IN LISTS programs)
  list(APPEND program_files $<TARGET_FILE:${program}>)
endforeach()

# cleave_from_help(NAME ARGUMENTS...): runs the script make_NAME; what it writes is in the folder NAME.
function(cleave_from_help name)
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${name}.stamp)
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/make_${name} ${CMAKE_CURRENT_BINARY_DIR}/${name} ${ARGN}
            ${program_files}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${programs} make_${name} read_help.sh
    COMMENT "Making ${name} from --help" VERBATIM)
  add_custom_target(cleave_${name} ALL DEPENDS ${stamp})
endfunction()

cleave_from_help(completions)
install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/completions/bash/
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/completions/zsh/
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)

find_program(HELP2MAN_EXECUTABLE NAMES help2man)
if(HELP2MAN_EXECUTABLE)
  cleave_from_help(manual ${HELP2MAN_EXECUTABLE} ${PROJECT_VERSION})
  install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/manual/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
else()
  message(STATUS "No manual pages: help2man is not installed")
endif()
