#include "tessera/target/schedule/live_memory.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/fusion/kept_values.h"
#include "tessera/target/layouts/array_sizes.h"
#include "tessera/target/schedule/copied_arguments.h"
#include "tessera/target/schedule/homes.h"
#include "tessera/target/schedule/kernel_order.h"
#include "tessera/target/schedule/kernels.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;

// `how`: on a TPU whose kernels and collectives take a microsecond each, and whose collectives run beside kernels if
// `hides`.
LiveMemory LiveOf(absl::string_view text, const HidingRules* how = nullptr, bool hides = true) {
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  ArraySizes sizes(*ParseTarget("h100:1")->chip);
  std::vector<int64_t> bytes;
  for (const Value& value : flow->values) bytes.push_back(sizes.BytesOf(*value.shape));
  const KeptValues kept = FindKeptValues(*flow, bytes);
  const Homes homes = FindHomes(*flow, kept, {});
  const std::vector<double> seconds(flow->nodes.size(), 1e-6);
  const std::vector<bool> hiding(flow->nodes.size(), hides);
  Scheduling rules;
  if (how != nullptr) rules = {seconds, nullptr, &hiding, *how, {}};
  return FindLiveMemory(*flow, kept, homes, bytes, rules);
}

// In KiB, without arguments and results.
int64_t PeakOf(absl::string_view text) { return LiveOf(text).peak >> 10; }

