#include "tessera/sharding/propagation/step/conflicts.h"

#include <string>

#include "gtest/gtest.h"
#include "tessera/testing/propagation/table_maker.h"

namespace tessera::sharding::propagation {
namespace {

constexpr char kMissing[] = "-";

std::string Text(const TableMaker& t, const Fit& fit) {
  return fit.axis ? t.Text({*fit.axis}) : kMissing;
}

struct Across {
  std::string sharding;  // of a tensor [i, jk]
  std::string axis;      // wanted on i
  std::string expected;
  int other_factor = -1;
};

TEST(ConflictsTest, AcrossTheFactorsOfATensor) {
  const Across cases[] = {
      {"[{?},{?}]", "a", "a"},
      {"[{a,?},{?}]", "a", "a"},  // its own axes are not in the way
      {"[{?},{a,?}]", "a", kMissing, 1},
      {"[{?},{b,a,?}]", "a", kMissing, 2},
      {"[{?},{c:(2)2,?}]", "c", "c:(1)2", 1},
      {"[{?},{c:(1)2,?}]", "c", kMissing, 1},
      {"[{?},{t,?}]", "t", kMissing, 1},  // parked as overflow of j
  };
  for (const Across& c : cases) {
    TableMaker t({{"a", 2}, {"b", 2}, {"c", 4}, {"t", 3}}, "([i, jk])->([]) {i=8, j=2, k=8}",
                 {c.sharding, ""});
    const Fit fit = PrefixAcrossFactors(t.table(), 0, 0, t.Axis(c.axis));
    EXPECT_EQ(Text(t, fit), c.expected) << c.sharding << " " << c.axis;
    EXPECT_EQ(fit.other_factor, c.other_factor) << c.sharding << " " << c.axis;
    EXPECT_EQ(fit.reason, c.other_factor < 0 ? CutReason::kNone : CutReason::kOtherFactor);
  }
}

struct Within {
  std::string sharding;  // of a tensor [ij, k], i=6 j=8 k=8
  int factor;
  std::string axis;
  int64_t before;
  std::string expected;
  CutReason reason = CutReason::kNone;
};

TEST(ConflictsTest, WithinAFactorOfATensor) {
  const Within cases[] = {
      // The minor factor of an open dimension takes anything.
      {"[{?},{?}]", 2, "a", 1, "a"},
      {"[{?},{?}]", 2, "t", 1, "t"},
      // It may keep its own axes, open or closed.
      {"[{?},{a}]", 2, "a", 1, "a"},
      {"[{?},{c}]", 2, "c:(1)2", 1, "c:(1)2"},
      {"[{?},{a}]", 2, "b", 2, kMissing, CutReason::kClosed},
      {"[{?},{c:(1)2}]", 2, "c", 1, "c:(1)2", CutReason::kClosed},
      // A factor with others after it must come out even.
      {"[{?},{?}]", 0, "a", 1, "a"},
      {"[{?},{?}]", 0, "c", 1, "c:(1)2", CutReason::kNotDivisible},
      {"[{?},{?}]", 0, "a", 2, kMissing, CutReason::kNotDivisible},
      {"[{?},{?}]", 0, "t", 2, "t"},
      {"[{?},{?}]", 0, "a", 4, kMissing, CutReason::kNotDivisible},
      // Nothing goes after parked axes.
      {"[{f,?},{?}]", 0, "a", 1, kMissing, CutReason::kOverflow},
      // Replicated and unreduced axes are reserved.
      {"[{?},{?}] repl{a}", 2, "a", 1, kMissing, CutReason::kReplicated},
      {"[{?},{?}] repl{c:(2)2}", 2, "c", 1, "c:(1)2", CutReason::kReplicated},
      {"[{?},{?}] unred{a}", 2, "a", 1, kMissing, CutReason::kUnreduced},
  };
  for (const Within& c : cases) {
    TableMaker t({{"a", 2}, {"b", 2}, {"c", 4}, {"t", 3}, {"f", 5}},
                 "([ij, k])->([]) {i=6, j=8, k=8}", {c.sharding, ""});
    const int cell = t.table().rule().cell(0, c.factor);
    const Fit fit = PrefixWithinFactor(t.table(), 0, cell, t.Axis(c.axis), c.before);
    EXPECT_EQ(Text(t, fit), c.expected) << c.sharding << " " << c.factor << " " << c.axis;
    EXPECT_EQ(fit.reason, c.reason) << c.sharding << " " << c.factor << " " << c.axis;
  }
}

TEST(ConflictsTest, TruncateToPrefixStopsAtTheFirstAxisThatIsNotWhole) {
  TableMaker t({{"a", 2}, {"c", 4}, {"b", 2}}, "([i])->([]) {i=8}", {"", ""});
  const auto cut_c = [&](AxisRef x, int, int64_t before) -> std::optional<AxisRef> {
    EXPECT_EQ(before, x == t.Axis("a") ? 1 : 2);
    return x == t.Axis("c") ? t.Axis("c:(1)2") : x;
  };
  AxisList axes = {t.Axis("a"), t.Axis("c"), t.Axis("b")};
  TruncateToPrefix(axes, t.mesh(), /*conservative=*/false, cut_c);
  EXPECT_EQ(t.Text(axes), "a,c:(1)2");
  axes = {t.Axis("a"), t.Axis("c"), t.Axis("b")};
  TruncateToPrefix(axes, t.mesh(), /*conservative=*/true, cut_c);
  EXPECT_EQ(t.Text(axes), "a");
}

}  // namespace
}  // namespace tessera::sharding::propagation
