// The rules of all small reshapes. The factors of a dimension multiply to its size (but for a
// result's permutation factors, which have the operand's sizes). A factor is on each side at most
// once. Both sides run through common factors in the same order, and all others need replication.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tessera/sharding/rules/rules.h"

namespace tessera::sharding::rules {
namespace {

using factors::OpShardingRule;
using Shape = std::vector<int64_t>;

// All shapes of up to `rank` dimensions from `sizes`, with that many elements.
void AppendShapes(int64_t elements, int rank, Shape prefix, std::vector<Shape>* shapes) {
  if (elements == 1) shapes->push_back(prefix);
  if (rank == 0) return;
  for (int64_t size = 1; size <= elements; ++size) {
    if (elements % size != 0) continue;
    Shape longer = prefix;
    longer.push_back(size);
    AppendShapes(elements / size, rank - 1, longer, shapes);
  }
}

void CheckDimensions(const OpShardingRule& rule, int tensor, const Shape& shape) {
  for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
    int64_t product = 1;
    bool permutes = false;
    for (int f : rule.factors(tensor, d)) {
      product *= rule.size(f);
      permutes |= rule.kind(f) == factors::FactorKind::kPermutation;
      const bool common = rule.contains(1 - tensor, f);
      EXPECT_EQ(!common, rule.kind(f) == factors::FactorKind::kNeedReplication);
    }
    if (tensor == 1 && permutes) continue;
    EXPECT_EQ(product, shape[d]);
  }
}

std::vector<int> CommonFactors(const OpShardingRule& rule, int tensor) {
  std::vector<int> common;
  for (int f : rule.factors(tensor)) {
    if (rule.contains(1 - tensor, f)) common.push_back(f);
  }
  return common;
}

TEST(ReshapeTest, AllSmallShapes) {
  for (int64_t elements : {1, 8, 12, 30, 36}) {
    std::vector<Shape> shapes;
    AppendShapes(elements, 3, {}, &shapes);
    for (const Shape& from : shapes) {
      for (const Shape& to : shapes) {
        SCOPED_TRACE(absl::StrCat(absl::StrJoin(from, "x"), " to ", absl::StrJoin(to, "x")));
        const layout::Shape in = layout::Shape::Array(layout::ElementType::kF32, from);
        const layout::Shape out = layout::Shape::Array(layout::ElementType::kF32, to);
        const layout::Shape* const shapes_in[] = {&in};
        const layout::Shape* const shapes_out[] = {&out};
        OpView op;
        op.opcode = hlo::Opcode::kReshape;
        op.operands = shapes_in;
        op.results = shapes_out;
        const std::optional<OpShardingRule> rule = DeriveRule(op);
        ASSERT_TRUE(rule.has_value());
        CheckDimensions(*rule, 0, from);
        CheckDimensions(*rule, 1, to);
        EXPECT_EQ(CommonFactors(*rule, 0), CommonFactors(*rule, 1));
      }
    }
  }
}

}  // namespace
}  // namespace tessera::sharding::rules
