#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The first hour of somebody new: from an empty Debian to the page of predictions of a program of one's own, by the lines of
# the first two pages of the tutorial. Prints the seconds of each. At most 20 commands and 25 minutes; none fails. Exits with
# 77 where no such Debian can be made. Called as: check_first_hour.sh SOURCE_FOLDER
set -euo pipefail
source=$1 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skip() { echo "skipped: $1"; exit 77; }
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed"
git clone --quiet --bare "$source" "$work/cleave.git" || skip "$source is not a clone"

# The script: each line of commands, then `took`, which reads it; a block of C++ is written to the file that it names.
{
  cat <<'END'
exec 3>&1 >/log 2>&1 </dev/null
export HOME=/root count=0 begin=0
cd
took() {
  local status=$?
  printf '%5d s  %s\n' $((SECONDS - begin)) "$(cat)" >&3
  ((status == 0)) || { tail -n 40 /log >&3; exit 1; }
  ((++count)) && begin=$SECONDS
}
END
  printf '%s\n' '```sh' "apt-get update" "apt-get install -y git ca-certificates" "git clone /cleave.git" "cd cleave" '```' |
    awk '/^```/ { if (file) print "END"; kind = kind ? "" : substr($0, 4); begins = kind == "cpp"; file = 0; next }
      begins { begins = 0; file = 1; print "cat >" $2 " <<\"END\"" }
      file { print }
      kind ~ /^(console|sh)$/ { print $0 "\ntook <<\"END\"\n" $0 "\nEND" }' \
      - "$source"/docs/tutorial/{first-program,predict-it}.md
  echo 'echo "$count commands in $SECONDS s" >&3; test -s inversions-study/report.html && ((count <= 20 && SECONDS <= 25 * 60))'
} >"$work/hour"
export work
unshare --mount --pid --fork --kill-child mmdebstrap --variant=minbase --format=null --quiet --customize-hook='
  touch "$work/made"
  cp -r "$work/hour" "$work/cleave.git" "$1"
  chroot "$1" env -i PATH="$PATH" bash /hour' bookworm /dev/null || { [ -e "$work/made" ] || skip "no Debian can be made here"; exit 1; }
