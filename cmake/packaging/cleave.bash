# SPDX-License-Identifier: Apache-2.0
# Completion for bash of `cleave` and every program cleave-X: the program says what may follow (--completions).
_cleave() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} offers word
  local -a command=("${COMP_WORDS[0]}")
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* || $word == '=' ]] || command+=("$word")
  done
  if [[ ${command[0]##*/} == cleave && -n ${command[1]-} ]] && type -P "${command[0]}-${command[1]}" >/dev/null; then
    command=("${command[0]}-${command[1]}" "${command[@]:2}")  # `cleave uts` is cleave-uts
  fi
  offers=$("${command[@]}" --completions 2>/dev/null </dev/null) || return
  if [[ $current == '=' ]]; then
    current=
  elif [[ $previous == '=' && $COMP_CWORD -gt 1 ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  local name values words=
  while IFS=$'\t' read -r name values; do
    if [[ $name == "$previous" && -n $values ]]; then
      [[ $values == FILE ]] || COMPREPLY=($(compgen -W "$values" -- "$current"))
      return
    fi
    [[ $name == -* && $current != -* ]] || words+=" $name"
  done <<<"$offers"
  if [[ ${command[*]} == *cleave && $current != -* ]]; then
    words+=" $(compgen -c "${command[0]##*/}-" | sed 's/^cleave-//')"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _cleave cleave
