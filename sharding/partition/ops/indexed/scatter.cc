// Scatter: the ways of gather (gather.cc), with updates in place of the output. Along indexed
// dimensions nothing is exchanged: updates for other devices are out of range. Along index
// passthrough dimensions each device applies its updates to the reducer's identity, and an
// all-reduce combines the results. XLA: gather_scatter_handler, HandleScatter,
// PartitionScatterTrivialSlicedOperandDimensions and its four siblings.

#include <utility>
#include <vector>

#include "tessera/sharding/partition/ops/indexed/device_indices.h"
#include "tessera/sharding/partition/ops/indexed/indexed.h"
#include "tessera/sharding/partition/ops/indexed/indexed_tilings.h"
#include "tessera/sharding/partition/ops/indexed/scatter_task.h"
#include "tessera/sharding/partition/ops/indexed/way_cost.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/reshard/tables.h"
#include "tessera/sharding/partition/tiling/mesh_axes.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {
namespace {

class Scatter {
 public:
  explicit Scatter(Visit& v)
      : v_(v), op_(IndexedOpOfScatter(v)), iota_batches_(IotaBatchDims(op_)) {}

  const IndexedOp& op() const { return op_; }

  NodeId Solve(const ScatterTask& task) {
    if (task.recurse) {
      for (const Way way : WaysByCost(task)) {
        if (const Try node = (this->*way)(task)) return *node;
      }
    }
    std::vector<NodeId> operands;
    for (const PartitionedHlo& operand : task.operands) operands.push_back(Replicate(operand).node);
    std::vector<NodeId> updates;
    for (const PartitionedHlo& update : task.updates) updates.push_back(Replicate(update).node);
    std::vector<Shape> shapes;
    for (NodeId operand : operands) shapes.push_back(v_.graph().shape(operand));
    operands.push_back(Replicate(task.indices).node);
    operands.insert(operands.end(), updates.begin(), updates.end());
    const Shape shape = shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes);
    const NodeId node = v_.graph().Add(Opcode::kScatter, shape, operands, Recipes::kAsWritten);
    return ToResult(task, node, Tiling::Replicated(), shape);
  }

 private:
  using Way = Try (Scatter::*)(const ScatterTask&);

  NodeId ToResult(const ScatterTask& task, NodeId node, const Tiling& tiling,
                  const Shape& base) const {
    return ReshardLeaves({node, &base, Uniform(base, tiling), task.operands[0].scope}, task.out);
  }

  std::vector<Way> WaysByCost(const ScatterTask& task) {
    std::vector<std::pair<Cost, Way>> ways;
    for (const Way way : {&Scatter::OnOperandPassthroughDims, &Scatter::OnTrivialSlicedDims,
                          &Scatter::OnIndexPassthroughDims}) {
      DeviceGroupScope& scope = task.operands[0].scope->WithoutCache();
      ScatterTask dry = task;
      dry.recurse = false;
      for (PartitionedHlo& operand : dry.operands) operand = StandIn(operand, scope);
      for (PartitionedHlo& update : dry.updates) update = StandIn(update, scope);
      dry.indices = StandIn(task.indices, task.indices.scope->WithoutCache());
      ways.emplace_back(CostOfRun(scope, Opcode::kScatter, [&] { return (this->*way)(dry); }), way);
    }
    std::vector<Way> out = {&Scatter::OnExplicitBatches, &Scatter::OnIotaBatches};
    AppendByCost(std::move(ways), &out);
    return out;
  }

  NodeId Inside(const ScatterTask& task, std::vector<PartitionedHlo> operands,
                const PartitionedHlo& indices, std::vector<PartitionedHlo> updates,
                const Grouping& out_groups, const Dims& slice_sizes) {
    ScatterTask inner = task;
    inner.operands = std::move(operands);
    inner.indices = indices;
    inner.updates = std::move(updates);
    inner.out_base = GroupShapes(out_groups, task.out_base);
    inner.out = Uniform(inner.out_base, out_groups.inner);
    inner.slice_sizes = slice_sizes;
    return Solve(inner);
  }

