// WakeIndex: the driver's frequent questions to a program, answered once into flat arrays.
//
//   WakeIndex plan(program);
//   plan.tensors(op);    // the values whose shardings a step of `op` reads: operands, then results
//   plan.wakes(owner);    // the ops to wake after a write to `owner`, in order
//
// Shardings live in owners (NumberedProgram::sharding_owner): wakes() is asked with an owner, and
// readers of a tensor's sharding read that of its owner.
//
// wakes() is what the reference notifies, which is not the same as the ops whose steps read the
// value. An operand of a named or manual computation does not wake the edge that reads it. The
// terminator of a while's condition wakes the edge of result 0. The rest is in unwoken_readers().

#ifndef TESSERA_SHARDING_PROPAGATION_RUN_WAKE_INDEX_H_
#define TESSERA_SHARDING_PROPAGATION_RUN_WAKE_INDEX_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/propagation/numbered_program.h"
#include "tessera/sharding/propagation/step/id_lists.h"

namespace tessera::sharding::propagation {

class WakeIndex {
 public:
  // The program must outlive the plan.
  explicit WakeIndex(const NumberedProgram& program);

  // Does `o` have a step? (True too while its rule is not known yet.)
  bool has_step(OpId o) const { return roles_[o] & kHasStep; }
  // Of an op with a step.
  absl::Span<const ValueId> tensors(OpId o) const {
    const EdgeId edge = program_.edge(o);
    return edge == kNone ? program_.tensors(o) : edge_tensors_[edge];
  }
  // Ops that could not do anything are left out.
  absl::Span<const OpId> wakes(ValueId owner) const { return wakes_[owner]; }
  // Ops whose steps read `owner` although no write to it wakes them. May name one twice, or one of
  // wakes().
  absl::Span<const OpId> unwoken_readers(ValueId owner) const { return unwoken_readers_[owner]; }

 private:
  // The properties of an op for waking, as a bit set.
  static constexpr uint8_t kHasStep = 1;
  static constexpr uint8_t kActs = 2;   // it has a step, or may be erased
  static constexpr uint8_t kSwaps = 4;  // a use by it wakes others in its place, or nobody

  uint8_t RoleOf(OpId o) const;
  void FillEdgeTensors();
  void FillWakes();
  void WakeAround(ValueId owner);
  void WakeUsers(ValueId v);
  OpId WokenBy(const program::Use& use) const;
  OpId EdgeOf(OpId o, int32_t result) const;
  void Wake(OpId o);
  void AddReaders(ValueId v);
  void FillUnwokenReaders();

  const NumberedProgram& program_;
  std::vector<uint8_t> roles_;                     // by op
  IdLists edge_tensors_;                           // by edge
  IdLists wakes_;                                  // by value; empty for all but owners
  IdLists unwoken_readers_;                        // the same
  std::vector<std::pair<ValueId, OpId>> readers_;  // of other values, by owner
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_RUN_WAKE_INDEX_H_
