#!/usr/bin/env bash
# The completions of the program's own verbs, in the shells that are here: completion_test.sh MANUAL
# With TESSERA_ALL_SHELLS a shell that is missing fails the test (testing/shells/run.sh).
set -u
for shell in zsh fish; do
  command -v "$shell" >/dev/null && continue
  echo "no $shell: its completion was not read"
  [ -z "${TESSERA_ALL_SHELLS:-}" ] || exit 1
done
manual=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for shell in bash zsh fish; do "$manual" "$shell" >"$scratch/$shell" || exit 1; done
failed=0

expect() {  # expect WHAT EXPECTED ACTUAL
  [ "$2" = "$3" ] || { echo "$1: expected <$2>, got <$3>"; failed=1; }
}

# complete_words WORD ..: what bash offers for the last one
complete_words() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _tessera 2>/dev/null  # `compopt` is for interactive shells
  echo "${COMPREPLY[*]}"
}

. "$scratch/bash"
expect "a verb" "shardings shard" "$(complete_words tessera shard)"
expect "a flag" "--mesh=" "$(complete_words tessera shard --me)"
expect "a value" "keep xla" "$(complete_words tessera shard --structure =)"
expect "the begin of a value" "xla" "$(complete_words tessera shard --structure = x)"
expect "a file" "" "$(complete_words tessera shard st)"

if command -v zsh >/dev/null; then
  zsh -n "$scratch/zsh" || failed=1
fi
if command -v fish >/dev/null; then
  fish --no-execute "$scratch/fish" || failed=1
  expect "a value in fish" "keep xla" "$(fish -c "source $scratch/fish; complete -C 'tessera shard --structure='" | sed 's/.*=//; s/\t.*//' | xargs)"
fi
exit "$failed"
