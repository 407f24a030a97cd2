// The tensors of a comparison that changed, by their places in the run of now.
//
//   ChangedTensors changed(comparison, after, now);
//   changed.SlotOf(3);             // the tensor of change 3; kNoIndex for one that the run does not have
//   changed.OriginAt(slot, axis);  // the change of that tensor of the same axis in the same way
//
// Cost: linear in the tensors of the module. Tested by golden_verbs_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_GOLDEN_CHANGED_TENSORS_H_
#define TESSERA_PIPELINE_VERBS_GOLDEN_CHANGED_TENSORS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/verbs/golden/annotated_losses.h"
#include "tessera/sharding/explain/golden/comparison.h"
#include "tessera/sharding/explain/golden/recording.h"

namespace tessera::pipeline {

// A change from which others follow, and its axis.
struct ChangeOrigin {
  size_t change = 0;
  sharding::golden::AxisChange axis;
};

// At a dimension where it was not before.
bool IsGain(const sharding::golden::AxisChange& axis);
// From a dimension: what was unreduced is no dimension's loss.
bool IsLoss(const sharding::golden::AxisChange& axis);

// The comparison must outlive it.
class ChangedTensors {
 public:
  ChangedTensors(const sharding::golden::Comparison& comparison,
                 const sharding::golden::Recording& after, const Explained& now);

  const std::vector<sharding::golden::Change>& changes() const { return changes_; }
  sharding::explain::SlotId SlotOf(size_t change) const { return slots_[change]; }

  // An axis that moved was lost and gained.
  std::optional<ChangeOrigin> OriginAt(sharding::explain::SlotId slot,
                                       const sharding::golden::AxisChange& axis) const;

  AnnotatedLosses::LostByAxis LostByAxis() const;

  // By axis, the first change that lost it.
  std::map<std::string, ChangeOrigin> FirstLosses() const;

 private:
  const std::vector<sharding::golden::Change>& changes_;
  std::vector<sharding::explain::SlotId> slots_;  // by change
  absl::flat_hash_map<sharding::explain::SlotId, size_t> change_of_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GOLDEN_CHANGED_TENSORS_H_
