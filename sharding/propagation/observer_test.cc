// The calls of an observer, and that they change nothing.

#include "tessera/sharding/propagation/observer.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/propagation/propagate.h"
#include "tessera/testing/propagation/random_program.h"
#include "tessera/testing/propagation/text_program.h"

namespace tessera::sharding::propagation {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// One line for each event of interest.
class Log : public Observer {
 public:
  explicit Log(TextProgram& program) : program_(program) {}

  void OnPhase(const Phase& p) override { phase_ = absl::StrCat(p.user_priority, "/", p.level); }
  void OnStep(const StepEvent& s) override {
    op_ = s.op == kNone ? absl::StrCat("output", s.output) : absl::StrCat("op", s.op);
  }
  void OnWrite(const WriteEvent& w) override {
    static constexpr const char* kCauses[] = {"step", "group", "open", "sync", "hide", "reveal"};
    const std::string target =
        w.value == kNone ? absl::StrCat("output", w.output) : absl::StrCat("%", w.value);
    writes.push_back(absl::StrCat(phase_, " ", kCauses[static_cast<int>(w.cause)], " ", target, " ",
                                  program_.Text(w.after)));
  }
  void OnCut(const Cut& c) override {
    cuts.push_back(absl::StrCat(op_, " factor ", c.factor, " target ", c.target, " tensor ",
                                c.tensor, " reason ", static_cast<int>(c.reason), " other ",
                                c.other_factor));
  }
  void OnOrder(absl::Span<const RankedFactor> order) override {
    orders.push_back(absl::StrJoin(order, " ", [](std::string* out, const RankedFactor& r) {
      absl::StrAppend(out, r.factor, ":", r.source_size);
    }));
  }
  void OnTake(int tensor, int factor, absl::Span<const AxisRef>) override {
    takes.push_back(absl::StrCat(op_, " ", tensor, ".", factor));
  }
  void OnDropped(int tensor, int dim) override {
    dropped.push_back(absl::StrCat(op_, " ", tensor, ".", dim));
  }

  std::vector<std::string> writes, cuts, orders, takes, dropped;

 private:
  TextProgram& program_;
  std::string phase_, op_;
};

const std::vector<MeshAxis>& Axes() {
  static const auto* const axes = new std::vector<MeshAxis>{{"a", 2}, {"b", 2}};
  return *axes;
}

TEST(ObserverTest, ALostConflict) {
  TextProgram t(Axes(), R"(
      x 8x32 [{a,?},{?}] = arg
      w 32x16 [{?},{a,?}] = arg
      y 8x16 = op x w : ([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}
      return y)");
  Log log(t);
  t.Run(Options(), &log);
  EXPECT_THAT(log.writes, ElementsAre("0/2 step %2 [{?},{a,?}]", "0/2 step output0 [{?},{a,?}]"));
  EXPECT_THAT(log.orders, Contains("1:512 0:256"));
  EXPECT_THAT(log.takes, Contains("op1 2.1"));
  // Tensor 2 is refused `a` on factor 0: factor 1 has just taken it.
  EXPECT_THAT(log.cuts, Contains("op1 factor 0 target 2 tensor 2 reason 1 other 1"));
}

TEST(ObserverTest, ClosedDimensionsAndStridedViews) {
  TextProgram t(Axes(), R"(
      x 8x8 [{a,?},{b,?}] = arg
      y 8x8 [{},{?}] = ew x
      z 64 = op y : ([i, j])->([ij]) {i=8, j=8}
      return z)");
  Log log(t);
  t.Run(Options(), &log);
  EXPECT_THAT(log.cuts,
              Contains(AllOf(HasSubstr("factor 0 target 1 tensor 1"), HasSubstr("reason 4"))));
  EXPECT_THAT(log.dropped, Contains("op2 1.0"));
}

TEST(ObserverTest, PrioritiesAndGroups) {
  TextProgram t(Axes(), R"(
      x 8 [{a}p1] = arg
      y 8 [{b}] = arg
      z 8 [{?}] = arg
      group y z
      return x y z)");
  Log log(t);
  t.Run(Options(), &log);
  EXPECT_THAT(log.writes,
              AllOf(Contains("0/-1 sync %2 [{b}]"), Contains("0/-1 hide %0 [{}] repl{a}"),
                    Contains("1/-1 reveal %0 [{a}]"), Contains("1/0 step output0 [{a,?}]"),
                    Not(Contains(HasSubstr("open")))));
}

// Changes only.
class Quick : public Observer {
 public:
  bool WantsIdleSteps() const override { return false; }
  void OnWrite(const WriteEvent& w) override { writes.push_back(w.after); }

  std::vector<ShardingId> writes;
};

class Thorough : public Quick {
 public:
  bool WantsIdleSteps() const override { return true; }
};

TEST(ObserverTest, AnObserverChangesNothing) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    RandomProgram r(seed);
    Quick quick;
    Thorough thorough;
    const Result with = *Propagate(r.program(), r.tables(), Options(), r.rule_source(), &quick);
    const Result in_full =
        *Propagate(r.program(), r.tables(), Options(), r.rule_source(), &thorough);
    const Result without = *Propagate(r.program(), r.tables(), Options(), r.rule_source());
    EXPECT_EQ(with.shardings, without.shardings) << seed;
    EXPECT_EQ(with.outputs, without.outputs) << seed;
    EXPECT_EQ(in_full.shardings, without.shardings) << seed;
    EXPECT_EQ(quick.writes, thorough.writes) << seed;
  }
}

}  // namespace
}  // namespace tessera::sharding::propagation
