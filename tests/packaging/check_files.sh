#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that PREFIX holds the public surface of Cleave and nothing else. Debian packages that are named have papers, and
# may have documents, of their own.
# Called as: check_files.sh PREFIX SOURCE_FOLDER [PACKAGE...]
set -euo pipefail
prefix=$1 source=$2 packages=("${@:3}")
export LC_ALL=C

programs=(cleave cleave-calibrate cleave-components cleave-flowshop cleave-quicksort cleave-spacetree
  cleave-uts)

# pages PROGRAM [SUBCOMMAND...]: the manual pages of it and of all subcommands that its help names.
pages() {
  local command
  echo "share/man/man1/$(IFS=-; echo "$*").1.gz"
  for command in $("$prefix/bin/$1" "${@:2}" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
    pages "$@" "$command"
  done
}

expected() {
  # The headers of the rooms.
  (cd "$source/skeleton" && find . -path '*/cleave/*.hpp' | sed 's|.*/cleave/|include/cleave/|')
  echo include/cleave/version.hpp
  printf 'lib/libcleave_%s.a\n' trace host schedule comm contract kernel check command_line program
  printf 'lib/cmake/cleave/%s\n' cleave-config.cmake cleave-config-version.cmake FindHwloc.cmake
  # A targets file has one beside it of the build type.
  printf 'lib/cmake/cleave/cleave-%s-targets.cmake\n' trace skeleton program
  printf 'lib/cmake/cleave/cleave-%s-targets-TYPE.cmake\n' trace skeleton program
  printf 'lib/pkgconfig/cleave-%s.pc\n' skeleton program
  printf 'share/doc/cleave/%s\n' LICENSE NOTICE
  printf 'share/doc/%s/copyright\n' "${packages[@]:-cleave}"
  if [ ${#packages[@]} -gt 0 ]; then
    printf 'share/doc/%s/changelog.gz\n' "${packages[@]}"
  else
    echo "share/modulefiles/cleave/$(sed -nE 's/^project\(cleave VERSION ([0-9.]+).*/\1/p' "$source/CMakeLists.txt").lua"
  fi
  printf 'bin/%s\n' "${programs[@]}"
  printf 'share/bash-completion/completions/%s\n' "${programs[@]}"
  echo share/zsh/vendor-completions/_cleave
  printf 'lib/python3/dist-packages/cleave/%s\n' __init__.py ask.py convert.py files.py
  if command -v help2man >/dev/null; then
    for program in "${programs[@]}"; do
      pages "$program"
    done
  fi
}

installed() {
  (cd "$prefix" && find . -mindepth 1 ! -type d ! -path './share/doc/cleave-doc/*/*' ! -path './share/doc/cleave-doc/*.md' -printf '%P\n') |
    sed -E 's|^lib/[a-z0-9_]+-linux-gnu/|lib/|; s|-targets-[a-z]+\.cmake$|-targets-TYPE.cmake|'
}

if ! diff <(expected | sort) <(installed | sort); then
  echo "error: < is missing, > should not be installed" >&2
  exit 1
fi
echo "the public surface is installed, and nothing else"
