# How Cleave's libraries, programs and tests are declared, so that each CMakeLists.txt is a list.

find_package(Git QUIET)
set(CLEAVE_COMMIT unknown)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --short HEAD
                  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(commit)
    set(CLEAVE_COMMIT ${commit})
    # Configured anew when another commit is checked out or made.
    execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --git-path logs/HEAD
                    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                    OUTPUT_VARIABLE moves OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    get_filename_component(moves "${moves}" ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
    if(EXISTS ${moves})
      set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${moves})
    endif()
  endif()
endif()

# Warnings are for building Cleave itself and are never exported.
add_library(cleave_warnings INTERFACE)
target_compile_options(cleave_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow=local -Wconversion
                       -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
                       -Wno-missing-field-initializers
                       $<$<BOOL:${CLEAVE_WERROR}>:-Werror>)

# cleave_library(NAME HEADERS ... SOURCES ...): a library that is installed as cleave::NAME and
# whose every public header must compile alone.
function(cleave_library name)
  cmake_parse_arguments(arg "" "" "HEADERS;SOURCES" ${ARGN})
  add_library(cleave_${name} STATIC ${arg_SOURCES})
  add_library(cleave::${name} ALIAS cleave_${name})
  target_sources(cleave_${name} PUBLIC FILE_SET HEADERS
                 BASE_DIRS ${PROJECT_SOURCE_DIR}
                 FILES ${arg_HEADERS})
  target_compile_features(cleave_${name} PUBLIC cxx_std_20)
  target_link_libraries(cleave_${name} PRIVATE $<BUILD_INTERFACE:cleave_warnings>)
  set_target_properties(cleave_${name} PROPERTIES CXX_EXTENSIONS OFF EXPORT_NAME ${name}
                        VERIFY_INTERFACE_HEADER_SETS ON POSITION_INDEPENDENT_CODE ON)
  install(TARGETS cleave_${name} EXPORT cleave-targets
          FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cleave)
endfunction()

# cleave_program(NAME SOURCES ... LINK ...): a program in build/<preset>/bin.
function(cleave_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} cleave_warnings)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  install(TARGETS ${name})
endfunction()
