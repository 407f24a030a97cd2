// Three stages, each of which may add nothing:
//
//   1. axes that are unreduced and shall not be: an all-reduce over them
//   2. axes that shall be unreduced and are not. An axis that leaves a dimension at its minor end
//      becomes unreduced where it is ("sharded to unreduced"); one that no dimension has costs
//      nothing ("replicated to unreduced"); any other change of dimensions is a reshard before both
//   3. full version: a reshard, if there is still a difference
//
//   [{a, b}] -> [{a}] unred{b, c}     replicated to unreduced c, then sharded to unreduced {b}
//
// With BecomingUnreduced::kShardedFirst one "sharded to unreduced" does all that it can, even where
// no dimension gives an axis. A reshard to the target does the rest.
//
// Tested in to_target_test.cc.

#include "tessera/sharding/reshard/to_target.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tessera/sharding/axis_lists.h"

namespace tessera::sharding::reshard {
namespace {

using Conversions = std::vector<Conversion>;
using reference::BecomingUnreduced;

// The axes of `in` that go away if the dimension keeps `out`, a strict leading part of it.
AxisList Leaving(const AxisList& in, const AxisList& out, const Mesh& mesh) {
  AxisList leaving;
  if (!out.empty()) {
    const AxisRef whole = in[out.size() - 1];
    const std::optional<AxisRef> rest = SuffixWithoutOverlap(whole, out.back(), mesh);
    if (whole != out.back() && rest) leaving.push_back(*rest);
  }
  leaving.insert(leaving.end(), in.begin() + out.size(), in.end());
  return leaving;
}

bool IsWithin(const AxisList& part, const AxisList& whole, const Mesh& mesh) {
  return SetDifference(part, whole, mesh).empty();
}

// Makes axes unreduced that are not.
class Maker {
 public:
  Maker(const TensorSharding& from, const TensorSharding& to, const Mesh& mesh)
      : now_(from), to_(to), mesh_(mesh) {}

  absl::StatusOr<Conversions> Make(const AxisList& wanted, BecomingUnreduced how) {
    LookAtDimensions(wanted);
    if (needs_reshard_ && how != BecomingUnreduced::kReshardFirst) {
      return absl::InvalidArgumentError(
          "its dimensions have to change before axes can become unreduced, and the pass of the "
          "release that is imitated ends there; constrain the value to the new dimensions first");
    }
    if (how == BecomingUnreduced::kShardedFirst) {
      AddSharded();
      if (now_.unreduced_axes() != to_.unreduced_axes()) {
        now_ = to_;
        Add(ConversionKind::kReshard);
      }
      return std::move(conversions_);
    }
    if (needs_reshard_) Add(ConversionKind::kReshard);
    const AxisList free = SetDifference(wanted, SortAndMerge(leaving_, mesh_), mesh_);
    if (!free.empty()) {
      AddUnreduced(free);
      Add(ConversionKind::kReplicatedToUnreduced).axes = free;
    }
    if (!leaving_.empty()) AddSharded();
    return std::move(conversions_);
  }

 private:
  void AddSharded() {
    for (int d = 0; d < now_.rank(); ++d) now_.dim(d).axes = to_.dim(d).axes;
    if (!leaving_.empty()) AddUnreduced(leaving_);
    Add(ConversionKind::kShardedToUnreduced).axes_per_dim = std::move(leaving_per_dim_);
  }

  // Dimensions that change otherwise than by giving axes to the unreduced ones change first.
  void LookAtDimensions(const AxisList& wanted) {
    leaving_per_dim_.resize(now_.rank());
    for (int d = 0; d < now_.rank(); ++d) {
      AxisList& axes = now_.dim(d).axes;
      const AxisList& out = to_.dim(d).axes;
      if (axes == out) continue;
      if (IsStrictPrefixOf(absl::MakeConstSpan(out), absl::MakeConstSpan(axes))) {
        AxisList leaving = Leaving(axes, out, mesh_);
        if (IsWithin(leaving, wanted, mesh_)) {
          leaving_.insert(leaving_.end(), leaving.begin(), leaving.end());
          leaving_per_dim_[d] = std::move(leaving);
          continue;
        }
      }
      axes = out;
      needs_reshard_ = true;
    }
  }

