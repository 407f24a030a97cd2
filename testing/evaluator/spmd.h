// File: testing/evaluator/spmd.h
//
// A partitioned module on several devices, in lockstep: each has values of its own, and collectives
// exchange them.
//
//   SpmdRunner runner(module, budget, 4);
//   absl::StatusOr<std::vector<Value>> out = runner.Run(arguments);   // of each device: a value
//
// Every collective is also computed block by block, each device's half from nothing but the cells
// of the other devices that projection/signatures/collectives.h names; kDataLoss where that does
// not suffice. Devices are numbered from 0, and partition-id, or replica-id in a module of
// replicas, says the number. Loops must go round equally often on all devices: kUnimplemented.
#ifndef TESSERA_TESTING_EVALUATOR_SPMD_H_
#define TESSERA_TESTING_EVALUATOR_SPMD_H_

#include <vector>

#include "absl/status/statusor.h"
#include "tessera/testing/evaluator/interpreter.h"

namespace tessera::testing::evaluator {

// Devices that the module's collectives name, at least 1.
int64_t DevicesOf(const hlo::Module& module);

class SpmdRunner {
 public:
  SpmdRunner(const hlo::Module& module, Budget budget, int64_t devices)
      : module_(module), interpreter_(module, budget), devices_(static_cast<size_t>(devices)) {}

  // Of each device the arguments of the entry.
  absl::StatusOr<std::vector<Value>> Run(std::vector<std::vector<Value>> arguments);
  int64_t exchanges() const { return exchanges_; }  // computed so far, of one array each

 private:
  using DeviceValues = std::vector<Value>;  // one for each device
  absl::StatusOr<DeviceValues> RunComputation(hlo::ComputationId computation,
                                              std::vector<DeviceValues> arguments);
  absl::StatusOr<DeviceValues> Step(hlo::InstructionId id,
                                    const std::vector<const DeviceValues*>& operands);
  absl::StatusOr<DeviceValues> Loop(hlo::InstructionId id, DeviceValues state);
  absl::StatusOr<DeviceValues> Exchange(hlo::InstructionId id,
                                        const std::vector<const DeviceValues*>& operands);

  const hlo::Module& module_;
  Interpreter interpreter_;
  size_t devices_;
  int64_t exchanges_ = 0;
};

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_SPMD_H_
