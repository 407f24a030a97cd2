// How often the bodies of a partitioned program run, by the trip counts of the loops around them.
//
//   LoopRuns runs(module, found);
//   auto count = runs.Of(collective.body);   // {120, true} in a loop of 10 in a loop of 12
//   runs.PerCall(body);                      // 10
//
// Trip counts are found once a loop. Tested by step_cost_test.cc, collectives_verb_test.cc.

#ifndef TESSERA_COST_STEP_LOOP_RUNS_H_
#define TESSERA_COST_STEP_LOOP_RUNS_H_

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::cost {

class LoopRuns {
 public:
  // Both must outlive it.
  LoopRuns(const hlo::Module& module, const sharding::partition::Partitioned& found)
      : module_(module), found_(found) {}

  struct Count {
    int64_t runs = 1;
    bool known = true;  // false: some loop around it counts once
  };
  // `body` is an index of Partitioned::bodies. InvalidArgument, with the offset of a
  // loop, where the product leaves 64 bits.
  absl::StatusOr<Count> Of(int32_t body);

  // How often a body of a loop (or its condition) runs when the loop is entered once; none if data
  // decides.
  std::optional<int64_t> PerCall(const sharding::partition::Body& body);

 private:
  const hlo::Module& module_;
  const sharding::partition::Partitioned& found_;
  absl::flat_hash_map<hlo::InstructionId, std::optional<int64_t>> trips_;
};

// Whether a body runs as often as a loop says.
bool IsInLoop(const sharding::partition::Body& body);

}  // namespace tessera::cost

#endif  // TESSERA_COST_STEP_LOOP_RUNS_H_
