#include "tessera/target/schedule/latency/latency_hiding.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;

constexpr double kMicro = 1e-6;

// Kernel k makes value k; each value has its own memory.
class LatencyHidingTest : public ::testing::Test {
 protected:
  void Add(std::vector<ValueId> reads, double micros, bool is_collective = false) {
    const auto k = static_cast<uint32_t>(scope_.kernels.size());
    Kernel kernel;
    kernel.reads.assign(reads.begin(), reads.end());
    kernel.makes = {k};
    scope_.kernels.push_back(std::move(kernel));
    times_.push_back({micros * kMicro, is_collective});
    homes_.of.push_back(k);
    homes_.is_free.push_back(false);
    order_.push_back(k);
  }

  // "2" for a kernel, "2-" and "-2" for the start and the end of a collective.
  std::vector<std::string> Order() const {
    std::vector<std::string> steps;
    for (const Step& step : HideLatency(scope_, homes_, order_, times_, rules_)) {
      steps.push_back((step.starts ? "" : "-") + std::to_string(step.kernel) +
                      (step.ends ? "" : "-"));
    }
    return steps;
  }

  ScopeKernels scope_;
  Homes homes_;
  std::vector<KernelTime> times_;
  std::vector<uint32_t> order_;
  HidingRules rules_;
};

// The order of XLA's GPU compiler (jax-cuda12-plugin 0.12.0.1) for (x @ x) @ all_gather(w).
TEST_F(LatencyHidingTest, AGatherRunsBesideAProduct) {
  Add({}, 40, true);
  Add({}, 100);
  Add({0, 1}, 100);
  EXPECT_THAT(Order(), ElementsAre("0-", "1", "-0", "2"));
}

// The rule of XLA's config for GPUs: one collective is in flight.
TEST_F(LatencyHidingTest, OneCollectiveIsInFlight) {
  Add({}, 40, true);
  Add({}, 40, true);
  Add({0, 1}, 100);
  const std::vector<std::string> order = Order();
  EXPECT_THAT(order, ElementsAre("1-", "-1", "0-", "-0", "2"));
}

// In the compiler's log a fill of a MiB is scheduled before the end of a collective, "kForceEarly".
TEST_F(LatencyHidingTest, ALargeFillRunsInFrontOfItsReader) {
  Add({}, 40, true);
  Add({}, 10);
  Add({0, 1}, 100);
  EXPECT_THAT(Order(), ElementsAre("0-", "1", "-0", "2"));
  times_[1].is_large_fill = true;
  EXPECT_THAT(Order(), ElementsAre("0-", "-0", "1", "2"));
}

// Both permutes are alike. XLA's order before it hides latency has both starts first, then both ends in front of their
// reader, the first one that is read last.
TEST_F(LatencyHidingTest, OfEqualCollectivesTheFirstOneReadIsDoneLast) {
  Add({}, 1);
  Add({0}, 12, true);
  Add({0}, 12, true);
  Add({2, 1}, 1);
  EXPECT_THAT(Order(), ElementsAre("0", "1-", "-1", "2-", "-2", "3"));
  scope_.kernels[3].reads = {1, 2};
  EXPECT_THAT(Order(), ElementsAre("0", "2-", "-2", "1-", "-1", "3"));
}

// XLA's log compares the depth of a product with that of a start after such a sum, and finds them equal.
TEST_F(LatencyHidingTest, ASumByAKernelDoesNotMakeAStartUrgent) {
  Add({}, 50, true);
  times_[0].is_own_kernel = true;
  Add({0}, 1);
  Add({1}, 40, true);
  Add({}, 100);
  Add({}, 100);
  Add({2, 3, 4}, 1);
  EXPECT_THAT(Order(), ElementsAre("0-", "-0", "1", "2-", "3", "4", "-2", "5"));
}

// In XLA's log such a loop comes before a transpose that stands later, "kScheduleDone".
TEST_F(LatencyHidingTest, ALoopWithCollectivesComesAsSoonAsItCan) {
  Add({}, 1000);
  Add({}, 100);
  Add({0, 1}, 1);
  EXPECT_THAT(Order(), ElementsAre("0", "1", "2"));
  times_[0].inside = {1};
  EXPECT_THAT(Order(), ElementsAre("1", "0", "2"));
}

// A loop with collectives in it does not run beside one.
TEST_F(LatencyHidingTest, ALoopWithCollectivesWaits) {
  Add({}, 40, true);
  Add({}, 1000);
  times_[1].inside = {1};
  Add({0, 1}, 100);
  EXPECT_THAT(Order(), ElementsAre("1", "0-", "-0", "2"));
}

// Kernel 2 writes over what kernel 0 made: after kernel 1, which reads it.
TEST_F(LatencyHidingTest, AnUpdateComesAfterReaders) {
  Add({}, 10);
  Add({0}, 10);
  Add({0}, 10);
  homes_.of[2] = 0;
  order_ = {0, 1, 2};
  EXPECT_THAT(Order(), ElementsAre("0", "1", "2"));
}

