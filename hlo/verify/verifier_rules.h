// File: verifier_rules.h
//
// What the verifier asks of one instruction beyond the shape that can be inferred.

#ifndef TESSERA_HLO_VERIFY_VERIFIER_RULES_H_
#define TESSERA_HLO_VERIFY_VERIFIER_RULES_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/order.h"

namespace tessera::hlo {

// Takes what is said about an instruction, mistake or not.
using Reporter = std::function<void(InstructionId, const absl::Status&)>;

// Number and kinds of operands, kind of the result: verifier_operands.cc.
absl::Status CheckOperands(const Module& module, InstructionId id);
// Attributes in range, sizes that fit: verifier_shapes.cc, verifier_indexing.cc,
// verifier_collectives.cc. Trusts CheckOperands and CheckCallees.
absl::Status CheckInstructionRules(const Module& module, InstructionId id);
// Parameters and results of called computations: verifier_calls.cc.
absl::Status CheckCallees(const Module& module, InstructionId id);
// A sharding that fits, and agrees with those of loop bodies and branches: verifier_shardings.cc.
absl::Status CheckShardings(const Module& module, InstructionId id);
// Each start has its done; calls `report` for each start: verifier_pairs.cc. Nothing is to be done
// for a computation without an opcode for which StartsPair is true.
bool StartsPair(Opcode opcode);
void CheckAsyncPairs(const Module& module, ComputationId c, const Reporter& report);
// Schedule, callers, all-reduces: verifier_module.cc. `all_reduces` are those for which IsAllReduce
// is true.
bool IsAllReduce(Opcode opcode);
void CheckModule(const Module& module, const CallSites& sites,
                 absl::Span<const InstructionId> all_reduces, const Reporter& report);
// Strict layouts: verifier_layouts.cc.
absl::Status CheckLayouts(const Module& module, InstructionId id);

// --- verifier_collectives.cc ---
absl::Status CheckAllGather(const Module& module, InstructionId id);
absl::Status CheckAllReduce(const Module& module, InstructionId id);
absl::Status CheckReduceScatter(const Module& module, InstructionId id);
absl::Status CheckAllToAll(const Module& module, InstructionId id);
absl::Status CheckCollectivePermute(const Module& module, InstructionId id);

// --- verifier_indexing.cc ---
absl::Status CheckDynamicSlice(const Module& module, InstructionId id);
absl::Status CheckDynamicUpdateSlice(const Module& module, InstructionId id);
absl::Status CheckGather(const Module& module, InstructionId id);
absl::Status CheckScatter(const Module& module, InstructionId id);
absl::Status CheckSlice(const Module& module, InstructionId id);

// --- verifier_operands_agree.cc ---
absl::Status CheckPad(const Module& module, InstructionId id);
absl::Status CheckReduce(const Module& module, InstructionId id);
absl::Status CheckSameOperands(const Module& module, InstructionId id);
absl::Status CheckSelectAndScatter(const Module& module, InstructionId id);
absl::Status CheckBatchNorm(const Module& module, InstructionId id);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_VERIFY_VERIFIER_RULES_H_
