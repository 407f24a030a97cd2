// Gather. Batch dimensions come first, then three ways in the order of their estimated cost. The
// first that applies continues inside its device groups. If none applies, everything is replicated.
//
//   way                   sharded                        collective    XLA: PartitionGather..
//   explicit batches      operand and indices, alike     none          ..ExplicitBatchDimensions
//   iota batches          the same, along dimensions     none          ..IndexParallelDimensions
//                         that the index counts
//   operand passthrough   operand dimensions that are    none          ..OperandPassthrough..
//                         taken whole
//   trivial sliced        indexed operand dimensions     all-reduce    ..TrivialSlicedOperand..
//   index passthrough     indices                        none          ..IndexPassthrough..
//
// XLA: gather_scatter_handler, HandleGather.

#include <utility>

#include "tessera/hlo/values/value_printer.h"
#include "tessera/sharding/partition/ops/indexed/device_indices.h"
#include "tessera/sharding/partition/ops/indexed/indexed.h"
#include "tessera/sharding/partition/ops/indexed/indexed_tilings.h"
#include "tessera/sharding/partition/ops/indexed/way_cost.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {
namespace {

struct GatherTask {
  PartitionedHlo operand, indices;
  Shape out_base;
  Tiling out;
  Dims slice_sizes;
  bool recurse = true;
};

class Gather {
 public:
  explicit Gather(Visit& v) : v_(v), op_(IndexedOpOfGather(v)), iota_batches_(IotaBatchDims(op_)) {}

  const IndexedOp& op() const { return op_; }

  NodeId Solve(const GatherTask& task) {
    if (task.recurse) {
      for (const Way way : WaysByCost(task)) {
        if (const Try node = (this->*way)(task)) return *node;
      }
    }
    Graph& graph = v_.graph();
    const PartitionedHlo operand = Replicate(task.operand);
    const PartitionedHlo indices = Replicate(task.indices);
    const NodeId node =
        graph.Add(Opcode::kGather, task.out_base, {operand.node, indices.node}, RecipeOf(task));
    return ToResult(task, node, Tiling::Replicated(), task.out_base);
  }

 private:
  using Way = Try (Gather::*)(const GatherTask&);

  static NodeId ToResult(const GatherTask& task, NodeId node, const Tiling& tiling,
                         const Shape& base) {
    return Reshard({node, base, tiling, task.operand.scope}, task.out).node;
  }

  std::vector<Way> WaysByCost(const GatherTask& task) {
    std::vector<Way> out = {&Gather::OnExplicitBatches, &Gather::OnIotaBatches};
    // The other ways need a sharded array.
    if (!task.operand.tiling.IsTiled() && !task.indices.tiling.IsTiled()) return out;
    std::vector<std::pair<Cost, Way>> ways;
    for (const Way way : {&Gather::OnOperandPassthroughDims, &Gather::OnTrivialSlicedDims,
                          &Gather::OnIndexPassthroughDims}) {
      DeviceGroupScope& scope = task.operand.scope->WithoutCache();
      GatherTask dry = task;
      dry.recurse = false;
      dry.operand = StandIn(task.operand, scope);
      dry.indices = StandIn(task.indices, task.indices.scope->WithoutCache());
      ways.emplace_back(CostOfRun(scope, Opcode::kGather, [&] { return (this->*way)(dry); }), way);
    }
    AppendByCost(std::move(ways), &out);
    return out;
  }

  RecipeId RecipeOf(const GatherTask& task) const {
    return v_.graph().Keep([&] {
      return recipe::AsWritten{
          {{hlo::AttributeName::kSliceSizes, hlo::PrintInts(task.slice_sizes)}}};
    });
  }

  NodeId Inside(const GatherTask& task, const PartitionedHlo& operand,
                const PartitionedHlo& indices, const Grouping& out_groups,
                const Dims& slice_sizes) {
    GatherTask inner = task;
    inner.operand = operand;
    inner.indices = indices;
    inner.out_base = GroupShape(out_groups, task.out_base);
    inner.out = out_groups.inner;
    inner.slice_sizes = slice_sizes;
    return Solve(inner);
  }

