#include "tessera/cost/memory/target_memory.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/cost/memory/peak_band.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/hlo/parser.h"

namespace tessera::cost {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kMib = 1 << 20;

TargetMemory Of(absl::string_view body, absl::string_view target, absl::string_view header = "") {
  const auto module = hlo::ParseModule(absl::StrCat("HloModule m", header, "\n", body));
  EXPECT_TRUE(module.ok()) << module.status();
  auto memory = MemoryOnTarget(*module, *target::ParseTarget(target));
  EXPECT_TRUE(memory.ok()) << memory.status();
  return *std::move(memory);
}

std::vector<std::string> NamesAtPeak(const TargetMemory& memory) {
  std::vector<std::string> names;
  for (const DeviceBuffer& buffer : memory.at_peak) names.push_back(buffer.name);
  return names;
}

// 256 MiB each, too much for the fast memory; the tanh is part of the product that reads it.
constexpr char kChain[] =
    "ENTRY e {\n"
    "  x = f32[8192,8192] parameter(0)\n"
    "  w = f32[8192,8192] parameter(1)\n"
    "  t = f32[8192,8192] tanh(x)\n"
    "  d = f32[8192,8192] dot(t, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  e = f32[8192,8192] exponential(d)\n"
    "  ROOT r = f32[8192,8192] dot(e, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "}\n";

TEST(TargetMemoryTest, WhatOneKernelReadsHasNoMemory) {
  const TargetMemory memory = Of(kChain, "tpu-v5e:1x1");
  EXPECT_EQ(memory.arguments, 512 * kMib);
  EXPECT_EQ(memory.results, 256 * kMib);
  EXPECT_EQ(memory.peak, 1024 * kMib);
  EXPECT_THAT(NamesAtPeak(memory), ElementsAre("e"));  // the result has memory all the time
  EXPECT_EQ(memory.at_peak[0].shape, "f32[8192,8192]{1,0:T(8,128)}");
}

// The compiler (libtpu 0.0.50.1) writes the operand of a max pool's gradient to memory, though one kernel
// reads it.
TEST(TargetMemoryTest, ASelectAndScatterReadsMemory) {
  const TargetMemory memory = Of(
      "ge {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT c = pred[] compare(a, b), direction=GE\n}\n"
      "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n"
      "ENTRY e {\n"
      "  x = f32[256,32,32,128] parameter(0)\n"
      "  g = f32[256,16,16,128] parameter(1)\n"
      "  z = f32[] constant(0)\n"
      "  b = f32[256,32,32,128] broadcast(z), dimensions={}\n"
      "  m = f32[256,32,32,128] maximum(x, b)\n"
      "  ROOT r = f32[256,32,32,128] select-and-scatter(m, g, z), "
      "window={size=1x2x2x1 stride=1x2x2x1}, select=ge, scatter=add\n"
      "}\n",
      "tpu-v5e:1x1");
  EXPECT_EQ(memory.peak, 416 * kMib);
  EXPECT_THAT(NamesAtPeak(memory), ElementsAre("m"));
}

TEST(TargetMemoryTest, AResultInAnArgumentTakesNothing) {
  const TargetMemory memory =
      Of(kChain, "tpu-v5e:1x1", ", input_output_alias={ {}: (0, {}, may-alias) }");
  EXPECT_EQ(memory.aliased, 256 * kMib);
  EXPECT_EQ(memory.peak, 768 * kMib);
}

// As on a v5e: exponentials of 4 MiB lie in VMEM. How large that is on a v4 is not known. The compiler reports the
// temporaries of the memory that has most: 18 MiB for v5e, with a half of w that it copies there.
// Twelve rows of 64 numbers fill two tiles of 4 KiB, and so do 1536 in one row. Without padding their sizes differ.
TEST(TargetMemoryTest, ADonorIsTakenByAResultOfItsPaddedSize) {
  const char body[] =
      "ENTRY e {\n  d = f32[12,64] parameter(0)\n  x = f32[1536] parameter(1)\n"
      "  ROOT r = f32[1536] negate(x)\n}\n";
  EXPECT_EQ(Of(body, "tpu-v5e:1x1", ", buffer_donor={ (0, {}) }").aliased, 8 << 10);
  EXPECT_EQ(Of(body, "h100:1", ", buffer_donor={ (0, {}) }").aliased, 0);
}

TEST(TargetMemoryTest, WhatLiesInFastMemoryTakesNoHbm) {
  const std::string chain = absl::StrReplaceAll(kChain, {{"8192", "1024"}});
  const TargetMemory fast = Of(chain, "tpu-v5e:1x1");
  EXPECT_THAT(fast.at_peak, IsEmpty());
  EXPECT_EQ(fast.peak, 16 * kMib);
  EXPECT_EQ(fast.in_hbm, 0);
  int64_t in_vmem = fast.copied_to_vmem;
  for (const DeviceBuffer& buffer : fast.in_vmem) in_vmem += buffer.bytes;
  EXPECT_EQ(in_vmem, fast.temporaries());
  EXPECT_THAT(NamesAtPeak(Of(chain, "tpu-v4:1x1x1")), ElementsAre("e"));
}

