#include "tessera/pipeline/explain/neighbour_offers.h"

#include <algorithm>
#include <tuple>

#include "absl/algorithm/container.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::pipeline {
namespace {

using sharding::AxisRef;
using sharding::TensorSharding;
using sharding::explain::Endpoint;
using sharding::explain::OpLink;
using sharding::explain::OpLinks;
using sharding::explain::SlotId;
using sharding::factors::OpShardingRule;

// Of an op of more tensors, such as a long concatenate, so many from either end are looked at. Each
// array of it looks at its neighbours, and all at all would be quadratic.
constexpr int kMaxNeighbours = 64;

// The dimension of tensor `to` that has a factor of dimension `d` of tensor `from`.
bool FindDim(const OpShardingRule& rule, int to, int from, int d, int* dim) {
  for (const int32_t f : rule.factors(from, d)) {
    const int cell = rule.cell(to, f);
    if (cell == sharding::factors::kNoCell) continue;
    *dim = rule.dim_of_cell(to, cell);
    return true;
  }
  return false;
}

bool IsBetter(const Offer& a, const std::optional<Offer>& b) {
  return !b.has_value() || std::tie(a.is_shared, a.ways) > std::tie(b->is_shared, b->ways);
}

struct Asker {
  const TensorSharding* own = nullptr;  // of the tensor that gets offers
  absl::string_view axis;               // empty: any
};

// Of tensor `t` of the op.
void AddOffersOf(const Explained& e, const OpLink& link, int t, const Asker& asker,
                 std::optional<Offer>* best) {
  const OpLinks& links = e.why_not->links();
  const Endpoint at = links.Tensor(link.actor, t, 0);
  const TensorSharding* other = e.Final(at.slot);
  if (other == nullptr) return;
  const sharding::Mesh& mesh = e.log->MeshOf(e.FinalId(at.slot));
  const OpShardingRule* rule = links.RuleOf(link.actor);
  for (int d = 0; d < other->rank(); ++d) {
    for (const AxisRef axis : other->dim(d).axes) {
      if (asker.own != nullptr && Uses(*asker.own, axis)) continue;
      if (!asker.axis.empty() && mesh.axis(axis.axis()).name != asker.axis) continue;
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

std::optional<Offer> BestOffer(const Explained& e, SlotId slot, absl::string_view axis) {
  std::optional<Offer> best;
  const Asker asker = {e.Final(slot), axis};
  const OpLinks& links = e.why_not->links();
  for (const OpLink& link : links.Of(slot)) {
    const int tensors = links.NumTensors(link.actor);
    for (int t = 0; t < tensors; ++t) {
      if (t == kMaxNeighbours) t = std::max(t, tensors - kMaxNeighbours);
      if (t != link.tensor) AddOffersOf(e, link, t, asker, &best);
    }
  }
  return best;
}

TwinOffers::TwinOffers(const Explained& explained) : e_(explained) {
  for (const sharding::passes::Value* argument : e_.sharded->program->entry()->body->args) {
    if (!argument->is_array()) continue;
    auto& offers = offers_[KindOf(argument->shape())];
    if (offers.size() == 2) continue;
    const std::optional<Offer> offer = OfferOf(*argument);
    if (offer.has_value()) offers.push_back(*offer);
  }
}

TwinOffers::Kind TwinOffers::KindOf(const layout::Shape& shape) {
  return {shape.element_type(), std::vector<int64_t>(shape.dims().begin(), shape.dims().end())};
}

std::optional<Offer> TwinOffers::OfferOf(const sharding::passes::Value& argument) const {
  Endpoint at;
  at.value = argument.number();
  at.slot = e_.log->SlotOf(at.value);
  const TensorSharding* sharding = e_.Final(at.slot);
  if (sharding == nullptr) return std::nullopt;
  for (at.dim = 0; at.dim < sharding->rank(); ++at.dim) {
    if (sharding->dim(at.dim).axes.empty()) continue;
    const AxisRef axis = sharding->dim(at.dim).axes.front();
    return Offer{axis, at.dim, at, true, axis.size(e_.log->MeshOf(e_.FinalId(at.slot)))};
  }
  return std::nullopt;
}

std::optional<Offer> TwinOffers::Of(SlotId slot) const {
  if (e_.log->IsOutput(slot)) return std::nullopt;
  const auto& own = e_.log->numbered().value(slot);
  if (own.owner() != e_.sharded->program->entry()->body || !own.is_array()) return std::nullopt;
  const auto offers = offers_.find(KindOf(own.shape()));
  if (offers == offers_.end()) return std::nullopt;
  for (const Offer& offer : offers->second) {
    if (offer.neighbour.value != own.number()) return offer;
  }
  return std::nullopt;
}

}  // namespace tessera::pipeline
