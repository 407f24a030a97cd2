// One collective of arrays, cell by cell: what a device's cell is made of.
#ifndef TESSERA_TESTING_EVALUATOR_SHARDED_EXCHANGE_H_
#define TESSERA_TESTING_EVALUATOR_SHARDED_EXCHANGE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "tessera/testing/evaluator/interpreter.h"

namespace tessera::testing::evaluator {

bool IsExchange(hlo::Opcode opcode);
// An all-to-all in tuple form: device r gets operand number r of every device.
bool IsSwapOfOperands(const hlo::Module& module, hlo::InstructionId id);

// The devices that exchange with `device`, itself among them, by rank; none if it is in no group.
// Of a permute: all.
std::vector<int64_t> GroupOf(const hlo::Module& module, hlo::InstructionId id, int64_t device,
                             int64_t devices);
// Those of its group that it waits for: all, or of a permute its source and its target.
std::vector<int64_t> PartnersOf(const hlo::Module& module, hlo::InstructionId id, int64_t device,
                                const std::vector<int64_t>& group);

// Array `leaf` of the result on the device of rank `rank`, in `block`, from an operand on every
// device of the group (operand number `leaf`, or `rank` in a swap of operands); other cells are 0.
// kUnimplemented for what is no collective of arrays.
absl::StatusOr<Array> ExchangeBlock(Interpreter& interpreter, hlo::InstructionId id, int leaf,
                                    int64_t rank, const ZRange& block,
                                    const std::vector<const Array*>& group);

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_SHARDED_EXCHANGE_H_
