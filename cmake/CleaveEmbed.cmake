# SPDX-License-Identifier: Apache-2.0
# cleave_embed(TARGET NAMESPACE ns HEADER h FILES name=path ...): compiles files into TARGET as
# `const std::string_view ns::name`, which HEADER declares. Any bytes; paths from the caller's folder, absolute,
# or none for an empty text. name=gzip:path holds the file compressed.
function(cleave_embed target)
  cmake_parse_arguments(arg "" "NAMESPACE;HEADER" "FILES" ${ARGN})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.cpp)
  set(paths)
  foreach(entry IN LISTS arg_FILES)
    string(REGEX REPLACE "^[^=]*=(gzip:)?" "" path ${entry})
    if(path)
      cmake_path(ABSOLUTE_PATH path)
      list(APPEND paths ${path})
    endif()
  endforeach()
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D "OUTPUT=${output}" -D "NAMESPACE=${arg_NAMESPACE}"
            -D "HEADER=${arg_HEADER}" -D "FILES=${arg_FILES}" -D "FOLDER=${CMAKE_CURRENT_SOURCE_DIR}"
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${paths} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    COMMENT "Embedding the files of ${target}" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
