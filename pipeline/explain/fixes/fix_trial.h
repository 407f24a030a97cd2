// A trial: the module is propagated from the start with edited annotations, to see whether an axis
// comes to where it was not.
//
//   const FixTrial trial(explained, slot, verdict);
//   trial.Try(candidate.edits)->tensors_changed;   // 3: it came, and three other tensors changed
//   trial.Obstacle(candidate.edits);  // what still stands in the way with these
//
// Cost: a run of propagation for Try, one with a recorder for Obstacle.

#ifndef TESSERA_PIPELINE_EXPLAIN_FIXES_FIX_TRIAL_H_
#define TESSERA_PIPELINE_EXPLAIN_FIXES_FIX_TRIAL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/tensors.h"
#include "tessera/sharding/passes/import/annotations/annotation_edits.h"

namespace tessera::pipeline {

// The answer of an edited module to the same question.
struct FixObstacle {
  Explained explained;
  sharding::explain::SlotId slot = sharding::explain::kNoIndex;
  sharding::explain::Verdict verdict;
};

struct FixEffect {
  int tensors_changed = 0;     // others, that end with another sharding
  int64_t argument_bytes = 0;  // that arguments take more on a device
};

class FixTrial {
 public:
  using Edits = std::vector<sharding::passes::AnnotationEdit>;

  // The arguments must outlive this.
  FixTrial(const Explained& explained, sharding::explain::SlotId slot,
           const sharding::explain::Verdict& verdict);

  // None if the axis does not come, or if the edited module is refused.
  std::optional<FixEffect> Try(const Edits& edits) const;
  // None if nothing stands in the way, or the edited module is refused.
  std::optional<FixObstacle> Obstacle(const Edits& edits) const;

  // The options of a run with these edits, on Explained::sharded->module.
  ShardOptions OptionsWith(const Edits& edits) const;

 private:
  // Tensors and results by name.
  using Specs = std::map<std::string, Tensor>;

  static Specs SpecsOf(const PropagatedModule& sharded);
  std::string NameOf(sharding::explain::SlotId slot) const;
  bool HasAxis(const Tensor& tensor) const;
  FixEffect EffectOf(const Specs& after) const;
  bool IsArgument(const Tensor& tensor) const;

  const Explained& e_;
  const sharding::explain::SlotId slot_;
  const sharding::explain::Verdict& verdict_;
  const std::string target_;
  const Specs before_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_FIXES_FIX_TRIAL_H_
