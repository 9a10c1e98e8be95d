#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does what a new user does: in a Debian that debootstrap makes, installs the packages, begins a project, builds, tests
# and runs it, studies it, and asks for a prediction. Prints what every command takes, and how many there were. It takes
# minutes and root, and fetches some 200 MB, so no test runs it. Exits with 77 where it cannot run, and says why.
# Called as: check_clean_root.sh BUILD_FOLDER
set -euo pipefail
skip() {
  echo "skipped: $1"
  exit 77
}
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
[ "$(id -u)" -eq 0 ] || skip "debootstrap makes a root for programs as root only"

# This machine's own Debian, from where it has its packages.
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(apt-get indextargets --format '$(REPO_URI)' "Created-By: Packages" "Release: $codename" "Component: main" |
  head -n 1)
[ -n "$mirror" ] || skip "apt has no source of $codename main"

build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
debootstrap --variant=minbase "$codename" "$root" "$mirror" >"$work/log" 2>&1 ||
  skip "debootstrap: $(tail -n 1 "$work/log")"
(cd "$work" && cpack --config "$build/CPackConfig.cmake" -G DEB -B "$root/packages") >/dev/null
cp /etc/hosts /etc/resolv.conf "$root/etc/"

commands=(
  "apt-get install --yes /packages/cleave_*.deb /packages/cleave-dev_*.deb"
  "cleave new first"
  "cd first"
  "cmake -B build"
  "cmake --build build"
  "ctest --test-dir build"
  "mpiexec -n 2 build/first --verify"
  "cleave study build/first --quick"
  "cleave predict first-study --ranks 1,2,4,8 --size N=64M --machine ethernet-10g"
)
# Its own mounts end with it.
unshare --mount --fork chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive ${http_proxy+"http_proxy=$http_proxy"} bash -euo pipefail -c '
    mount -t proc proc /proc
    mkdir -p /dev/shm && mount -t tmpfs tmpfs /dev/shm
    apt-get update -qq
    cd /root
    SECONDS=0
    for command; do
      begin=$SECONDS
      echo "\$ $command"
      eval "$command" >/log 2>&1 || { cat /log; echo "error: $command" >&2; exit 1; }
      echo "  $((SECONDS - begin)) s"
    done
    cat /log
    [ -s first-study/report.html ] || { echo "error: the study has no page" >&2; ls first-study; exit 1; }
    echo "$# commands, $SECONDS s"
  ' new-user "${commands[@]}"
