// Dots. Dimensions that operands and result shard alike define device groups; the dot is
// partitioned again inside each group, until nothing is sharded. The first attempt moves no group,
// the second may. If neither works, both operands take the tilings that the result implies. XLA:
// dot_handler, HandleDotHelper and PartitionDot; PartitionDotRemovingOutputPartialReplication.

#include "tessera/sharding/partition/ops/dot/dot.h"

#include <utility>

#include "tessera/sharding/partition/ops/dot/windows.h"
#include "tessera/sharding/partition/ops/ops.h"

namespace tessera::sharding::partition {

DotDims DimsOfDot(const hlo::Module& module, hlo::InstructionId id) {
  const hlo::DotDimensions d = hlo::GetDotDimensions(module, id);
  DotDims dims;
  dims.lhs_rank = module.shape(module.operands(id)[0]).rank();
  dims.rhs_rank = module.shape(module.operands(id)[1]).rank();
  dims.out_rank = module.shape(id).rank();
  int64_t next = 0;
  for (int64_t i = 0; i < Size(d.lhs_batch); ++i) {
    dims.batch.push_back({At(d.lhs_batch, i), At(d.rhs_batch, i), next++, -1});
  }
  for (int64_t i = 0; i < Size(d.lhs_contracting); ++i) {
    dims.contracting.push_back({At(d.lhs_contracting, i), At(d.rhs_contracting, i), -1, -1});
  }
  for (int64_t i = 0; i < dims.lhs_rank; ++i) {
    if (Contains(d.lhs_batch, i) || Contains(d.lhs_contracting, i)) continue;
    dims.lhs_non_contracting.push_back({i, -1, next++, -1});
  }
  for (int64_t i = 0; i < dims.rhs_rank; ++i) {
    if (Contains(d.rhs_batch, i) || Contains(d.rhs_contracting, i)) continue;
    dims.rhs_non_contracting.push_back({-1, i, next++, -1});
  }
  return dims;
}

namespace {

// The result of a dot of two shards.
Shape LocalShape(const DotDims& dims, const Shape& lhs, const Shape& rhs,
                 layout::ElementType type) {
  Dims out(static_cast<size_t>(dims.out_rank), 1);
  for (const DotDimList* list : {&dims.batch, &dims.lhs_non_contracting}) {
    for (const DotDim& dim : *list) At(out, dim.out) = lhs.dim(dim.lhs);
  }
  for (const DotDim& dim : dims.rhs_non_contracting) At(out, dim.out) = rhs.dim(dim.rhs);
  return Shape::Array(type, out, std::nullopt);
}

// Replicas of the result become groups if nothing else is sharded.
DotTry InGroupsOfReplicas(DotJob& job, const DotTask& task) {
  if (!task.lhs.tiling.IsReplicated() || !task.rhs.tiling.IsReplicated() ||
      !task.out.LastIsReplicated()) {
    return std::nullopt;
  }
  const Grouping groups = GroupOn(task.out, {task.out_base.rank()});
  DeviceGroupScope& scope = task.lhs.scope->PerGroup(groups.devices);
  DotTask inner = task;
  inner.lhs.scope = inner.rhs.scope = &scope;
  inner.out = groups.inner;
  inner.devices = task.out.tiles();
  return SolveDot(job, inner);
}

DotTry TryDot(DotJob& job, const DotTask& task) {
  if (job.first) {
    bool decided = false;
    const DotTry result = job.first(task, decided);
    if (decided) return result;
  }
  if (const DotTry node = DotOnOneKindOfDims(job, task, /*may_move=*/false)) return node;
  if (const DotTry node = DotGroupOnBatch(job, task)) return node;
  if (!ContractingMakesGroupsFirst(job, task)) {
    if (const DotTry node = DotGroupOnNonContracting(job, task)) return node;
  }
  if (const DotTry node = DotGroupOnContracting(job, task)) return node;
  if (const DotTry node = InGroupsOfReplicas(job, task)) return node;
  return DotOnOneKindOfDims(job, task, /*may_move=*/true);
}

}  // namespace

NodeId SolveDot(DotJob& job, DotTask task) {
  for (const bool strict : {true, false}) {
    task.strict = strict;
    if (const DotTry node = TryDot(job, task)) return *node;
  }
  if (job.dims.spatial.empty()) {
    const Tiling lhs = ImpliedOperand(task.out, nullptr, Side::kLhs, job.dims);
    const Tiling rhs = ImpliedOperand(task.out, nullptr, Side::kRhs, job.dims);
    const PartitionedHlo moved = Reshard(task.lhs, lhs);
    return job.Local(moved, Reshard(task.rhs, rhs));
  }
  const PartitionedHlo lhs = Replicate(task.lhs);
  const NodeId node = job.Local(lhs, Replicate(task.rhs));
  return Reshard({node, task.out_base, Tiling::Replicated(), task.lhs.scope}, task.out).node;
}

namespace {

// XLA converts the operands and the result of a dot to V1 form in place: later readers see V1
// shardings.
PartitionedHlo LeftInTiles(const PartitionedHlo& value) {
  Graph& graph = value.scope->graph();
  if (!value.tiling.IsNamed() || !graph.behaviors().dots_leave_tile_form) return value;
  graph.MarkV1(value.node);
  return {value.node, value.base, value.tiling.AsV1(), value.scope};
}

}  // namespace

NodeId SolveDotOf(Visit& v, DotJob& job) {
  DotTask task;
  task.lhs = LeftInTiles(v.operand(0));
  task.rhs = LeftInTiles(v.operand(1));
  if (task.lhs.node == task.rhs.node) task.rhs = Unshared(task.rhs);
  task.out_base = *v.base;
  task.out = v.graph().behaviors().dots_leave_tile_form ? v.tiling().AsV1() : v.tiling();
  task.devices = v.scope->devices();
  return LeftInTiles(v.Result(SolveDot(job, task), v.tiling())).node;
}

absl::StatusOr<NodeId> PartitionDot(Visit& v) {
  if (v.OnOneDevice()) return Default(v);
  DotJob job;
  job.dims = DimsOfDot(v.module(), v.id);
  job.visit = &v;
  job.shape = [&](const Shape& lhs, const Shape& rhs) {
    return LocalShape(job.dims, lhs, rhs, v.base->element_type());
  };
  job.local = [&](const PartitionedHlo& lhs, const PartitionedHlo& rhs, const hlo::Window&) {
    return Clone(v, job.shape(v.graph().shape(lhs.node), v.graph().shape(rhs.node)),
                 {lhs.node, rhs.node});
  };
  return SolveDotOf(v, job);
}

absl::StatusOr<NodeId> PartitionRaggedDot(Visit& v) {
  if (v.OnOneDevice()) return Default(v);
  const hlo::DotDimensions d = hlo::GetDotDimensions(v.module(), v.id);
  PartitionedHlo lhs = v.operand(0), rhs = v.operand(1);
  if (lhs.node == rhs.node) rhs = Unshared(rhs);
  Dims cut;
  for (int64_t dim : d.lhs_contracting) {
    if (lhs.tiling.dim(dim) > 1) cut.push_back(dim);
  }
  if (!cut.empty()) {
    lhs = MaskedWithZeroOn(lhs, d.lhs_contracting);
    rhs = MaskedWithZeroOn(rhs, d.rhs_contracting);
  }
  const NodeId node = Clone(v, v.shard_shape(), {lhs.node, rhs.node, v.operands[2].node});
  return lhs.scope->AllReduceOver(node, lhs.tiling, cut, SumOf(*v.base));
}

}  // namespace tessera::sharding::partition
