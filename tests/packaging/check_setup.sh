#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs ./setup where packages, the user and sudo are made up: what it installs, and what it asks for.
# Called as: check_setup.sh SOURCE_FOLDER
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# stub NAME LINE: a program of this name, the only ones that are found but those of the shell.
mkdir "$work/bin"
stub() {
  printf '#!/bin/bash\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
for tool in bash env grep; do
  ln -s "$(command -v $tool)" "$work/bin/$tool"
done
stub dpkg-query '[[ " $MISSING " == *" ${*: -1} "* ]] || echo "install ok installed"'
stub apt-get 'echo "$@" >>"$CALLS"'
stub update-alternatives ':'

# expect WELL|FAILS PATTERN USER MISSING [ARGUMENT]: setup ends so, and what it says and calls matches PATTERN, or is
# nothing where that is empty. Without WELL it installs nothing.
expect() {
  local ended=WELL
  stub id "echo $3"
  : >"$work/calls"
  env PATH="$work/bin" MISSING="$4" CALLS="$work/calls" "$source/setup" "${@:5}" >"$work/log" 2>&1 </dev/null || ended=FAILS
  if [ "$ended" = "$1" ] && { [ "$1" = WELL ] || [ ! -s "$work/calls" ]; } &&
    if [ -n "$2" ]; then grep -q -- "$2" "$work/log" "$work/calls"; else [ ! -s "$work/log" ] && [ ! -s "$work/calls" ]; fi; then
    return
  fi
  echo "error: user $3, without '$4', setup ${*:5}: not '$1' and '$2'" >&2
  cat "$work/log" "$work/calls" >&2
  exit 1
}

expect WELL '' 0 '' tests
expect WELL '' 1000 '' tests
expect FAILS '^apt-get update && apt-get install -y --no-install-recommends mpich libeigen3-dev$' 1000 'mpich libeigen3-dev'
expect FAILS ' libgtest-dev$' 1000 libgtest-dev tests
expect FAILS ' libgtest-dev$' 1000 libgtest-dev all
expect WELL '' 1000 libgtest-dev
expect FAILS ' openmpi-bin$' 1000 openmpi-bin all
expect WELL '' 1000 openmpi-bin tests
expect WELL 'install .* mpich libeigen3-dev$' 0 'mpich libeigen3-dev'
stub sudo 'exit 1'  # asks for a password
expect FAILS '^apt-get update' 1000 mpich
stub sudo '[ "$1" = -n ] || "$@"'
expect WELL 'install .* mpich$' 1000 mpich
expect FAILS "unknown argument 'toasts'" 0 '' toasts
rm "$work/bin/dpkg-query"
expect FAILS 'dpkg-query is not found' 0 ''
echo "setup asks for what is missing, and for nothing else"
