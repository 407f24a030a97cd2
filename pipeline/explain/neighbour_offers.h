// The axes that neighbours of an array could give it: those of the other tensors of the ops that it
// takes part in.
//
//   const std::optional<Offer> offer = BestOffer(explained, slot);
//   offer->axis; offer->neighbour;   // 'data', that x has on dim 0
//
// Of the axes that it lacks the one counts that stands along a factor that both have; of these, or
// where there is none, the largest.

#ifndef TESSERA_PIPELINE_EXPLAIN_NEIGHBOUR_OFFERS_H_
#define TESSERA_PIPELINE_EXPLAIN_NEIGHBOUR_OFFERS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/shape.h"
#include "tessera/pipeline/explain/explained.h"

namespace tessera::pipeline {

struct Offer {
  sharding::AxisRef axis;
  int dim = 0;  // of the array, if the factor is shared
  sharding::explain::Endpoint neighbour;
  bool is_shared = false;  // along a factor that both have
  int64_t ways = 1;        // in how many parts it would split the array
};

// None if it has all axes of its neighbours in the end. With `axis`, only offers of that one.
std::optional<Offer> BestOffer(const Explained& explained, sharding::explain::SlotId slot,
                               absl::string_view axis = "");

// Of arguments of the module: what another one of the same shape and type has in the end. Linear
// for all of them together.
class TwinOffers {
 public:
  // `explained` must outlive this.
  explicit TwinOffers(const Explained& explained);

  // None for what is no argument.
  std::optional<Offer> Of(sharding::explain::SlotId slot) const;

 private:
  using Kind = std::pair<layout::ElementType, std::vector<int64_t>>;

  static Kind KindOf(const layout::Shape& shape);
  std::optional<Offer> OfferOf(const sharding::passes::Value& argument) const;

  const Explained& e_;
  // The first two with an axis: one that asks is no twin of its own.
  absl::flat_hash_map<Kind, absl::InlinedVector<Offer, 2>> offers_;
};

// True if a dimension has the axis, or overlaps it.
bool Uses(const sharding::TensorSharding& sharding, sharding::AxisRef axis);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_NEIGHBOUR_OFFERS_H_
