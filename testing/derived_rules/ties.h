// Which dimensions of an operation belong together, said twice: by its sharding rule and by its
// projections.
//
//   Ties a = TiesOfRule(rule), b = *TiesOfProjections(module, id);
//   a == b        // for a matrix product: lhs 0 - result 0, rhs 1 - result 1, lhs 1 - rhs 0
//   (reduced)
//
// A sharding rule is a claim about projections. Dimensions share a factor exactly when a block of
// one needs just a block of the other (pass-through), or when the same reduced axis walks both.
#ifndef TESSERA_TESTING_DERIVED_RULES_TIES_H_
#define TESSERA_TESTING_DERIVED_RULES_TIES_H_

#include <set>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/factors/rule.h"

namespace tessera::testing {

// A dimension: tensor number (operands first, then the first result) and place. Extents of 1 are
// left out: whether they are tied means nothing.
using Dim = std::pair<int, int>;
using Ties = std::set<std::pair<Dim, Dim>>;

struct BothTies {
  Ties strict;  // pass-through and reduction: blocks stay where they are
  Ties moved;   // permutation factors: a block needs a shifted, strided or mirrored one
};

BothTies TiesOfRule(const sharding::factors::OpShardingRule& rule);

// From block form (operand to result) and split form (operand to operand). kUnimplemented when an
// operand is not read through projections.
absl::StatusOr<BothTies> TiesOfProjections(const hlo::Module& module, hlo::InstructionId id);

std::string TiesText(const Ties& ties);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_DERIVED_RULES_TIES_H_
