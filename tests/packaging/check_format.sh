#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that clang-format 16 would leave every source file as it is, and names those that it would not.
# Called as: check_format.sh SOURCE_FOLDER
set -euo pipefail
cd "$1"
command -v clang-format-16 >/dev/null || { echo "skipped: clang-format-16 is not installed"; exit 77; }
[ -e .git ] || { echo "skipped: not a git working tree"; exit 77; }

mapfile -d '' files < <(git ls-files -z '*.hpp' '*.cpp' ':!**/third_party/**')
if output=$(printf '%s\0' "${files[@]}" | xargs -0 -n 50 clang-format-16 --dry-run -Werror 2>&1); then
  echo "${#files[@]} files are formatted"
  exit
fi
echo "Not as clang-format-16 has it; clang-format-16 -i changes them:"
unformatted=$(sed -nE 's/^([^:]+):[0-9]+:.*/\1/p' <<<"$output" | sort -u)
echo "${unformatted:-$output}"
exit 1
