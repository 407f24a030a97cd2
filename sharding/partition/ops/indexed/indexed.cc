// XLA: hlo_sharding_util, GetGatherScatterOperandPassthroughOperandDims,
// GetGatherScatterBatchParallelDims, GatherOutputShardingFromOperand.., and gather_scatter_handler,
// EvaluatePartitionCost.

#include "tessera/sharding/partition/ops/indexed/indexed.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/ops/indexed/iota_index.h"
#include "tessera/sharding/partition/reshard/tables.h"

namespace tessera::sharding::partition {
namespace {

Dims Copied(const hlo::IntList& list) { return Dims(list.begin(), list.end()); }

bool LeavesOutput(const IndexedOp& op, int64_t dim) {
  return Contains(op.collapsed, dim) || Contains(op.operand_batch, dim);
}

// Output dimension of every index dimension but the vector.
IndexedDims Connected(const IndexedOp& op, Ints excluded) {
  IndexedDims out;
  int64_t index = 0;
  for (int64_t dim = 0; dim < op.output_rank; ++dim) {
    if (Contains(op.window, dim)) continue;
    if (index == op.index_vector_dim) ++index;
    if (!Contains(excluded, index)) {
      out.indices.push_back(index);
      out.output.push_back(dim);
    }
    ++index;
  }
  return out;
}

void FillOutput(const IndexedOp& op, IndexedDims& dims) {
  const IndexedDims all = Connected(op, {});
  for (int64_t index : dims.indices) {
    const auto at = std::find(all.indices.begin(), all.indices.end(), index);
    dims.output.push_back(At(all.output, at - all.indices.begin()));
  }
}

// A tiling of an array of `rank` that shards `dims` as `like` shards `like_dims`.
Tiling Matching(const Tiling& like, int64_t rank, Ints dims, Ints like_dims) {
  if (!like.IsTiled()) return Tiling::Replicated();
  Dims cuts(static_cast<size_t>(rank), 1);
  int64_t tiles = 1;
  for (int64_t i = 0; i < Size(dims); ++i) {
    At(cuts, At(dims, i)) = like.dim(At(like_dims, i));
    tiles *= like.dim(At(like_dims, i));
  }
  Tiling::Types types;
  if (tiles != like.num_devices()) {
    cuts.push_back(like.num_devices() / tiles);
    types.push_back(SubgroupType::kReplicated);
  }
  const Tiling out = Tiling::WithSubgroups(like.grid().Reshape(cuts), types);
  return out.IsTiled() ? AlignOn(out, dims, like, like_dims) : out;
}

int64_t CutsAlong(const Tiling& tiling, Ints dims) {
  int64_t cuts = 1;
  for (int64_t dim : dims) cuts *= tiling.dim(dim);
  return cuts;
}

// `tiling` with as many shards along `dims` as `like` has, taken from its replicas.
std::optional<Tiling> WithCutsOf(const Tiling& tiling, Ints dims, const Tiling& like,
                                 Ints like_dims) {
  if (!tiling.LastIsReplicated()) return std::nullopt;
  Dims cuts(tiling.dims().begin(), tiling.dims().end());
  for (int64_t i = 0; i < Size(dims); ++i) {
    const int64_t wanted = like.dim(At(like_dims, i)), has = tiling.dim(At(dims, i));
    if (wanted < has || wanted % has != 0) return std::nullopt;
    const int64_t ratio = wanted / has;
    if (cuts.back() % ratio != 0) return std::nullopt;
    At(cuts, At(dims, i)) *= ratio;
    cuts.back() /= ratio;
  }
  return AlignOn(Tiling::Partial(tiling.grid().Reshape(cuts)), dims, like, like_dims);
}

}  // namespace

IndexedDims ConnectedDims(const IndexedOp& op) { return Connected(op, {}); }

IndexBounds BoundsOf(const IndexedOp& op, const PartitionedHlo& operand, Ints dims,
                     Ints slice_sizes) {
  IndexBounds out;
  Graph& graph = operand.scope->graph();
  if (!graph.recipes().are_kept()) return out;
  const auto same = [&](int64_t number) {
    return TableAlong(*operand.scope, Tiling(), 0, [number](int64_t) { return number; });
  };
  for (int64_t dim : op.index_map) {
    const int64_t limit = operand.base.dim(dim) - At(slice_sizes, dim);
    const int64_t shard = graph.shape(operand.node).dim(dim);
    const auto at = [&](int64_t offset) {
      return TableAlong(*operand.scope, operand.tiling, dim,
                        [shard, offset](int64_t i) { return i * shard + offset; });
    };
    out.limit.push_back(same(limit));
    out.first.push_back(Contains(dims, dim) ? at(0) : Recipes::kZeros);
    out.last.push_back(Contains(dims, dim) ? at(shard - 1) : same(limit));
  }
  return out;
}

NodeId PerIndex(const IndexedOp& op, Graph& graph, const Shape& shape,
                const std::vector<TableId>& numbers) {
  const RecipeId recipe = graph.Keep([&] { return recipe::Numbers{numbers}; });
  if (!op.HasIndexVector()) {
    const Shape scalar = Shape::Array(shape.element_type(), {}, std::nullopt);
    return graph.Broadcast(shape, graph.Add(Opcode::kConstant, scalar, {}, recipe), {});
  }
  const Shape vector =
      Shape::Array(shape.element_type(), {shape.dim(op.index_vector_dim)}, std::nullopt);
  return graph.Broadcast(shape, graph.Add(Opcode::kConcatenate, vector, {}, recipe),
                         {op.index_vector_dim});
}

NodeId FromFirstOf(const IndexedOp& op, NodeId indices, const PartitionedHlo& operand, Ints dims) {
  Graph& graph = operand.scope->graph();
  const Shape shape = graph.shape(indices);
  const IndexBounds bounds = BoundsOf(op, operand, dims, op.slice_sizes);
  return graph.Elementwise(Opcode::kSubtract, shape,
                           {indices, PerIndex(op, graph, shape, bounds.first)}, Recipes::kPlain);
}

IndexedOp IndexedOpOfGather(const Visit& v) {
  const hlo::GatherDimensions d = hlo::GetGatherDimensions(v.module(), v.id);
  IndexedOp op;
  op.view = v.view;
  op.operand = v.operands[0].base;
  op.indices = v.operands[1].base;
  op.indices_id = v.module().operands(v.id)[1];
  op.index_map = Copied(d.start_index_map);
  op.collapsed = Copied(d.collapsed_slice_dims);
  op.operand_batch = Copied(d.operand_batching_dims);
  op.indices_batch = Copied(d.start_indices_batching_dims);
  op.window = Copied(d.offset_dims);
  op.slice_sizes = Copied(d.slice_sizes);
  op.index_vector_dim = d.index_vector_dim;
  op.output_rank = v.base->rank();
  return op;
}

IndexedOp IndexedOpOfScatter(const Visit& v) {
  const hlo::ScatterDimensions d = hlo::GetScatterDimensions(v.module(), v.id);
  const size_t count = (v.operands.size() - 1) / 2;
  const Shape& updates = *v.operands[count + 1].base;
  IndexedOp op;
  op.view = v.view;
  op.operand = v.operands[0].base;
  op.indices = v.operands[count].base;
  op.indices_id = v.module().operands(v.id)[count];
  op.index_map = Copied(d.scatter_dims_to_operand_dims);
  op.collapsed = Copied(d.inserted_window_dims);
  op.operand_batch = Copied(d.input_batching_dims);
  op.indices_batch = Copied(d.scatter_indices_batching_dims);
  op.window = Copied(d.update_window_dims);
  op.index_vector_dim = d.index_vector_dim;
  op.output_rank = updates.rank();
  int64_t next = 0;
  for (int64_t i = 0; i < op.operand->rank(); ++i) {
    op.slice_sizes.push_back(LeavesOutput(op, i) ? 1 : updates.dim(At(op.window, next++)));
  }
  return op;
}

IndexedDims OperandPassthroughDims(const IndexedOp& op, const Shape& operand, Ints slice_sizes) {
  IndexedDims out;
  int64_t next = 0;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (LeavesOutput(op, i)) continue;
    const int64_t at = At(op.window, next++);
    if (At(slice_sizes, i) != operand.dim(i)) continue;
    out.operand.push_back(i);
    out.output.push_back(at);
  }
  return out;
}

