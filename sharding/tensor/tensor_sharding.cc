#include "tessera/sharding/tensor_sharding.h"

#include <algorithm>

namespace tessera::sharding {
namespace {

bool SaysNothing(const TensorSharding* s) {
  return s == nullptr || (s->IsFullyReplicated() && s->unreduced_axes().empty());
}

}  // namespace

bool TensorSharding::IsFullyReplicated() const {
  return std::all_of(dims_.begin(), dims_.end(),
                     [](const DimensionSharding& d) { return d.axes.empty(); });
}

bool TensorSharding::IsFullyClosed() const {
  return std::all_of(dims_.begin(), dims_.end(),
                     [](const DimensionSharding& d) { return d.is_closed; });
}

bool TensorSharding::IsFullyOpen() const {
  return replicated_.empty() && unreduced_.empty() &&
         std::all_of(dims_.begin(), dims_.end(), [](const DimensionSharding& d) {
           return d.axes.empty() && !d.is_closed && !d.has_priority();
         });
}

bool TensorSharding::UsesAxis(int axis) const {
  bool used = false;
  ForEachAxis([&used, axis](AxisRef a) { used = used || a.axis() == axis; });
  return used;
}

TensorSharding ClosedLike(const TensorSharding& s) {
  TensorSharding out = s;
  for (DimensionSharding& d : out.mutable_dims()) d.is_closed = true;
  out.mutable_replicated_axes().clear();
  return out;
}

TensorSharding FullyClosedLike(const TensorSharding& s) {
  return TensorSharding::FullyClosed(s.mesh_id(), s.rank());
}

TensorSharding FullyOpenLike(const TensorSharding& s) {
  return TensorSharding::FullyOpen(s.mesh_id(), s.rank());
}

TensorSharding WithOpenDims(const TensorSharding& s, absl::Span<const int64_t> dims) {
  TensorSharding out = s;
  for (int64_t d : dims) {
    if (d >= 0 && d < out.rank()) out.dim(static_cast<int>(d)).is_closed = false;
  }
  return out;
}

bool AreEquivalent(const TensorSharding* a, const TensorSharding* b) {
  const bool a_nothing = SaysNothing(a);
  const bool b_nothing = SaysNothing(b);
  if (a_nothing || b_nothing) return a_nothing && b_nothing;
  return a->mesh_id() == b->mesh_id() && a->unreduced_axes() == b->unreduced_axes() &&
         std::equal(a->dims().begin(), a->dims().end(), b->dims().begin(), b->dims().end(),
                    [](const DimensionSharding& x, const DimensionSharding& y) {
                      return x.axes == y.axes;
                    });
}

}  // namespace tessera::sharding
