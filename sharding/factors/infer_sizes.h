// Sizes for a rule that a user wrote without them:
//
//   RuleSpec rule = *ParseRuleSpec("([i, k], [k, j])->([i, j]) reduction={k}");
//   InferSizes({{8, 4}, {4, 6}}, {{8, 6}}, &rule);   // sizes: i=8, j=6, k=4

#ifndef TESSERA_SHARDING_FACTORS_INFER_SIZES_H_
#define TESSERA_SHARDING_FACTORS_INFER_SIZES_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "tessera/sharding/factors/rule_check.h"
#include "tessera/sharding/factors/rule_spec.h"

namespace tessera::sharding::factors {

using DimsOfTensors = absl::Span<const absl::Span<const int64_t>>;

// Does nothing to a rule that has sizes. Else gives each factor a size: that of the dimension in
// which it stands alone, the smallest one if there are several. A factor that only stands together
// with others gets what these leave of their dimension. Returns the mistake if that does not work
// out. Tensors and dimensions that the op does not have are passed over; CheckRule tells of them.
std::optional<RuleMistake> InferSizes(DimsOfTensors operands, DimsOfTensors results,
                                      RuleSpec* rule);

// The sizes of a rule that passes CheckRule() beside the shapes: a factor that stands alone has the
// size of its smallest dimension, factors that stand together have a dimension's as their product.
std::optional<RuleMistake> CheckSizes(DimsOfTensors operands, DimsOfTensors results,
                                      const RuleSpec& rule);

}  // namespace tessera::sharding::factors

#endif  // TESSERA_SHARDING_FACTORS_INFER_SIZES_H_
