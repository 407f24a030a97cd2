// The values of a loop's state that come from outside of it.
//
//   const LoopCaptures captures(program);
//   captures.Inside(table, id, value);      // w', what the loop reads for w
//
// A loop reads a captured value through a constraint before it (OpPart::kOpened,
// import/build/captures.h), so the state of the loop has the sharding of that constraint:
//
//   w = f32[8] parameter(0), P()      while.3{2} is w', P('data')
//
// Cost: one walk over the program. Tested by explain_verb_test.cc, golden_verbs_test.cc.

#ifndef TESSERA_SHARDING_PASSES_PROGRAM_LOOP_CAPTURES_H_
#define TESSERA_SHARDING_PASSES_PROGRAM_LOOP_CAPTURES_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/passes/program/instruction_values.h"

namespace tessera::sharding::passes {

// The program must outlive it, and keep its loops.
class LoopCaptures {
 public:
  explicit LoopCaptures(const HloProgram& program);

  // The value in the place of `value`, a leaf of an instruction of the table: the constraint's
  // result where the instruction is a loop, or a parameter of its regions, that captures it; else
  // `value`.
  Value* Inside(const InstructionValues& table, hlo::InstructionId id, Value* value) const;

 private:
  void AddLoop(const Op* loop, std::vector<Op*>* opened);
  const Op* LoopAt(const InstructionValues& table, hlo::InstructionId id) const;

  const hlo::Module& module_;
  absl::flat_hash_map<hlo::InstructionId, const Op*> loops_;
  absl::flat_hash_map<std::pair<const Op*, const Value*>, Value*> inside_;  // by loop
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PROGRAM_LOOP_CAPTURES_H_