  // Each group works alone; the result has the sharding of the operands.
  Try InGroupsOf(const ScatterTask& task, const PartitionedHlo& indices,
                 const Grouping& index_groups, const Grouping& operand_groups,
                 const Grouping& update_groups, const Dims& slice_sizes) {
    const NodeId node =
        Inside(task, AllInGroups(task.operands, operand_groups), InGroups(indices, index_groups),
               AllInGroups(task.updates, update_groups), operand_groups, slice_sizes);
    return ToResult(task, node, Ungroup(operand_groups), task.out_base);
  }

  Try OnExplicitBatches(const ScatterTask& task) {
    return OnBatchDims(task, BatchDims(op_), /*offsets=*/false);
  }
  Try OnIotaBatches(const ScatterTask& task) {
    return OnBatchDims(task, iota_batches_, /*offsets=*/true);
  }

  Try OnBatchDims(ScatterTask task, const std::optional<IndexedDims>& dims, bool offsets) {
    if (!dims.has_value()) return std::nullopt;
    const auto tilings = CutAlikeAlong(task.operands[0].tiling, task.operands[0].base.rank(),
                                       task.indices.tiling, task.indices.base.rank(), *dims);
    if (!tilings.has_value()) return std::nullopt;
    for (PartitionedHlo& operand : task.operands) operand = Reshard(operand, tilings->first);
    PartitionedHlo indices = Reshard(task.indices, tilings->second);
    Tiling update = OutputFromIndices(op_, indices.tiling);
    const PartitionedHlo& first = task.operands[0];
    if (const auto whole = OutputFromOperand(
            op_, first.base, ReplicateOn(first.tiling, dims->operand), task.slice_sizes)) {
      MergeIfCompatible(*whole, &update);
    }
    for (PartitionedHlo& value : task.updates) value = Reshard(value, update);
    if (offsets) {
      indices.node = FromFirstOf(op_, indices.node, task.operands[0], dims->operand);
    }
    const Grouping index_groups = GroupOn(indices.tiling, dims->indices);
    const Grouping operand_groups = Align(GroupOn(first.tiling, dims->operand), index_groups);
    const Grouping update_groups =
        Align(GroupOn(task.updates[0].tiling, dims->output), index_groups);
    return InGroupsOf(task, indices, index_groups, operand_groups, update_groups, task.slice_sizes);
  }

  Try OnOperandPassthroughDims(const ScatterTask& task) {
    const PartitionedHlo& first = task.operands[0];
    auto update = OutputFromOperand(op_, first.base, first.tiling, task.slice_sizes);
    if (!update.has_value()) return std::nullopt;
    const Dims dims = OperandPassthroughDims(op_, *op_.operand, task.slice_sizes).operand;
    Dims update_dims, slice_sizes = task.slice_sizes;
    const int64_t groups = CutsAlong(first.tiling, dims);
    for (int64_t i = 0; i < update->data_rank(); ++i) {
      if (update->dim(i) != 1) update_dims.push_back(i);
    }
    for (int64_t dim : dims) At(slice_sizes, dim) = v_.graph().shape(first.node).dim(dim);
    MergeBeside(update_dims, task.updates[0].tiling, &*update);
    const Grouping update_groups = GroupOn(*update, update_dims);
    const Grouping operand_groups = Align(GroupOn(first.tiling, dims), update_groups);
    const Grouping index_groups =
        Align(GroupOnReplicas(task.indices.tiling, groups, first.tiling.num_devices(),
                              task.indices.base.rank(), IndexPriority(op_)),
              update_groups);
    return InGroupsOf(task, task.indices, index_groups, operand_groups, update_groups, slice_sizes);
  }

  Try OnTrivialSlicedDims(const ScatterTask& task) {
    const PartitionedHlo& first = task.operands[0];
    const auto dims = TrivialSlicedDims(op_, first.tiling, task.slice_sizes);
    if (!dims.has_value()) return std::nullopt;
    const Grouping operand_groups = GroupOn(first.tiling, *dims);
    const auto [index_groups, update_groups] =
        BesideSliced(op_, operand_groups, first.tiling.num_devices(), task.indices.tiling,
                     task.updates[0].tiling, task.out_base.rank(), task.slice_sizes);
    PartitionedHlo indices = Reshard(task.indices, Ungroup(index_groups));
    indices.node = FromFirstOf(op_, indices.node, first, *dims);
    return InGroupsOf(task, indices, index_groups, operand_groups, update_groups, task.slice_sizes);
  }

