#!/usr/bin/env bash
# Reads every library source with Clang, warnings as errors: what GCC compiles only because it is GCC, or does not warn of. Nothing
# is generated, which takes a second or two a file. Consumers get no -Werror from this.
#
#   testing/clang.sh            all sources of libraries
#   testing/clang.sh FILE ...   these
#
# Headers that Bazel makes (of protocol buffers) must be there: the test step makes them. Exit status 77 without Clang: nothing was read.
set -u
cd "$(dirname "$0")/.." || exit 2
clang=$(command -v clang++-16 || command -v clang++-19 || command -v clang++ || true)
if [ -z "$clang" ]; then
  echo "no Clang here: nothing read"
  exit 77
fi
sources=("$@")
if [ "$#" -eq 0 ]; then
  # Sources that are compiled as one (third_party/bazel/joined.bzl) are sources of a rule between.
  # shellcheck disable=SC2207
  sources=($(./bazelw query --noshow_progress \
    'let units = labels(srcs, kind(cc_library, //...) except attr(testonly, 1, //...)) in $units + labels(srcs, $units)' |
    grep '\.cc$' | sed 's#^//##; s#:#/#'))
fi
if [ "${#sources[@]}" -eq 0 ]; then
  echo "no sources: Bazel has no answer" >&2
  exit 1
fi
# Headers are reached as "tessera/FOLDER/FILE.h".
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
ln -s "$PWD" "$root/tessera"
external=$(./bazelw info --noshow_progress output_base)/external
includes=(-I"$root")
for folder in "$external"/{cli11/include,tomlplusplus/include,com_google_absl,com_googlesource_code_re2,com_google_protobuf/src} \
  $(find -L ${TESSERA_BIN:-bazel-bin} -name '*.pb.h' -path '*/_virtual_includes/*' 2>/dev/null | sed 's#\(/_virtual_includes/[^/]*\)/.*#\1#' | sort -u); do
  [ -d "$folder" ] && includes+=(-isystem "$folder")
done
printf '%s\n' "${sources[@]}" |
  xargs -P "${TESSERA_JOBS:-$(nproc)}" -I{} "$clang" -std=c++17 -fsyntax-only -Wall -Wextra -Werror -ferror-limit=5 \
    "${includes[@]}" {} || exit 1
echo "Clang: ${#sources[@]} sources without a warning"