  Try OnExplicitBatches(const GatherTask& task) {
    return OnBatchDims(task, BatchDims(op_), /*offsets=*/false);
  }
  Try OnIotaBatches(const GatherTask& task) {
    return OnBatchDims(task, iota_batches_, /*offsets=*/true);
  }

  Try OnBatchDims(const GatherTask& task, const std::optional<IndexedDims>& dims, bool offsets) {
    if (!dims.has_value()) return std::nullopt;
    const auto tilings = CutAlikeAlong(task.operand.tiling, task.operand.base.rank(),
                                       task.indices.tiling, task.indices.base.rank(), *dims);
    if (!tilings.has_value()) return std::nullopt;
    const PartitionedHlo operand = Reshard(task.operand, tilings->first);
    PartitionedHlo indices = Reshard(task.indices, tilings->second);
    Tiling out = OutputFromIndices(op_, indices.tiling);
    if (const auto whole = OutputFromOperand(
            op_, operand.base, ReplicateOn(operand.tiling, dims->operand), task.slice_sizes)) {
      MergeIfCompatible(*whole, &out);
    }
    if (offsets) indices.node = FromFirstOf(op_, indices.node, operand, dims->operand);
    const Grouping index_groups = GroupOn(indices.tiling, dims->indices);
    const Grouping operand_groups = Align(GroupOn(operand.tiling, dims->operand), index_groups);
    const Grouping out_groups = Align(GroupOn(out, dims->output), index_groups);
    const PartitionedHlo inner_operand = InGroups(operand, operand_groups);
    const PartitionedHlo inner_indices = InGroups(indices, index_groups);
    const NodeId node = Inside(task, inner_operand, inner_indices, out_groups, task.slice_sizes);
    return ToResult(task, node, Ungroup(out_groups), task.out_base);
  }

  Try OnOperandPassthroughDims(const GatherTask& task) {
    const Tiling& tiling = task.operand.tiling;
    auto out = OutputFromOperand(op_, task.operand.base, tiling, task.slice_sizes);
    if (!out.has_value()) return std::nullopt;
    const Dims dims = OperandPassthroughDims(op_, *op_.operand, task.slice_sizes).operand;
    Dims out_dims, slice_sizes = task.slice_sizes;
    const int64_t groups = CutsAlong(tiling, dims);
    for (int64_t i = 0; i < out->data_rank(); ++i) {
      if (out->dim(i) != 1) out_dims.push_back(i);
    }
    for (int64_t dim : dims) At(slice_sizes, dim) = v_.graph().shape(task.operand.node).dim(dim);
    MergeBeside(out_dims, task.out, &*out);
    const Grouping out_groups = GroupOn(*out, out_dims);
    const Grouping operand_groups = Align(GroupOn(tiling, dims), out_groups);
    const Grouping index_groups =
        Align(GroupOnReplicas(task.indices.tiling, groups, tiling.num_devices(),
                              task.indices.base.rank(), IndexPriority(op_)),
              out_groups);
    const PartitionedHlo operand = InGroups(task.operand, operand_groups);
    const PartitionedHlo indices = InGroups(task.indices, index_groups);
    const NodeId node = Inside(task, operand, indices, out_groups, slice_sizes);
    return ToResult(task, node, *out, task.out_base);
  }

  Try OnTrivialSlicedDims(const GatherTask& task) {
    const auto dims = TrivialSlicedDims(op_, task.operand.tiling, task.slice_sizes);
    if (!dims.has_value()) return std::nullopt;
    Graph& graph = v_.graph();
    const Grouping operand_groups = GroupOn(task.operand.tiling, *dims);
    const auto [index_groups, out_groups] =
        BesideSliced(op_, operand_groups, task.operand.tiling.num_devices(), task.indices.tiling,
                     task.out, task.out_base.rank(), task.slice_sizes);
    PartitionedHlo indices = Reshard(task.indices, Ungroup(index_groups));
    const Shape shape = graph.shape(indices.node);
    const NodeId zero = graph.Broadcast(shape, graph.Zero(shape), {});
    const IndexBounds bounds = BoundsOf(op_, task.operand, *dims, task.slice_sizes);
    indices.node = graph.Elementwise(
        Opcode::kClamp, shape, {zero, indices.node, PerIndex(op_, graph, shape, bounds.limit)},
        Recipes::kPlain);
    const NodeId first = PerIndex(op_, graph, shape, bounds.first);
    const NodeId last = PerIndex(op_, graph, shape, bounds.last);
    PartitionedHlo moved = indices;
    moved.node =
        graph.Elementwise(Opcode::kSubtract, shape, {indices.node, first}, Recipes::kPlain);
    const PartitionedHlo inner_operand = InGroups(task.operand, operand_groups);
    const PartitionedHlo inner_indices = InGroups(moved, index_groups);
    const NodeId node = Inside(task, inner_operand, inner_indices, out_groups, task.slice_sizes);
    return ToResult(task, SumOfFound(task, node, indices, {first, last}, out_groups, *dims),
                    Ungroup(out_groups), task.out_base);
  }

