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
# headers must compile alone. What it includes is written from the root of the repository.
function(cleave_internal_library name)
  cmake_parse_arguments(arg "" "BASE_DIR" "HEADERS;SOURCES" ${ARGN})
  if(NOT arg_BASE_DIR)
    set(arg_BASE_DIR ${PROJECT_SOURCE_DIR})
  endif()
  add_library(cleave_${name} STATIC ${arg_SOURCES})
  target_sources(cleave_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${arg_BASE_DIR}
                 FILES ${arg_HEADERS})
  target_compile_features(cleave_${name} PUBLIC cxx_std_20)
  target_link_libraries(cleave_${name} PRIVATE $<BUILD_INTERFACE:cleave_warnings>)
  set_target_properties(cleave_${name} PROPERTIES CXX_EXTENSIONS OFF
                        VERIFY_INTERFACE_HEADER_SETS ON POSITION_INDEPENDENT_CODE ON)
endfunction()

# cleave_library(NAME HEADERS ... SOURCES ...): the same, installed as cleave::NAME, the component NAME
# of the package. Its headers are included as <cleave/...>, from skeleton/.
function(cleave_library name)
  cleave_internal_library(${name} BASE_DIR ${PROJECT_SOURCE_DIR}/skeleton ${ARGN})
  add_library(cleave::${name} ALIAS cleave_${name})
  set_target_properties(cleave_${name} PROPERTIES EXPORT_NAME ${name})
  if(CLEAVE_INSTALL)
    install(TARGETS cleave_${name} EXPORT cleave-${name}-targets
            FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(EXPORT cleave-${name}-targets NAMESPACE cleave::
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cleave)
  endif()
endfunction()

# cleave_vector_source(SOURCE): a source that Highway compiles once for each kind of vector
# instructions, so not together with others.
function(cleave_vector_source source)
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  # Highway 1.0's Compress for AVX2 has its table as a constexpr local, which GCC else copies to the
  # stack for every vector. Sanitizers take such a table for a local that is gone.
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -fmerge-all-constants)
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
