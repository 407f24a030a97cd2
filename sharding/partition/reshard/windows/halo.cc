// Each permute moves at most one shard's worth of halo. The halo of the left neighbour k + 1 shards
// away comes first, the nearest one last; then the shard itself, then the right neighbours. XLA:
// spmd_partitioner_util, ExchangeHalo and ExchangeHaloAndGetValidData.

#include "tessera/sharding/partition/reshard/windows/halo.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/partition/reshard/tables.h"

namespace tessera::sharding::partition {
namespace {

int64_t Max(Ints values, int64_t begin, int64_t end) {
  int64_t most = At(values, begin);
  for (int64_t i = begin + 1; i < end; ++i) most = std::max(most, At(values, i));
  return most;
}

class Exchange {
 public:
  Exchange(const PartitionedHlo& value, const Halo& halo)
      : value_(value),
        graph_(value.scope->graph()),
        dim_(halo.dim),
        shard_(graph_.shape(value.node).dim(halo.dim)),
        cuts_(value.tiling.dim(halo.dim)) {
    max_left_ = Max(halo.left, 1, cuts_);
    max_right_ = Max(halo.right, 0, cuts_ - 1);
    left_bound_ = -Max(halo.left, 0, cuts_);
    right_bound_ = shard_ + Max(halo.right, 0, cuts_);
  }

  std::optional<NodeId> Run() {
    const bool too_long = max_left_ > shard_ || max_right_ > shard_;
    if (max_left_ + max_right_ + shard_ >= shard_ * cuts_ && too_long) return std::nullopt;
    if (left_bound_ >= right_bound_) return std::nullopt;
    if (shard_ == 0) return Refuse();
    Left();
    Self();
    Right();
    if (pieces_.size() == 1) return pieces_[0];
    Shape whole = graph_.shape(value_.node);
    whole.set_dim(dim_, size_);
    return graph_.Concatenate(whole, pieces_, dim_);
  }

 private:
  // XLA searches for the shards that hold the missing elements.
  std::optional<NodeId> Refuse() {
    graph_.FailAsItCrashes(absl::StrCat("halo exchange along dimension ", dim_,
                                        ", which has no elements; shard another dimension"));
    return std::nullopt;
  }

  void Add(NodeId node) {
    pieces_.push_back(node);
    size_ += graph_.shape(node).dim(dim_);
  }

  NodeId Part(int64_t start, int64_t size) {
    if (size == shard_) return value_.node;
    Shape shape = graph_.shape(value_.node);
    shape.set_dim(dim_, size);
    return graph_.SliceFrom(shape, value_.node, dim_, start);
  }

  void Left() {
    for (int64_t k = CeilDiv(max_left_, shard_) - 1; k >= 0 && (-k - 1) * shard_ < right_bound_;
         --k) {
      const int64_t skipped = std::max<int64_t>(-k * shard_ - right_bound_, 0);
      const int64_t size = std::min(max_left_ - shard_ * k, shard_);
      const NodeId part = Part(shard_ - size, size - skipped);
      Add(value_.scope->Shift(part, value_.tiling, dim_, k + 1));
    }
  }

  void Self() {
    if (left_bound_ >= shard_ || right_bound_ <= 0) return;
    const int64_t start = std::max<int64_t>(0, left_bound_);
    Add(Part(start, std::min(shard_, right_bound_) - start));
  }

  void Right() {
    const int64_t first = std::min<int64_t>(std::max<int64_t>(left_bound_ - shard_, 0),
                                            std::max<int64_t>(max_right_, 0)) /
                          shard_;
    for (int64_t k = first; k < CeilDiv(max_right_, shard_); ++k) {
      const int64_t skipped = std::max<int64_t>(left_bound_ - (k + 1) * shard_, 0);
      const NodeId part = Part(skipped, std::min(max_right_ - shard_ * k, shard_) - skipped);
      Add(value_.scope->Shift(part, value_.tiling, dim_, -(k + 1)));
    }
  }

