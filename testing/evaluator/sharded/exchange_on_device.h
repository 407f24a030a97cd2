// A collective as one device sees it: whole, and again in halves, each from nothing but the cells
// that testing/projection/collective_needs.h names.
#ifndef TESSERA_TESTING_EVALUATOR_SHARDED_EXCHANGE_ON_DEVICE_H_
#define TESSERA_TESTING_EVALUATOR_SHARDED_EXCHANGE_ON_DEVICE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "tessera/testing/evaluator/interpreter.h"

namespace tessera::testing::evaluator {

// The result on `device`. `operands` has for each operand its value on every device; only those of
// devices that are awake mean something. kFailedPrecondition where the device is in no group, or
// would wait for one that is not awake; kDataLoss where a half reads a cell that is not named.
absl::StatusOr<Value> ExchangeOnDevice(Interpreter& interpreter, hlo::InstructionId id,
                                       int64_t device,
                                       const std::vector<const std::vector<Value>*>& operands,
                                       const std::vector<bool>& awake);

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_SHARDED_EXCHANGE_ON_DEVICE_H_
