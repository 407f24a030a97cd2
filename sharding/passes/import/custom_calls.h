// Custom calls that are marks of the user, not computations.
//
//   switch (MarkOf(module, *op)) { case Mark::kSharding: ...

#ifndef TESSERA_SHARDING_PASSES_IMPORT_CUSTOM_CALLS_H_
#define TESSERA_SHARDING_PASSES_IMPORT_CUSTOM_CALLS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "tessera/sharding/passes/import/annotations/sdy_attribute_reader.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

enum class Mark : uint8_t {
  kNone,
  kSharding,
  kFuncResultSharding,
  kShardingGroup,
  kPropagationBarrier,
  kGlobalToLocal,
  kLocalToGlobal,
  kX64Combine,
  kPythonCallback,
};

// Of a custom call, whatever op it became.
Mark MarkOfCall(const hlo::Module& module, hlo::InstructionId call);

// kNone for anything that is no custom call of such a target.
inline Mark MarkOf(const hlo::Module& module, const Op& op) {
  const bool is_call =
      op.opcode == hlo::Opcode::kCustomCall && op.kind == OpKind::kHlo && op.part == OpPart::kWhole;
  return is_call ? MarkOfCall(module, op.source) : Mark::kNone;
}

// InvalidArgument unless the call is an identity: each result has its operand's shape, except for
// layouts. Only then can its operands replace it. func_results.cc has the one kind of call that may
// be more.
absl::Status CheckHandsOn(const SdyAttributeReader& frontend, const Op& call);

// Sharding calls become kConstraint, sharding groups kShardingGroup, propagation barriers
// kPropagationBarrier, in program order. Their results must have their shardings by then
// (SetResultShardings). InvalidArgument for a Sharding call without a sharding, a group without id
// or with users, a barrier without direction or with both.
absl::Status ImportMarks(HloProgram* program, SdyAttributeReader* frontend);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_CUSTOM_CALLS_H_