  void AddUnreduced(const AxisList& axes) {
    AxisList all = now_.unreduced_axes();
    all.insert(all.end(), axes.begin(), axes.end());
    now_.mutable_unreduced_axes() = SortAndMerge(all, mesh_);
    now_.set_reduction(to_.reduction());
  }

  Conversion& Add(ConversionKind kind) {
    Conversion conversion;
    conversion.kind = kind;
    conversion.sharding = now_;
    conversions_.push_back(std::move(conversion));
    return conversions_.back();
  }

  TensorSharding now_;
  const TensorSharding& to_;
  const Mesh& mesh_;
  bool needs_reshard_ = false;
  AxisList leaving_;
  std::vector<AxisList> leaving_per_dim_;
  Conversions conversions_;
};

// Stage 1.
std::optional<Conversion> Sum(const TensorSharding& from, const TensorSharding* to,
                              const Mesh& mesh) {
  AxisList axes = from.unreduced_axes();
  if (to != nullptr) axes = SetDifference(axes, to->unreduced_axes(), mesh);
  if (axes.empty()) return std::nullopt;
  Conversion sum;
  sum.kind = ConversionKind::kAllReduce;
  sum.sharding = from;
  sum.sharding.mutable_unreduced_axes() = SetDifference(from.unreduced_axes(), axes, mesh);
  sum.axes = std::move(axes);
  return sum;
}

}  // namespace

absl::StatusOr<Conversions> BecomeUnreduced(const TensorSharding* from, const TensorSharding& to,
                                            const MeshTable& meshes, BecomingUnreduced how) {
  if (from == nullptr || to.unreduced_axes().empty() || how == BecomingUnreduced::kCopy) {
    return Conversions();
  }
  const Mesh& mesh = meshes.mesh(to.mesh_id());
  const AxisList wanted = SetDifference(to.unreduced_axes(), from->unreduced_axes(), mesh);
  if (wanted.empty()) return Conversions();
  if (meshes.mesh(from->mesh_id()) != mesh) {
    return absl::InvalidArgumentError(
        "axes cannot become unreduced on another mesh than that of the value; take axes of its "
        "mesh, or constrain it to a sharding on the new mesh first");
  }
  if (to.reduction() != Reduction::kSum) {
    return absl::InvalidArgumentError(
        "axes can only become unreduced by sum; by max and min only what a reduction makes is "
        "unreduced");
  }
  if (from->rank() != to.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a value of ", from->rank(), " sharded dimensions cannot become unreduced in ",
                     to.rank(), "; both shardings need the same number of dimensions"));
  }
  if (!IsWithin(from->unreduced_axes(), to.unreduced_axes(), mesh)) {
    return absl::InvalidArgumentError(
        "axes cannot become unreduced while others, which are, shall be so no more; constrain the "
        "value to a sharding without unreduced axes first");
  }
  return Maker(*from, to, mesh).Make(wanted, how);
}

absl::StatusOr<Conversions> ToTarget(const TensorSharding* from, const TensorSharding* to,
                                     Version version, const MeshTable& meshes,
                                     const reference::Behaviors& behaviors) {
  Conversions all;
  const auto now = [&] { return all.empty() ? from : &all.back().sharding; };
  if (from != nullptr && !from->unreduced_axes().empty()) {
    std::optional<Conversion> sum = Sum(*from, to, meshes.mesh(from->mesh_id()));
    if (sum) all.push_back(*std::move(sum));
  }
  if (to != nullptr && behaviors.convert_where_values_flow) {
    absl::StatusOr<Conversions> more =
        BecomeUnreduced(now(), *to, meshes, behaviors.becoming_unreduced);
    if (!more.ok()) return more.status();
    for (Conversion& c : *more) all.push_back(std::move(c));
  }
  if (version == Version::kFull && !AreEquivalent(now(), to)) {
    Conversion reshard;
    reshard.sharding = to != nullptr ? *to : FullyClosedLike(*now());
    all.push_back(std::move(reshard));
  }
  return all;
}

}  // namespace tessera::sharding::reshard
