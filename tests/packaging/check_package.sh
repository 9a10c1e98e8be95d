#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages, has lintian read them, installs them into a folder by dpkg, the programs before all
# others, checks the files, runs a program, removes them, and checks that no file is left. Exits with 77 where it
# cannot. check_installed.sh builds projects against these files.
# Called as: check_package.sh BUILD_FOLDER SOURCE_FOLDER MPIEXEC
set -euo pipefail
build=$1 source=$2 mpiexec=$3

skip() {
  echo "skipped: $1"
  exit 77
}
fail() {
  echo "error: $1" >&2
  exit 1
}
[ "$(id -u)" -eq 0 ] || skip "dpkg installs as root only"
for tool in dpkg dpkg-deb dpkg-shlibdeps lintian; do
  command -v "$tool" >/dev/null || skip "$tool is not installed"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/package") >/dev/null
version=$(sed -nE 's/^project\(cleave VERSION ([0-9.]+).*/\1/p' "$source/CMakeLists.txt")
architecture=$(dpkg --print-architecture)
declare -A debs=([cleave]=$architecture [cleave-dev]=$architecture [cleave-doc]=all [python3-cleave]=all)
for package in "${!debs[@]}"; do
  debs[$package]=$work/package/${package}_${version}_${debs[$package]}.deb
  dpkg-deb --info "${debs[$package]}"
  if dpkg-deb --contents "${debs[$package]}" | awk '$2 != "root/root" || $6 !~ /^\.\/(usr\/.*)?$/' | grep .; then
    fail "files of $package that are not root's or are outside usr/"
  fi
done
lintian --allow-root --fail-on error "${debs[@]}"

# depends PACKAGE: what it depends on, one package a line.
depends() {
  dpkg-deb --field "${debs[$1]}" Depends | tr , '\n' | sed -E 's/^ *([^ ]*).*/\1/'
}
missing=$(comm -13 <(depends cleave | sort) <(printf '%s\n' libc6 libfmt9 libhwloc15 libhwy1 libmpich12 libssl3 mpich))
[ -z "$missing" ] || fail "cleave does not depend on $missing"
missing=$(comm -13 <(depends cleave-dev | sort) <(printf '%s\n' cmake g++ libboost-context1.81-dev libcli11-dev libfmt-dev \
  libhwloc-dev libmpich-dev nlohmann-json3-dev))
[ -z "$missing" ] || fail "cleave-dev does not depend on $missing"
if depends cleave | grep -E -- '-dev$|^(g\+\+|gcc|cmake|cleave-.*)$'; then
  fail "cleave needs a compiler"
fi

# dpkg with a folder for a root; it knows this machine's packages, so that dependencies are checked.
# Triggers are those of programs that are not in the folder.
root=$work/root
mkdir -p "$root/var/lib/dpkg"/{info,updates,triggers,parts}
cp /var/lib/dpkg/status "$root/var/lib/dpkg/status"
cp -r /var/lib/dpkg/info "$root/var/lib/dpkg/"
for package in "${!debs[@]}"; do
  if dpkg --root="$root" --status "$package" >/dev/null 2>&1; then
    skip "$package is installed on this machine"
  fi
done

dpkg --root="$root" --no-triggers --install "${debs[cleave]}"
"$mpiexec" -n 2 "$root/usr/bin/cleave-quicksort" --size N=1K --repetitions 1 --verify
if find "$root/usr" -path '*/include/*' -o -name '*.a' -o -name '*.cmake' | grep .; then
  fail "cleave holds what is for compiling"
fi

dpkg --root="$root" --no-triggers --install "${debs[@]}"
"$source/tests/packaging/check_files.sh" "$root/usr" "$source" "${!debs[@]}"
"$source/tests/docs/check_pages" links "$root/usr/share/doc/cleave-doc"
for file in tutorial/first-program.md how-to/analysis.ipynb examples/mergesort.hpp; do
  [ -s "$root/usr/share/doc/cleave-doc/$file" ] || fail "cleave-doc has no $file"
done
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/usr/lib/python3/dist-packages /usr/bin/python3 -c "import cleave; cleave.plan"

dpkg --root="$root" --no-triggers --purge "${!debs[@]}"
left=$(find "$root" -mindepth 1 -path "$root/var/lib/dpkg" -prune -o ! -type d -print)
if [ -n "$left" ] || [ -e "$root/usr" ]; then
  fail "left by the removed packages: $left"
fi
echo "the Debian packages work, and leave nothing when removed"
