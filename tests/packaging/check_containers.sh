#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Has Charliecloud parse both recipes of containers. Exits with 77 where it cannot.
# Called as: check_containers.sh SOURCE_FOLDER
set -euo pipefail
recipes=$1/cmake/packaging
skip() {
  echo "skipped: $1"
  exit 77
}
command -v ch-image >/dev/null || skip "charliecloud-builders is not installed"
command -v ch-run >/dev/null || skip "charliecloud-runtime is not installed, which ch-image looks for"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

export USER=${USER-root}
for recipe in Dockerfile charliecloud.dockerfile; do
  # By Debian's Python, for whom Debian's packages are.
  /usr/bin/python3 "$(command -v ch-image)" --storage "$work/charliecloud" build --parse-only --tag cleave \
    --file "$recipes/$recipe" .
done

echo "Charliecloud reads the recipes"
