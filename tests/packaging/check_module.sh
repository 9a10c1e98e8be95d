#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the module file into two folders, one after the other moved, and has Lmod load it: what it then sets. Exits
# with 77 where there is no Lmod.
# Called as: check_module.sh BUILD_FOLDER VERSION
set -euo pipefail
build=$1 version=$2
lmod=/usr/share/lmod/lmod/libexec/lmod
[ -x "$lmod" ] || { echo "skipped: lmod is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/before" --component cleave_module >/dev/null
mv "$work/before" "$work/cleave"

unset MODULEPATH LOADEDMODULES _LMFILES_
for variable in ${!LMOD_@} ${!__LMOD_@} ${!_ModuleTable@}; do
  unset "$variable"
done
eval "$("$lmod" bash use "$work/cleave/share/modulefiles")"
eval "$("$lmod" bash load cleave)"
fail() {
  echo "error: $1" >&2
  exit 1
}
[ "$LOADEDMODULES" = "cleave/$version" ] || fail "loaded: $LOADEDMODULES"
[[ $PATH == "$work/cleave/bin:"* ]] || fail "PATH is $PATH"
[ "${CMAKE_PREFIX_PATH%%:*}" = "$work/cleave" ] || fail "CMAKE_PREFIX_PATH is $CMAKE_PREFIX_PATH"
[[ ${PKG_CONFIG_PATH%%:*} == "$work/cleave/"*/pkgconfig ]] || fail "PKG_CONFIG_PATH is $PKG_CONFIG_PATH"
[ "${PYTHONPATH%%:*}" = "$work/cleave/lib/python3/dist-packages" ] || fail "PYTHONPATH is $PYTHONPATH"
eval "$("$lmod" bash unload cleave)"
[[ $PATH != *"$work"* ]] || fail "PATH keeps $PATH"
"$lmod" bash whatis cleave 2>&1 | grep "Version: $version"
