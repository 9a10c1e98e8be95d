#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks what the completions of bash or zsh offer. Exits with 77 without zsh.
# Called as: check_completions.sh bash|zsh FOLDER_OF_COMPLETIONS FOLDER_OF_PROGRAMS
set -euo pipefail
shell=$1 folder=$2
export PATH=$3:$PATH ASAN_OPTIONS=detect_leaks=0

# expect "WORDS OFFERED" COMMAND_LINE...: its last word, which may be empty, is completed to these and others.
expect() {
  local words=$1 word offered
  shift
  offered=" $("offered_by_$shell" "$@" | tr '\n' ' ') "
  for word in $words; do
    if [[ $offered != *" $word "* ]]; then
      echo "error: '$*' does not offer '$word' but:$offered" >&2
      exit 1
    fi
  done
  echo "$* -> $words"
}

offered_by_bash() {
  bash -c '
    source "$1"
    shift
    complete -p "$1" | grep -q -- "-o default"
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _cleave
    printf "%s\n" "${COMPREPLY[@]}"' bash "$folder/bash/$1" "$@"
}

offered_by_zsh() {
  zsh -fc '
    fpath=($1 $fpath)
    shift
    compadd() { shift; print -rl -- "$@" }
    _files() { print FILE }
    autoload -Uz +X _cleave
    words=("$@")
    CURRENT=$#
    _cleave' zsh "$folder/zsh" "$@"
}

if [ "$shell" = zsh ]; then
  command -v zsh >/dev/null || { echo "skipped: zsh is not installed"; exit 77; }
  zsh -n "$folder/zsh/_cleave"
  zsh -fc 'fpath=($1 $fpath); autoload -Uz compinit; compinit -u -D
           [[ $_comps[cleave] == _cleave && $_postpatcomps[cleave-*] == _cleave ]]' zsh "$folder/zsh"
else
  bash -n "$folder/bash/cleave"
fi

expect "fit predict plan compare report study export quicksort calibrate" cleave ""
expect "study" cleave st
expect "--machine --out --forms" cleave fit --
expect "auto paper" cleave fit --forms ""
expect "sequential hypercube work_stealing" cleave-quicksort --type ""
expect "replicated rooted distributed" cleave-quicksort --size N=4M --placement ""
expect "hypercube" cleave quicksort --type hyp
expect "--trace --verify --json" cleave uts --
expect "simulate" cleave-spacetree ""
expect "--policy" cleave-spacetree simulate --po
