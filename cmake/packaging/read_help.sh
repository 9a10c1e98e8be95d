# SPDX-License-Identifier: Apache-2.0
# Read by make_manual and make_completions: what a program says by --help (CLI11's form).
# A command is a program or a program with subcommands, as one line: "cleave machine show".

declare -A program_file=()  # of a program's name
help_folder=$(mktemp -d)    # what was printed so far
trap 'rm -rf "$help_folder"' EXIT

# remember_programs FILE...
remember_programs() {
  local file
  for file in "$@"; do
    program_file[$(basename "$file")]=$file
  done
}

# help_of COMMAND: what it prints on --help.
help_of() {
  local words file=$help_folder/$1 part=$help_folder/part.$BASHPID
  if [[ ! -e $file ]]; then
    read -ra words <<<"$1"
    # Sanitizers find leaks in MPICH.
    ASAN_OPTIONS=detect_leaks=0 "${program_file[${words[0]}]}" "${words[@]:1}" --help >"$part" || {
      echo "error: $1 --help failed" >&2
      return 1
    }
    mv "$part" "$file"  # Whole, since others read it at the same time.
  fi
  cat "$file"
}

# summary_of COMMAND: the first sentence or line of its help.
summary_of() {
  help_of "$1" | sed -n '1{s/\.$//;p}'
}

# subcommands_of COMMAND: one "NAME<TAB>DESCRIPTION" a line.
subcommands_of() {
  help_of "$1" | awk '
    /^[^ ]/ { inside = /^Subcommands:/ }
    inside && /^  [^ ]/ { name = $1; sub(/^  [^ ]+ */, ""); print name "\t" $0 }'
}

# find_commands COMMAND...: appends them and all their subcommands to the array `commands`. Ends the
# script if one has no help.
commands=()
find_commands() {
  local command name names
  for command in "$@"; do
    commands+=("$command")
    names=$(subcommands_of "$command" | cut -f1)
    for name in $names; do
      find_commands "$command $name"
    done
  done
}

# options_of COMMAND: NAMES ("-h,--help"), VALUE (what the help says of the option's value, empty if it
# takes none) and DESCRIPTION, separated by \001: `read` takes two tabs for one.
options_of() {
  help_of "$1" | awk '
    function flush() { if (names != "") print names "\001" value "\001" text; names = "" }
    /^  -/ {
      flush()
      line = substr($0, 3)
      at = match(line, /  +/)
      # A long left column has one blank before the description, which starts at column 31.
      if (length($0) > 30 && substr($0, 30, 1) == " " && (at == 0 || at > 28)) at = 28
      left = at ? substr(line, 1, at - 1) : line
      text = at ? substr(line, at) : ""
      sub(/^ +/, "", text); sub(/ +$/, "", left)
      names = left; value = ""
      if (at = index(left, " ")) { names = substr(left, 1, at - 1); value = substr(left, at + 1) }
      next
    }
    substr($0, 1, 20) ~ /^ +$/ && names != "" { sub(/^ +/, ""); text = text (text == "" ? "" : " ") $0; next }
    { flush() }
    END { flush() }'
}

# choices_of NAMES VALUE DESCRIPTION: the values that the option takes, where its help lists them.
choices_of() {
  local word
  if [[ $2 =~ \{([^}]*)\} ]]; then
    echo "${BASH_REMATCH[1]//,/ }"
  elif [[ $1 == --type || $1 == --placement ]]; then
    for word in sequential hypercube work_stealing replicated rooted distributed; do
      case ${3%%;*}, in *[\ ,]"$word"[\ ,]*) echo "$word" ;; esac
    done | paste -sd' '
  fi
}
