// Costs by worked numbers: a convolution and a dense layer, loops, buffers, reshards, rings,
// devices.
#include <algorithm>
#include <string>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/projection/cost/compute/totals.h"
#include "tessera/projection/cost/compute/trip_count.h"
#include "tessera/projection/cost/compute/work.h"
#include "tessera/projection/cost/demand/missing.h"
#include "tessera/projection/cost/memory/liveness.h"
#include "tessera/projection/cost/network/collective_time.h"
#include "tessera/projection/partition/cuts.h"
#include "tessera/projection/partition/incremental.h"
#include "tessera/projection/partition/shards.h"
#include "tessera/projection/signatures/signature_of.h"

namespace tessera::projection {
namespace {

using sharding::AxisRef;
using sharding::TensorSharding;
using ::testing::ElementsAre;

ZRange R(const char* text) { return *ZRange::Parse(text); }

// 100 images of 10 x 10, 128 kernels of 3 x 3.
TEST(BlockCostTest, ConvolutionOneMoreOfEach) {
  const hlo::Module m = *hlo::ParseModule(
      "ENTRY e { x = f32[100,1,10,10] parameter(0)\n k = f32[128,1,3,3] parameter(1)\n"
      "ROOT y = f32[100,128,8,8] convolution(x, k), window={size=3x3}, dim_labels=bf01_oi01->bf01 "
      "}");
  const Signature s = *SignatureOf(m, m.entry().root);
  const ZRange block = R("zr[0:10, 0:16, 0:4, 0:4]");
  const BlockBytes b = *BytesOfBlock(s, {{4, 4}, {4}}, block);
  EXPECT_THAT(b.read, ElementsAre(1440, 576));
  EXPECT_EQ(b.written, 10240);
  EXPECT_EQ(OperationsOfBlock(m, m.entry().root, block)->flops, 46080);
  const std::vector<Growth> g = *GrowByOne(s, {{4, 4}, {4}}, block);
  EXPECT_THAT(g[0].read, ElementsAre(144, 0));
  EXPECT_THAT(g[1].read, ElementsAre(0, 36));
  EXPECT_THAT(g[2].read,
              ElementsAre(240, 0));  // a row of 6 cells of 10 images: the other two rows are there
  EXPECT_EQ(g[3].written, 2560);
}

// 64 rows and 128 columns of a dense layer of 512 features.
TEST(BlockCostTest, DenseLayerOneMoreOfEach) {
  const hlo::Module m = *hlo::ParseModule(
      "ENTRY e { x = f32[256,512] parameter(0)\n w = f32[512,1024] parameter(1)\n"
      "ROOT y = f32[256,1024] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0} }");
  const Signature s = *SignatureOf(m, m.entry().root);
  const ZRange block = R("zr[0:64, 0:128]");
  const BlockBytes b = *BytesOfBlock(s, {{4, 4}, {4}}, block);
  EXPECT_EQ(b.read[0] + b.read[1], 393728 - 512);  // without the bias
  EXPECT_EQ(b.written, 32768);
  EXPECT_EQ(OperationsOfBlock(m, m.entry().root, block)->flops, 8388608);
  const std::vector<Growth> g = *GrowByOne(s, {{4, 4}, {4}}, block);
  EXPECT_THAT(g[0].read, ElementsAre(2048, 0));
  EXPECT_EQ(g[0].written, 512);
  EXPECT_THAT(g[1].read, ElementsAre(0, 2048));
  EXPECT_EQ(g[1].written, 256);
}

// The convolution above cut in four: images first, then squares, strips, kernels.
TEST(CutsTest, ConvolutionInFour) {
  const hlo::Module m = *hlo::ParseModule(
      "ENTRY e { x = f32[100,1,10,10] parameter(0)\n k = f32[128,1,3,3] parameter(1)\n"
      "ROOT y = f32[100,128,8,8] convolution(x, k), window={size=3x3}, dim_labels=bf01_oi01->bf01 "
      "}");
  const Signature s = *SignatureOf(m, m.entry().root);
  const auto read_twice = [&](std::vector<Cut> cuts) {
    int64_t bytes = -40000 - 4608;
    const ShardPlan plan = *CutOperation(s, cuts);
    for (const Shard& shard : plan.shards) {
      for (const Need& need : shard.needs) bytes += 4 * *need.cells.size();
    }
    return bytes;
  };
  EXPECT_EQ(read_twice({{0, 4}}), 13824);
  EXPECT_EQ(read_twice({{2, 2}, {3, 2}}), 31424);
  EXPECT_EQ(read_twice({{2, 4}}), 37824);
  EXPECT_EQ(read_twice({{1, 4}}), 120000);
  EXPECT_THAT(ChooseCuts(s, {{4, 4}, {4}}, 4, {})->front().parts, ElementsAre(4, 1, 1, 1));
}

constexpr char kLoop[] =
    "body { p = (s32[], f32[4]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n c = s32[] "
    "constant(STEP)\n"
    " x = f32[4] get-tuple-element(p), index=1\n j = s32[] add(i, c)\n y = f32[4] multiply(x, x)\n"
    " ROOT t = (s32[], f32[4]) tuple(j, y) }\n"
    "cond { p = (s32[], f32[4]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n n = s32[] "
    "constant(END)\n"
    " ROOT c = pred[] compare(i, n), direction=DIRECTION }\n"
    "ENTRY e { z = s32[] constant(START)\n x = f32[4] parameter(0)\n t = (s32[], f32[4]) tuple(z, "
    "x)\n"
    " ROOT w = (s32[], f32[4]) while(t), condition=cond, body=body }";

std::string With(std::string text, const std::string& name, const std::string& value) {
  return text.replace(text.find(name), name.size(), value);
}

TEST(TripCountTest, ClosedFormAgreesWithRunningTheLoop) {
  for (const char* direction : {"LT", "LE", "GT", "GE", "NE"}) {
    for (int start = -3; start <= 3; ++start) {
      for (int step = -2; step <= 2; ++step) {
        for (int end : {-4, 0, 5}) {
          std::string text =
              With(With(With(With(kLoop, "STEP", std::to_string(step)), "END", std::to_string(end)),
                        "DIRECTION", direction),
                   "START", std::to_string(start));
          const hlo::Module m = *hlo::ParseModule(text);
          int64_t i = start, trips = 0;
          const auto goes_on = [&] {
            const std::string d = direction;
            return d == "LT"   ? i < end
                   : d == "LE" ? i <= end
                   : d == "GT" ? i > end
                   : d == "GE" ? i >= end
                               : i != end;
          };
          for (; trips <= 200 && goes_on(); ++trips) i += step;
          const std::optional<int64_t> expected =
              trips > 200 ? std::nullopt : std::optional<int64_t>(trips);
          EXPECT_EQ(TripCount(m, m.entry().root), expected)
              << direction << start << " " << step << " " << end;
          if (trips <= 200) {
            EXPECT_EQ(TotalsOf(m, m.entry_id())->flops, trips * 5 + trips + 1);
          }
        }
      }
    }
  }
}

// 2^63 steps of -1: no number of 64 bits.
TEST(TripCountTest, AQuotientThatDoesNotFitIsNoCount) {
  std::string text =
      With(With(With(With(kLoop, "STEP", "-1"), "END", "-9223372036854775808"), "DIRECTION", "NE"),
           "START", "0");
  text = absl::StrReplaceAll(text, {{"s32", "s64"}});
  const hlo::Module m = *hlo::ParseModule(text);
  EXPECT_EQ(TripCount(m, m.entry().root), std::nullopt);
}

// Functions that call the one before twice: each is added up once.
TEST(TotalsTest, SharedCallsAreLinear) {
  for (const char* const call : {"call", "fusion", "map", "conditional"}) {
    const std::string op = call;
    std::string text = "g0 { p = f32[] parameter(0)\n ROOT r = f32[] add(p, p) }\n";
    for (int i = 1; i <= 40; ++i) {
      const std::string f = "g" + std::to_string(i - 1);
      const std::string one = op == "call"     ? "call(p), to_apply=" + f
                              : op == "fusion" ? "fusion(p), kind=kLoop, calls=" + f
                              : op == "map"    ? "map(p), dimensions={}, to_apply=" + f
                                               : "conditional(c, p, p), true_computation=" + f +
                                                  ", false_computation=" + f;
      text += (i == 40 ? "ENTRY g" : "g") + std::to_string(i) +
              " {\n p = f32[] parameter(0)\n c = pred[] constant(true)\n a = f32[] " + one +
              "\n b = f32[] " + one + "\n ROOT r = f32[] add(a, b)\n}\n";
    }
    const hlo::Module m = *hlo::ParseModule(text);
    EXPECT_EQ(TotalsOf(m, m.entry_id())->flops, (int64_t{1} << 41) - 1) << op;
  }
}

TEST(TotalsTest, WhatADeviceKeepsIsNotSent) {
  const auto sent = [](const std::string& pairs) {
    const hlo::Module m = *hlo::ParseModule(
        "HloModule m, num_partitions=2\nENTRY e {\n x = f32[8] parameter(0)\n"
        " ROOT c = f32[8] collective-permute(x), source_target_pairs=" +
        pairs + "\n}\n");
    return TotalsOf(m, m.entry_id())->sent;
  };
  EXPECT_EQ(sent("{{0,0},{1,1}}"), 0);
  EXPECT_EQ(sent("{{0,1},{1,1}}"), 32);
}

TEST(LivenessTest, ReuseSavesABuffer) {
  Program p;
  p.parameters = {100};
  p.order = {{100, {0}, BufferKind::kElementwise, 0}, {100, {1}, BufferKind::kElementwise, 0}};
  p.outputs = {2};
  EXPECT_EQ(ProfileOf(p, {true})->peak, 200);
  EXPECT_EQ(ProfileOf(p, {false})->peak, 300);
  p.donated = {0};
  EXPECT_EQ(ProfileOf(p, {true})->peak, 100);
  p.order[0].operands = {7};
  EXPECT_FALSE(ProfileOf(p, {true}).ok());
}

TEST(CollectiveTimeTest, AllToAllMessageByMessage) {
  for (int64_t n = 2; n <= 9; ++n) {
    for (bool wrap : {false, true}) {
      if (wrap && n % 2 == 0) continue;  // ties go both ways, a route takes one
      std::vector<Message> messages;
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          if (i != j) messages.push_back({i, j, 64});
        }
      }
      const RoutedTraffic routed = *RouteMessages({{n}, {wrap}}, messages);
      const RingTraffic ring = *RingCollective(CollectiveKind::kAllToAll, {n, true, wrap}, 64);
      EXPECT_EQ(routed.busiest_link_bytes, ring.busiest_link_bytes) << n << wrap;
      EXPECT_EQ(routed.total_link_bytes, ring.total_link_bytes);
    }
  }
}

