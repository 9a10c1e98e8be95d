# SPDX-License-Identifier: Apache-2.0
# Run by cleave_embed: writes OUTPUT, C++ that holds the bytes of FILES (name=path, in FOLDER unless
# absolute; "name=" is empty).
set(text "#include \"${HEADER}\"\n\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n")
string(APPEND text "namespace ${NAMESPACE} {\n\n")
foreach(entry IN LISTS FILES)
  string(REGEX MATCH "^([^=]*)=(.*)$" matched "${entry}")
  set(name ${CMAKE_MATCH_1})
  if(NOT CMAKE_MATCH_2)
    string(APPEND text "const std::string_view ${name};\n\n")
    continue()
  endif()
  cmake_path(ABSOLUTE_PATH CMAKE_MATCH_2 BASE_DIRECTORY "${FOLDER}" OUTPUT_VARIABLE path)
  file(SIZE "${path}" size)
  # As hexadecimal digits, since CMake alters texts that hold semicolons, brackets or zeros.
  file(READ "${path}" bytes HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  string(APPEND text "const std::string_view ${name}(\"${bytes}\", ${size});\n\n")
endforeach()
string(APPEND text "}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUTPUT}" "${text}")
