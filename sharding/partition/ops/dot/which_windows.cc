// Which dimensions of a dot make groups first, on a target that works in windows: those that leave the
// better windows inside a group. XLA's cost model again. What is gathered outside of the loop should
// be what takes less long to gather, unless the product is too short to hide either of the two.
//
//   [2,4]<=[8] of rows, [2,4]<=[8] of columns: the gather of one in groups, windows of the other

#include <algorithm>
#include <limits>

#include "tessera/sharding/partition/ops/dot/windows.h"

namespace tessera::sharding::partition {
namespace {

struct Counts {
  WindowTask::Cuts lhs, rhs;
  WindowTask::Cuts& Of(Side side) { return side == Side::kLhs ? lhs : rhs; }
};

Counts CountsOf(const DotDims& dims, const DotTask& task) {
  const auto of = [&](const Tiling& tiling, const DotDimList& own, Side side) {
    return WindowTask::Cuts{CutsOf(tiling, own, side), CutsOf(tiling, dims.contracting, side),
                            CutsOf(tiling, dims.batch, side), CutsOf(task.out, own, Side::kOut)};
  };
  return {of(task.lhs.tiling, dims.lhs_non_contracting, Side::kLhs),
          of(task.rhs.tiling, dims.rhs_non_contracting, Side::kRhs)};
}

bool Any(Side /*moves*/) { return true; }

// How many devices exchange inside the groups of this operand; nothing if there are no windows.
// Counts are those of before grouping, as in the reference.
std::optional<int64_t> DevicesInWindows(const DotJob& job, const DotTask& task, Side side) {
  DotJob look = job;
  const auto groups = NonContractingGroupingOf(look, task, side);
  if (!groups.has_value() || !groups->other.has_value()) return std::nullopt;
  Counts counts = CountsOf(job.dims, task);
  const int64_t devices = task.devices / counts.Of(side).own;
  counts.Of(side).own = 1;
  WindowTask inner = {groups->matching.inner,
                      groups->other->inner,
                      groups->out.inner,
                      counts.lhs,
                      counts.rhs,
                      devices};
  if (side == Side::kRhs) std::swap(inner.lhs, inner.rhs);
  if (!PlanWindows(job.dims, inner, Any).has_value()) return std::nullopt;
  return devices;
}

// The product of these shards, in bytes that the links move meanwhile.
double Hidden(const DotJob& job, const PartitionedHlo& lhs, const Shape& left, const Shape& right) {
  return FlopsOf(job, left, right) / lhs.scope->graph().options().windows->flops_per_byte;
}

}  // namespace

std::optional<bool> LhsMakesGroups(const DotJob& job, const DotTask& task) {
  if (!task.lhs.scope->graph().options().windows.has_value()) return std::nullopt;
  const auto left = DevicesInWindows(job, task, Side::kLhs);
  const auto right = DevicesInWindows(job, task, Side::kRhs);
  if (!left.has_value() || !right.has_value()) return left.has_value();
  const Graph& graph = task.lhs.scope->graph();
  const Counts counts = CountsOf(job.dims, task);
  const int64_t lhs = Bytes(graph.shape(task.lhs.node)), rhs = Bytes(graph.shape(task.rhs.node));
  const int64_t lhs_gathered = lhs * counts.rhs.own, rhs_gathered = rhs * counts.lhs.own;
  DotJob look = job;
  const auto of_lhs = NonContractingGroupingOf(look, task, Side::kLhs);
  const auto of_rhs = NonContractingGroupingOf(look, task, Side::kRhs);
  const double hidden = Hidden(job, task.lhs, GroupShape(of_lhs->matching, task.lhs.base),
                               GroupShape(of_rhs->matching, task.rhs.base));
  if (hidden <= static_cast<double>(std::min(lhs_gathered, rhs_gathered))) return lhs > rhs;
  return lhs_gathered > rhs_gathered;
}

bool ContractingMakesGroupsFirst(const DotJob& job, const DotTask& task) {
  const Graph& graph = task.lhs.scope->graph();
  if (!graph.options().windows.has_value()) return false;
  Counts counts = CountsOf(job.dims, task);
  if (counts.lhs.own != counts.lhs.out_own || counts.lhs.own == 1) return false;
  const auto trips = DevicesInWindows(job, task, Side::kLhs);
  if (!trips.has_value()) return false;
  const int64_t groups = counts.lhs.contracting;
  if (groups == 1 || groups != counts.rhs.contracting) return false;
  for (const DotDim& dim : job.dims.contracting) {
    if (task.lhs.tiling.dim(dim.lhs) != task.rhs.tiling.dim(dim.rhs)) return false;
  }
  DotJob look = job;
  const auto inside = ContractingGroupingOf(look, task);
  if (!inside.has_value()) return false;
  const int64_t devices = task.devices / groups;
  counts.lhs.contracting = counts.rhs.contracting = 1;
  counts.lhs.out_own = CutsOf(inside->out, job.dims.lhs_non_contracting, Side::kOut);
  counts.rhs.out_own = CutsOf(inside->out, job.dims.rhs_non_contracting, Side::kOut);
  const WindowTask inner = {inside->lhs.inner, inside->rhs.inner, inside->out,
                            counts.lhs,        counts.rhs,        devices};
  const auto plan = PlanWindows(job.dims, inner, Any);
  if (!plan.has_value() || plan->lhs_moves) return false;
  const int64_t gathered = Bytes(graph.shape(task.rhs.node)) * devices;
  const int64_t scattered = Bytes(inside->out_base) / devices * *trips;
  const double hidden =
      Hidden(job, task.lhs, graph.shape(task.lhs.node), GroupShape(inside->rhs, task.rhs.base));
  if (hidden <= static_cast<double>(std::min(gathered, scattered))) {
    return gathered / devices < scattered / *trips;
  }
  return gathered > scattered;
}

}  // namespace tessera::sharding::partition
