# SPDX-License-Identifier: Apache-2.0
# How Cleave's libraries, programs and tests are declared, so that each CMakeLists.txt is a list.

find_package(Git QUIET)
set(CLEAVE_COMMIT unknown)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --short HEAD
                  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  # Not that of a repository that Cleave was copied into.
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --show-prefix
                  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(commit AND NOT prefix)
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
target_compile_options(cleave_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion
                       $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>
                       -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
                       -Wno-missing-field-initializers
                       $<$<BOOL:${CLEAVE_WERROR}>:-Werror>)

# cleave_internal_library(NAME HEADERS ... SOURCES ...): a library of Cleave's own, each of whose
# headers must compile alone. What it includes is written from the root of the repository. One without
# sources is its headers.
function(cleave_internal_library name)
  cmake_parse_arguments(arg "" "BASE_DIR" "HEADERS;SOURCES" ${ARGN})
  if(NOT arg_BASE_DIR)
    set(arg_BASE_DIR ${PROJECT_SOURCE_DIR})
  endif()
  if(arg_SOURCES)
    set(scope PUBLIC)
    add_library(cleave_${name} STATIC ${arg_SOURCES})
    target_link_libraries(cleave_${name} PRIVATE $<BUILD_INTERFACE:cleave_warnings>)
    set_target_properties(cleave_${name} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  else()
    set(scope INTERFACE)
    add_library(cleave_${name} INTERFACE)
  endif()
  target_sources(cleave_${name} ${scope} FILE_SET HEADERS BASE_DIRS ${arg_BASE_DIR} FILES ${arg_HEADERS})
  target_compile_features(cleave_${name} ${scope} cxx_std_20)
  set_target_properties(cleave_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# cleave_room(NAME COMPONENT c [UNDER parent] LINK ...): a room of the skeleton, which is the folder NAME. Its headers lie in
# NAME/cleave, and are included as <cleave/x.hpp> where they are public, else as <cleave/NAME/x.hpp>.
# It links, and so sees, the rooms under it alone. Installed with the component c of the package; without one not at all.
function(cleave_room name)
  cmake_parse_arguments(arg "" "COMPONENT;UNDER" "LINK" ${ARGN})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${arg_UNDER}${name})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${folder}/cleave/*.hpp)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  cleave_internal_library(${name} BASE_DIR ${folder} HEADERS ${headers} SOURCES ${sources})
  if(sources)
    target_link_libraries(cleave_${name} PUBLIC ${arg_LINK})
  else()
    target_link_libraries(cleave_${name} INTERFACE ${arg_LINK})
  endif()
  if(arg_COMPONENT)
    cleave_install_room(${name} ${arg_COMPONENT})
  endif()
endfunction()

# cleave_component(NAME ROOMS ...): the component NAME of the package, as cleave::NAME all of these rooms.
function(cleave_component name)
  cmake_parse_arguments(arg "" "" "ROOMS" ${ARGN})
  list(TRANSFORM arg_ROOMS PREPEND cleave_)
  add_library(cleave_${name} INTERFACE)
  target_link_libraries(cleave_${name} INTERFACE ${arg_ROOMS})
  cleave_install_room(${name} ${name})
endfunction()

function(cleave_install_room name component)
  add_library(cleave::${name} ALIAS cleave_${name})
  set_target_properties(cleave_${name} PROPERTIES EXPORT_NAME ${name})
  if(CLEAVE_INSTALL)
    install(TARGETS cleave_${name} EXPORT cleave-${component}-targets COMPONENT cleave_dev
            FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT cleave_dev)
  endif()
endfunction()

# cleave_program(NAME SOURCES ... LINK ...): a program in build/<preset>/bin.
function(cleave_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} cleave_warnings)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  set_property(GLOBAL APPEND PROPERTY CLEAVE_PROGRAMS ${name})
  if(CLEAVE_INSTALL)
    install(TARGETS ${name})
  endif()
endfunction()
