// The start of propagation: the annotations of the user, and the shardings that the import made of
// them.
//
//   Start start = FindStart(program, numbered, shardings);  // shardings: of each slot, at first
//   start.annotations;                                   // constraint 0, parameter 0, result 0, ..
//   start.events;                                        // one for each slot that has a sharding
//
// Tested by event_log_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_ANNOTATIONS_H_
#define TESSERA_SHARDING_EXPLAIN_ANNOTATIONS_H_

#include <cstdint>
#include <vector>

#include "tessera/sharding/explain/event.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/propagation/numbered_program.h"

namespace tessera::sharding::explain {

struct Start {
  std::vector<Annotation> annotations;  // constraints, shard_maps, parameters, results, others
  std::vector<Event> events;
  std::vector<Step> steps;  // of constraints and shard_maps that bound their operands
  // The number of propagation's first step: Shardy counts on after the last one that it recorded,
  // which it does for constraints that moved an axis.
  int64_t first_step = 0;
};

// `shardings` has one entry for each slot: what it holds before groups are made equal.
Start FindStart(const passes::HloProgram& program, const propagation::NumberedProgram& numbered,
                const std::vector<ShardingId>& shardings);

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_ANNOTATIONS_H_
