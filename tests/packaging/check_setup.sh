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

# setup_as USER MISSING [ARGUMENT]: its output in $work/log; what was called in $work/calls.
setup_as() {
  stub id "echo $1"
  : >"$work/calls"
  env PATH="$work/bin" MISSING="$2" CALLS="$work/calls" "$source/setup" "${@:3}" >"$work/log" 2>&1 </dev/null
}
fail() {
  echo "error: $1" >&2
  cat "$work/log" "$work/calls" >&2
  exit 1
}

for user in 0 1000; do
  setup_as $user "" tests || fail "fails where all packages are installed"
  [ ! -s "$work/log" ] && [ ! -s "$work/calls" ] || fail "does something where all packages are installed"
done

! setup_as 1000 "mpich libeigen3-dev" || fail "succeeds without root and sudo"
grep -qx 'apt-get update && apt-get install -y --no-install-recommends mpich libeigen3-dev' "$work/log" ||
  fail "does not say what to ask for"
[ ! -s "$work/calls" ] || fail "installs without root"
! setup_as 1000 libgtest-dev tests || fail "succeeds without root and sudo"
grep -q ' libgtest-dev$' "$work/log" || fail "does not say what tests need"
setup_as 1000 libgtest-dev || fail "wants for programs what tests need"
! setup_as 1000 libgtest-dev all || fail "does not want for all tests what ./test needs"
! setup_as 1000 openmpi-bin all || fail "succeeds without root and sudo"
setup_as 1000 openmpi-bin tests || fail "wants for ./test what only ./test all needs"

setup_as 0 "mpich libeigen3-dev" || fail "fails as root"
grep -q 'install .* mpich libeigen3-dev$' "$work/calls" || fail "does not install as root"

stub sudo 'exit 1'
! setup_as 1000 mpich || fail "succeeds where sudo asks for a password and nobody is there"
grep -q '^apt-get update' "$work/log" || fail "does not say what to ask for where sudo refuses"
stub sudo '[ "$1" = -n ] || "$@"'
setup_as 1000 mpich || fail "fails with sudo"
grep -q 'install .* mpich$' "$work/calls" || fail "does not install with sudo"

! setup_as 0 "" toasts || fail "takes any argument"
grep -q "unknown argument 'toasts'" "$work/log" || fail "does not name the argument"
rm "$work/bin/dpkg-query"
! setup_as 0 "" || fail "succeeds without dpkg"
grep -q 'dpkg-query is not found' "$work/log" || fail "does not say that this is no Debian"
echo "setup asks for what is missing, and for nothing else"