// f32[10] over 4: tiles of 3, 3, 3 and 1. An all-gather brings 7, 7, 7 and 9 cells; of padded
// tiles, 9 to each. A tensor on device 2 alone: the three others lack all of it.
TEST(DemandTest, PaddedTilesAndSingleDevices) {
  sharding::MeshTable meshes;
  const sharding::Mesh mesh = *sharding::Mesh::Create({{"a", 4}});
  const sharding::MeshId main = *meshes.Add("mesh", mesh);
  const sharding::MeshId second = *meshes.Add("two", sharding::Mesh::Maximal(2));
  const sharding::DeviceGrid grid(mesh, meshes);
  const hlo::Module m =
      *hlo::ParseModule("ENTRY e { x = f32[10] parameter(0)\n ROOT n = f32[10] negate(x) }");
  const Signature signature = *SignatureOf(m, m.entry().root);
  TensorSharding s(main, 1);
  s.dim(0).axes = {AxisRef::Full(0)};
  const OpDemand gathered = *DemandOf(signature, {32}, grid, {&s}, nullptr);
  EXPECT_EQ(gathered.total_bytes, 4 * (7 + 7 + 7 + 9));
  EXPECT_EQ(gathered.padded_bytes, 4 * 4 * 9);
  const TensorSharding alone(second);
  const OpDemand sent = *DemandOf(signature, {32}, grid, {&alone}, nullptr);
  EXPECT_EQ(sent.total_bytes, 4 * 3 * 10);
  EXPECT_EQ(sent.padded_bytes, sent.total_bytes);
}

}  // namespace
}  // namespace tessera::projection
