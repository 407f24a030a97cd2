#include "tessera/sharding/partition/ops/indexed/indexed_tilings.h"

#include <cstddef>
#include <utility>

namespace tessera::sharding::partition {
namespace {

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

int64_t CutsAlong(const Tiling& tiling, Ints dims) {
  int64_t cuts = 1;
  for (int64_t dim : dims) cuts *= tiling.dim(dim);
  return cuts;
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
  const IndexedDims dims = ConnectedDims(op);
  return PropagateAlongDims(indices, dims.indices, dims.output, op.output_rank);
}

Tiling IndicesFromOutput(const IndexedOp& op, const Tiling& output) {
  const IndexedDims dims = ConnectedDims(op);
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

GroupsBeside BesideSliced(const IndexedOp& op, const Grouping& operand, int64_t devices,
                          const Tiling& indices, const Tiling& output, int64_t rank_from_indices,
                          Ints slice_sizes) {
  const int64_t groups = operand.devices.groups();
  const auto of_indices = [&](const Tiling& tiling) {
    return Align(GroupOnReplicas(tiling, groups, devices, op.indices->rank(), IndexPriority(op)),
                 operand);
  };
  const auto of_output = [&](const Tiling& tiling, int64_t rank) {
    return Align(GroupOnReplicas(tiling, groups, devices, rank, OutputPriority(op, slice_sizes)),
                 operand);
  };
  GroupsBeside out = {of_indices(indices), of_output(output, op.output_rank)};
  const bool has_cut_indices = out.indices.inner.IsTiled();
  if (has_cut_indices && !out.output.inner.IsTiled()) {
    out.output = of_output(OutputFromIndices(op, indices), rank_from_indices);
  }
  if (!has_cut_indices && out.output.inner.IsTiled()) {
    out.indices = of_indices(IndicesFromOutput(op, output));
  }
  return out;
}

PartitionedHlo InGroups(const PartitionedHlo& value, const Grouping& groups) {
  const PartitionedHlo moved = Reshard(value, Ungroup(groups));
  return {moved.node, GroupShape(groups, value.base), groups.inner,
          &value.scope->PerGroup(groups.devices)};
}

Shape GroupShapes(const Grouping& groups, const Shape& shape) {
  if (!shape.is_tuple()) return GroupShape(groups, shape);
  std::vector<Shape> out;
  for (const Shape& element : shape.tuple_elements()) out.push_back(GroupShape(groups, element));
  return Shape::Tuple(std::move(out));
}

std::vector<PartitionedHlo> AllInGroups(const std::vector<PartitionedHlo>& values,
                                        const Grouping& groups) {
  std::vector<PartitionedHlo> out;
  for (const PartitionedHlo& value : values) out.push_back(InGroups(value, groups));
  return out;
}

}  // namespace tessera::sharding::partition
