// The instructions between two of a schedule, and the end of a start.
//
//   Schedules schedules(module);
//   schedules.DoneOf(start);           // the done, through updates; kNoId: none in its computation
//   schedules.BetweenOf(start, done);  // two subtractions
//
// The order is that of the text, which is the schedule where a module has one. Cost: linear in a
// computation, the first time that one of its instructions is asked for.

#ifndef TESSERA_TARGET_COLLECTIVES_SCHEDULE_H_
#define TESSERA_TARGET_COLLECTIVES_SCHEDULE_H_

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/module.h"
#include "tessera/target/collectives/standing.h"

namespace tessera::target {

// all-gather-start, all-reduce-start, collective-permute-start.
bool StartsCollective(hlo::Opcode opcode);
// These and those in one instruction; not what ends one.
bool RunsCollective(hlo::Opcode opcode);

class Schedules {
 public:
  // `module` must outlive it.
  explicit Schedules(const hlo::Module& module);

  // Whether a computation or one that it calls has a collective.
  bool HasCollective(hlo::ComputationId c) const { return inside_[c].collective; }

  hlo::InstructionId DoneOf(hlo::InstructionId start) const;
  // Both in one computation.
  Between BetweenOf(hlo::InstructionId begin, hlo::InstructionId end);

 private:
  struct Inside {
    bool collective = false, product = false;
  };
  struct Order {
    absl::flat_hash_map<hlo::InstructionId, size_t> place;
    std::vector<Between> before;  // by place: of all that stands in front
  };

  Inside KindOf(hlo::InstructionId id) const;
  const Order& OrderOf(hlo::ComputationId c);

  const hlo::Module& module_;
  std::vector<Inside> inside_;                                        // by ComputationId
  absl::flat_hash_map<hlo::InstructionId, hlo::InstructionId> done_;  // by start
  absl::flat_hash_map<hlo::ComputationId, Order> orders_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_COLLECTIVES_SCHEDULE_H_
