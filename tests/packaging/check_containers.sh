#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Has Charliecloud parse both recipes of containers, and podman build the Dockerfile without network, on a stand-in for
# Debian's image: a shell, and commands that write down how they are called. Exits with 77 where one cannot.
# Called as: check_containers.sh SOURCE_FOLDER
set -euo pipefail
recipes=$1/cmake/packaging
skip() {
  echo "skipped: $1"
  exit 77
}
command -v podman >/dev/null || skip "podman is not installed"
command -v ch-image >/dev/null || skip "charliecloud-builders is not installed"
command -v ch-run >/dev/null || skip "charliecloud-runtime is not installed, which ch-image looks for"
[ "$(id -u)" -eq 0 ] || skip "podman builds without network as root only"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

export USER=${USER-root}
for recipe in Dockerfile charliecloud.dockerfile; do
  # By Debian's Python, for whom Debian's packages are.
  /usr/bin/python3 "$(command -v ch-image)" --storage "$work/charliecloud" build --parse-only --tag cleave \
    --file "$recipes/$recipe" .
done

mkdir -p base/bin base/tmp clone
copy() {
  local file
  cp -L "$(command -v "$1")" base/bin/
  for file in $(ldd "$(command -v "$1")" | grep -o '/[^ ]*'); do
    mkdir -p "base$(dirname "$file")"
    cp -L "$file" "base$file"
  done
}
for tool in sh rm mkdir touch; do
  copy "$tool"
done
printf '#!/bin/sh\necho "$0 $*" >>/calls\n' >base/bin/apt-get
# Its target `package` leaves packages.
printf '#!/bin/sh\necho "$0 $*" >>/calls\nmkdir -p /build\ntouch /build/cleave_0_all.deb /build/cleave-dev_0_all.deb\n' >base/bin/cmake
printf '#!/bin/sh\necho "$0 $*" >>/calls\n' >clone/setup
chmod +x base/bin/apt-get base/bin/cmake clone/setup

# Its own folders, and no overlay, which a container has not.
pod=(podman --root "$work/images" --runroot "$work/run" --storage-driver vfs)
tar -C base -c . | "${pod[@]}" import --quiet - debian:bookworm >/dev/null
build=("${pod[@]}" build --pull=never --network none)
printf 'FROM debian:bookworm\nRUN :\n' | "${build[@]}" - >log 2>&1 || skip "podman runs nothing here: $(tail -1 log)"
"${build[@]}" --tag cleave --file "$recipes/Dockerfile" clone
image=$("${pod[@]}" image mount cleave)
cat "$image/calls"
grep -q 'install .*/packages/cleave_0_all.deb /packages/cleave-dev_0_all.deb$' "$image/calls"
"${pod[@]}" image unmount cleave >/dev/null
[ "$("${pod[@]}" image inspect cleave --format '{{.Config.Cmd}} {{.Config.WorkingDir}}')" = "[cleave --help] /work" ]
echo "Charliecloud and podman read the recipes"
