#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of the bag under the address and the undefined-behaviour sanitizer, those of its deques, which
# several threads share, under the thread sanitizer. The tests asan and tsan run more.
# Called as: check_sanitizers.sh SOURCE_FOLDER
set -euo pipefail
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'int main() { return 0; }' >"$work/none.cpp"
# The thread sanitizer wants addresses that are not spread too far.
fixed=()
if setarch -R true 2>/dev/null; then
  fixed=(setarch -R)
fi

# check NAME FLAGS: the test tests/skeleton/NAME_test.cpp
check() {
  c++ $2 "$work/none.cpp" -o "$work/none" 2>/dev/null && "${fixed[@]}" "$work/none" || { echo "skipped: no $2"; exit 77; }
  c++ $2 -std=c++20 -g1 -DFMT_SHARED -I. $(printf -- "-I%s " skeleton/*/) "tests/skeleton/$1_test.cpp" -lgtest_main -lgtest -lfmt \
    -lpthread -o "$work/test"
  "${fixed[@]}" "$work/test" >"$work/log" 2>&1 || { cat "$work/log"; echo "$1: failed"; exit 1; }
  echo "$1: $(grep -E '^\[  PASSED' "$work/log")"
}
check kernel/deques "-fsanitize=address,undefined -fno-sanitize-recover=undefined"
check contract/split_deque "-fsanitize=thread -Wno-tsan"
