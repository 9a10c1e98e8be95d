# SPDX-License-Identifier: Apache-2.0
# Run by cleave_embed: writes OUTPUT, C++ that holds the text of FILES (name=path, in FOLDER).
set(text "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
foreach(entry IN LISTS FILES)
  string(REGEX MATCH "^([^=]*)=(.*)$" matched "${entry}")
  set(name ${CMAKE_MATCH_1})
  file(READ "${FOLDER}/${CMAKE_MATCH_2}" content)
  string(APPEND text "const std::string_view ${name} = R\"embedded(${content})embedded\";\n\n")
endforeach()
string(APPEND text "}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUTPUT}" "${text}")