// The transpose's kernel computes the negate, which another kernel writes.
TEST(FindKernelsTest, WhatAKernelComputesIsNotRead) {
  const auto module = hlo::ParseModule(
      "ENTRY e {\n  x = f32[32,64] parameter(0)\n  n = f32[32,64] negate(x)\n"
      "  t = f32[64,32] transpose(n), dimensions={1,0}\n"
      "  d = f32[32,32] dot(x, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  ROOT o = (f32[32,64], f32[32,32]) tuple(n, d)\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  ASSERT_TRUE(flow.ok()) << flow.status();
  KeptValues kept;
  kept.is_kept.resize(flow->values.size());
  kept.sources.resize(flow->values.size());
  std::vector<ValueId> x_n_t;
  for (const Node& node : flow->nodes) {
    for (const ValueId v : node.results) kept.Keep(v);
    kept.kernels.push_back(static_cast<uint32_t>(kept.kernels.size()));
    if (x_n_t.size() < 3 && !node.results.empty()) x_n_t.push_back(node.results[0]);
  }
  const auto reads_of_t = [&] {
    const std::vector<ScopeKernels> scopes = FindKernels(*flow, kept);
    for (const Kernel& kernel : scopes[0].kernels) {
      if (absl::c_linear_search(kernel.makes, x_n_t[2])) return kernel.reads;
    }
    return Kernel().reads;
  };
  EXPECT_THAT(reads_of_t(), ElementsAre(x_n_t[1]));
  kept.recomputed.emplace(kept.kernels[flow->values[x_n_t[2]].node], flow->values[x_n_t[1]].node);
  EXPECT_THAT(reads_of_t(), ElementsAre(x_n_t[0]));
}

constexpr char kDims[] = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";

// Three products of 4 KiB, each needed once: two at a time.
TEST(LiveMemoryTest, ADeadValueGivesItsMemory) {
  EXPECT_EQ(
      PeakOf(absl::StrCat("ENTRY e {\n  x = f32[32,32] parameter(0)\n  a = f32[32,32] dot(x, x)",
                          kDims, "  b = f32[32,32] dot(a, x)", kDims, "  c = f32[32,32] dot(b, x)",
                          kDims, "  ROOT d = f32[32,32] dot(c, x)", kDims, "}\n")),
      8);
}

// The product of 8 KiB is scaled in its own memory, unless its kernel makes the scale, too.
TEST(LiveMemoryTest, WhatIsMadeBesideAReductionIsNotReused) {
  const auto scaled_by = [](const std::string& scale) {
    return PeakOf(absl::StrCat(
        "sum {\n  a = bf16[] parameter(0)\n  b = bf16[] parameter(1)\n  ROOT s = bf16[] add(a, "
        "b)\n}\n"
        "ENTRY e {\n  x = bf16[64,64] parameter(0)\n  p = bf16[64,1] parameter(1)\n"
        "  q = bf16[1,64] parameter(2)\n  zero = bf16[] constant(0)\n  a = bf16[64,64] dot(x, x)",
        kDims, "  f = bf16[64,1] dot(a, p)", kDims, scale,
        "  m = bf16[64,64] broadcast(s), dimensions={0}\n  e = bf16[64,64] multiply(a, m)\n"
        "  g = bf16[64,1] dot(e, p)",
        kDims, "  h = bf16[1,64] dot(q, e)", kDims, "  ROOT d = bf16[64,64] dot(g, h)", kDims,
        "}\n"));
  };
  EXPECT_EQ(scaled_by("  s = bf16[64] reshape(f)\n"), 8);
  EXPECT_EQ(scaled_by("  s = bf16[64] reduce(a, zero), dimensions={1}, to_apply=sum\n"), 16);
}

// In the final modules of 42 whole steps, operand and result of a large all-reduce may lie in one memory. Most
// of these name the operand in `aliasing_operands`; no permute does.
TEST(LiveMemoryTest, AnAllReduceWorksInItsOperand) {
  const auto peak = [](const std::string& collective) {
    return PeakOf(absl::StrCat(
        "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n"
        "ENTRY e {\n  x = f32[32,32] parameter(0)\n  a = f32[32,32] dot(x, x)",
        kDims, collective, "  ROOT d = f32[32,32] dot(r, x)", kDims, "}\n"));
  };
  EXPECT_EQ(peak("  r = f32[32,32] all-reduce(a), replica_groups={{0,1}}, to_apply=sum\n"), 4);
  EXPECT_EQ(peak("  r = f32[32,32] collective-permute(a), source_target_pairs={{0,1},{1,0}}\n"), 8);
}

// Rows for one dimension of indices are scaled in their own memory. For two they are a list, which the kernel reads
// through a bitcast: in a step of embedding bags a table's rows and what masks them are two buffers of 128 MiB.
TEST(LiveMemoryTest, RowsForSeveralDimensionsOfIndicesAreNotReused) {
  const auto peak = [](const std::string& indices, int last) {
    return PeakOf(absl::StrReplaceAll(
        "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n"
        "ENTRY e {\n  t = f32[64,128] parameter(0)\n  i = s32[ROWS,1] parameter(1)\n"
        "  w = f32[128,1] parameter(2)\n"
        "  g = f32[ROWS,128] gather(t, i), offset_dims={LAST}, collapsed_slice_dims={0}, "
        "start_index_map={0}, index_vector_dim=LAST, slice_sizes={1,128}\n"
        "  s = f32[ROWS,128] multiply(g, g)\n"
        "  r = f32[ROWS,128] all-reduce(s), replica_groups={{0,1}}, to_apply=sum\n"
        "  ROOT d = f32[ROWS,1] dot(r, w), lhs_contracting_dims={LAST}, "
        "rhs_contracting_dims={0}\n}\n",
        {{"ROWS", indices}, {"LAST", absl::StrCat(last)}}));
  };
  EXPECT_EQ(peak("32", 1), 16);
  EXPECT_EQ(peak("4,8", 2), 32);
}

// An update works where its operand lies; zeros lie there first.
TEST(LiveMemoryTest, AnUpdateIsInPlace) {
  EXPECT_EQ(
      PeakOf(absl::StrCat(
          "ENTRY e {\n  x = f32[1,32] parameter(0)\n  i = s32[] parameter(1)\n  w = f32[32,32] "
          "parameter(2)\n"
          "  z = f32[] constant(0)\n  b = f32[32,32] broadcast(z), dimensions={}\n"
          "  u = f32[32,32] dynamic-update-slice(b, x, i, i)\n"
          "  v = f32[32,32] dynamic-update-slice(u, x, i, i)\n  ROOT d = f32[32,32] dot(v, w)",
          kDims, "}\n")),
      4);
}

// Zeros lie in memory for the update. The maximum makes them anew.
TEST(LiveMemoryTest, ABroadcastIsMadeAnewByWhoeverCan) {
  EXPECT_EQ(
      PeakOf(absl::StrCat(
          "ENTRY e {\n  x = f32[1,32] parameter(0)\n  i = s32[] parameter(1)\n"
          "  w = f32[32,32] parameter(2)\n  z = f32[] constant(0)\n"
          "  b = f32[32,32] broadcast(z), dimensions={}\n"
          "  u = f32[32,32] dynamic-update-slice(b, x, i, i)\n  d = f32[32,32] dot(u, w)",
          kDims, "  m = f32[32,32] maximum(d, b)\n  ROOT r = f32[32,32] dot(m, w)", kDims, "}\n")),
      8);
}

// Both gathers could run at the start; each waits for its reader.
TEST(LiveMemoryTest, WhatFreesNothingWaits) {
  const std::string text = absl::StrCat(
      "HloModule m, num_partitions=4\nENTRY e {\n  x = f32[32,32] parameter(0)\n  w = f32[8,32] "
      "parameter(1)\n"
      "  u = f32[8,32] parameter(2)\n"
      "  g = f32[32,32] all-gather(w), dimensions={0}, replica_groups={{0,1,2,3}}\n"
      "  h = f32[32,32] all-gather(u), dimensions={0}, replica_groups={{0,1,2,3}}\n"
      "  a = f32[32,32] dot(x, g)",
      kDims, "  b = f32[32,32] dot(a, h)", kDims, "  ROOT d = f32[32,32] dot(b, x)", kDims, "}\n");
  EXPECT_EQ(PeakOf(text), 12);
}

// A step that a loop repeats: `b` of KIB can be read for the last time before the loop within makes its 64 KiB.
int64_t PeakOfLoopInLoop(int kib) {
  const std::string go =
      " {\n  s = (s32[], f32[32,32]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  n = s32[] constant(9)\n  ROOT c = pred[] compare(i, n), direction=LT\n}\n";
  const std::string head =
      " {\n  s = (s32[], f32[32,32]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  x = f32[32,32] get-tuple-element(s), index=1\n  z = f32[] constant(0)\n";
  const std::string count = "  o = s32[] constant(1)\n  j = s32[] add(i, o)\n";
  const std::string text = absl::StrCat(
      "inner", head, count,
      "  w = f32[32,512] broadcast(z), dimensions={}\n  a = f32[32,512] dot(x, w)", kDims,
      "  v = f32[512,32] broadcast(z), dimensions={}\n  y = f32[32,32] dot(a, v)", kDims,
      "  ROOT t = (s32[], f32[32,32]) tuple(j, y)\n}\ngo", go, "outer", head, count,
      "  w = f32[32,COLUMNS] broadcast(z), dimensions={}\n  b = f32[32,COLUMNS] dot(x, w)", kDims,
      "  v = f32[COLUMNS,32] broadcast(z), dimensions={}\n  m = f32[32,32] dot(b, v)", kDims,
      "  k = s32[] constant(0)\n  u = (s32[], f32[32,32]) tuple(k, m)\n"
      "  l = (s32[], f32[32,32]) while(u), condition=go, body=inner\n"
      "  y = f32[32,32] get-tuple-element(l), index=1\n  e = f32[] constant(1)\n"
      "  f = f32[COLUMNS,32] broadcast(e), dimensions={}\n  q = f32[32,32] dot(b, f)",
      kDims, "  r = f32[32,32] dot(y, q)", kDims,
      "  ROOT t = (s32[], f32[32,32]) tuple(j, r)\n}\ngoon", go,
      "ENTRY e {\n  x = f32[32,32] parameter(0)\n  k = s32[] constant(0)\n"
      "  u = (s32[], f32[32,32]) tuple(k, x)\n"
      "  l = (s32[], f32[32,32]) while(u), condition=goon, body=outer\n"
      "  ROOT y = f32[32,32] get-tuple-element(l), index=1\n}\n");
  return PeakOf(absl::StrReplaceAll(text, {{"COLUMNS", absl::StrCat(kib * 8)}}));
}

TEST(LiveMemoryTest, AModuleHasTheKindOfOrderThatIsMeasuredAsLeast) {
  EXPECT_LT(PeakOfLoopInLoop(128), 128 + 64);
}

// XLA's log of its heap simulator starts the new value of an update in place before it frees the old one. So it does
// with the parameters of a loop.
TEST(LiveMemoryTest, WhatIsWrittenOverIsMeasuredTwice) {
  const std::string made = absl::StrCat(
      "  w = f32[32,128] parameter(1)\n  i = s32[] parameter(2)\n  a = f32[32,128] dot(x, w)",
      kDims);
  const std::string read =
      absl::StrCat("  v = f32[128,32] parameter(3)\n  ROOT r = f32[32,32] dot(u, v)", kDims, "}\n");
  const LiveMemory update =
      LiveOf(absl::StrCat("ENTRY e {\n  x = f32[32,32] parameter(0)\n", made,
                          "  u = f32[32,128] dynamic-update-slice(a, x, i, i)\n", read));
  EXPECT_EQ(update.peak >> 10, 16);
  EXPECT_EQ(update.measured >> 10, 32);
  const LiveMemory loop = LiveOf(absl::StrCat(
      "go {\n  s = (s32[], f32[32,128]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  ROOT c = pred[] compare(i, i), direction=LT\n}\n"
      "body {\n  s = (s32[], f32[32,128]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  b = f32[32,128] get-tuple-element(s), index=1\n  c = f32[32,128] negate(b)\n  j = s32[] "
      "add(i, i)\n"
      "  ROOT t = (s32[], f32[32,128]) tuple(j, c)\n}\n"
      "ENTRY e {\n  x = f32[32,32] parameter(0)\n",
      made,
      "  t = (s32[], f32[32,128]) tuple(i, a)\n  l = (s32[], f32[32,128]) while(t), condition=go, "
      "body=body\n"
      "  u = f32[32,128] get-tuple-element(l), index=1\n",
      read));
  EXPECT_EQ(loop.peak >> 10, 16);
  EXPECT_EQ(loop.measured >> 10, 32);
}

// The gather of 64 KiB is there while the products in front of its reader run.
TEST(LiveMemoryTest, AGatherOfATpuIsThereBeforeItIsRead) {
  const std::string text = absl::StrCat(
      "HloModule m, num_partitions=4\nENTRY e {\n  x = f32[32,32] parameter(0)\n"
      "  w = f32[32,128] parameter(1)\n  v = f32[256,32] parameter(2)\n  y = f32[32,256] "
      "parameter(3)\n"
      "  z = f32[256,32] parameter(4)\n  a = f32[32,256] dot(x, y)",
      kDims, "  b = f32[32,32] dot(a, z)", kDims,
      "  g = f32[32,512] all-gather(w), dimensions={1}, replica_groups={{0,1,2,3}}\n"
      "  ROOT d = f32[32,512] dot(b, g)",
      kDims, "}\n");
  const HidingRules how = HidingOn(*ParseTarget("tpu-v5e:2x2")->chip);
  EXPECT_EQ(LiveOf(text, &how, /*hides=*/false).peak >> 10, 64 + 4);
  EXPECT_EQ(LiveOf(text, &how).peak >> 10, 64 + 32 + 4);
}

// The order of least memory makes `z` first, as it is smaller than `a`. XLA's constant-deferring puts it in front of
// `u`.
TEST(LiveMemoryTest, AFillOfATpuIsMadeForItsReader) {
  const std::string text = absl::StrCat(
      "ENTRY e {\n  x = f32[32,32] parameter(0)\n  y = f32[32,1024] parameter(1)\n"
      "  v = f32[1024,32] parameter(2)\n  w = f32[512,4096] parameter(3)\n"
      "  q = f32[4096,32] parameter(4)\n  i = s32[] parameter(5)\n  k = f32[] constant(0)\n"
      "  z = f32[32,512] broadcast(k), dimensions={}\n  a = f32[32,1024] dot(x, y)",
      kDims, "  b = f32[32,32] dot(a, v)", kDims,
      "  u = f32[32,512] dynamic-update-slice(z, b, i, i)\n  c = f32[32,4096] dot(u, w)", kDims,
      "  ROOT r = f32[32,32] dot(c, q)", kDims, "}\n");
  const HidingRules how = HidingOn(*ParseTarget("tpu-v5e:2x2")->chip);
  EXPECT_EQ(LiveOf(text).curve[0].bytes >> 10, 64);
  EXPECT_EQ(LiveOf(text, &how).curve[0].bytes >> 10, 128);
}

// Whether the last carried array of a loop lies in the donated argument. `use` is what the body adds up.
bool LiesInArgument(absl::string_view use, absl::string_view before = "") {
  const auto module = hlo::ParseModule(absl::StrCat(
      "HloModule m\ngo {\n  c = (s32[], f32[1,8], f32[8,8]) parameter(0)\n"
      "  i = s32[] get-tuple-element(c), index=0\n"
      "  ROOT l = pred[] compare(i, i), direction=LT\n}\n"
      "body {\n  c = (s32[], f32[1,8], f32[8,8]) parameter(0)\n"
      "  i = s32[] get-tuple-element(c), index=0\n  x = f32[1,8] get-tuple-element(c), index=1\n"
      "  k = f32[8,8] get-tuple-element(c), index=2\n",
      "  u = f32[8,8] dynamic-update-slice(k, x, i, i)\n", before, "  y = f32[1,8] ", use,
      "  j = s32[] add(i, i)\n  ROOT t = (s32[], f32[1,8], f32[8,8]) tuple(j, y, u)\n}\n"
      "ENTRY e {\n  i = s32[] parameter(0)\n  x = f32[1,8] parameter(1)\n"
      "  k = f32[8,8] parameter(2)\n  t = (s32[], f32[1,8], f32[8,8]) tuple(i, x, k)\n"
      "  w = (s32[], f32[1,8], f32[8,8]) while(t), condition=go, body=body\n"
      "  y = f32[1,8] get-tuple-element(w), index=1\n"
      "  ROOT r = f32[8,8] get-tuple-element(w), index=2\n}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  const std::vector<int64_t> bytes(flow->values.size(), 1);
  const Homes homes = FindHomes(*flow, FindKeptValues(*flow, bytes), {{0, 2}});
  return homes.is_free[homes.of[flow->scopes[0].roots[0]]];
}

TEST(HomesTest, ALoopCopiesWhatItsProductsRead) {
  EXPECT_TRUE(LiesInArgument("negate(x)\n"));
  EXPECT_FALSE(LiesInArgument(absl::StrCat("dot(x, u)", kDims)));
}

// In final modules the cache of a layer is copied for the product that reads all of it, and the caches of all layers
// stay where they are. If products read slices of it, as of keys and values in one array, those of all layers are copied.
TEST(HomesTest, AnUpdatedPartThatIsReadWholeIsCopiedAlone) {
  constexpr char kPart[] =
      "  s = f32[8,8] dynamic-slice(k, i, i), dynamic_slice_sizes={8,8}\n"
      "  v = f32[8,8] dynamic-update-slice(s, x, i, i)\n";
  EXPECT_TRUE(LiesInArgument(absl::StrCat("dot(x, v)", kDims), kPart));
  const std::string sliced = absl::StrCat(
      kPart, "  a = f32[8,4] slice(v), slice={[0:8], [0:4]}\n  d = f32[1,4] dot(x, a)", kDims);
  EXPECT_FALSE(LiesInArgument("concatenate(d, d), dimensions={1}\n", sliced));
}

// Whether caches of three layers lie in their donated argument. A loop over tokens is around one over layers; a dot
// with these batch dimensions reads each updated layer. `sizes` are those of a layer, `at` the place of a token.
bool CachesLieInArgument(const std::string& sizes, const std::string& token, const std::string& at,
                         const std::string& batch, const std::string& heads = "2") {
  const std::string go =
      " {\n  c = (s32[], f32[2,HEADS,4], f32[2,HEADS,8], f32[3,SIZES]) parameter(0)\n"
      "  i = s32[] get-tuple-element(c), index=0\n  ROOT l = pred[] compare(i, i), "
      "direction=LT\n}\n";
  const std::string head =
      " {\n  c = (s32[], f32[2,HEADS,4], f32[2,HEADS,8], f32[3,SIZES]) parameter(0)\n"
      "  i = s32[] get-tuple-element(c), index=0\n  y = f32[2,HEADS,4] get-tuple-element(c), "
      "index=1\n"
      "  q = f32[2,HEADS,8] get-tuple-element(c), index=2\n  k = f32[3,SIZES] "
      "get-tuple-element(c), "
      "index=3\n"
      "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  z = s32[] constant(0)\n";
  const std::string text = absl::StrCat(
      "go", go, "more", go, "layers", head,
      "  p = f32[1,SIZES] dynamic-slice(k, i, z, z, z, z), dynamic_slice_sizes={1,SIZES}\n"
      "  a = f32[SIZES] reshape(p)\n  n = f32[TOKEN] constant({...})\n"
      "  u = f32[SIZES] dynamic-update-slice(a, n, AT)\n"
      "  d = f32[2,HEADS,4] dot(u, q), lhs_batch_dims={BATCH}, lhs_contracting_dims={3}, "
      "rhs_batch_dims={0,1}, rhs_contracting_dims={2}\n  s = f32[2,HEADS,4] add(y, d)\n"
      "  b = f32[1,SIZES] reshape(u)\n  w = f32[3,SIZES] dynamic-update-slice(k, b, i, z, z, z, "
      "z)\n"
      "  ROOT t = (s32[], f32[2,HEADS,4], f32[2,HEADS,8], f32[3,SIZES]) tuple(j, s, q, "
      "w)\n}\ntokens",
      head,
      "  t = (s32[], f32[2,HEADS,4], f32[2,HEADS,8], f32[3,SIZES]) tuple(z, y, q, k)\n"
      "  w = (s32[], f32[2,HEADS,4], f32[2,HEADS,8], f32[3,SIZES]) while(t), condition=go, "
      "body=layers\n"
      "  e = f32[2,HEADS,4] get-tuple-element(w), index=1\n"
      "  f = f32[3,SIZES] get-tuple-element(w), index=3\n"
      "  ROOT r = (s32[], f32[2,HEADS,4], f32[2,HEADS,8], f32[3,SIZES]) tuple(j, e, q, f)\n}\n"
      "ENTRY e {\n  i = s32[] parameter(0)\n  y = f32[2,HEADS,4] parameter(1)\n"
      "  q = f32[2,HEADS,8] parameter(2)\n  k = f32[3,SIZES] parameter(3)\n"
      "  t = (s32[], f32[2,HEADS,4], f32[2,HEADS,8], f32[3,SIZES]) tuple(i, y, q, k)\n"
      "  w = (s32[], f32[2,HEADS,4], f32[2,HEADS,8], f32[3,SIZES]) while(t), condition=more, "
      "body=tokens\n"
      "  ROOT r = f32[3,SIZES] get-tuple-element(w), index=3\n}\n");
  const auto module = hlo::ParseModule(absl::StrReplaceAll(
      text, {{"SIZES", sizes}, {"TOKEN", token}, {"AT", at}, {"BATCH", batch}, {"HEADS", heads}}));
  EXPECT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  const std::vector<int64_t> bytes(flow->values.size(), 1);
  const Homes homes = FindHomes(*flow, FindKeptValues(*flow, bytes), {{0, 3}});
  return homes.is_free[homes.of[flow->scopes[1].roots.back()]];
}

// In probes of libtpu 0.0.50.1 the outer loop carries caches in the layout of the dot.
TEST(HomesTest, ALoopInALoopCopiesWhatADotReadsAcrossTiles) {
  EXPECT_TRUE(CachesLieInArgument("2,2,4,8", "2,2,1,8", "z, z, i, z", "0,1"));
  EXPECT_FALSE(CachesLieInArgument("2,4,2,8", "2,1,2,8", "z, i, z, z", "0,2"));
  EXPECT_TRUE(CachesLieInArgument("2,4,1,8", "2,1,1,8", "z, i, z, z", "0,2", "1"));  // of one head
}

// The optimizer's part of a parameter is gathered into the parameter.
TEST(CopiedArgumentsTest, WhereAGatherIsTheResult) {
  const auto copied = [](absl::string_view result, std::vector<int64_t> order) {
    const auto module = hlo::ParseModule(
        absl::StrCat("HloModule m, num_partitions=4\nENTRY e {\n  p = f32[32,8] parameter(0)\n"
                     "  m = f32[8,8] parameter(1)\n",
                     result, "}\n"));
    EXPECT_TRUE(module.ok()) << module.status();
    const auto flow = FindDataflow(*module);
    EXPECT_TRUE(flow.ok()) << flow.status();
    return CopiedArguments(*flow, {{0, 0}},
                           [&](ValueId v) {
                             layout::Shape laid = *flow->values[v].shape;
                             laid.set_layout(layout::Layout::Descending(2));
                             if (laid.dim(0) == 8)
                               laid.set_layout(layout::Layout({order.begin(), order.end()}));
                             return laid;
                           })
        .size();
  };
  const std::string gather =
      "  s = f32[8,8] slice(p), slice={[0:8], [0:8]}\n  u = f32[8,8] subtract(s, m)\n"
      "  ROOT g = f32[32,8] all-gather(u), dimensions={0}, replica_groups={{0,1,2,3}}\n";
  EXPECT_EQ(copied(gather, {1, 0}), 1u);
  EXPECT_EQ(copied(gather, {0, 1}), 0u);  // a copy between layouts is there anyway
  EXPECT_EQ(copied("  ROOT n = f32[32,8] negate(p)\n", {1, 0}), 0u);
}

ScopeKernels ScopeOf(const std::vector<std::pair<std::vector<ValueId>, ValueId>>& reads_and_made) {
  ScopeKernels scope;
  for (const auto& [reads, made] : reads_and_made) {
    Kernel kernel;
    kernel.reads.assign(reads.begin(), reads.end());
    kernel.makes.push_back(made);
    scope.kernels.push_back(std::move(kernel));
  }
  return scope;
}

// Value 1 is an updated weight in the memory of an argument. In the log of XLA's list scheduler it counts as made.
TEST(LeastMemoryOrderTest, AResultIsMadeThoughItTakesNoMemory) {
  const ScopeKernels scope = ScopeOf({{{}, 0}, {{0}, 1}, {{}, 2}, {{2}, 3}});
  Homes homes = {{0, 1, 2, 3}, {false, false, false, false}, {}};
  EXPECT_THAT(LeastMemoryOrder(scope, homes, {1, 1, 4, 4}), ElementsAre(0, 1, 2, 3));
  homes.is_free[1] = true;
  EXPECT_THAT(LeastMemoryOrder(scope, homes, {1, 8, 4, 4}), ElementsAre(0, 2, 3, 1));
}

// Kernel 0 is a loop. In the log of XLA's list scheduler readers of its results free nothing.
TEST(LeastMemoryOrderTest, WhatALoopMadeFreesNothing) {
  ScopeKernels scope = ScopeOf({{{}, 0}, {{0}, 1}, {{}, 2}, {{2}, 3}});
  const Homes homes = {{0, 1, 2, 3}, {false, false, false, false}, {}};
  EXPECT_THAT(LeastMemoryOrder(scope, homes, {6, 8, 4, 4}), ElementsAre(2, 3, 0, 1));
  EXPECT_THAT(LeastMemoryOrder(scope, homes, {2, 4, 3, 3}), ElementsAre(0, 1, 2, 3));
  scope.kernels[0].consumes = {4, 5};
  EXPECT_THAT(LeastMemoryOrder(scope, homes, {2, 4, 3, 3}), ElementsAre(0, 2, 3, 1));
}

// By all paths kernels 2 and 3 have more bytes below them than there are, and more that waits.
TEST(DepthFirstOrderTest, OfTwoAtTheLimitTheLaterOneComesFirst) {
  ScopeKernels scope = ScopeOf({{{}, 0}, {{0}, 1}, {{0, 1}, 2}, {{0, 1}, 3}});
  scope.at_end = {2, 3};
  const std::vector<int64_t> bytes = {8, 1, 1, 1};
  EXPECT_THAT(DepthFirstOrder(scope, bytes, PathLimit::kOfAll), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(DepthFirstOrder(scope, bytes, PathLimit::kOfWhatIsInFront), ElementsAre(0, 1, 3, 2));
}

TEST(DepthFirstOrderTest, ALoopIsAtTheEndOfTheScale) {
  ScopeKernels scope = ScopeOf({{{}, 0}, {{}, 1}, {{0}, 2}, {{0, 1}, 3}});
  scope.kernels[3].consumes = {0, 1};
  scope.at_end = {2, 3};
  const std::vector<int64_t> bytes = {1, 1, 8, 1};
  EXPECT_THAT(DepthFirstOrder(scope, bytes, PathLimit::kOfAll), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(DepthFirstOrder(scope, bytes, PathLimit::kOfWhatIsInFront), ElementsAre(0, 1, 3, 2));
}

}  // namespace
}  // namespace tessera::target
