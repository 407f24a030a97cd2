#!/usr/bin/env bash
# The archive: its binary runs where nothing is installed, its pages are read by `man` and the shells. A second build, elsewhere, gives the
# same bytes.
#
#   testing/archive/run.sh            one build
#   testing/archive/run.sh --twice    and a second one, linked and packed anew; compiled files come from Bazel's disk cache where there is one
#   testing/archive/run.sh --cold     the second one compiles everything anew: a quarter of an hour
set -eu
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT

./bazelw build -c opt //:archive
cp bazel-bin/tessera.tar.gz "$scratch/first.tar.gz"

# Nothing but the archive: no libc, no shell.
tar -C "$scratch" -xzf "$scratch/first.tar.gz"
top=$(echo "$scratch"/tessera-*)
mkdir "$scratch/empty"
cp "$top/bin/tessera" examples/mlp.hlo "$scratch/empty"
if [ "$(id -u)" -eq 0 ]; then
  chroot "$scratch/empty" /tessera --version
  chroot "$scratch/empty" /tessera shardings /mlp.hlo --mesh=data=4,model=2 --annotate="^x$=P('data')" | grep -q "^y: f32\[16,32\] P('data', None)"
else
  "$scratch/empty/tessera" --version
fi

ls "$top/share/doc/tessera/licenses" | wc -l | xargs echo "licences:"
if command -v man >/dev/null; then
  warnings=$(man --warnings -E UTF-8 -l "$top/share/man/man1/tessera.1" 2>&1 >/dev/null)
  [ -z "$warnings" ] || { echo "$warnings"; exit 1; }
fi

[ $# -gt 0 ] || exit 0

# In another place, by another Bazel server.
again=("--output_base=$scratch/base")
flags=(-c opt --symlink_prefix="$scratch/bazel-" --modify_execution_info=CppLink=+no-cache,CppArchive=+no-cache,Genrule=+no-cache)
[ "${1:-}" != --cold ] || flags+=(--disk_cache=)
./bazelw "${again[@]}" --max_idle_secs=5 build "${flags[@]}" //:archive
cmp "$scratch/first.tar.gz" "$scratch/bazel-bin/tessera.tar.gz"
./bazelw "${again[@]}" shutdown
sha256sum "$scratch/first.tar.gz" | sed 's/ .*/: the same bytes twice/'