  // Axes that shard the operand along indexed dimensions are left to the inner step. If updates have
  // windows, they are gathered along dimensions of the indices, batches included, that these axes
  // shard. The dry run does not count this.
  void LeaveAxesToIndexedDims(ScatterTask& task) const {
    const Tiling& table = task.operands[0].tiling;
    const bool is_left = v_.graph().behaviors().updates_gather_on_table_axes && !op_.window.empty();
    if (!task.recurse || !is_left || !table.IsTiled()) return;
    const Dims of_indices = ConnectedDims(op_).output;
    for (PartitionedHlo& update : task.updates) {
      if (!update.tiling.IsTiled()) continue;
      const Dims shared = CutByAxesOf(update.tiling, of_indices, table, op_.index_map);
      if (!shared.empty()) update = Reshard(update, ReplicateOn(update.tiling, shared));
    }
  }

  Try OnIndexPassthroughDims(const ScatterTask& given) {
    const IndexedDims dims = IndexPassthroughDims(op_);
    ScatterTask task = given;
    LeaveAxesToIndexedDims(task);
    const PartitionedHlo& first = task.operands[0];
    const Tiling& update = task.updates[0].tiling;
    PartitionedHlo indices = task.indices;
    Tiling better = indices.tiling;
    if (MergeIfCompatible(
            PropagateAlongDims(update, dims.output, dims.indices, indices.base.rank()), &better)) {
      indices = Reshard(indices, better);
    }
    Tiling updates_tiling =
        PropagateAlongDims(indices.tiling, dims.indices, dims.output, op_.output_rank);
    if (!updates_tiling.IsTiled()) return std::nullopt;
    MergeBeside(dims.output, update, &updates_tiling);
    const Grouping update_groups = GroupOn(updates_tiling, dims.output);
    const int64_t groups = CutsAlong(indices.tiling, dims.indices);
    const Grouping operand_groups =
        Align(GroupOnReplicas(first.tiling, groups, indices.tiling.num_devices(), first.base.rank(),
                              OperandPriority(op_, first.tiling, task.slice_sizes)),
              update_groups);
    const Grouping index_groups = Align(GroupOn(indices.tiling, dims.indices), update_groups);
    PartitionedHlo operand = InGroups(first, operand_groups);
    const std::optional<Reduction> reducer = ReducerOf(v_);
    if (!reducer.has_value() || !v_.base->is_array()) return std::nullopt;
    const RecipeId recipe = v_.graph().Keep([&] {
      return recipe::OnDevices{IdAlong(*first.scope, indices.tiling, dims.indices), std::nullopt,
                               IdentityOf(reducer->opcode)};
    });
    operand.node = v_.graph().Elementwise(Opcode::kSelect, v_.graph().shape(operand.node),
                                          {operand.node}, recipe);
    const PartitionedHlo inner_update = InGroups(task.updates[0], update_groups);
    const PartitionedHlo inner_indices = InGroups(indices, index_groups);
    NodeId node =
        Inside(task, {operand}, inner_indices, {inner_update}, operand_groups, task.slice_sizes);
    node = first.scope->AllReduceOver(node, indices.tiling, dims.indices, *reducer);
    return ToResult(task, node, Ungroup(operand_groups), task.out_base);
  }

  Visit& v_;
  const IndexedOp op_;
  const std::optional<IndexedDims> iota_batches_;
};

}  // namespace

absl::StatusOr<NodeId> PartitionScatter(Visit& v) {
  if (v.OnOneDevice()) return Default(v);
  TESSERA_RETURN_IF_ERROR(CheckManualAlike(v));
  ScatterTask task = ScatterTaskOf(v);
  Scatter scatter(v);
  task.slice_sizes = scatter.op().slice_sizes;
  return scatter.Solve(task);
}

}  // namespace tessera::sharding::partition
