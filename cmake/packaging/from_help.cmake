# SPDX-License-Identifier: Apache-2.0
# Completions, which ask the programs, and manual pages, made from what the programs say about themselves.
set(completions ${CMAKE_CURRENT_BINARY_DIR}/completions)
configure_file(cleave.bash ${completions}/bash/cleave COPYONLY)
configure_file(cleave.zsh ${completions}/zsh/_cleave COPYONLY)
foreach(program IN LISTS programs)  # bash loads the file of the command's name
  if(NOT program STREQUAL cleave)
    file(CREATE_LINK cleave ${completions}/bash/${program} SYMBOLIC)
  endif()
endforeach()
install(DIRECTORY ${completions}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(DIRECTORY ${completions}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)

find_program(HELP2MAN_EXECUTABLE NAMES help2man)
if(NOT HELP2MAN_EXECUTABLE)
  message(STATUS "No manual pages: help2man is not installed")
  return()
endif()
set(program_files)
foreach(program IN LISTS programs)
  list(APPEND program_files $<TARGET_FILE:${program}>)
endforeach()
set(stamp ${CMAKE_CURRENT_BINARY_DIR}/manual.stamp)
add_custom_command(
  OUTPUT ${stamp}
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/make_manual ${CMAKE_CURRENT_BINARY_DIR}/manual ${HELP2MAN_EXECUTABLE}
          ${PROJECT_VERSION} ${program_files}
  COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
  DEPENDS ${programs} make_manual
  COMMENT "Making the manual pages from --help" VERBATIM)
add_custom_target(cleave_manual ALL DEPENDS ${stamp})
install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/manual/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
