#include "tessera/cost/memory/peak_findings.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/cost/memory/target_memory.h"
#include "tessera/hlo/parser.h"

namespace tessera::cost {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kMib = 1 << 20;

TargetMemory Of(absl::string_view body, absl::string_view header = "") {
  const auto module = hlo::ParseModule(absl::StrCat("HloModule m", header, "\n", body));
  EXPECT_TRUE(module.ok()) << module.status();
  auto memory =
      MemoryOnTarget(*module, *target::ParseTarget("tpu-v5e:1x1"), /*tries_changes=*/true);
  EXPECT_TRUE(memory.ok()) << memory.status();
  return *std::move(memory);
}

// Arrays of 4 MiB.
constexpr char kUpdate[] =
    "ENTRY e {\n"
    "  w = f32[1024,1024] parameter(0)\n"
    "  x = f32[512,2048] parameter(1)\n"
    "  d = f32[1024,1024] dot(w, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  ROOT r = f32[1024,1024] subtract(w, d)\n"
    "}\n";

TEST(PeakFindingsTest, AnArgumentOfTheShapeOfAResultIsDonated) {
  const TargetMemory memory = Of(kUpdate);
  ASSERT_THAT(memory.findings, SizeIs(1));
  const PeakFinding& finding = memory.findings[0];
  EXPECT_EQ(finding.kind, PeakFinding::Kind::kDonate);
  EXPECT_THAT(finding.arrays, SizeIs(1));  // not x
  EXPECT_EQ(finding.arrays[0].instruction, 0u);
  EXPECT_EQ(finding.bytes, 4 * kMib);
  EXPECT_EQ(finding.peak, Of(kUpdate, ", input_output_alias={ {}: (0, {}, may-alias) }").peak);
  EXPECT_LT(finding.peak, memory.peak);
}

TEST(PeakFindingsTest, NothingOfWhatIsDonatedAlready) {
  EXPECT_THAT(Of(kUpdate, ", input_output_alias={ {}: (0, {}, may-alias) }").findings, IsEmpty());
  EXPECT_THAT(Of(kUpdate, ", buffer_donor={ (0, {}) }").findings, IsEmpty());
}

// An argument that is a result as it is needs no donation.
TEST(PeakFindingsTest, NothingOfAnArgumentThatIsAResult) {
  EXPECT_THAT(Of("ENTRY e { ROOT x = f32[1024,1024] parameter(0) }\n").findings, IsEmpty());
}

// `s` of 256 MiB is made forward, and read backward when two large products have run.
TEST(PeakFindingsTest, WhatTheBackwardPassReadsIsRecomputed) {
  const TargetMemory memory =
      Of("ENTRY e {\n"
         "  x = bf16[4096,4096] parameter(0)\n"
         "  w = bf16[4096,16384] parameter(1)\n"
         "  s = f32[4096,16384] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
         "metadata={op_name=\"jit(f)/jvp()/dot_general\"}\n"
         "  a = f32[4096,4096] dot(s, s), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
         "metadata={op_name=\"jit(f)/jvp()/dot_general.1\"}\n"
         "  b = f32[4096,16384] dot(a, s), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
         "metadata={op_name=\"jit(f)/transpose(jvp())/dot_general\"}\n"
         "  ROOT r = f32[4096,4096] dot(s, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
         "metadata={op_name=\"jit(f)/transpose(jvp())/dot_general\"}\n"
         "}\n");
  ASSERT_THAT(memory.findings, SizeIs(1));  // `a` lies in fast memory
  const PeakFinding& finding = memory.findings[0];
  EXPECT_EQ(finding.kind, PeakFinding::Kind::kRecompute);
  EXPECT_EQ(finding.bytes, 256 * kMib);
  EXPECT_EQ(finding.shape, "f32[4096,16384]{1,0:T(8,128)}");
  EXPECT_EQ(finding.peak, memory.peak - 256 * kMib);
}

// A scan's residuals: the body writes `s`, of 4 MiB, into a stack of 16, which the backward loop reads.
TEST(PeakFindingsTest, AStackOfResidualsIsNamedByWhatTheBodyWrites) {
  const TargetMemory memory = Of(
      "less {\n"
      "  p = (s32[], f32[1024,1024], f32[4,1024,1024]) parameter(0)\n"
      "  i = s32[] get-tuple-element(p), index=0\n"
      "  n = s32[] constant(4)\n"
      "  ROOT l = pred[] compare(i, n), direction=LT\n"
      "}\n"
      "forward {\n"
      "  p = (s32[], f32[1024,1024], f32[4,1024,1024]) parameter(0)\n"
      "  i = s32[] get-tuple-element(p), index=0\n"
      "  x = f32[1024,1024] get-tuple-element(p), index=1\n"
      "  t = f32[4,1024,1024] get-tuple-element(p), index=2\n"
      "  s = f32[1024,1024] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "metadata={op_name=\"jit(f)/jvp()/while/body/dot_general\"}\n"
      "  y = f32[1024,1024] dot(s, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  b = f32[1,1024,1024] broadcast(s), dimensions={1,2}\n"
      "  z = s32[] constant(0)\n"
      "  u = f32[4,1024,1024] dynamic-update-slice(t, b, i, z, z)\n"
      "  one = s32[] constant(1)\n"
      "  j = s32[] add(i, one)\n"
      "  ROOT r = (s32[], f32[1024,1024], f32[4,1024,1024]) tuple(j, y, u)\n"
      "}\n"
      "backward {\n"
      "  p = (s32[], f32[1024,1024], f32[4,1024,1024]) parameter(0)\n"
      "  i = s32[] get-tuple-element(p), index=0\n"
      "  x = f32[1024,1024] get-tuple-element(p), index=1\n"
      "  t = f32[4,1024,1024] get-tuple-element(p), index=2\n"
      "  z = s32[] constant(0)\n"
      "  d = f32[1,1024,1024] dynamic-slice(t, i, z, z), dynamic_slice_sizes={1,1024,1024}\n"
      "  s = f32[1024,1024] reshape(d)\n"
      "  y = f32[1024,1024] dot(s, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  one = s32[] constant(1)\n"
      "  j = s32[] add(i, one)\n"
      "  ROOT r = (s32[], f32[1024,1024], f32[4,1024,1024]) tuple(j, y, t)\n"
      "}\n"
      "ENTRY e {\n"
      "  x = f32[1024,1024] parameter(0)\n"
      "  z = s32[] constant(0)\n"
      "  f = f32[] constant(0)\n"
      "  t = f32[4,1024,1024] broadcast(f), dimensions={}\n"
      "  in = (s32[], f32[1024,1024], f32[4,1024,1024]) tuple(z, x, t)\n"
      "  a = (s32[], f32[1024,1024], f32[4,1024,1024]) while(in), condition=less, body=forward, "
      "metadata={op_name=\"jit(f)/jvp()/while\"}\n"
      "  y = f32[1024,1024] get-tuple-element(a), index=1\n"
      "  u = f32[4,1024,1024] get-tuple-element(a), index=2\n"
      "  back = (s32[], f32[1024,1024], f32[4,1024,1024]) tuple(z, y, u)\n"
      "  b = (s32[], f32[1024,1024], f32[4,1024,1024]) while(back), condition=less, body=backward, "
      "metadata={op_name=\"jit(f)/transpose(jvp())/while\"}\n"
      "  ROOT r = f32[1024,1024] get-tuple-element(b), index=1\n"
      "}\n");
  ASSERT_THAT(memory.findings, ::testing::Not(IsEmpty()));  // x could be donated, too
  EXPECT_EQ(memory.findings[0].kind, PeakFinding::Kind::kRecompute);
  EXPECT_EQ(memory.findings[0].bytes, 16 * kMib);
  EXPECT_EQ(memory.findings[0].shape, "f32[4,1024,1024]{2,1,0:T(8,128)}");
  EXPECT_EQ(memory.findings[0].peak, memory.peak - 16 * kMib);
}

TEST(PeakFindingsTest, NothingIsTriedUnasked) {
  const auto module = hlo::ParseModule(absl::StrCat("HloModule m\n", kUpdate));
  EXPECT_THAT(MemoryOnTarget(*module, *target::ParseTarget("tpu-v5e:1x1"))->findings, IsEmpty());
}

}  // namespace
}  // namespace tessera::cost
