#!/usr/bin/env bash
# The public libraries, their consumer and tests of their own on Linux aarch64: compiled by Debian's cross compiler, run under qemu-user.
#
#   testing/aarch64/run.sh
#   TESSERA_ARM=DIR testing/aarch64/run.sh     keeps headers, objects and programs in DIR
#
# What is compiled are the libraries of examples/consumer, and with the headers that a consumer has: where a source lacks an #include, this
# fails (compile.py). Then its tests run, those listed here, and a program that shards modules and must print what the host's tessera prints.
#
# Missing compilers are installed where there is apt-get, the libraries of arm64 are unpacked into DIR alone. Exit status 77 where they cannot
# be had. TESSERA_JOBS compilations run at a time.
set -u
cd "$(dirname "$0")/../.." || exit 2
. testing/debian_packages.sh

# What depends on the processor: signs of char, vectors, numbers; and reading, printing, sharding, pricing as a whole.
readonly TESTS=(
  cost/network/collective_cost_test.cc
  cost/step/step_cost_test.cc
  examples/consumer/consumer_test.cc
  examples/consumer/padding_test.cc
  hlo/edit/edit_test.cc
  hlo/parse/parser_test.cc
  hlo/print/printer_test.cc
  hlo/values/literal_test.cc
  hlo/values/values_test.cc
  layout/relayout/kernels/kernels_test.cc
  layout/relayout/plan/fold_test.cc
  layout/relayout/plan/nest_test.cc
  layout/shape/element_type_test.cc
  pipeline/explained_module_test.cc
  pipeline/passes/lines/kept_lines_test.cc
  pipeline/sharded_module_test.cc
  projection/core/affine_map_test.cc
  sharding/tensor/tensor_sharding_test.cc
  sharding/text/hlo_conversions_test.cc
  sharding/text/pspec_test.cc
  text/formats/json_test.cc
  text/formats/text_proto_test.cc
  text/text_test.cc
)
# Libraries of these tests that a consumer does not link.
readonly MORE_LIBRARIES=(//hlo:edit //hlo:printer //hlo:verifier //layout/relayout:plan //sharding:sharding_text //text)
# What takes minutes in an emulator.
readonly TOO_LONG='*HaveALimit:*LinearMemory'
readonly MODULES=(examples/mlp.hlo examples/train_step.hlo examples/tutorial/slow.hlo)
readonly PACKAGES=(libabsl-dev libre2-dev libprotobuf-dev libgtest-dev libgmock-dev zlib1g-dev)
readonly COMPILER=aarch64-linux-gnu-g++

skip() {
  echo "aarch64: skipped, since $1"
  exit 77
}

install_compilers() {
  command -v "$COMPILER" >/dev/null && command -v qemu-aarch64 >/dev/null && return
  command -v apt-get >/dev/null || skip "there is no g++-aarch64-linux-gnu or no qemu-user, and no apt-get"
  need_packages g++-aarch64-linux-gnu qemu-user || skip "g++-aarch64-linux-gnu and qemu-user cannot be installed"
}

# Into $folder/root, by an apt that knows no other package.
unpack_libraries() {
  [ ! -d "$folder/root" ] || return 0
  local apt=$folder/apt package options
  mkdir -p "$apt"/{state/lists/partial,cache/archives/partial,packages}
  touch "$apt/status"
  options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "Dir::State=$apt/state" -o "Dir::State::status=$apt/status"
    -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update && (cd "$apt/packages" && apt-get "${options[@]}" download "${PACKAGES[@]}") || return 1
  for package in "$apt"/packages/*.deb; do dpkg-deb -x "$package" "$folder/unpacked" || return 1; done
  rm -r "$apt" && mv "$folder/unpacked" "$folder/root"
}

# sources KIND: what rules of that kind are made of, of all libraries. Sources that are compiled as one (third_party/bazel/joined.bzl) are
# sources of a rule between.
sources() {
  ./bazelw query --noshow_progress "let units = labels(srcs, kind($1, deps(set(${libraries[*]})))) in \$units + labels(srcs, \$units)" | sed -n 's#^//:*##; s#:#/#; /^@/d; /\.\(cc\|proto\)$/p'
}

install_compilers
folder=${TESSERA_ARM:-}
if [ -z "$folder" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder/include" && folder=$(realpath "$folder") && ln -sfn "$PWD" "$folder/include/tessera" || exit 1
unpack_libraries || skip "the libraries of arm64 cannot be fetched"

mapfile -t libraries < <(sed -n 's#.*"@tessera\(//.*\)".*#\1#p' examples/consumer/BUILD)
libraries+=("${MORE_LIBRARIES[@]}")
mapfile -t units < <(sources cc_library)
mapfile -t protos < <(sources proto_library)
[ "${#units[@]}" -gt 0 ] && [ "${#protos[@]}" -gt 0 ] || { echo "no sources: Bazel has no answer" >&2; exit 1; }
mkdir -p "$folder/generated"
protoc "-I$folder/include" "--cpp_out=$folder/generated" "${protos[@]/#/tessera/}" || exit 1
mapfile -t generated < <(find "$folder/generated" -name '*.cc')
readonly LIBRARY=("${units[@]}" "${generated[@]}")
testing/aarch64/compile.py "$folder" "${LIBRARY[@]}" "${TESTS[@]}" examples/consumer/shard.cc || exit 1

objects() { printf '%s\n' "$@" | sed "s#/#_#g; s#.*#$folder/objects/&.o#"; }

# link PROGRAM FILE ..
link() {
  local program=$1 libraries=$folder/root/usr/lib/aarch64-linux-gnu
  shift
  "$COMPILER" -pthread -o "$folder/$program" "$@" -Wl,--start-group "$folder/tessera.a" "$libraries"/libabsl_*.a "$libraries"/lib{re2,protobuf,z}.a \
    -Wl,--end-group
}

rm -f "$folder/tessera.a"
objects "${LIBRARY[@]}" | xargs aarch64-linux-gnu-ar rcs "$folder/tessera.a" || exit 1
mapfile -t test_objects < <(objects "${TESTS[@]}")
link tests "${test_objects[@]}" "$folder"/root/usr/lib/aarch64-linux-gnu/lib{gmock_main,gmock,gtest}.a || exit 1
link shard "$(objects examples/consumer/shard.cc)" || exit 1

export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
TEST_TMPDIR=$folder qemu-aarch64 "$folder/tests" --gtest_brief=1 "--gtest_filter=-$TOO_LONG" || exit 1
./bazelw build -c opt //:tessera || exit 1
for module in "${MODULES[@]}"; do
  qemu-aarch64 "$folder/shard" "$module" >"$folder/here" && bazel-bin/pipeline/tessera shard "$module" 2>/dev/null >"$folder/there" &&
    cmp "$folder/here" "$folder/there" || exit 1
done
echo "aarch64: ${#LIBRARY[@]} sources compiled, ${#TESTS[@]} files of tests passed, ${#MODULES[@]} modules sharded as on this machine"
