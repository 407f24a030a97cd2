// The tensors that lost an axis because an annotation of the new program closes its dimension.
//
//   AnnotatedLosses losses(explained, {{"fsdp", {{slot_of_w1, 1}, {slot_of_h, 0}}}});
//   losses.AnnotatedOf("fsdp", slot_of_h);       // slot_of_w1: P(None, None, 'tp')
//
// The old run is not recorded, so losses are linked by operations. A loss spreads from an annotated
// tensor to the tensors of the same operations that lost the axis, and on from these, breadth first.
//
// Cost: linear in the operands of the program, for each axis. Tested by golden_verbs_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_GOLDEN_ANNOTATED_LOSSES_H_
#define TESSERA_PIPELINE_VERBS_GOLDEN_ANNOTATED_LOSSES_H_

#include <map>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "tessera/pipeline/explain/explained.h"

namespace tessera::pipeline {

class AnnotatedLosses {
 public:
  // For each axis the tensors that lost it, with the dimension where they had it.
  using LostByAxis = std::map<std::string, absl::flat_hash_map<sharding::explain::SlotId, int64_t>>;

  AnnotatedLosses(const Explained& now, const LostByAxis& lost);

  // The annotated tensor from which the loss spread; that tensor itself for an annotated one.
  std::optional<sharding::explain::SlotId> AnnotatedOf(const std::string& axis,
                                                       sharding::explain::SlotId slot) const;

 private:
  std::map<std::string, absl::flat_hash_map<sharding::explain::SlotId, sharding::explain::SlotId>>
      annotated_;  // by axis, then by tensor
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GOLDEN_ANNOTATED_LOSSES_H_
