#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian package, installs it into a folder by dpkg, checks the files, runs a program, removes it, and
# checks that no file is left. Exits with 77 where it cannot. check_installed.sh builds projects against these files.
# Called as: check_package.sh BUILD_FOLDER SOURCE_FOLDER MPIEXEC
set -euo pipefail
build=$1 source=$2 mpiexec=$3

skip() {
  echo "skipped: $1"
  exit 77
}
[ "$(id -u)" -eq 0 ] || skip "dpkg installs as root only"
for tool in dpkg dpkg-deb dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || skip "$tool is not installed"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/package") >/dev/null
version=$(sed -nE 's/^project\(cleave VERSION ([0-9.]+).*/\1/p' "$source/CMakeLists.txt")
deb=$work/package/cleave_${version}_$(dpkg --print-architecture).deb
dpkg-deb --info "$deb"

if dpkg-deb --contents "$deb" | awk '{print $6}' | grep -vE '^\./(usr/.*)?$'; then
  echo "error: files outside usr/" >&2
  exit 1
fi
if dpkg-deb --contents "$deb" | awk '$2 != "root/root"' | grep .; then
  echo "error: files that are not root's" >&2
  exit 1
fi
depends=$(dpkg-deb --field "$deb" Depends)
for package in libfmt-dev nlohmann-json3-dev libboost1.81-dev libhwloc-dev libmpich-dev libcli11-dev cmake g++ \
  libmpich12 libfmt9 libc6 libhwy1; do
  if [[ ", $depends," != *", $package"[\ ,]* ]]; then
    echo "error: the package does not depend on $package: $depends" >&2
    exit 1
  fi
done

# dpkg with a folder for a root; it knows this machine's packages, so that dependencies are checked.
# Triggers are those of programs that are not in the folder.
root=$work/root
mkdir -p "$root/var/lib/dpkg"/{info,updates,triggers,parts}
cp /var/lib/dpkg/status "$root/var/lib/dpkg/status"
cp -r /var/lib/dpkg/info "$root/var/lib/dpkg/"
if dpkg --root="$root" --status cleave >/dev/null 2>&1; then
  skip "cleave is installed on this machine"
fi
dpkg --root="$root" --no-triggers --install "$deb"

"$source/tests/packaging/check_files.sh" "$root/usr" "$source"
"$mpiexec" -n 2 "$root/usr/bin/cleave-quicksort" --size N=1K --repetitions 1 --verify

dpkg --root="$root" --no-triggers --purge cleave
left=$(find "$root" -mindepth 1 -path "$root/var/lib/dpkg" -prune -o ! -type d -print)
if [ -n "$left" ] || [ -e "$root/usr" ]; then
  echo "error: left by the removed package: $left" >&2
  exit 1
fi
echo "the Debian package works, and leaves nothing when removed"
