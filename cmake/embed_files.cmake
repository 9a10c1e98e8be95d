# SPDX-License-Identifier: Apache-2.0
# Run by cleave_embed: writes OUTPUT, C++ that holds the bytes of FILES (name=path or name=gzip:path, in FOLDER
# unless absolute; no path is an empty text).
set(text "#include \"${HEADER}\"\n\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n")
string(APPEND text "namespace ${NAMESPACE} {\n\n")
foreach(entry IN LISTS FILES)
  string(REGEX MATCH "^([^=]*)=(gzip:)?(.*)$" matched "${entry}")
  set(name ${CMAKE_MATCH_1})
  set(is_compressed ${CMAKE_MATCH_2})
  if(NOT CMAKE_MATCH_3)
    string(APPEND text "const std::string_view ${name};\n\n")
    continue()
  endif()
  cmake_path(ABSOLUTE_PATH CMAKE_MATCH_3 BASE_DIRECTORY "${FOLDER}" OUTPUT_VARIABLE path)
  if(is_compressed)
    file(ARCHIVE_CREATE OUTPUT "${OUTPUT}.${name}.gz" PATHS "${path}" FORMAT raw COMPRESSION GZip
         COMPRESSION_LEVEL 9)
    set(path "${OUTPUT}.${name}.gz")
  endif()
  file(SIZE "${path}" size)
  # Hexadecimal digits, since CMake alters texts that hold semicolons, brackets or zeros.
  file(READ "${path}" bytes HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  string(APPEND text "const std::string_view ${name}(\"${bytes}\", ${size});\n\n")
endforeach()
string(APPEND text "}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUTPUT}" "${text}")