// Two sums by kernels are in flight at once, and do not keep a gather from its place.
TEST_F(LatencyHidingTest, SumsByKernelsAreInFlightBesideOthers) {
  Add({}, 40, true);
  Add({}, 40, true);
  times_[0].is_own_kernel = true;
  Add({}, 100);
  Add({0, 1, 2}, 100);
  EXPECT_THAT(Order(), ElementsAre("0-", "1-", "2", "-0", "-1", "3"));
}

// Kernel 1 reads nothing of kernel 0, but a barrier stands between the two.
TEST_F(LatencyHidingTest, ABarrierHoldsBack) {
  Add({}, 10);
  Add({}, 40, true);
  scope_.kernels[1].follows = {0};
  Add({0, 1}, 100);
  EXPECT_THAT(Order(), ElementsAre("0", "1-", "-1", "2"));
}

class TpuHidingTest : public LatencyHidingTest {
 protected:
  TpuHidingTest() { rules_ = HidingOn(*ParseTarget("tpu-v5e:2x4")->chip); }

  void AddPermute(std::vector<ValueId> reads, double micros) {
    Add(std::move(reads), micros, true);
    times_.back().stream = kPermutes;
  }
};

// In the compiler's log ("Cross overlap limit for resource") a sixth permute waits, and so does a second gather.
TEST_F(TpuHidingTest, FivePermutesAreInFlightAndOneGather) {
  for (int k = 0; k < 2; ++k) Add({}, 40, true);
  Add({}, 10);
  Add({0, 1, 2}, 10);
  EXPECT_THAT(Order(), ElementsAre("0-", "-0", "1-", "2", "-1", "3"));
  for (const uint32_t k : {0, 1}) times_[k].stream = kPermutes;
  EXPECT_THAT(Order(), ElementsAre("0-", "1-", "2", "-0", "-1", "3"));
  rules_.most[kPermutes] = 1;
  EXPECT_THAT(Order(), ElementsAre("0-", "-0", "1-", "2", "-1", "3"));
}

// A loop that has four permutes in flight runs beside one, not beside two.
TEST_F(TpuHidingTest, ALoopCountsWithWhatItHasInFlight) {
  AddPermute({}, 40);
  Add({}, 10);
  times_[1].inside[kPermutes] = 4;
  Add({0, 1}, 10);
  EXPECT_THAT(Order(), ElementsAre("0-", "1", "-0", "2"));
  times_[1].inside[kPermutes] = 5;
  EXPECT_THAT(Order(), ElementsAre("1", "0-", "-0", "2"));
}

// In the logs of v5e and v5p such a loop comes as the end of a collective does, "kScheduleDone".
TEST_F(TpuHidingTest, ALoopWithCollectivesIsAnEnd) {
  rules_ = HidingOn(*ParseTarget("tpu-v5p:2x2x2")->chip);
  Add({}, 1000);
  Add({}, 100);
  Add({0, 1}, 1);
  EXPECT_THAT(Order(), ElementsAre("0", "1", "2"));
  times_[0].inside[kPermutes] = 1;
  EXPECT_THAT(Order(), ElementsAre("1", "0", "2"));
}

// XLA moves starts and ends in front of its scheduler on GPUs alone: here kernel 2 stands in front of both.
TEST_F(TpuHidingTest, APermuteStaysWhereTheOrderHasIt) {
  rules_ = HidingOn(*ParseTarget("tpu-v5p:2x2x2")->chip);
  Add({}, 10);
  AddPermute({0}, 0.5);
  Add({0}, 10);
  Add({1, 2}, 10);
  order_ = {0, 2, 1, 3};
  EXPECT_THAT(Order(), ElementsAre("0", "2", "1-", "-1", "3"));
  rules_.moves_collectives = true;
  EXPECT_THAT(Order(), ElementsAre("0", "1-", "2", "-1", "3"));
}

// In the log of v5p the reason is the order in front ("kOriginalOrder"), where v5e has the depth of collectives.
TEST_F(TpuHidingTest, OnlyV5eLooksAhead) {
  AddPermute({}, 40);
  Add({0}, 10);
  Add({1}, 10);
  Add({}, 10);
  Add({2, 3}, 10);
  EXPECT_THAT(Order(), ElementsAre("0-", "3", "-0", "1", "2", "4"));
  rules_ = HidingOn(*ParseTarget("tpu-v5p:2x2x2")->chip);
  EXPECT_THAT(Order(), ElementsAre("0-", "-0", "1", "2", "3", "4"));
}

// 0 runs beside kernel 2; 1 and 3 beside nothing but each other.
TEST(WaitedKernelsTest, StartsAndEndsOfOthersAreNothing) {
  const std::vector<Step> steps = {
      {0, true, false}, {2}, {0, false, true}, {1, true, false}, {3, true, false}, {1, false, true},
      {3, false, true}, {4}};
  EXPECT_THAT(WaitedKernels(steps), ElementsAre(1, 3));
}

}  // namespace
}  // namespace tessera::target