// The weights of all layers go through the loop unchanged: no copy. What it carries is there twice
// while the new value is made. A product of a GPU reads its slice of the weights from memory: the peak of XLA's
// GPU compiler (jax-cuda12-plugin 0.12.0.1) is 48 MiB and 8 bytes.
TEST(TargetMemoryTest, ALoopHoldsWhatItCarries) {
  const TargetMemory memory =
      Of("body {\n"
         "  s = (s32[], f32[1024,1024], f32[8,1024,1024]) parameter(0)\n"
         "  i = s32[] get-tuple-element(s), index=0\n"
         "  x = f32[1024,1024] get-tuple-element(s), index=1\n"
         "  w = f32[8,1024,1024] get-tuple-element(s), index=2\n"
         "  z = s32[] constant(0)\n"
         "  k = f32[1,1024,1024] dynamic-slice(w, i, z, z), dynamic_slice_sizes={1,1024,1024}\n"
         "  m = f32[1024,1024] reshape(k)\n"
         "  d = f32[1024,1024] dot(x, m), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
         "  o = s32[] constant(1)\n"
         "  n = s32[] add(i, o)\n"
         "  ROOT t = (s32[], f32[1024,1024], f32[8,1024,1024]) tuple(n, d, w)\n"
         "}\n"
         "go {\n"
         "  s = (s32[], f32[1024,1024], f32[8,1024,1024]) parameter(0)\n"
         "  i = s32[] get-tuple-element(s), index=0\n"
         "  e = s32[] constant(8)\n"
         "  ROOT c = pred[] compare(i, e), direction=LT\n"
         "}\n"
         "ENTRY e {\n"
         "  x = f32[1024,1024] parameter(0)\n"
         "  w = f32[8,1024,1024] parameter(1)\n"
         "  z = s32[] constant(0)\n"
         "  t = (s32[], f32[1024,1024], f32[8,1024,1024]) tuple(z, x, w)\n"
         "  l = (s32[], f32[1024,1024], f32[8,1024,1024]) while(t), condition=go, body=body\n"
         "  ROOT r = f32[1024,1024] get-tuple-element(l), index=1\n"
         "}\n",
         "h100:1");
  EXPECT_EQ(memory.arguments, 36 * kMib);
  EXPECT_NEAR(static_cast<double>(memory.peak), 48.0 * kMib, 64);
  EXPECT_THAT(memory.peak_at, ::testing::SizeIs(2));  // the loop, and the product in it
  EXPECT_EQ(memory.at_peak[0].inside, "l");
  EXPECT_EQ(memory.curve.size(), 1u);
}

// Peaks of XLA's GPU compiler for these programs, 16 MiB an array: the gather is in flight while the product
// runs, so that both results are there; a sum lies over its operand.
TEST(TargetMemoryTest, CollectivesOnAGpu) {
  const std::string dims = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  const std::string groups =
      ", replica_groups={{0,1,2,3,4,5,6,7}}, use_global_device_ids=true, channel_id=1";
  const std::string gather =
      "ENTRY e {\n  x = f32[2048,2048] parameter(0)\n  w = f32[256,2048] parameter(1)\n"
      "  g = f32[2048,2048] all-gather(w), dimensions={0}" +
      groups + "\n  a = f32[2048,2048] dot(x, x)" + dims + "  ROOT b = f32[2048,2048] dot(a, g)" +
      dims + "}\n";
  EXPECT_EQ(Of(gather, "h100:8", ", num_partitions=8").peak, 66 * kMib);
  const std::string sum =
      "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n"
      "ENTRY e {\n  x = f32[2048,2048] parameter(0)\n  w = f32[2048,2048] parameter(1)\n"
      "  a = f32[2048,2048] dot(x, w)" +
      dims + "  s = f32[2048,2048] all-reduce(a), to_apply=sum" + groups +
      "\n  ROOT b = f32[2048,2048] dot(s, w)" + dims + "}\n";
  EXPECT_EQ(Of(sum, "h100:8", ", num_partitions=8").peak, 64 * kMib);
}

TEST(TargetMemoryTest, SizesAreThoseOfTheTarget) {
  const char* const narrow = "ENTRY e { ROOT x = f32[1024,8] parameter(0) }\n";
  EXPECT_EQ(Of(narrow, "tpu-v5e:1x1").arguments, 32 << 10);  // {0,1:T(8,128)}: no padding
  const char* const small = "ENTRY e { ROOT x = bf16[3,5] parameter(0) }\n";
  EXPECT_EQ(Of(small, "tpu-v5e:1x1").arguments, 4 * 128 * 2);
  EXPECT_EQ(Of(small, "h100:1").arguments, 30);
  const char* const long_one = "ENTRY e { ROOT x = bf16[5120] parameter(0) }\n";
  EXPECT_EQ(Of(long_one, "tpu-v5e:1x1").arguments, 10240);
}

