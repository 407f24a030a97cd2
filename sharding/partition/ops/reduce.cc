// Reductions. Each device reduces its shard; an all-reduce follows along sharded dimensions. A
// reduction of several arrays has no all-reduce: its partial results are gathered and reduced
// again. XLA: SpmdPartitioningVisitor::HandleReduce, HandleReduceWindow.

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/reshard/windows/window.h"

namespace tessera::sharding::partition {
namespace {

struct Inputs {
  std::vector<PartitionedHlo> arrays;
  std::vector<NodeId> inits;
  Dims reduced, kept;
};

Inputs PrepareInputs(Visit& v) {
  Inputs in;
  const auto dims = hlo::GetInts(v.module(), v.id, hlo::AttributeName::kDimensions);
  if (dims.has_value()) in.reduced.assign(dims->begin(), dims->end());
  in.kept = AllExcept(v.operands[0].base->rank(), in.reduced);
  const size_t count = v.operands.size() / 2;
  for (size_t i = 0; i < count; ++i) {
    in.inits.push_back(Replicate(v.operand(i + count)).node);
    PartitionedHlo array = v.operand(i);
    if (i > 0) array = Reshard(array, in.arrays[0].tiling);
    if (array.tiling.IsTiled()) array = Masked(array, in.inits.back(), in.kept);
    in.arrays.push_back(array);
  }
  return in;
}

Reduction Reducer(const Visit& v) {
  const hlo::Computation& reducer = v.module().computation(v.module().called(v.id)[0]);
  return {v.module().instruction(reducer.root).opcode, true};
}

// Shards without the reduced dimensions.
Shape ReducedShards(Visit& v, const Inputs& in) {
  const auto reduce = [&](const PartitionedHlo& array, layout::ElementType type) {
    Dims dims;
    for (int64_t i : in.kept) dims.push_back(v.graph().shape(array.node).dim(i));
    return Shape::Array(type, dims, std::nullopt);
  };
  if (v.base->is_array()) return reduce(in.arrays[0], v.base->element_type());
  std::vector<Shape> out;
  for (size_t i = 0; i < in.arrays.size(); ++i) {
    out.push_back(reduce(in.arrays[i], v.base->tuple_elements()[i].element_type()));
  }
  return Shape::Tuple(std::move(out));
}

// The partial results of all devices, gathered along the reduced dimensions and reduced again.
NodeId GatherAndReduce(Visit& v, const Inputs& in, NodeId local) {
  Graph& graph = v.graph();
  const Tiling& tiling = in.arrays[0].tiling;
  Dims kept = in.kept;
  if (tiling.LastIsReplicated()) kept.push_back(tiling.num_dims() - 1);
  const Grouping groups = GroupOn(tiling, kept);
  DeviceGroupScope& scope = in.arrays[0].scope->PerGroup(groups.devices);
  std::vector<NodeId> operands;
  for (size_t i = 0; i < in.arrays.size(); ++i) {
    Shape part = graph.shape(in.arrays[i].node);
    Shape whole = part;
    for (int64_t dim : in.reduced) {
      part.set_dim(dim, 1);
      whole.set_dim(dim, tiling.dim(dim));
    }
    const NodeId view = graph.Reshape(part, graph.Element(local, static_cast<int64_t>(i)));
    operands.push_back(Replicate({view, whole, groups.inner, &scope}).node);
  }
  operands.insert(operands.end(), in.inits.begin(), in.inits.end());
  return graph.Add(Opcode::kReduce, graph.shape(local), operands, Recipes::kAsWritten);
}

}  // namespace

absl::StatusOr<NodeId> PartitionReduce(Visit& v) {
  if (v.OnOneDevice()) return Default(v);
  const Inputs in = PrepareInputs(v);
  std::vector<NodeId> operands;
  for (const PartitionedHlo& array : in.arrays) operands.push_back(array.node);
  operands.insert(operands.end(), in.inits.begin(), in.inits.end());
  NodeId node = Clone(v, ReducedShards(v, in), operands);
  const Tiling& tiling = in.arrays[0].tiling;
  bool cut = false;
  for (int64_t dim : in.reduced) cut |= tiling.dim(dim) > 1;
  if (cut) {
    node = v.base->is_array() ? v.scope->AllReduceOver(node, tiling, in.reduced, Reducer(v))
                              : GatherAndReduce(v, in, node);
  }
  const Tiling left = RemoveDims(ReplicateOn(tiling, in.reduced), in.reduced);
  return ReshardLeaves({node, v.base, Uniform(*v.base, left), v.scope}, v.leaves);
}

absl::StatusOr<NodeId> PartitionReduceWindow(Visit& v) {
  if (v.tiling().IsMaximal()) return Default(v);
  const hlo::Window window = hlo::GetWindow(v.module(), v.id);
  const size_t count = v.operands.size() / 2;
  std::vector<NodeId> operands, inits;
  Windowed first;
  for (size_t i = 0; i < count; ++i) {
    inits.push_back(Replicate(v.operand(i + count)).node);
    const auto input = ReshardForWindow(v.operand(i), window, v.leaves[i], inits.back());
    if (!input.has_value()) return Default(v);
    operands.push_back(input->input);
    if (i == 0) first = *input;
  }
  operands.insert(operands.end(), inits.begin(), inits.end());
  const NodeId node =
      Clone(v, v.shard_shape(), operands,
            AsWrittenBut(v.graph(), hlo::AttributeName::kWindow, hlo::PrintWindow(first.window)));
  return first.slice_output ? SliceOutput(v.graph(), v.shard_shape(), node, first) : node;
}

}  // namespace tessera::sharding::partition
