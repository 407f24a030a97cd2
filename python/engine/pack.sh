#!/usr/bin/env bash
# pack.sh OUT FILE ..: the module, stripped, LICENSE, and licenses/NAME.txt.
set -eu
out=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/licenses"
for file in "$@"; do
  case $file in
    */glibc.txt) ;; # not in it: the system's is used
    *.txt) cp -L "$file" "$folder/licenses" ;;
    *) cp -L "$file" "$folder" ;;
  esac
done
chmod -R u+w "$folder"
strip "$folder/_engine.so"
tar -C "$folder" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u+rw,go-w -cf "$out" .
