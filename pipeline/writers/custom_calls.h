// Which custom calls the pass consumes or replaces.

#ifndef TESSERA_PIPELINE_WRITERS_CUSTOM_CALLS_H_
#define TESSERA_PIPELINE_WRITERS_CUSTOM_CALLS_H_

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/module.h"

namespace tessera::pipeline::writers {

enum class CallKind : uint8_t {
  kOther,        // any other instruction
  kConstraint,   // Sharding: becomes a copy
  kConsumed,     // result marks, barriers, groups, borders that one token crosses: go
  kIntoManual,   // xla.sdy.GlobalToLocalShape
  kOutOfManual,  // xla.sdy.LocalToGlobalShape
};

// Of an instruction with opcode custom-call.
CallKind CustomCallKind(const hlo::Module& module, hlo::InstructionId id);

inline CallKind CallKindOf(const hlo::Module& module, hlo::InstructionId id) {
  const bool is_call = module.instruction(id).opcode == hlo::Opcode::kCustomCall;
  return is_call ? CustomCallKind(module, id) : CallKind::kOther;
}

// In computations that are no regions of the program (reducers), a constraint becomes a copy that
// is replicated, and so is what it reads: all there is are scalars.
absl::flat_hash_set<hlo::InstructionId> ConstrainedScalars(const hlo::Module& module,
                                                           const hlo::Computation& computation);

inline bool IsBoundary(CallKind kind) {
  return kind == CallKind::kIntoManual || kind == CallKind::kOutOfManual;
}

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_CUSTOM_CALLS_H_
