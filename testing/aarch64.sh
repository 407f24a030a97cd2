#!/usr/bin/env bash
# Compiles the packages text, layout and hlo for Linux on aarch64, with Debian's cross compiler, and lets a program of them read and print a module
# under qemu-user. Shows what would stand in the way of a build there; no part of a build.
#
#   testing/aarch64.sh [FILE.hlo]
#
# Needs g++-aarch64-linux-gnu and qemu-user. The libraries of arm64 are fetched by apt into a folder of their own (TESSERA_ARM, default
# ~/.cache/tessera-arm64); nothing is installed. TESSERA_JOBS compilations run at a time.
set -eu
cd "$(dirname "$0")/.."
folder=${TESSERA_ARM:-$HOME/.cache/tessera-arm64}
module=$(realpath "${1:-examples/train_step.hlo}")
compiler=aarch64-linux-gnu-g++
for tool in "$compiler" qemu-aarch64; do
  command -v "$tool" >/dev/null || { echo "no $tool: install g++-aarch64-linux-gnu and qemu-user" >&2; exit 2; }
done

# The headers and archives of Abseil, RE2 and Protocol Buffers.
if [ ! -d "$folder/root/usr" ]; then
  mkdir -p "$folder"/{state/lists/partial,cache/archives/partial,packages}
  touch "$folder/state/status"
  options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "Dir::State=$folder/state" -o "Dir::State::status=$folder/state/status"
    -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update
  (cd "$folder/packages" && apt-get "${options[@]}" download libabsl-dev libre2-dev libprotobuf-dev zlib1g-dev)
  for package in "$folder"/packages/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
fi
mkdir -p "$folder/include" "$folder/objects"
ln -sfn "$PWD" "$folder/include/tessera"

export compiler folder
compile() {  # FILE.cc
  local object
  object=$folder/objects/$(tr / _ <<<"$1").o
  [ "$object" -nt "$1" ] && return
  "$compiler" -std=c++17 -O1 -Wall -Wextra -Wno-maybe-uninitialized -I"$folder/include" -I"$folder/root/usr/include" -c "$1" -o "$object"
}
export -f compile
# Without tests, and without what needs generated sources of Protocol Buffers.
sources=$(find text layout/shape layout/map layout/*.cc hlo sharding/mesh sharding/tensor sharding/text -name '*.cc' \
  ! -name '*_test.cc' ! -name '*_fuzz.cc' ! -name '*_benchmark.cc' ! -path '*/proto/*' ! -path '*/testing/*')
xargs -n 1 -P "${TESSERA_JOBS:-$(nproc)}" bash -c 'compile "$0"' <<<"$sources"
cat >"$folder/print.cc" <<'PROGRAM'
#include <iostream>

#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/text/source.h"

int main(int argc, char** argv) {
  const auto source = tessera::text::Source::FromFile(argc > 1 ? argv[1] : "-");
  if (!source.ok()) {
    std::cerr << source.status() << "\n";
    return 2;
  }
  const auto parsed = tessera::hlo::ParseModules(*source);
  if (!parsed.diagnostics.ok()) {
    std::cerr << parsed.diagnostics.Render(**source);
    return 2;
  }
  for (const auto& module : parsed.modules) {
    std::cout << tessera::hlo::PrintModule(module, tessera::hlo::PrintOptions::ShortParsable());
  }
}
PROGRAM
# An archive, of which the program takes what it needs.
rm -f "$folder/tessera.a"
tr / _ <<<"$sources" | sed "s#.*#$folder/objects/&.o#" | xargs aarch64-linux-gnu-ar rcs "$folder/tessera.a"
libraries=$folder/root/usr/lib/aarch64-linux-gnu
"$compiler" -std=c++17 -static -I"$folder/include" -I"$folder/root/usr/include" -o "$folder/print" "$folder/print.cc" -Wl,--start-group "$folder/tessera.a" "$libraries"/libabsl_*.a \
  "$libraries/libre2.a" "$libraries/libprotobuf.a" "$libraries/libz.a" -Wl,--end-group -pthread
qemu-aarch64 "$folder/print" "$module" >"$folder/printed.hlo"
qemu-aarch64 "$folder/print" "$folder/printed.hlo" | cmp - "$folder/printed.hlo"
echo "aarch64: $(wc -l <<<"$sources") sources compiled; $(wc -l <"$folder/printed.hlo") lines of $(basename "$module") printed, and the same again"