  const PartitionedHlo& value_;
  Graph& graph_;
  const int64_t dim_, shard_, cuts_;
  int64_t max_left_, max_right_, left_bound_, right_bound_;
  std::vector<NodeId> pieces_;
  int64_t size_ = 0;
};

// Whether few pieces of far shards are needed, and whether exchanging them pays.
enum class Pieces { kNo, kYes, kGiveUp };

// A select of elements that are no padding; there is so much after the array.
RecipeId InsideOf(const PartitionedHlo& value, int64_t dim, const HaloRegion& region,
                  int64_t padding) {
  return value.scope->graph().Keep([&] {
    using Limits = std::numeric_limits<int64_t>;
    const int64_t low = region.left_padding;
    return recipe::InRange{{{dim, region.first, low > 0 ? low : Limits::min(),
                             padding > 0 ? low + value.base.dim(dim) : Limits::max()}}};
  });
}

// Where the elements that a shard needs begin in what it has: `in_front` less the elements on its left. `held`: its
// first own element in the padded array.
TableId StartOf(Recipes& recipes, int64_t in_front, const Offset& held, const HaloRegion& region) {
  if (region.first_offset.has_value() && region.first_offset->divisor == 1) {
    const Offset& first = *region.first_offset;
    const Offset start = {first.multiplier - held.multiplier,
                          in_front - held.offset + first.offset};
    return OffsetAt(recipes, start, region.ordinal);
  }
  const TableId left =
      Computed(recipes, Opcode::kSubtract, OffsetAt(recipes, held, region.ordinal), region.first);
  return Computed(recipes, Opcode::kSubtract, Same(recipes, in_front), left);
}

Pieces NeedsPieces(const PartitionedHlo& value, const Halo& halo, const HaloRegion& region) {
  if (region.left_padding != halo.left.front()) return Pieces::kNo;
  const int64_t cuts = value.tiling.dim(halo.dim);
  const int64_t shard = value.scope->graph().shape(value.node).dim(halo.dim);
  const int64_t longest = std::max(Max(halo.left, 0, cuts), Max(halo.right, 0, cuts));
  Dims both = halo.left;
  for (int64_t i = 0; i < cuts; ++i) At(both, i) += At(halo.right, i);
  const int64_t most = shard + Max(both, 0, cuts);
  if (most != region.shard_size || longest <= 2 * region.shard_size) return Pieces::kNo;
  return most * 2 >= cuts * shard ? Pieces::kGiveUp : Pieces::kYes;
}

}  // namespace

Dims PerShard(int64_t count, const std::function<int64_t(int64_t)>& of) {
  Dims out;
  for (int64_t i = 0; i < count; ++i) out.push_back(of(i));
  return out;
}

std::optional<NodeId> ExchangeHalo(const PartitionedHlo& value, const Halo& halo) {
  return Exchange(value, halo).Run();
}

std::optional<NodeId> ExchangeRegion(const PartitionedHlo& value, const Halo& halo,
                                     const HaloRegion& region, NodeId fill) {
  Graph& graph = value.scope->graph();
  switch (NeedsPieces(value, halo, region)) {
    case Pieces::kGiveUp:
      return std::nullopt;
    case Pieces::kYes:
      return ExchangeHaloInPieces(value, halo, region.ordinal,
                                  region.mask || region.mask_pieces ? fill : -1);
    case Pieces::kNo:
      break;
  }
  std::optional<NodeId> node = ExchangeHalo(value, halo);
  if (!node.has_value()) return std::nullopt;
  const int64_t cuts = value.tiling.dim(halo.dim);
  const int64_t max_left = Max(halo.left, 1, cuts);
  const int64_t longest_left = std::max(max_left, region.left_padding);
  Dims start = halo.left;
  for (int64_t& left : start) left = longest_left - left;
  Shape shape = graph.shape(*node);
  const int64_t extra_left = std::max<int64_t>(0, longest_left - std::max<int64_t>(0, max_left));
  const int64_t extra_right = std::max<int64_t>(
      0, Max(start, 0, cuts) + region.shard_size - shape.dim(halo.dim) - extra_left);
  if (extra_left > 0 || extra_right > 0) {
    shape.set_dim(halo.dim, shape.dim(halo.dim) + extra_left + extra_right);
    const uint64_t here = halo.dim < 64 ? uint64_t{1} << halo.dim : 0;
    std::vector<hlo::PaddingDimension> padding(static_cast<size_t>(shape.rank()));
    At(padding, halo.dim) = {extra_left, extra_right, 0};
    node = graph.Pad(shape, *node, fill, ~here, padding);
  }
  if (shape.dim(halo.dim) != region.shard_size) {
    shape.set_dim(halo.dim, region.shard_size);
    const Offset held = {graph.shape(value.node).dim(halo.dim), region.left_padding};
    node = graph.DynamicSlice(shape, {*node},
                              StartsAlong(graph, halo.dim, shape.rank(),
                                          StartOf(graph.recipes(), longest_left, held, region)));
  }
  const int64_t padding = region.padded_size - value.base.dim(halo.dim) - region.left_padding;
  if (region.mask && (region.left_padding > 0 || padding > 0)) {
    node = graph.Add(Opcode::kSelect, shape, {*node, fill},
                     InsideOf(value, halo.dim, region, padding));
  }
  return node;
}

NodeId AlignShardsForGather(const PartitionedHlo& value, const Tiling& target, Ints dims) {
  Graph& graph = value.scope->graph();
  const Shape from = PaddedShape(value.base, value.tiling);
  const Shape to = PaddedShape(value.base, target);
  PartitionedHlo at = value;
  if (to.dims() == graph.shape(value.node).dims()) return value.node;
  for (int64_t dim : dims) {
    const int64_t parts = target.dim(dim);
    const int64_t excess = from.dim(dim) / parts - to.dim(dim) / parts;
    if (excess <= 0 || parts == 1) continue;
    const int64_t factor = value.tiling.dim(dim) / parts;
    Halo halo;
    halo.dim = dim;
    halo.left = PerShard(value.tiling.dim(dim), [&](int64_t i) { return excess * (i / factor); });
    halo.right = PerShard(value.tiling.dim(dim), [&](int64_t i) { return -excess * (i / factor); });
    at.node = ExchangeHaloInPieces(at, halo, OrdinalsAlong(*at.scope, at.tiling, dim), -1);
  }
  return at.node;
}

NodeId PadShardsForSlice(const PartitionedHlo& value, const Tiling& target, Ints dims) {
  Graph& graph = value.scope->graph();
  const Shape from = PaddedShape(value.base, value.tiling);
  const Shape to = PaddedShape(value.base, target);
  PartitionedHlo at = value;
  if (to.dims() == graph.shape(value.node).dims()) return value.node;
  Shape padded = graph.shape(value.node);
  uint64_t untouched = ~uint64_t{0};
  for (int64_t dim : dims) {
    const int64_t parts = value.tiling.dim(dim);
    const int64_t more = to.dim(dim) / parts - from.dim(dim) / parts;
    if (more <= 0) continue;
    if (parts == 1) {
      padded.set_dim(dim, padded.dim(dim) + more);
      if (dim < 64) untouched &= ~(uint64_t{1} << dim);
      continue;
    }
    Halo halo;
    halo.dim = dim;
    halo.left = PerShard(parts, [&](int64_t i) { return -more * i; });
    halo.right = PerShard(parts, [&](int64_t i) { return more * (i + 1); });
    at.node = ExchangeHaloInPieces(at, halo, OrdinalsAlong(*at.scope, at.tiling, dim), -1);
    padded.set_dim(dim, graph.shape(at.node).dim(dim));
  }
  if (untouched == ~uint64_t{0}) return at.node;
  return graph.PadHigh(padded, at.node, graph.Zero(value.base), untouched);
}

}  // namespace tessera::sharding::partition