std::optional<IndexedDims> BatchDims(const IndexedOp& op) {
  if (op.operand_batch.empty()) return std::nullopt;
  IndexedDims out = {op.operand_batch, op.indices_batch, {}};
  FillOutput(op, out);
  return out;
}

std::optional<IndexedDims> IotaBatchDims(const IndexedOp& op) {
  const std::vector<int64_t> counted = IotaIndexDims(op);
  IndexedDims out;
  for (int64_t i = 0; i < Size(counted); ++i) {
    const int64_t index = At(counted, i), operand = At(op.index_map, i);
    if (index < 0) continue;
    if (Contains(out.indices, index)) return std::nullopt;
    if (At(op.slice_sizes, operand) != 1 || Contains(op.indices_batch, index)) continue;
    if (op.operand->dim(operand) != op.indices->dim(index)) return std::nullopt;
    out.indices.push_back(index);
    out.operand.push_back(operand);
  }
  if (out.indices.empty()) return std::nullopt;
  FillOutput(op, out);
  return out;
}

IndexedDims IndexPassthroughDims(const IndexedOp& op) {
  Dims excluded = op.indices_batch;
  if (const auto counted = IotaBatchDims(op)) {
    excluded.insert(excluded.end(), counted->indices.begin(), counted->indices.end());
  }
  return Connected(op, excluded);
}

