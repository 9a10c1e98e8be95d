# SPDX-License-Identifier: Apache-2.0
# How tests are registered.

# The library that all tests link. The headers that most of them include are compiled once; not <nlohmann/json.hpp>, of which
# a precompiled form slows every file. Tests are not optimised, since compiling them takes longer than
# running them. No figure is taken of a test. At -O1, which presets may say, g++ 12 warns of copies of short
# strings that are right.
add_library(cleave_test_support STATIC ${PROJECT_SOURCE_DIR}/tests/support/run_program.cpp)
target_compile_options(cleave_test_support PUBLIC
  $<$<CONFIG:Release>:-O0> "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow>")
target_link_libraries(cleave_test_support PUBLIC cleave_host GTest::gtest PRIVATE cleave_warnings)
set(CLEAVE_TEST_HEADERS <algorithm> <filesystem> <functional> <map> <random> <fmt/format.h> <gtest/gtest.h>)
target_precompile_headers(cleave_test_support PRIVATE ${CLEAVE_TEST_HEADERS})
set_target_properties(cleave_test_support PROPERTIES CXX_EXTENSIONS OFF)

# The main of programs under MPI.
add_library(cleave_mpi_main STATIC ${PROJECT_SOURCE_DIR}/tests/mpi_main.cpp)
target_link_libraries(cleave_mpi_main PUBLIC cleave_test_support MPI::MPI_CXX PRIVATE cleave_warnings)
target_precompile_headers(cleave_mpi_main REUSE_FROM cleave_test_support)
set_target_properties(cleave_mpi_main PROPERTIES CXX_EXTENSIONS OFF)

# cleave_test_executable(NAME SOURCES ... LINK ... [HEADER header]): one that no test is registered of yet. The
# header is compiled once with the others, before them, for all programs that name it.
function(cleave_test_executable name)
  cmake_parse_arguments(arg "" "HEADER" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} cleave_test_support cleave_warnings)
  get_property(owner GLOBAL PROPERTY CLEAVE_OWNER_OF_${arg_HEADER})
  if(arg_HEADER AND owner)
    target_precompile_headers(${name} REUSE_FROM ${owner})
  elseif(arg_HEADER)
    target_precompile_headers(${name} PRIVATE ${arg_HEADER} ${CLEAVE_TEST_HEADERS})
    set_property(GLOBAL PROPERTY CLEAVE_OWNER_OF_${arg_HEADER} ${name})
  else()
    target_precompile_headers(${name} REUSE_FROM cleave_test_support)
  endif()
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

# cleave_test(NAME SOURCES ... LINK ... [HEADER header]): a GoogleTest program without MPI, one entry a TEST.
function(cleave_test name)
  cleave_test_executable(${name} ${ARGN} LINK GTest::gtest_main)
  gtest_discover_tests(${name} NO_PRETTY_VALUES PROPERTIES TIMEOUT 120 DISCOVERY_TIMEOUT 60)
endfunction()

# cleave_mpi_test(NAME RANKS ... SOURCES ... LINK ...): a GoogleTest program under mpiexec, one
# entry a rank count. Its main is tests/mpi_main.cpp. `./test` runs those of 1, 2 and 5 ranks: 5 ranks fall into groups
# of 2 and 3, and a group of 3 into 1 and 2. Coverage is that of all.
function(cleave_mpi_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;RANKS" ${ARGN})
  cleave_test_executable(${name} SOURCES ${arg_SOURCES} LINK ${arg_LINK} cleave_mpi_main)
  foreach(ranks IN LISTS arg_RANKS)
    set(processors 2)
    if(ranks EQUAL 1)
      set(processors 1)
    endif()
    add_test(NAME ${name}.${ranks}_ranks
             COMMAND ${MPIEXEC_EXECUTABLE} -n ${ranks} $<TARGET_FILE:${name}>)
    # MPICH leaks from a module that it unloads, so leaks are looked for in plain tests only.
    set_tests_properties(${name}.${ranks}_ranks PROPERTIES TIMEOUT 180 PROCESSORS ${processors}
                         ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
    if(NOT ranks MATCHES "^[125]$" AND NOT CLEAVE_COVERAGE)
      cleave_only_in_all(${name}.${ranks}_ranks)
    endif()
  endforeach()
endfunction()

# cleave_program_test(NAME SOURCES ... PROGRAMS ...): a GoogleTest program that runs these programs,
# mostly by mpiexec. Which of its tests are registered, and how, is for its folder to say.
function(cleave_program_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;PROGRAMS" ${ARGN})
  cleave_test_executable(${name} SOURCES ${arg_SOURCES} LINK GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    CLEAVE_MPIEXEC="${MPIEXEC_EXECUTABLE}" CLEAVE_PROGRAMS="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
    CLEAVE_INSTRUMENTED="${PROJECT_BINARY_DIR}/instrumented")
  add_dependencies(${name} ${arg_PROGRAMS})
endfunction()

# cleave_long_test(NAME): the program as one test with the label `long`, built by `./test all` alone and run by hand.
function(cleave_long_test name)
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(only_in_all ${name})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS long TIMEOUT 10800 PROCESSORS 2 ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endfunction()

# cleave_only_in_all(TEST...): tests that `./test` leaves to `./test all`.
function(cleave_only_in_all)
  set_property(TEST ${ARGV} APPEND PROPERTY LABELS all)
endfunction()

# cleave_must_not_compile(NAME TARGET HEADER): the programs of must_not_compile.txt, which include HEADER, compiled as a
# user of TARGET would, must each fail with the one error that the table names.
function(cleave_must_not_compile name target header)
  add_test(NAME must_not_compile.${name}
           COMMAND ${PROJECT_SOURCE_DIR}/tests/skeleton/check_must_not_compile ${header}
                   ${CMAKE_CURRENT_SOURCE_DIR}/must_not_compile.txt ${CMAKE_CXX_COMPILER} -std=c++20
                   -I$<JOIN:$<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>,$<SEMICOLON>-I>
           COMMAND_EXPAND_LISTS)
  set_tests_properties(must_not_compile.${name} PROPERTIES TIMEOUT 120)
endfunction()

# cleave_benchmark(NAME SOURCES ... LINK ...): a Google Benchmark program with a main of its own,
# built and run by the target `benchmarks`. The test clang.compile looks for its errors.
function(cleave_benchmark name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} benchmark::benchmark cleave_warnings)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF UNITY_BUILD OFF)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/benchmarks)
  add_custom_target(run_${name} USES_TERMINAL
                    COMMAND ${name} --benchmark_out=${PROJECT_BINARY_DIR}/benchmarks/${name}.json
                            --benchmark_out_format=json --benchmark_repetitions=5)
  if(NOT TARGET benchmarks)
    add_custom_target(benchmarks)
  endif()
  add_dependencies(benchmarks run_${name})
endfunction()
