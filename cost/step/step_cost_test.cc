#include "tessera/cost/step/step_cost.h"

#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/cost/step/opaque_calls.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::cost {
namespace {

// 1e12 flops and 1e9 bytes of memory a second, 1e9 bytes a second on links.
Machine Lab(int64_t devices) {
  Machine machine;
  machine.topology.set_name("lab");
  auto* level = machine.topology.add_level();
  level->set_devices(devices);
  level->set_device_bytes_per_s(1e9);
  machine.topology.mutable_device()->set_hbm_bytes_per_s(1e9);
  auto* peak = machine.topology.mutable_device()->add_peak();
  peak->set_dtype("bf16");
  peak->set_flops_per_s(1e12);
  return machine;
}

hlo::Module Parse(const std::string& text) {
  auto module = hlo::ParseModule(text, "test");
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

StepCost Of(const std::string& text, const Machine* machine) {
  auto cost = CostOfStep(Parse(text), machine, {});
  EXPECT_TRUE(cost.ok()) << cost.status();
  return cost.ok() ? *cost : StepCost();
}

constexpr char kContracted[] =
    "HloModule m, num_partitions=4\n"
    "ENTRY e {\n"
    "  x = bf16[64,256] parameter(0), sharding={devices=[1,4]<=[4]}\n"
    "  w = bf16[256,128] parameter(1), sharding={devices=[4,1]<=[4]}\n"
    "  ROOT d = bf16[64,128] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sharding={replicated}\n"
    "}\n";

TEST(StepCostTest, ASumOverDevicesSharesTheWork) {
  Machine fast = Lab(4);
  fast.topology.mutable_device()->clear_hbm_bytes_per_s();
  const StepCost cost = Of(kContracted, &fast);
  EXPECT_DOUBLE_EQ(cost.device_s, 2.0 * 64 * 128 * 256 / 4 / 1e12);
  EXPECT_EQ(cost.sent, 2 * 3 * 64 * 128 * 2 / 4);
  EXPECT_DOUBLE_EQ(cost.network_s, 24576 / 1e9);
  EXPECT_EQ(cost.collectives, 1);
}

TEST(StepCostTest, TheWorkOfInstructionsAddsUpToTheStep) {
  const Machine lab = Lab(4);
  const std::string text =
      "HloModule m, num_partitions=4\n"
      "twice {\n"
      "  a = bf16[64,64] parameter(0)\n"
      "  ROOT b = bf16[64,64] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "}\n"
      "body {\n"
      "  p = (s32[], bf16[64,64]) parameter(0)\n"
      "  i = s32[] get-tuple-element(p), index=0\n"
      "  one = s32[] constant(1)\n"
      "  next = s32[] add(i, one)\n"
      "  v = bf16[64,64] get-tuple-element(p), index=1\n"
      "  c = bf16[64,64] call(v), to_apply=twice\n"
      "  ROOT t = (s32[], bf16[64,64]) tuple(next, c)\n"
      "}\n"
      "cond {\n"
      "  p = (s32[], bf16[64,64]) parameter(0)\n"
      "  i = s32[] get-tuple-element(p), index=0\n"
      "  n = s32[] constant(5)\n"
      "  ROOT less = pred[] compare(i, n), direction=LT\n"
      "}\n"
      "ENTRY e {\n"
      "  x = bf16[64,64] parameter(0)\n"
      "  y = bf16[64,64] call(x), to_apply=twice\n"
      "  z = s32[] constant(0)\n"
      "  start = (s32[], bf16[64,64]) tuple(z, y)\n"
      "  loop = (s32[], bf16[64,64]) while(start), condition=cond, body=body\n"
      "  ROOT r = bf16[64,64] get-tuple-element(loop), index=1\n"
      "}\n";
  const hlo::Module module = Parse(text);
  const auto made = sharding::partition::PartitionModule(module);
  ASSERT_TRUE(made.ok()) << made.status();
  const hlo::Module& device = made->module;
  const auto work = WorkOfStep(device, lab);
  ASSERT_TRUE(work.ok()) << work.status();
  double seconds = 0;
  for (const InstructionWork& part : work->parts) {
    seconds += part.once.seconds * part.runs;
    if (part.id == device.FindInstruction("b")) {
      EXPECT_EQ(part.runs, 6);  // once, and five times in the loop
    }
  }
  EXPECT_DOUBLE_EQ(seconds, Of(text, &lab).device_s);
}

TEST(StepCostTest, MemoryBoundsWhatReadsMuch) {
  const Machine lab = Lab(4);
  const StepCost cost = Of(kContracted, &lab);
  EXPECT_DOUBLE_EQ(cost.device_s, (64 * 64 + 64 * 128 + 64 * 128) * 2 / 1e9);
  EXPECT_EQ(Of(kContracted, nullptr).seconds(), 0);
}

TEST(StepCostTest, LoopsCountByTheirTrips) {
  constexpr char kLoop[] =
      "HloModule m, num_partitions=4\n"
      "body {\n"
      "  p = (s32[], f32[16]) parameter(0), sharding={{replicated}, {devices=[4]<=[4]}}\n"
      "  i = s32[] get-tuple-element(p), index=0, sharding={replicated}\n"
      "  v = f32[16] get-tuple-element(p), index=1, sharding={devices=[4]<=[4]}\n"
      "  one = s32[] constant(1), sharding={replicated}\n"
      "  j = s32[] add(i, one), sharding={replicated}\n"
      "  n = f32[16] copy(v), sharding={replicated}\n"
      "  c = f32[16] copy(n), sharding={devices=[4]<=[4]}\n"
      "  ROOT t = (s32[], f32[16]) tuple(j, c), sharding={{replicated}, {devices=[4]<=[4]}}\n"
      "}\n"
      "cond {\n"
      "  p = (s32[], f32[16]) parameter(0), sharding={{replicated}, {devices=[4]<=[4]}}\n"
      "  i = s32[] get-tuple-element(p), index=0, sharding={replicated}\n"
      "  n = s32[] constant(5), sharding={replicated}\n"
      "  ROOT c = pred[] compare(i, n), direction=LT, sharding={replicated}\n"
      "}\n"
      "ENTRY e {\n"
      "  y = f32[16] parameter(0), sharding={devices=[4]<=[4]}\n"
      "  z = s32[] constant(0), sharding={replicated}\n"
      "  t = (s32[], f32[16]) tuple(z, y), sharding={{replicated}, {devices=[4]<=[4]}}\n"
      "  l = (s32[], f32[16]) while(t), condition=cond, body=body, "
      "sharding={{replicated}, {devices=[4]<=[4]}}\n"
      "  ROOT g = f32[16] get-tuple-element(l), index=1, sharding={devices=[4]<=[4]}\n"
      "}\n";
  const Machine lab = Lab(4);
  const StepCost cost = Of(kLoop, &lab);
  EXPECT_EQ(cost.sent, 5 * 48);
  EXPECT_EQ(cost.counted_once, 0);
}

std::string Dot(const std::string& type, const std::string& attributes) {
  return "HloModule m\nENTRY e {\n  x = " + type + "[4096,4096] parameter(0)\n  ROOT d = " + type +
         "[4096,4096] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}" + attributes +
         "\n}\n";
}

double DeviceSeconds(const std::string& text, const std::string& preset) {
  const auto machine = ReadMachine(preset, std::nullopt, 1);
  EXPECT_TRUE(machine.ok()) << machine.status();
  const StepCost cost = Of(text, &*machine);
  EXPECT_EQ(cost.unpriced, 0) << preset;
  return cost.device_s;
}

// 2 * 4096^3 operations at the peak of the precision that the dot asks for.
TEST(StepCostTest, PrecisionDecidesOnTheRate) {
  const double flops = 2.0 * 4096 * 4096 * 4096;
  struct Row {
    const char *preset, *type, *attributes;
    double rate;
  };
  for (const Row& row : {
           Row{"tpu-v5e:1x1", "bf16", "", 197e12},
           {"tpu-v5e:1x1", "f32", "", 197e12},
           {"tpu-v5e:1x1", "f32", ", operand_precision={high,default}", 197e12 / 3},
           {"tpu-v5e:1x1", "f32", ", operand_precision={highest,highest}", 197e12 / 6},
           {"tpu-v5e:1x1", "f32", ", algorithm=dot_bf16_bf16_f32_x3", 197e12 / 3},
           {"tpu-v5e:1x1", "s8", "", 394e12},
           {"h100-sxm:1", "f32", "", 495e12},
           {"h100-sxm:1", "f32", ", operand_precision={high,high}", 495e12},
           {"h100-sxm:1", "f32", ", operand_precision={highest,highest}", 67e12},
           {"h100-sxm:1", "f32", ", algorithm=dot_f32_f32_f32", 67e12},
           {"h100-sxm:1", "f16", "", 989e12},
           {"h100-sxm:1", "f8e5m2", "", 1979e12},
       }) {
    EXPECT_DOUBLE_EQ(DeviceSeconds(Dot(row.type, row.attributes), row.preset), flops / row.rate)
        << row.preset << " " << row.type << row.attributes;
  }
}

// A dot costs as much in a fusion, and what a custom call computes is not known.
TEST(StepCostTest, FusionsComputeAndCustomCallsAreListed) {
  const std::string fused =
      "HloModule m\nf {\n  x = bf16[4096,4096] parameter(0)\n  d = bf16[4096,4096] dot(x, x), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  ROOT n = bf16[4096,4096] negate(d)\n"
      "}\nENTRY e {\n  x = bf16[4096,4096] parameter(0)\n  ROOT r = bf16[4096,4096] fusion(x), "
      "kind=kOutput, calls=f\n}\n";
  EXPECT_DOUBLE_EQ(DeviceSeconds(fused, "tpu-v5e:1x1"),
                   DeviceSeconds(Dot("bf16", ""), "tpu-v5e:1x1"));
  const auto machine = *ReadMachine("tpu-v5e:1x1", std::nullopt, 1);
  const StepCost kernel =
      Of("HloModule m\nENTRY e {\n  x = bf16[64] parameter(0)\n  k = bf16[64] custom-call(x), "
         "custom_call_target=\"tpu_custom_call\"\n  ROOT s = bf16[64] custom-call(k), "
         "custom_call_target=\"Sharding\"\n}\n",
         &machine);
  EXPECT_EQ(kernel.unpriced, 1);
  EXPECT_THAT(kernel.unpriced_names, ::testing::ElementsAre("k"));
  EXPECT_EQ(Of(Dot("f64", ""), &machine).unpriced, 1);
  Machine links = Lab(1);
  links.topology.clear_device();
  EXPECT_EQ(Of(Dot("bf16", ""), &links).unpriced, 1);
}

// A condition runs once more than the body.
TEST(StepCostTest, AConditionIsAskedOnceMore) {
  const hlo::Module module = Parse(
      "HloModule m\nbody {\n  p = (s32[], f32[64,64]) parameter(0)\n  i = s32[] "
      "get-tuple-element(p), index=0\n  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  v = "
      "f32[64,64] get-tuple-element(p), index=1\n  ROOT t = (s32[], f32[64,64]) tuple(j, v)\n}\n"
      "cond {\n  p = (s32[], f32[64,64]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
      "  v = f32[64,64] get-tuple-element(p), index=1\n  d = f32[64,64] dot(v, v), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  s = f32[1,1] slice(d), "
      "slice={[0:1],[0:1]}\n  r = f32[] reshape(s)\n  k = f32[] constant(5)\n  ROOT less = "
      "pred[] compare(r, k), direction=LT\n}\nENTRY e {\n  x = f32[64,64] parameter(0)\n  z = "
      "s32[] constant(0)\n  t = (s32[], f32[64,64]) tuple(z, x)\n  ROOT l = (s32[], f32[64,64]) "
      "while(t), condition=cond, body=body, "
      "backend_config={\"known_trip_count\":{\"n\":\"5\"}}\n}\n");
  const auto made = sharding::partition::PartitionModule(module);
  ASSERT_TRUE(made.ok()) << made.status();
  const hlo::Module& device = made->module;
  const auto work = WorkOfStep(device, Lab(1));
  ASSERT_TRUE(work.ok()) << work.status();
  double runs = 0;
  for (const InstructionWork& part : work->parts) {
    if (part.id == device.FindInstruction("d")) runs = part.runs;
  }
  EXPECT_EQ(runs, 6);
}

constexpr char kOpaque[] =
    "HloModule m, num_partitions=4\n"
    "ENTRY e {\n"
    "  x = f32[64,8] parameter(0), sharding={devices=[4,1]<=[4]}\n"
    "  t = (f32[64,8], f32[64]) custom-call(x), custom_call_target=\"CustomSPMDPartitioning\", "
    "sharding={{devices=[4,1]<=[4]}, {devices=[4]<=[4]}}\n"
    "  a = f32[64,8] get-tuple-element(t), index=0, sharding={devices=[4,1]<=[4]}\n"
    "  ROOT c = f32[64,8] custom-call(a), custom_call_target=\"CustomSPMDPartitioning\", "
    "sharding={devices=[4,1]<=[4]}\n"
    "}\n";

TEST(OpaqueCallsTest, MoveNothing) {
  hlo::Module module = Parse(kOpaque);
  EXPECT_FALSE(CostOfStep(module, nullptr, {}).ok());
  const auto count = LetCallsDecide(&module);
  ASSERT_TRUE(count.ok()) << count.status();
  EXPECT_EQ(*count, 2);
  const auto cost = CostOfStep(module, nullptr, {});
  ASSERT_TRUE(cost.ok()) << cost.status();
  EXPECT_EQ(cost->collectives, 0);
  EXPECT_GE(cost->memory, 2 * 16 * 8 * 4);
}

}  // namespace
}  // namespace tessera::cost
