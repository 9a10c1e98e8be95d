# SPDX-License-Identifier: Apache-2.0
# cleave_wasm(OUTPUT variable SOURCES ... FOLDER folder)
# Compiles SOURCES to one WebAssembly module, by clang's wasm32-wasi with libc++.
# `variable` becomes the path of the module. It is empty, with a word, where there is no such compiler. FOLDER has the standard headers that libc++ lacks there.
function(cleave_wasm)
  cmake_parse_arguments(arg "" "OUTPUT;FOLDER" "SOURCES" ${ARGN})
  set(${arg_OUTPUT} "" PARENT_SCOPE)
  find_program(CLEAVE_WASM_COMPILER NAMES clang++-16 clang++-19 clang++-18 clang++-17 clang++)
  if(NOT CLEAVE_WASM_COMPILER)
    message(STATUS "No clang++: the report's page has no controls")
    return()
  endif()
  execute_process(COMMAND ${CLEAVE_WASM_COMPILER} -print-resource-dir OUTPUT_VARIABLE resources
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  cmake_path(SET libcxx NORMALIZE "${resources}/../../../include/wasm32-wasi/c++/v1")
  find_program(CLEAVE_WASM_LINKER NAMES wasm-ld-16 wasm-ld)
  if(NOT EXISTS ${libcxx}/vector OR NOT EXISTS /usr/lib/wasm32-wasi/libc.a OR NOT CLEAVE_WASM_LINKER)
    message(STATUS "No WebAssembly by ${CLEAVE_WASM_COMPILER}: the report's page has no controls "
                   "(Debian: lld-16 wasi-libc libc++-16-dev-wasm32 libclang-rt-16-dev-wasm32)")
    return()
  endif()

  set(target --target=wasm32-wasi --sysroot=/usr)
  set(flags ${target} -isystem ${arg_FOLDER} -isystem ${libcxx} -std=c++20 -O3 -flto -fexceptions -DNDEBUG
      -DFMT_HEADER_ONLY -DJSON_HAS_FILESYSTEM=0 -DBOOST_DISABLE_THREADS -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/skeleton/trace
      -I${PROJECT_SOURCE_DIR}/skeleton/schedule)
  get_target_property(eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  foreach(folder IN LISTS eigen)
    list(APPEND flags -idirafter ${folder})
  endforeach()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/wasm)
  # One source, since most of the time to compile them goes to headers that they share.
  list(TRANSFORM arg_SOURCES REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE includes)
  list(JOIN includes "" includes)
  set(source ${folder}/predictor.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "${includes}")
  set(object ${folder}/predictor.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${CLEAVE_WASM_COMPILER} ${flags} -MD -MF ${object}.d
            -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d COMMENT "Building WebAssembly object predictor.o" VERBATIM)
  set(module ${folder}/predictor.wasm)
  add_custom_command(
    OUTPUT ${module}
    COMMAND ${CLEAVE_WASM_COMPILER} ${target} -mexec-model=reactor -O3 -flto -fuse-ld=${CLEAVE_WASM_LINKER} ${object} -o ${module}
            -Wl,--gc-sections,--strip-all,--export=__stack_pointer
    DEPENDS ${object} COMMENT "Linking WebAssembly module predictor.wasm" VERBATIM)
  set(${arg_OUTPUT} ${module} PARENT_SCOPE)
endfunction()