std::optional<Dims> TrivialSlicedDims(const IndexedOp& op, const Tiling& operand,
                                      Ints slice_sizes) {
  if (!operand.IsTiled()) return std::nullopt;
  Dims out;
  for (int64_t dim : op.index_map) {
    if (At(slice_sizes, dim) == 1) out.push_back(dim);
  }
  if (CutsAlong(operand, out) == 1) return std::nullopt;
  return out;
}

Dims OperandPriority(const IndexedOp& op, const Tiling& operand, Ints slice_sizes) {
  Dims out = TrivialSlicedDims(op, operand, slice_sizes).value_or(Dims());
  const IndexedDims whole = OperandPassthroughDims(op, *op.operand, slice_sizes);
  out.insert(out.end(), whole.operand.begin(), whole.operand.end());
  return out;
}

Dims IndexPriority(const IndexedOp& op) {
  Dims out;
  if (op.HasIndexVector()) out.push_back(op.index_vector_dim);
  for (int64_t i = 0; i < op.indices->rank(); ++i) {
    if (i != op.index_vector_dim && !Contains(op.indices_batch, i)) out.push_back(i);
  }
  out.insert(out.end(), op.indices_batch.begin(), op.indices_batch.end());
  return out;
}

Dims OutputPriority(const IndexedOp& op, Ints slice_sizes) {
  const IndexedDims whole = OperandPassthroughDims(op, *op.operand, slice_sizes);
  Dims out = AllExcept(op.output_rank, whole.output);
  out.insert(out.end(), whole.output.begin(), whole.output.end());
  return out;
}

std::optional<Tiling> OutputFromOperand(const IndexedOp& op, const Shape& operand,
                                        const Tiling& tiling, Ints slice_sizes) {
  if (!tiling.IsTiled()) return std::nullopt;
  const IndexedDims whole = OperandPassthroughDims(op, operand, slice_sizes);
  const Tiling out = PropagateAlongDims(tiling, whole.operand, whole.output, op.output_rank);
  if (!out.IsTiled()) return std::nullopt;
  return out;
}

Tiling OutputFromIndices(const IndexedOp& op, const Tiling& indices) {
  const IndexedDims dims = Connected(op, {});
  return PropagateAlongDims(indices, dims.indices, dims.output, op.output_rank);
}

Tiling IndicesFromOutput(const IndexedOp& op, const Tiling& output) {
  const IndexedDims dims = Connected(op, {});
  return PropagateAlongDims(output, dims.output, dims.indices, op.indices->rank());
}

void MergeBeside(Ints grouped, const Tiling& from, Tiling* into) {
  MergeIfCompatible(ReplicateOn(from, grouped), into);
}

