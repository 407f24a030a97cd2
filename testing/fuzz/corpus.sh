# Corpora of fuzz targets, for testing/fuzz/run.sh: from the kept file to a folder and back.

# One file for each line of hexadecimal digits of $1, in folder $2.
unpack() {
  local number=0 line
  while read -r line; do
    printf '%b' "$(sed 's/../\\x&/g' <<< "$line")" > "$2/kept-$number"
    number=$((number + 1))
  done < "$1"
}

# The kept file of a target: testdata/NAME.hex of its package.
kept_file() {
  local package=${1#//}
  echo "${package%%:*}/testdata/${1##*:}.hex"
}

# The folder $2 with what target $1 begins with. 1 if there is nothing.
begin_corpus() {
  mkdir -p "$2"
  local kept
  kept=$(kept_file "$1")
  [ -f "$kept" ] && unpack "$kept" "$2"
  [ "${1##*:}" = module_fuzz ] && cp testing/jax/golden/*.before.hlo "$2"
  [ -n "$(ls "$2")" ] && return
  echo "$1 has no kept inputs" >&2
  return 1
}

# Writes the kept file of target $1 anew: inputs of folder $3, no longer than $4 bytes, that together reach every edge which the folder
# reaches, the shortest of those that do.
keep_corpus() {
  local kept least
  kept=$(kept_file "$1")
  least=$(mktemp -d)
  "$2" -merge=1 -use_counters=0 -max_len="$4" "$least" "$3" > /dev/null 2>&1 || echo "$1: the corpus could not be merged" >&2
  if [ -n "$(ls "$least")" ]; then
    mkdir -p "$(dirname "$kept")"
    local input
    for input in "$least"/*; do
      od -An -v -tx1 "$input" | tr -d ' \n'
      echo
    done | sort > "$kept"
  fi
  rm -rf "$least"
}
