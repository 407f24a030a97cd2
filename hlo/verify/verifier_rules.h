// The verifier's checks of one instruction beyond the shape that can be inferred.

#ifndef TESSERA_HLO_VERIFY_VERIFIER_RULES_H_
#define TESSERA_HLO_VERIFY_VERIFIER_RULES_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/order.h"
#include "tessera/hlo/parse/known/known_shardings.h"
#include "tessera/hlo/verify/values_by_text.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/text/diagnostic.h"

namespace tessera::hlo {

// Takes what is said about an instruction, mistake or not.
using Reporter = std::function<void(InstructionId, const absl::Status&)>;

// Number and kinds of operands, kind of the result: verifier_operands.cc.
absl::Status CheckOperands(const Module& module, InstructionId id);
// Attributes in range, sizes that fit: verifier_shapes.cc, verifier_indexing.cc. Trusts
// CheckOperands and CheckCallees. Nothing is asked of an opcode without such rules.
bool HasInstructionRules(Opcode opcode);
absl::Status CheckInstructionRules(const Module& module, InstructionId id);
// Parameters and results of called computations: verifier_calls.cc. The same.
bool HasCalleeRules(Opcode opcode);
absl::Status CheckCallees(const Module& module, InstructionId id);

// The size that all replica groups of an instruction share, 0 for groups of different sizes and -1
// for one group of everything.
using GroupSizes = ValuesByText<absl::StatusOr<int64_t>>;
// The groups of collectives, and sizes that fit them: verifier_collectives.cc. The same.
bool HasGroupRules(Opcode opcode);
absl::Status CheckCollective(const Module& module, InstructionId id, GroupSizes* groups);

// The shardings of a module's instructions. What the parser has read is not read again.
class Shardings {
 public:
  explicit Shardings(const Module& module) : module_(module) {}

  // Null if there is none, or one that cannot be read (the parser reports it).
  const sharding::HloSharding* Of(InstructionId id);

 private:
  const Module& module_;
  KnownShardings added_;  // since the parser read the module
};
// The sharding fits its value and the number of partitions: verifier_shardings.cc.
absl::Status CheckShardingFits(const Module& module, InstructionId id, Shardings* shardings);
// The number itself is positive.
void CheckPartitions(const Module& module, text::Diagnostics* found);
// Of a loop or a conditional: that, and it agrees with the shardings of the computations.
absl::Status CheckShardings(const Module& module, InstructionId id, Shardings* shardings);

// Each start has its done; calls `report` for each start: verifier_pairs.cc. Nothing is to be done
// for a computation without an opcode for which StartsPair is true.
bool StartsPair(Opcode opcode);
void CheckAsyncPairs(const Module& module, ComputationId c, const Reporter& report);
// Schedule, callers, all-reduces: verifier_module.cc. `all_reduces` are those for which IsAllReduce
// is true.
bool IsAllReduce(Opcode opcode);
void CheckModule(const Module& module, const CallSites& sites,
                 absl::Span<const InstructionId> all_reduces, const Reporter& report);
// input_output_alias and buffer_donor name what is there, once: verifier_aliases.cc.
void CheckAliases(const Module& module, text::Diagnostics* found);
// Strict layouts: verifier_layouts.cc.
absl::Status CheckLayouts(const Module& module, InstructionId id);

// --- verifier_collectives.cc ---
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