std::optional<std::pair<Tiling, Tiling>> CutAlikeAlong(const Tiling& of_operand,
                                                       int64_t operand_rank,
                                                       const Tiling& of_indices,
                                                       int64_t indices_rank,
                                                       const IndexedDims& dims) {
  const Tiling operand = of_operand.AsV1(), indices = of_indices.AsV1();
  const int64_t operand_cuts = CutsAlong(operand, dims.operand);
  const int64_t index_cuts = CutsAlong(indices, dims.indices);
  if (operand_cuts == 1 && index_cuts == 1) return std::nullopt;
  if (indices.IsReplicated()) {
    return std::make_pair(operand, Matching(operand, indices_rank, dims.indices, dims.operand));
  }
  if (operand.IsReplicated()) {
    return std::make_pair(Matching(indices, operand_rank, dims.operand, dims.indices), indices);
  }
  if (!operand.IsTiled() || !indices.IsTiled()) return std::nullopt;
  Tiling new_operand = operand, new_indices = indices;
  if (index_cuts < operand_cuts) {
    const auto more = WithCutsOf(indices, dims.indices, operand, dims.operand);
    if (!more.has_value()) return std::nullopt;
    new_indices = *more;
  } else if (operand_cuts < index_cuts) {
    const auto more = WithCutsOf(operand, dims.operand, indices, dims.indices);
    if (!more.has_value()) return std::nullopt;
    new_operand = *more;
  }
  Dims cuts(new_operand.dims().begin(), new_operand.dims().end());
  for (int64_t i = 0; i < Size(dims.operand); ++i) {
    At(cuts, At(dims.operand, i)) = new_indices.dim(At(dims.indices, i));
  }
  if (Product(cuts) != new_operand.num_devices()) return std::nullopt;
  new_operand = AlignOn(Tiling::Like(new_operand.grid().Reshape(cuts), new_operand), dims.operand,
                        new_indices, dims.indices);
  return std::make_pair(new_operand, new_indices);
}

PartitionedHlo InGroups(const PartitionedHlo& value, const Grouping& groups) {
  const PartitionedHlo moved = Reshard(value, Ungroup(groups));
  return {moved.node, GroupShape(groups, value.base), groups.inner,
          &value.scope->PerGroup(groups.devices)};
}

absl::Status CheckManualAlike(Visit& v) {
  for (size_t i = 0; i < v.operands.size(); ++i) {
    if (v.operand(i).tiling.HasManual() == v.tiling().HasManual()) continue;
    return absl::UnimplementedError(
        absl::StrCat("operand ", i,
                     " and the result are not manual on the same axes, which is not "
                     "described; give both the same manual axes"));
  }
  return absl::OkStatus();
}

PartitionedHlo StandIn(const PartitionedHlo& value, DeviceGroupScope& scope) {
  Graph& graph = scope.graph();
  return {graph.Add(Opcode::kParameter, graph.shape(value.node), {}, Recipes::kUnknown), value.base,
          value.tiling, &scope};
}

Cost CostOfRun(DeviceGroupScope& scope, Opcode opcode,
               const std::function<std::optional<NodeId>()>& run) {
  const Graph& graph = scope.graph();
  const NodeId begin = static_cast<NodeId>(graph.size());
  const std::optional<NodeId> result = run();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  if (!result.has_value()) return {kMost, kMost};
  Cost cost = {0, 0};
  std::set<NodeId> seen;
  std::vector<NodeId> open = {*result};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (id < begin || !seen.insert(id).second) continue;
    const Node& node = graph.node(id);
    const auto operands = graph.operands(id);
    open.insert(open.end(), operands.begin(), operands.end());
    if (node.opcode != opcode && node.form < 0) continue;
    const bool in_place = node.opcode == Opcode::kAllReduce || node.opcode == Opcode::kScatter;
    int64_t memory = in_place ? 0 : Bytes(*node.shape);
    for (NodeId operand : operands) memory += Bytes(graph.shape(operand));
    cost.first = std::max(cost.first, memory);
    if (node.form < 0) continue;
    const int64_t bytes = Bytes(*node.shape);
    const auto& groups = At(graph.forms(), node.form).groups;
    const int64_t size = groups.empty() ? 1 : Size(groups[0]);
    cost.second += node.opcode == Opcode::kAllReduce           ? 2 * bytes
                   : node.opcode == Opcode::kCollectivePermute ? bytes
                                                               : bytes * (size - 1) / size;
  }
  return cost;
}

}  // namespace tessera::sharding::partition
