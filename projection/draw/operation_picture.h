// An operation as a page: operands on the left, its index in the middle, results on the right.
//
//   absl::StatusOr<ShardPlan> plan = CutOperation(signature, {{0, 4}});
//   std::string svg = SvgOfOperation(signature, {"d", {"lhs", "rhs"}, 4}, *plan);
//
// Every part of the plan has a colour, which it has everywhere; a plan of one part shows a block.
// With the stages of a cut reduction, the partial results stand before the result.
#ifndef TESSERA_PROJECTION_DRAW_OPERATION_PICTURE_H_
#define TESSERA_PROJECTION_DRAW_OPERATION_PICTURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/projection/partition/partial.h"
#include "tessera/projection/partition/shards.h"
#include "tessera/projection/signature/signature.h"

namespace tessera::projection {

struct OperationNames {
  std::string operation;
  std::vector<std::string> operands;  // as many as the signature has
  int64_t element_bytes = 1;          // of all tensors, for titles
};

// One block as a plan of one part.
absl::StatusOr<ShardPlan> PlanOfBlock(const Signature& s, const ZRange& block);

std::string SvgOfOperation(const Signature& s, const OperationNames& names, const ShardPlan& plan,
                           const SplitReduction* stages = nullptr);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_DRAW_OPERATION_PICTURE_H_
