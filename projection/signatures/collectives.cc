#include "tessera/projection/signatures/collectives.h"

#include <algorithm>

#include "tessera/projection/signatures/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;

int DimensionOf(const Module& module, InstructionId id) {
  return static_cast<int>(hlo::GetDimension(module, id).value_or(0));
}

}  // namespace

int64_t GroupSize(const Module& module, InstructionId id) {
  const std::optional<hlo::ReplicaGroups> groups = hlo::GetReplicaGroups(module, id);
  const int64_t size = groups.has_value() ? groups->UniformSize().value_or(-1) : -1;
  if (size > 0) return size;
  if (size == 0) return static_cast<int64_t>(groups->list.front().size());
  return std::max<int64_t>({module.header().replica_count, module.header().num_partitions, 1});
}

absl::Status AllGatherRule(const OpContext& op, Signature* s) {
  const int k = op.options.leaf % op.num_operands();
  // Cell x of the gathered dimension is cell x mod t of some device.
  Rows rows = op.RowsOf(k);
  for (int d = 0; d < op.rank(); ++d) rows.Follow(d, d);
  s->note = "on the devices of the group";
  return op.Read(k, rows.Outside(OutOfBoundsPolicy::kTorus), s);
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
  rows.Window(dim, group, part).Outside(OutOfBoundsPolicy::kTorus);
  return op.Read(0, rows, s);
}

}  // namespace tessera::projection
