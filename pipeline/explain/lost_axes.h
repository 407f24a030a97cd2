// Large arrays that lost an axis where no neighbour shows it: a conflict further up took the axis
// from them.
//
//   // an embedding is sharded over 'fsdp' along its features; so its lookup takes 'fsdp' there, and
//   // the whole batch after it has none
//   LostAxes(explained, {{slot, bytes}})[0].axis;       // "fsdp", which a conflict kept away
//
// Arrays whose ways to the axis end at one place are one entry, under the largest of them.
// Cost: linear in the program for each axis, and a step of the op at each of 64 places, those of
// the largest arrays. Tested by explain_verb_test.cc.

#ifndef TESSERA_PIPELINE_EXPLAIN_LOST_AXES_H_
#define TESSERA_PIPELINE_EXPLAIN_LOST_AXES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/surprises.h"

namespace tessera::pipeline {

// An array, and its bytes on a device.
using SizedSlot = std::pair<sharding::explain::SlotId, int64_t>;

// In no order, without verdicts.
std::vector<Surprise> LostAxes(const Explained& explained, std::vector<SizedSlot> slots);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_LOST_AXES_H_
