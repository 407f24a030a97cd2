// The engine against the slow one, on random programs, by every schedule and strategy, with memory
// and without.

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/propagation/propagate.h"
#include "tessera/testing/propagation/random_program.h"
#include "tessera/testing/propagation/short_sharding.h"
#include "tessera/testing/propagation/slow_engine.h"

namespace tessera::sharding::propagation {
namespace {

constexpr uint64_t kPrograms = 400;

struct Named {
  const char* name;
  Options options;
};

constexpr Named kOptions[] = {
    {"basic", {Schedule::kFlat, Strategy::kBasic}},
    {"aggressive", {Schedule::kFlat, Strategy::kAggressive}},
    {"basic then aggressive", {Schedule::kOpPriority, Strategy::kBasicThenAggressive}},
    {"op priority", {Schedule::kOpPriority, Strategy::kAggressive}},
    {"user priority", {Schedule::kUserPriority, Strategy::kAggressive}},
    {"conservative", {Schedule::kUserPriority, Strategy::kAggressive, /*conservative=*/true}},
};

std::string Describe(RandomProgram& r, const std::vector<ShardingId>& ids) {
  std::string text;
  for (size_t v = 0; v < ids.size(); ++v) {
    const ShardingId id = ids[v];
    absl::StrAppend(&text, "%", v, " ",
                    id == kNoSharding ? "none" : ToShort((*r.tables().shardings)[id], r.mesh()),
                    "\n");
  }
  return text;
}

class RandomProgramsTest : public ::testing::TestWithParam<Named> {};

// Runs one program through all engines; gives the number of writes.
int64_t ExpectAgreement(RandomProgram& r, Options options) {
  int64_t writes = 0;
  const Result slow = PropagateSlowly(r.program(), r.tables(), options, r.AllRules());
  for (const bool plain : {false, true}) {
    options.plain = plain;
    const absl::StatusOr<Result> fast =
        Propagate(r.program(), r.tables(), options, r.rule_source());
    EXPECT_TRUE(fast.ok()) << fast.status();
    if (!fast.ok()) return 0;
    EXPECT_EQ(Describe(r, fast->shardings), Describe(r, slow.shardings));
    EXPECT_EQ(fast->outputs, slow.outputs);
    EXPECT_EQ(fast->erased, slow.erased);
    writes += fast->statistics.writes;
  }
  return writes;
}

TEST_P(RandomProgramsTest, BothEnginesAgree) {
  int64_t writes = 0;
  for (uint64_t seed = 1; seed <= kPrograms && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    RandomProgram program(seed);
    writes += ExpectAgreement(program, GetParam().options);
  }
  EXPECT_GT(writes, 1000);  // the programs are not trivial
}

// An op that moves axes which no tensor can express is not at rest, although it writes nothing.
TEST_P(RandomProgramsTest, AgreeOnceFoundDifferent) {
  RandomProgram program(25312, /*num_ops=*/40);
  ExpectAgreement(program, GetParam().options);
}

INSTANTIATE_TEST_SUITE_P(All, RandomProgramsTest, ::testing::ValuesIn(kOptions),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           for (char& c : name) c = c == ' ' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace tessera::sharding::propagation
