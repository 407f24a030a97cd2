// The changes of each level of propagation: the answer of `tessera levels`.
//
//   for (const LevelChanges& level : LevelsOf(explained)) ...
//   LevelsText(explained, levels, {});

#ifndef TESSERA_PIPELINE_EXPLAIN_LEVELS_H_
#define TESSERA_PIPELINE_EXPLAIN_LEVELS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/pipeline/explain/explained.h"

namespace tessera::pipeline {

struct LevelChanges {
  sharding::explain::Time time;  // of its events: stage, round and level
  std::vector<int32_t> events;   // that change an axis, in order
  // Slots that changed, in the order of their first event, each with the events that changed it.
  std::vector<std::pair<sharding::explain::SlotId, std::vector<int32_t>>> changed;
  size_t num_changed = 0;  // whichever are left
};

// Annotations, import, then the five levels of each user priority, then export and reshards.
std::vector<LevelChanges> LevelsOf(const Explained& explained);

// Leaves the changes of these slots, and levels that have one.
void Keep(const std::function<bool(sharding::explain::SlotId)>& shows, const Explained& explained,
          std::vector<LevelChanges>* levels);

// "p0 level 2", "annotations"
std::string LevelName(const LevelChanges& level);

// With `steps` one line for each change, else one for each tensor.
std::string LevelsText(const Explained& explained, const std::vector<LevelChanges>& levels,
                       bool steps);
// A message LevelsAnswer of pipeline/schema/explain_answer.proto.
std::string LevelsJson(const Explained& explained, const std::vector<LevelChanges>& levels);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_LEVELS_H_
