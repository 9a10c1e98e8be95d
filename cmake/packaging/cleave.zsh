#compdef cleave -P cleave-*
# SPDX-License-Identifier: Apache-2.0
# Completion for zsh of `cleave` and every program cleave-X: the program says what may follow (--completions).
_cleave() {
  local -a command=("$words[1]") offers
  local word line name values
  for word in "${(@)words[2,CURRENT - 1]}"; do
    [[ $word == -* ]] || command+=("$word")
  done
  if [[ ${command[1]:t} == cleave && -n $command[2] ]] && (( $+commands[cleave-$command[2]] )); then
    command=("cleave-$command[2]" "${(@)command[3,-1]}")  # `cleave uts` is cleave-uts
  fi
  for line in "${(f)$("${(@)command}" --completions 2>/dev/null </dev/null)}"; do
    name=${line%%$'\t'*}
    values=${line#"$name"}
    values=${values#$'\t'}
    if [[ $name == "$words[CURRENT - 1]" && -n $values ]]; then
      if [[ $values == FILE ]]; then
        _files
      else
        compadd -- ${=values}
      fi
      return
    fi
    [[ $name == -* && $words[CURRENT] != -* ]] || offers+=("$name")
  done
  if [[ ${(j: :)command} == *cleave && $words[CURRENT] != -* ]]; then
    offers+=(${${(k)commands[(I)cleave-*]}#cleave-})
  fi
  compadd -- $offers
}
_cleave "$@"
