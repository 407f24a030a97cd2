#include "tessera/pipeline/explain/cures/neighbour_offers.h"

#include <algorithm>
#include <tuple>

#include "absl/algorithm/container.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/graph/op.h"

namespace tessera::pipeline {
namespace {

using sharding::AxisRef;
using sharding::TensorSharding;
using sharding::explain::Endpoint;
using sharding::explain::OpLink;
using sharding::explain::OpLinks;
using sharding::explain::SlotId;
using sharding::factors::OpShardingRule;

// Of an op of more tensors, such as a long concatenate, so many from either end are looked at: each
// array of it looks at its neighbours, and all at all would be quadratic.
constexpr int kMaxNeighbours = 64;

// The dimension of tensor `to` that has a factor of dimension `d` of tensor `from`.
bool FindDim(const OpShardingRule& rule, int to, int from, int d, int* dim) {
  for (const int32_t f : rule.factors(from, d)) {
    const int cell = rule.cell(to, f);
    if (cell == sharding::factors::kNoCell) continue;
    *dim = sharding::explain::DimOfCell(rule, to, cell);
    return true;
  }
  return false;
}

bool IsBetter(const Offer& a, const std::optional<Offer>& b) {
  return !b.has_value() || std::tie(a.is_shared, a.ways) > std::tie(b->is_shared, b->ways);
}

// Of tensor `t` of the op.
void AddOffersOf(const Explained& e, const OpLink& link, int t, const TensorSharding* own,
                 std::optional<Offer>* best) {
  const OpLinks& links = e.why_not->links();
  const Endpoint at = links.Tensor(link.actor, t, 0);
  const TensorSharding* other = e.Final(at.slot);
  if (other == nullptr) return;
  const sharding::Mesh& mesh = e.log->MeshOf(e.FinalId(at.slot));
  const OpShardingRule* rule = links.RuleOf(link.actor);
  for (int d = 0; d < other->rank(); ++d) {
    for (const AxisRef axis : other->dim(d).axes) {
      if (own != nullptr && Uses(*own, axis)) continue;
      Offer offer = {axis, 0, at, false, axis.size(mesh)};
      offer.neighbour.dim = d;
      offer.is_shared = rule != nullptr && FindDim(*rule, link.tensor, t, d, &offer.dim);
      if (IsBetter(offer, *best)) *best = offer;
    }
  }
}

}  // namespace

bool Uses(const TensorSharding& sharding, AxisRef axis) {
  return absl::c_any_of(sharding.dims(),
                        [&](const auto& dim) { return OverlapsAny(axis, dim.axes); });
}

std::optional<Offer> BestOffer(const Explained& e, SlotId slot) {
  std::optional<Offer> best;
  const OpLinks& links = e.why_not->links();
  for (const OpLink& link : links.Of(slot)) {
    const int tensors = links.NumTensors(link.actor);
    for (int t = 0; t < tensors; ++t) {
      if (t == kMaxNeighbours) t = std::max(t, tensors - kMaxNeighbours);
      if (t != link.tensor) AddOffersOf(e, link, t, e.Final(slot), &best);
    }
  }
  return best;
}

std::optional<Offer> TwinOffer(const Explained& e, SlotId slot) {
  if (e.log->IsOutput(slot)) return std::nullopt;
  const auto& values = e.log->run().frozen().values;
  const sharding::graph::Block* entry = e.sharded->graph->entry()->body;
  const sharding::graph::Value& own = *values[static_cast<size_t>(slot)];
  if (own.owner() != entry) return std::nullopt;
  for (const sharding::graph::Value* other : entry->args) {
    if (other == &own || !layout::Compatible(own.shape(), other->shape())) continue;
    Endpoint at;
    at.value = other->number();
    at.slot = e.log->SlotOf(at.value);
    const TensorSharding* sharding = e.Final(at.slot);
    if (sharding == nullptr) continue;
    for (at.dim = 0; at.dim < sharding->rank(); ++at.dim) {
      if (sharding->dim(at.dim).axes.empty()) continue;
      const AxisRef axis = sharding->dim(at.dim).axes.front();
      return Offer{axis, at.dim, at, true, axis.size(e.log->MeshOf(e.FinalId(at.slot)))};
    }
  }
  return std::nullopt;
}

}  // namespace tessera::pipeline
