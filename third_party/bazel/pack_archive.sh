#!/usr/bin/env bash
# pack_archive.sh OUT VERSION_HEADER FILE ..: a folder tessera-VERSION with every file in its place, as a .tar.gz without times and owners.
set -eu
out=$1
header=$2
shift 2
version=$(sed -n 's/.*kVersion\[\] = "\(.*\)".*/\1/p' "$header")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
top=$folder/tessera-$version

place() {  # where a file of that name goes
  case $1 in
    */tessera_static) echo bin/tessera ;;
    */tessera.1) echo share/man/man1/tessera.1 ;;
    */tessera.bash) echo share/bash-completion/completions/tessera ;;
    */tessera.zsh) echo share/zsh/site-functions/_tessera ;;
    */tessera.fish) echo share/fish/vendor_completions.d/tessera.fish ;;
    */licenses/*) echo "share/doc/tessera/licenses/${1##*/}" ;;
    *) echo "share/doc/tessera/${1##*/}" ;;
  esac
}

for file in "$@"; do
  to=$top/$(place "./$file")
  mkdir -p "${to%/*}"
  cp -L "$file" "$to"
  chmod 644 "$to"
done
chmod 755 "$top/bin/tessera"
strip "$top/bin/tessera"
tar -C "$folder" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u+rw,go-w -cf - "tessera-$version" | gzip -n -9 >"$out"