TEST(TargetMemoryTest, NothingOnACpu) {
  const auto module = hlo::ParseModule("HloModule m\nENTRY e { ROOT x = f32[] parameter(0) }\n");
  EXPECT_EQ(MemoryOnTarget(*module, *target::ParseTarget("cpu")).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(UsableMemoryTest, AsTheCompilerHasIt) {
  EXPECT_EQ(UsableMemory(*target::ParseTarget("tpu-v5e:4x4")), int64_t{63} << 28);
  EXPECT_EQ(UsableMemory(*target::ParseTarget("h100:8")), 84942979072);
  EXPECT_EQ(UsableMemory(*target::ParseTarget("h200:8")), 141000000000);
  EXPECT_EQ(UsableMemory(*target::ParseTarget("cpu")), 0);
}

TEST(UsableMemoryTest, OfEveryGpuAndTpuItIsKnown) {
  for (const target::Chip& chip : target::Chips()) {
    if (chip.platform == target::Platform::kCpu) continue;
    const char* const smallest[] = {":1", ":1", ":1x1", ":1x1x1"};  // by the sides of a torus
    const auto target = target::ParseTarget(absl::StrCat(chip.name, smallest[chip.torus_sides]));
    ASSERT_TRUE(target.ok()) << target.status();
    EXPECT_GT(UsableMemory(*target), 0) << chip.name;
  }
}

TEST(PeakBandTest, Verdicts) {
  const PeakRange range = {10, 9, 11};
  EXPECT_EQ(VerdictName(range.VerdictOn(12)), "fits");
  EXPECT_EQ(VerdictName(range.VerdictOn(10)), "too_close");
  EXPECT_EQ(VerdictName(range.VerdictOn(8)), "does_not_fit");
}

constexpr int64_t kLargePeak = 1 << 30;

TEST(PeakBandTest, SmallProgramsOfTpusWidenIt) {
  const auto module =
      hlo::ParseModule("HloModule m\nENTRY e {\n  ROOT x = f32[8] parameter(0)\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto patterns = [&](absl::string_view target, int64_t peak) {
    return PeakBandOf(*module, *target::ParseTarget(target)->chip, peak).patterns.size();
  };
  EXPECT_EQ(patterns("tpu-v5e:1x1", 1000), 1u);
  EXPECT_EQ(patterns("tpu-v5e:1x1", kLargePeak), 0u);
  EXPECT_EQ(patterns("h100:1", 1000), 0u);
}

TEST(PeakBandTest, LargeInteriorPaddingWidensIt) {
  const auto band = [](const std::string& padding, int64_t rows) {
    const auto module = hlo::ParseModule(absl::StrCat(
        "HloModule m\nENTRY e {\n  x = f32[10000,1024] parameter(0)\n  z = f32[] constant(0)\n"
        "  ROOT p = f32[",
        rows, ",1024] pad(x, z), padding=", padding, "\n}\n"));
    EXPECT_TRUE(module.ok()) << module.status();
    return PeakBandOf(*module, *target::ParseTarget("tpu-v5e:1x1")->chip, kLargePeak);
  };
  EXPECT_EQ(band("0_1_1x0_0", 20000).patterns.size(), 1u);
  EXPECT_TRUE(band("0_10000x0_0", 20000).patterns.empty());
}

TEST(PeakBandTest, PartsOfFewImagesWidenIt) {
  const auto patterns = [](const std::string& labels, const std::string& sizes) {
    const auto module = hlo::ParseModule(
        absl::StrCat("HloModule m\nENTRY e {\n  x = bf16[", sizes,
                     ",64] parameter(0)\n"
                     "  k = bf16[1,1,64,64] parameter(1)\n  ROOT c = bf16[",
                     sizes, ",64] convolution(x, k), window={size=1x1}, dim_labels=", labels,
                     "f_01io->", labels, "f\n}\n"));
    EXPECT_TRUE(module.ok()) << module.status();
    return PeakBandOf(*module, *target::ParseTarget("tpu-v5e:1x1")->chip, kLargePeak)
        .patterns.size();
  };
  EXPECT_EQ(patterns("0b1", "256,16,33"), 1u);
  EXPECT_EQ(patterns("b01", "16,256,33"), 0u);
}

TEST(PeakBandTest, KnownPatternsWidenIt) {
  const auto module = hlo::ParseModule(
      "HloModule m\n"
      "ENTRY e {\n"
      "  t = f32[100000,64] parameter(0)\n"
      "  i = s32[1000000,1] parameter(1)\n"
      "  ROOT g = f32[1000000,64] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}\n"
      "}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const PeakBand tpu = PeakBandOf(*module, *target::ParseTarget("tpu-v5e:1x1")->chip, kLargePeak);
  const PeakBand gpu = PeakBandOf(*module, *target::ParseTarget("h100:1")->chip, kLargePeak);
  EXPECT_EQ(tpu.patterns.size(), 1u);
  EXPECT_TRUE(gpu.patterns.empty());
  EXPECT_GT(tpu.high, gpu.high);
}

}  // namespace
}  // namespace tessera::cost
