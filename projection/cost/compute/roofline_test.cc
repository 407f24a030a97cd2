#include "tessera/projection/cost/compute/roofline.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::projection {
namespace {

using ::testing::ElementsAre;

Device MakeDevice() {
  return ParseTopology(
             "name: \"t\" device { hbm_bytes_per_s: 1000 transcendental_per_s: 10 "
             "peak { dtype: \"f32\" flops_per_s: 100 } }")
      ->device();
}

constexpr char kDot[] =
    "ENTRY e { p = f32[8,16] parameter(0)\n q = f32[16,4] parameter(1)\n"
    "d = f32[8,4] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "ROOT t = f32[8,4] tanh(d) }";

TEST(RooflineTest, BoundsOfEachInstruction) {
  const hlo::Module m = *hlo::ParseModule(kDot);
  const Roofline r = *RooflineOf(m, MakeDevice(), {});
  ASSERT_EQ(r.instructions.size(), 4u);
  const InstructionTime &dot = r.instructions[2], &tanh = r.instructions[3];
  EXPECT_EQ(dot.bound, Resource::kCompute);  // 1,024 flops, 896 bytes
  EXPECT_DOUBLE_EQ(dot.total(), 10.24);
  EXPECT_DOUBLE_EQ(dot.intensity, 1024.0 / 896);
  EXPECT_EQ(tanh.bound, Resource::kTranscendentals);
  EXPECT_DOUBLE_EQ(tanh.total(), 3.2);
  EXPECT_DOUBLE_EQ(r.no_overlap_s, 10.24 + 3.2);
  EXPECT_DOUBLE_EQ(r.overlap_s, 10.24);  // computing is the largest of the sums
}

TEST(RooflineTest, NetworkAndUnknownPeaks) {
  const hlo::Module m =
      *hlo::ParseModule("ENTRY e { p = bf16[8] parameter(0)\n ROOT a = bf16[8] add(p, p) }");
  RooflineOptions options;
  options.network_seconds = [](hlo::InstructionId) { return 7.0; };
  const Roofline r = *RooflineOf(m, MakeDevice(), options);
  EXPECT_EQ(r.instructions[1].bound, Resource::kNetwork);
  EXPECT_THAT(r.unknown, ElementsAre("peak of bf16"));
}

TEST(RooflineTest, LoopsMultiplyAndTheSlowestBranchCounts) {
  const hlo::Module m = *hlo::ParseModule(
      "body { s = (s32[], f32[100]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
      " x = f32[100] get-tuple-element(s), index=1\n one = s32[] constant(1)\n"
      " n = s32[] add(i, one)\n y = f32[100] add(x, x)\n"
      " ROOT t = (s32[], f32[100]) tuple(n, y) }\n"
      "go { s = (s32[], f32[100]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
      " n = s32[] constant(5)\n ROOT p = pred[] compare(i, n), direction=LT }\n"
      "quick { x = f32[100] parameter(0)\n ROOT y = f32[100] add(x, x) }\n"
      "slow { x = f32[100] parameter(0)\n y = f32[100] add(x, x)\n ROOT z = f32[100] add(y, y) }\n"
      "ENTRY e { c = pred[] parameter(0)\n x = f32[100] parameter(1)\n z = s32[] constant(0)\n"
      " t = (s32[], f32[100]) tuple(z, x)\n"
      " w = (s32[], f32[100]) while(t), condition=go, body=body\n"
      " v = f32[100] get-tuple-element(w), index=1\n"
      " ROOT r = f32[100] conditional(c, v, v), true_computation=quick, false_computation=slow }");
  const Roofline r = *RooflineOf(m, MakeDevice(), {});
  int64_t adds_of_100 = 0;
  for (const InstructionTime& t : r.instructions) {
    const bool add = m.instruction(t.id).opcode == hlo::Opcode::kAdd;
    if (add && m.shape(t.id).rank() == 1) adds_of_100 += t.times;
  }
  EXPECT_EQ(adds_of_100, 5 + 2);
}

// 9 rows on 4 devices: tiles of 3, of which the last device has none.
TEST(RooflineTest, TilesOfDevicesAndUsefulWork) {
  const hlo::Module m =
      *hlo::ParseModule("ENTRY e { p = f32[9,4] parameter(0)\n ROOT a = f32[9,4] add(p, p) }");
  const DeviceGrid grid(*sharding::Mesh::Create({{"x", 4}}));
  sharding::TensorSharding rows(0, 2);
  rows.dim(0).axes = {sharding::AxisRef::Full(0)};
  RooflineOptions options;
  options.grid = &grid;
  options.sharding_of = [&](hlo::InstructionId, int) { return &rows; };
  const Roofline r = *RooflineOf(m, MakeDevice(), options);
  EXPECT_DOUBLE_EQ(r.instructions[1].seconds[0], 0.12);  // 3 x 4 adds
  EXPECT_DOUBLE_EQ(r.instructions[1].useful_work, 36.0 / 48);
}

}  // namespace
}  // namespace tessera::projection
