#include "tessera/projection/partition/cost_model.h"

#include <cmath>
#include <string>
#include <type_traits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/partition/incremental.h"
#include "tessera/projection/partition/probe.h"
#include "tessera/projection/signature/einsum.h"

namespace tessera::projection {
namespace {

using ::testing::ElementsAre;

// Exact costs of a convolution of 3 taps over 2 features, in the middle of its index space.
absl::StatusOr<CostVector> ExactCost(const ZPoint& extents) {
  const Signature s = *SignatureFromText("x+k:3 *,* * f->xf", {{40, 2}, {3, 2, 9}}, {{38, 9}});
  const BlockBytes bytes =
      *BytesOfBlock(s, {{4, 4}, {4}}, *ZRange::Create({9, 2}, {9 + extents[0], 2 + extents[1]}));
  CostVector cost;
  cost.bytes_read = bytes.read;
  cost.bytes_written = {bytes.written};
  cost.flops = extents[0] * extents[1] * 12;
  return cost;
}

TEST(CostModelTest, MultiLinearIsExactInside) {
  const MultiLinear model = *MultiLinear::Fit(2, ExactCost);
  for (const ZPoint& extents : {ZPoint{1, 1}, ZPoint{2, 2}, ZPoint{7, 3}, ZPoint{20, 5}})
    EXPECT_EQ(*model.Cost(extents), *ExactCost(extents)) << extents.ToString();
  const CostVector wider = *Marginal(model, {7, 3}, 0);
  EXPECT_THAT(wider.bytes_read, ElementsAre(8, 0));  // a new cell of two features; no new kernel
  EXPECT_EQ(wider.flops, 36);
  EXPECT_EQ(ErrorCodeOf(model.Cost({1}).status()), ErrorCode::kRankMismatch);
  EXPECT_EQ(ErrorCodeOf(MultiLinear::Fit(13, ExactCost).status()), ErrorCode::kTooLarge);
}

TEST(CostModelTest, RatePerPointAndPerInputByte) {
  CostVector fixed, rate;
  fixed.launches = 1;
  fixed.seconds = 0.5;
  rate.flops = 3;
  rate.seconds = 0.25;
  const CostVector points = *PointRate(fixed, rate).Cost({2, 5});
  EXPECT_EQ(points.flops, 30);
  EXPECT_EQ(points.launches, 1);
  EXPECT_DOUBLE_EQ(*points.seconds, 3.0);
  EXPECT_FALSE(points.joules.has_value());
  const InputBytes by_input(fixed, rate, [](const ZPoint& n) { return n[0] * 4; });
  EXPECT_EQ(by_input.Cost({6})->flops, 72);
  EXPECT_EQ(ErrorCodeOf(PointRate(fixed, rate).Cost({INT64_MAX, 2}).status()),
            ErrorCode::kOverflow);
}

TEST(CostModelTest, CliffsAtTheEdgesOfTiles) {
  CostVector rate;
  rate.flops = 1;
  const PointRate points({}, rate);
  const Quantum tiles(points, {8, 128});
  EXPECT_EQ(tiles.Cost({5, 100})->flops, 1024);
  EXPECT_EQ(tiles.NextCliff({5, 100}, 0), 8);
  EXPECT_EQ(Marginal(tiles, {5, 100}, 0)->flops, 0);
  EXPECT_EQ(Marginal(tiles, {8, 100}, 0)->flops, 8 * 128);
  EXPECT_EQ(points.NextCliff({5, 100}, 1), 100);
}

// What they keep is a reference.
static_assert(std::is_constructible_v<Quantum, PointRate&, ZPoint>);
static_assert(!std::is_constructible_v<Quantum, PointRate, ZPoint>);
static_assert(std::is_constructible_v<Probe, Pool&, std::string, PointRate&>);
static_assert(!std::is_constructible_v<Probe, Pool, std::string, PointRate&>);
static_assert(!std::is_constructible_v<Probe, Pool&, std::string, PointRate>);
static_assert(!std::is_constructible_v<Probe, Pool, std::string, PointRate>);

TEST(ProbeTest, ExactThenBetweenThenScaled) {
  CostVector rate;
  rate.seconds = 1;
  CostVector zero;
  zero.seconds = 0;
  const PointRate model(zero, rate);
  Pool pool("lab");
  pool.Add("op", {8}, 10);
  pool.Add("op", {16}, 30);
  pool.Add("op", {100}, 50);
  const Probe probe(pool, "op", model);
  EXPECT_DOUBLE_EQ(*probe.Cost({100})->seconds, 50);
  EXPECT_NEAR(*probe.Cost({11})->seconds, 10 + 20 * (std::log2(11.0) - 3), 1e-9);
  EXPECT_DOUBLE_EQ(*probe.Cost({90})->seconds, 45);  // the model says 90, and twice too much at 100
  EXPECT_DOUBLE_EQ(*Probe(pool, "other", model).Cost({5})->seconds, 5);
}

TEST(ProbeTest, PoolsAreSavedAndLoaded) {
  Pool pool("lab");
  pool.Add("op", {8, 4}, 0.25);
  const Pool again = *Pool::FromText(pool.ToText());
  EXPECT_EQ(again.environment(), "lab");
  EXPECT_EQ(again.SamplesOf("op"), pool.SamplesOf("op"));
  EXPECT_TRUE(again.SamplesOf("else").empty());
  EXPECT_EQ(ErrorCodeOf(Pool::FromText("samples {").status()), ErrorCode::kParse);
}

}  // namespace
}  // namespace tessera::projection
