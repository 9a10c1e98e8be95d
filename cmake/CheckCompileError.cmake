# SPDX-License-Identifier: Apache-2.0
# Compiles FILE and passes if that fails with exactly one error, the one that its first line names:
#   // error: TEXT
# Called as: cmake -DCOMPILER=... -DFLAGS=... -DFILE=... -P CheckCompileError.cmake
file(STRINGS ${FILE} first_line LIMIT_COUNT 1)
string(REGEX REPLACE "^// error: " "" expected "${first_line}")
execute_process(COMMAND ${COMPILER} ${FLAGS} -fsyntax-only -fdiagnostics-color=never
                        ${FILE}
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "${FILE} compiles, but must not")
endif()
string(REGEX MATCHALL " error: " errors "${output}")
list(LENGTH errors count)
string(FIND "${output}" "${expected}" at)
if(NOT count EQUAL 1 OR at EQUAL -1)
  message(FATAL_ERROR "expected one error with the text\n  ${expected}\nfound ${count}:\n${output}")
endif()
