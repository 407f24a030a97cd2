#include "tessera/testing/projection/collective_needs.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/signatures/collectives.h"
#include "tessera/projection/signatures/rules.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

int DimensionOf(const Module& module, InstructionId id) {
  return static_cast<int>(hlo::GetDimension(module, id).value_or(0));
}

struct Exchange {
  const Module& module;
  InstructionId id;
  int64_t rank, group;
  const ZRange& block;
  int leaf;

  int operand() const { return leaf % static_cast<int>(module.operands(id).size()); }
  const layout::Shape& operand_shape() const {
    return module.shape(module.operands(id)[static_cast<size_t>(operand())]);
  }
  const layout::Shape& result_shape() const {
    return *ArrayLeaves(module.shape(id))[static_cast<size_t>(leaf)];
  }
  RankedNeed Of(int64_t r, const ZRange& cells) const { return {r, ZSet::OfBox(cells), operand()}; }
};
using ExchangeRule = absl::StatusOr<std::vector<RankedNeed>> (*)(const Exchange& x);

// The block with dimension `dim` cut to [first, end) and moved down by `by`; nothing when that is
// empty.
void AddPart(const Exchange& x, int64_t rank, int dim, int64_t first, int64_t end, int64_t by,
             std::vector<RankedNeed>* out) {
  const int64_t low = std::max(first, x.block.start()[dim]);
  const int64_t high = std::min(end, x.block.end()[dim]);
  if (low < high) out->push_back(x.Of(rank, x.block.WithDim(dim, low - by, high - by)));
}

absl::StatusOr<std::vector<RankedNeed>> AllGather(const Exchange& x) {
  const int dim = DimensionOf(x.module, x.id);
  const int64_t tile = x.operand_shape().dim(dim);
  std::vector<RankedNeed> out;
  for (int64_t r = 0; r < x.group; ++r)
    AddPart(x, r, dim, r * tile, (r + 1) * tile, r * tile, &out);
  return out;
}

absl::StatusOr<std::vector<RankedNeed>> AllReduce(const Exchange& x) {
  std::vector<RankedNeed> out;
  for (int64_t r = 0; r < x.group; ++r) out.push_back(x.Of(r, x.block));
  return out;
}

absl::StatusOr<std::vector<RankedNeed>> ReduceScatter(const Exchange& x) {
  const int dim = DimensionOf(x.module, x.id);
  const int64_t by = x.rank * x.result_shape().dim(dim);
  const ZRange cells = x.block.WithDim(dim, x.block.start()[dim] + by, x.block.end()[dim] + by);
  std::vector<RankedNeed> out;
  for (int64_t r = 0; r < x.group; ++r) out.push_back(x.Of(r, cells));
  return out;
}

// In tuple form array j of the result is what rank j has as operand number `rank`.
absl::StatusOr<std::vector<RankedNeed>> AllToAll(const Exchange& x) {
  if (!x.module.HasAttribute(x.id, hlo::AttributeName::kDimensions)) {
    return std::vector<RankedNeed>{{x.leaf, ZSet::OfBox(x.block), static_cast<int>(x.rank)}};
  }
  const int dim = DimensionOf(x.module, x.id);
  const int64_t part = x.result_shape().dim(dim) / x.group;
  std::vector<RankedNeed> out;
  for (int64_t r = 0; r < x.group; ++r)
    AddPart(x, r, dim, r * part, (r + 1) * part, (r - x.rank) * part, &out);
  return out;
}

absl::StatusOr<std::vector<RankedNeed>> Permute(const Exchange& x) {
  const auto pairs = hlo::GetIntLists(x.module, x.id, hlo::AttributeName::kSourceTargetPairs);
  std::vector<RankedNeed> out;  // a target without a source gets zeros
  if (!pairs.has_value()) return out;
  for (const hlo::IntList& pair : *pairs) {
    if (pair.size() == 2 && pair[1] == x.rank) out.push_back(x.Of(pair[0], x.block));
  }
  return out;
}

absl::StatusOr<std::vector<RankedNeed>> Broadcast(const Exchange& x) {
  return std::vector<RankedNeed>{x.Of(0, x.block)};
}

struct ExchangeRow {
  Opcode opcode;
  ExchangeRule rule;
};
constexpr ExchangeRow kExchanges[] = {
    {Opcode::kAllGather, AllGather},           {Opcode::kAllGatherStart, AllGather},
    {Opcode::kAllReduce, AllReduce},           {Opcode::kAllReduceStart, AllReduce},
    {Opcode::kReduceScatter, ReduceScatter},   {Opcode::kAllToAll, AllToAll},
    {Opcode::kCollectivePermute, Permute},     {Opcode::kCollectivePermuteStart, Permute},
    {Opcode::kCollectiveBroadcast, Broadcast},
};

}  // namespace

absl::StatusOr<std::vector<RankedNeed>> CollectiveNeeds(const Module& module, InstructionId id,
                                                        int64_t rank, const ZRange& block,
                                                        int leaf) {
  const Opcode opcode = module.instruction(id).opcode;
  for (const ExchangeRow& row : kExchanges) {
    if (row.opcode == opcode)
      return row.rule({module, id, rank, GroupSize(module, id), block, leaf});
  }
  return MakeError(ErrorCode::kNotSupported,
                   absl::StrCat(hlo::OpcodeName(opcode), " is not a collective"));
}

}  // namespace tessera::projection
