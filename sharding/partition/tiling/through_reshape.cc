// A tiling seen through a reshape. Both shapes are walked from the left. Equal sizes carry their
// shards over; a sharded dimension that divides evenly passes on part of its shards; unsharded
// dimensions are regrouped freely. Remaining shards become replicas. XLA: hlo_sharding_util,
// ReshapeSharding and PropagateShardingThroughReshape.

#include <numeric>
#include <optional>
#include <utility>

#include "tessera/sharding/partition/tiling/algebra.h"
#include "tessera/sharding/partition/tiling/grouping.h"

namespace tessera::sharding::partition {
namespace {

class Walk {
 public:
  Walk(const layout::Shape& from, const layout::Shape& to, const Tiling& tiling)
      : from_(from), to_(to), tiling_(tiling), cuts_(static_cast<size_t>(to.rank()), 1) {
    LoadSource();
    LoadTarget();
  }

  // False if no shards pass through.
  bool Run() {
    while (source_ < from_.rank() && target_ < to_.rank()) {
      if (!SkipUncut()) break;
      const std::optional<bool> more = Step();
      if (!more.has_value()) return false;
      if (!*more) break;
    }
    return Product(cuts_) > 1;
  }

  const Dims& cuts() const { return cuts_; }
  const Dims& replicated() const { return replicated_; }

 private:
  bool LoadSource() {
    if (source_ >= from_.rank()) return false;
    source_size_ = from_.dim(source_);
    source_cuts_ = tiling_.dim(source_);
    return true;
  }
  bool LoadTarget() {
    if (target_ >= to_.rank()) return false;
    target_size_ = to_.dim(target_);
    return true;
  }
  bool NextSource() { return ++source_, LoadSource(); }
  bool NextTarget() { return ++target_, LoadTarget(); }

  // Unsharded sizes on the left must form complete dimensions on the right.
  bool SkipUncut() {
    int64_t product = 1;
    while (source_cuts_ == 1) {
      product *= source_size_;
      if (!NextSource()) break;
    }
    while (product != 1 && product % target_size_ == 0) {
      product /= target_size_;
      if (!NextTarget()) break;
    }
    return source_ < from_.rank() && target_ < to_.rank() && product == 1;
  }

  // Whether to continue; nothing: the shards do not pass through.
  std::optional<bool> Step() {
    if (source_size_ == target_size_) return CarryOver();
    if (target_size_ == 1) return NextTarget(), true;
    if (source_size_ == 1) {
      if (source_cuts_ > 1) replicated_.push_back(source_);
      return NextSource(), true;
    }
    if (source_size_ % source_cuts_ != 0) return std::nullopt;
    const int64_t common = std::gcd(source_cuts_, target_size_);
    if (common == 1) return false;
    source_size_ /= common;
    source_cuts_ /= common;
    target_size_ /= common;
    At(cuts_, target_) *= common;
    return true;
  }

  bool CarryOver() {
    if (target_size_ != to_.dim(target_) && source_size_ % source_cuts_ != 0) {
      At(cuts_, target_) *= std::gcd(source_size_, source_cuts_);
      return false;
    }
    At(cuts_, target_) *= source_cuts_;
    NextSource();
    NextTarget();
    return true;
  }

  const layout::Shape& from_;
  const layout::Shape& to_;
  const Tiling& tiling_;
  Dims cuts_, replicated_;
  int64_t source_ = 0, target_ = 0;
  int64_t source_size_ = 1, target_size_ = 1, source_cuts_ = 1;
};

// The shards of dimensions [begin, end) alone, seen through the reshape; the rest becomes replicas.
std::optional<Tiling> IntervalThrough(const layout::Shape& from, const layout::Shape& to,
                                      const Tiling& tiling, int64_t begin, int64_t end) {
  Dims cuts(static_cast<size_t>(from.rank()), 1);
  for (int64_t i = begin; i < end; ++i) At(cuts, i) = tiling.dim(i);
  if (Product(cuts) == 1) return std::nullopt;
  const auto reshaped = ThroughReshape(from, to, Tiling::Tiled(TileAssignment::Plain(cuts)));
  if (!reshaped.has_value() || !reshaped->IsTiled()) return std::nullopt;
  Dims order;
  for (int64_t i = begin; i < end; ++i) order.push_back(i);
  for (int64_t i = 0; i < tiling.num_dims(); ++i) {
    if (i < begin || i >= end) order.push_back(i);
  }
  Dims dims(reshaped->dims().begin(), reshaped->dims().end());
  const int64_t replicas = tiling.num_devices() / Product(dims);
  if (Size(dims) == to.rank()) {
    dims.push_back(replicas);
  } else {
    dims.back() *= replicas;
  }
  return Tiling::Partial(tiling.grid().Transpose(order).Reshape(dims));
}

}  // namespace

std::optional<Tiling> ThroughReshape(const layout::Shape& from, const layout::Shape& to,
                                     const Tiling& tiling) {
  if (!tiling.IsTiled()) return tiling;
  Walk walk(from, to, tiling);
  if (!walk.Run()) return std::nullopt;
  const Tiling source = ReplicateOn(tiling, walk.replicated());
  Dims dims = walk.cuts();
  for (int64_t i = source.data_rank(); i < source.num_dims(); ++i) {
    dims.push_back(i == source.SubgroupDim(SubgroupType::kReplicated) ? 1 : source.dim(i));
  }
  Tiling::Types types = source.types();
  const int64_t replicas = Product(source.dims()) / Product(dims);
  if (replicas > 1) {
    const int64_t at = source.SubgroupDim(SubgroupType::kReplicated);
    if (at >= 0) {
      At(dims, at - source.data_rank() + to.rank()) = replicas;
    } else {
      dims.push_back(replicas);
      types.push_back(SubgroupType::kReplicated);
    }
  }
  return Tiling::WithSubgroups(source.grid().Reshape(dims), types);
}

Tiling PartlyThroughReshape(const layout::Shape& from, const layout::Shape& to,
                            const Tiling& tiling) {
  if (!tiling.IsTiled()) return tiling;
  if (tiling.HasManual()) {
    Grouping group = GroupOnManual(tiling);
    group.inner = PartlyThroughReshape(from, to, group.inner);
    group.data_rank = to.rank();
    At(group.dims, 0) += to.rank() - from.rank();
    return Ungroup(group);
  }
  Tiling result;
  int64_t begin = 0;
  while (begin < from.rank()) {
    int64_t end = from.rank();
    for (; end > begin; --end) {
      const auto part = IntervalThrough(from, to, tiling, begin, end);
      if (part.has_value() && MergeIfCompatible(*part, &result)) break;
    }
    begin = end > begin ? end : begin + 1;
  }
  return result;
}

}  // namespace tessera::sharding::partition
