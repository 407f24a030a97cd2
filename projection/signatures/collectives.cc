#include "tessera/projection/signatures/collectives.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/projection/error.h"
#include "tessera/projection/signatures/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

int DimensionOf(const Module& module, InstructionId id) {
  return static_cast<int>(hlo::GetDimension(module, id).value_or(0));
}

// `block` with dimension `dim` cut to [first, end) and moved down by `by`; nothing when that is
// empty.
void AddPart(int64_t rank, const ZRange& block, int dim, int64_t first, int64_t end, int64_t by,
             std::vector<RankedNeed>* out) {
  const int64_t low = std::max(first, block.start()[dim]), high = std::min(end, block.end()[dim]);
  if (low < high) out->push_back({rank, ZSet::OfBox(block.WithDim(dim, low - by, high - by))});
}

struct Exchange {
  const Module& module;
  InstructionId id;
  int64_t rank, group;
  const ZRange& block;
};
using ExchangeRule = absl::StatusOr<std::vector<RankedNeed>> (*)(const Exchange& x);

absl::StatusOr<std::vector<RankedNeed>> AllGather(const Exchange& x) {
  const int dim = DimensionOf(x.module, x.id);
  const int64_t tile = x.module.shape(x.module.operands(x.id)[0]).dim(dim);
  std::vector<RankedNeed> out;
  for (int64_t r = 0; r < x.group; ++r)
    AddPart(r, x.block, dim, r * tile, (r + 1) * tile, r * tile, &out);
  return out;
}

absl::StatusOr<std::vector<RankedNeed>> AllReduce(const Exchange& x) {
  std::vector<RankedNeed> out;
  for (int64_t r = 0; r < x.group; ++r) out.push_back({r, ZSet::OfBox(x.block)});
  return out;
}

absl::StatusOr<std::vector<RankedNeed>> ReduceScatter(const Exchange& x) {
  const int dim = DimensionOf(x.module, x.id);
  const int64_t by = x.rank * x.module.shape(x.id).dim(dim);
  std::vector<RankedNeed> out;
  for (int64_t r = 0; r < x.group; ++r) {
    out.push_back(
        {r, ZSet::OfBox(x.block.WithDim(dim, x.block.start()[dim] + by, x.block.end()[dim] + by))});
  }
  return out;
}

absl::StatusOr<std::vector<RankedNeed>> AllToAll(const Exchange& x) {
  if (!x.module.HasAttribute(x.id, hlo::AttributeName::kDimensions)) {
    return MakeError(ErrorCode::kNotSupported, "an all-to-all in tuple form");
  }
  const int dim = DimensionOf(x.module, x.id);
  const int64_t part = x.module.shape(x.id).dim(dim) / x.group;
  std::vector<RankedNeed> out;
  for (int64_t r = 0; r < x.group; ++r) {
    AddPart(r, x.block, dim, r * part, (r + 1) * part, (r - x.rank) * part, &out);
  }
  return out;
}

absl::StatusOr<std::vector<RankedNeed>> Permute(const Exchange& x) {
  const auto pairs = hlo::GetIntLists(x.module, x.id, hlo::AttributeName::kSourceTargetPairs);
  std::vector<RankedNeed> out;  // a target without a source gets zeros
  if (!pairs.has_value()) return out;
  for (const hlo::IntList& pair : *pairs) {
    if (pair.size() == 2 && pair[1] == x.rank) out.push_back({pair[0], ZSet::OfBox(x.block)});
  }
  return out;
}

absl::StatusOr<std::vector<RankedNeed>> Broadcast(const Exchange& x) {
  return std::vector<RankedNeed>{{0, ZSet::OfBox(x.block)}};
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

int64_t GroupSize(const Module& module, InstructionId id) {
  const std::optional<hlo::ReplicaGroups> groups = hlo::GetReplicaGroups(module, id);
  const auto lists = groups.has_value() ? groups->Expand() : std::nullopt;
  if (lists.has_value() && !lists->empty()) return static_cast<int64_t>(lists->front().size());
  return std::max(module.header().replica_count, module.header().num_partitions);
}

absl::StatusOr<std::vector<RankedNeed>> CollectiveNeeds(const Module& module, InstructionId id,
                                                        int64_t rank, const ZRange& block) {
  const Opcode opcode = module.instruction(id).opcode;
  for (const ExchangeRow& row : kExchanges) {
    if (row.opcode == opcode) return row.rule({module, id, rank, GroupSize(module, id), block});
  }
  return MakeError(ErrorCode::kNotSupported,
                   absl::StrCat(hlo::OpcodeName(opcode), " is no collective"));
}

// --- the rules of one device
// -----------------------------------------------------------------------

absl::Status AllGatherRule(const OpContext& op, Signature* s) {
  const int k = op.options.leaf % op.num_operands();
  // Cell x of the gathered dimension is cell x mod t of some device.
  Rows rows = op.RowsOf(k);
  for (int d = 0; d < op.rank(); ++d) rows.Follow(d, d);
  s->note = "on the devices of the group";
  return op.Read(k, rows.Outside(Policy::kTorus), s);
}

absl::Status ReduceScatterRule(const OpContext& op, Signature* s) {
  const int dim = DimensionOf(op.module, op.id), k = op.options.leaf % op.num_operands();
  const int64_t tile = std::max<int64_t>(op.result[dim], 1);
  Rows rows = op.RowsOf(k);
  for (int d = 0; d < op.rank(); ++d) rows.Follow(d, d);
  rows.Window(dim, std::max<int64_t>(op.OperandShape(k).dim(dim) / tile, 1), tile);
  s->exactness = Exactness::kBound;
  s->note = "the part that belongs to the device, for any device";
  return op.Read(k, rows, s);
}

absl::Status AllToAllRule(const OpContext& op, Signature* s) {
  s->exactness = Exactness::kBound;
  s->note = "parts that belong to the device, for any device";
  if (!op.module.HasAttribute(
          op.id, hlo::AttributeName::kDimensions)) {  // tuple form: from any of the operands
    for (int k = 0; k < op.num_operands(); ++k) TESSERA_RETURN_IF_ERROR(op.ReadIdentity(k, s));
    return absl::OkStatus();
  }
  const int dim = DimensionOf(op.module, op.id);
  const int64_t group = GroupSize(op.module, op.id);
  const int64_t part = std::max<int64_t>(op.result[dim] / std::max<int64_t>(group, 1), 1);
  Rows rows = op.RowsOf(0);
  for (int d = 0; d < op.rank(); ++d) rows.Follow(d, d);
  rows.Window(dim, group, part).Outside(Policy::kTorus);
  return op.Read(0, rows, s);
}

}  // namespace tessera::projection
