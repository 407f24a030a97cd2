#include "tessera/sharding/rules/rule_builder.h"

#include <functional>
#include <string>

#include "gtest/gtest.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/factors/rule_text.h"

namespace tessera::sharding::rules {
namespace {

using Build = std::function<void(RuleBuilder& b)>;

// The rule of an op with operands of 8x4 and of 8 and a result of 8x4.
std::string RuleOf(const Build& build) {
  const layout::Shape matrix = layout::Shape::Array(layout::ElementType::kF32, {8, 4});
  const layout::Shape column = layout::Shape::Array(layout::ElementType::kF32, {8});
  RuleBuilder b({&matrix, &column}, {&matrix});
  build(b);
  const MaybeRule rule = b.Build();
  return rule ? factors::RuleToString(*rule) : "none";
}

TEST(RuleBuilderTest, FactorByFactor) {
  EXPECT_EQ(RuleOf([](RuleBuilder& b) {
              b.Factor({0, 0}, {0}, 8);
            }),
            "([i, j], [i])->([i, k]) {i=8, j=1, k=1}");
  EXPECT_EQ(RuleOf([](RuleBuilder& b) {
              b.FactorAll(0, 8);
              b.Factor({1, kNone}, {1}, 4, kReduction);
            }),
            "([i, j], [i])->([i, j]) {i=8, j=4} reduction={j}");
}

// Operands of a custom call may have any rank: then there is no rule.
TEST(RuleBuilderTest, NothingWhereADimensionIsNotThere) {
  for (const Build& build :
       {Build([](RuleBuilder& b) {
          b.Pointwise({8, 4});
        }),
        Build([](RuleBuilder& b) {
          b.Factor({0, 1}, {0}, 8);
        }),
        Build([](RuleBuilder& b) {
          b.Factor({0, 0}, {-2}, 8);
        }),
        Build([](RuleBuilder& b) { b.Factor({0}, {0}, 8); }),
        Build([](RuleBuilder& b) { b.FactorOperands(1, 4); }),
        Build([](RuleBuilder& b) { b.FactorResults(2, 1); }), Build([](RuleBuilder& b) {
          b.Mismatch({8}, {8, 4}, kNeedReplication, Blocked::kNo);
        })}) {
    EXPECT_EQ(RuleOf(build), "none");
  }
}

}  // namespace
}  // namespace tessera::sharding::rules