  // Zero where the index belongs to another device; the sum over all devices is the answer.
  NodeId SumOfFound(const GatherTask& task, NodeId node, const PartitionedHlo& indices,
                    std::pair<NodeId, NodeId> own, const Grouping& out_groups,
                    const Dims& dims) const {
    Graph& graph = v_.graph();
    Shape shape = graph.shape(indices.node);
    shape.set_element_type(layout::ElementType::kPred);
    PartitionedHlo filter = indices;
    filter.node = graph.Elementwise(Opcode::kCompare, shape, {indices.node, own.first, own.second},
                                    graph.Keep([] { return recipe::Outside(); }));
    filter.base.set_element_type(layout::ElementType::kPred);
    filter = Reshard(filter, IndicesFromOutput(op_, Ungroup(out_groups)));
    const Shape out_shape = graph.shape(node);
    const RecipeId recipe = graph.Keep([&] {
      return recipe::WhereFound{op_.HasIndexVector() ? op_.index_vector_dim : -1,
                                ConnectedDims(op_).output};
    });
    const NodeId found = graph.Add(Opcode::kSelect, out_shape, {filter.node, node}, recipe);
    return task.operand.scope->AllReduceOver(found, task.operand.tiling, dims, SumOf(out_shape));
  }

  Try OnIndexPassthroughDims(const GatherTask& task) {
    if (!task.indices.tiling.IsTiled()) return std::nullopt;
    const IndexedDims dims = IndexPassthroughDims(op_);
    PartitionedHlo indices = task.indices;
    Tiling better = indices.tiling;
    if (MergeIfCompatible(
            PropagateAlongDims(task.out, dims.output, dims.indices, indices.base.rank()),
            &better)) {
      indices = Reshard(indices, better);
    }
    Tiling out = PropagateAlongDims(indices.tiling, dims.indices, dims.output, op_.output_rank);
    if (!out.IsTiled()) return std::nullopt;
    MergeBeside(dims.output, task.out, &out);
    const Grouping out_groups = GroupOn(out, dims.output);
    const Grouping index_groups = Align(GroupOn(indices.tiling, dims.indices), out_groups);
    const int64_t groups = CutsAlong(indices.tiling, dims.indices);
    const Grouping operand_groups =
        Align(GroupOnReplicas(task.operand.tiling, groups, indices.tiling.num_devices(),
                              task.operand.base.rank(),
                              OperandPriority(op_, task.operand.tiling, task.slice_sizes)),
              out_groups);
    const PartitionedHlo inner_operand = InGroups(task.operand, operand_groups);
    const PartitionedHlo inner_indices = InGroups(indices, index_groups);
    const NodeId node = Inside(task, inner_operand, inner_indices, out_groups, task.slice_sizes);
    return ToResult(task, node, out, *v_.base);
  }

  Visit& v_;
  const IndexedOp op_;
  const std::optional<IndexedDims> iota_batches_;
};

}  // namespace

absl::StatusOr<NodeId> PartitionGather(Visit& v) {
  if (v.OnOneDevice()) return Default(v);
  TESSERA_RETURN_IF_ERROR(CheckManualAlike(v));
  Gather gather(v);
  GatherTask task;
  task.operand = v.operand(0);
  task.indices = v.operand(1);
  if (task.operand.node == task.indices.node) task.indices = Unshared(task.indices);
  task.out_base = *v.base;
  task.out = v.tiling();
  task.slice_sizes = gather.op().slice_sizes;
  return gather.Solve(task);
}

}  // namespace tessera::sharding::partition
