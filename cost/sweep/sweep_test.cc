#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/cost/sweep/parallel.h"
#include "tessera/cost/sweep/ranking.h"

namespace tessera::cost {
namespace {

using ::testing::ElementsAre;

StepCost Cost(int64_t memory, int64_t sent, double seconds) {
  StepCost cost;
  cost.memory = memory;
  cost.sent = sent;
  cost.network_s = seconds;
  return cost;
}

TEST(RankingTest, TheBestFirstAndTheRefusedNowhere) {
  const Outcomes outcomes = {Cost(3, 1, 2), absl::InvalidArgumentError("refused"), Cost(1, 3, 2),
                             Cost(2, 2, 1), Cost(3, 1, 2)};
  EXPECT_THAT(Ranked(outcomes, By::kMemory, 0), ElementsAre(2, 3, 0, 4));
  EXPECT_THAT(Ranked(outcomes, By::kBytes, 0), ElementsAre(0, 4, 3, 2));
  EXPECT_THAT(Ranked(outcomes, By::kTime, 0), ElementsAre(3, 0, 4, 2));
}

TEST(RankingTest, WhatDoesNotFitComesLast) {
  Outcomes outcomes = {Cost(30, 1, 1), Cost(10, 1, 2), Cost(20, 1, 3)};
  EXPECT_THAT(Ranked(outcomes, By::kTime, 20), ElementsAre(1, 2, 0));
  outcomes[0]->memory_low = 15;  // too close to say
  outcomes[0]->memory_high = 40;
  EXPECT_THAT(Ranked(outcomes, By::kTime, 20), ElementsAre(0, 1, 2));
}

TEST(RankingTest, TheFrontHasNoneThatAnotherBeats) {
  const Outcomes outcomes = {Cost(5, 0, 1), Cost(3, 0, 2), Cost(4, 0, 3), Cost(1, 0, 9),
                             Cost(1, 0, 9)};
  EXPECT_THAT(ParetoFront(outcomes), ElementsAre(0, 1, 3));
}

TEST(ParallelTest, EveryIndexOnce) {
  for (const int threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> seen(100);
    ForEachIndex(seen.size(), threads, [&](size_t k) { ++seen[k]; });
    for (const std::atomic<int>& times : seen) EXPECT_EQ(times.load(), 1);
    ForEachIndex(0, threads, [](size_t) { FAIL(); });
  }
}

TEST(ParallelTest, WhatAThreadThrowsComesToTheCaller) {
  const std::thread::id caller = std::this_thread::get_id();
  for (const bool throws_on_caller : {false, true}) {
    std::atomic<int> started{0};
    const auto work = [&](size_t) {
      // Each thread gets one item.
      for (++started; started < 2;) std::this_thread::yield();
      if ((std::this_thread::get_id() == caller) == throws_on_caller) throw std::bad_alloc();
    };
    EXPECT_THROW(ForEachIndex(2, 2, work), std::bad_alloc);
  }
}

TEST(ParallelTest, NothingIsBegunAfterAnException) {
  size_t last = 0;
  const auto work = [&](size_t k) {
    last = k;
    if (k == 3) throw std::bad_alloc();
  };
  EXPECT_THROW(ForEachIndex(100, 1, work), std::bad_alloc);
  EXPECT_EQ(last, 3u);
}

#if !defined(__SANITIZE_ADDRESS__)  // which itself ends a process that has no room

// There is no room for the stack of a new thread.
void CountWithoutThreads() {
  const rlimit none = {1, 1};
  setrlimit(RLIMIT_AS, &none);
  size_t done = 0;
  ForEachIndex(100, 64, [&](size_t) { ++done; });
  std::_Exit(done == 100 ? 0 : 1);
}

TEST(ParallelDeathTest, ThreadsThatCannotBeMadeAreDoneWithout) {
  EXPECT_EXIT(CountWithoutThreads(), ::testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace tessera::cost
