// A partitioned module on several devices, in lockstep: each has values of its own, and collectives
// exchange them.
//
//   SpmdRunner runner(module, budget, 4);
//   absl::StatusOr<std::vector<Value>> out = runner.Run(arguments);   // of each device: a value
//
// Devices are numbered from 0, and partition-id, or replica-id in a module of replicas, says the
// number. They may take different branches and leave a loop at different times: those that are
// elsewhere rest until the others are back. A collective that waits for a resting device would wait
// for ever: kFailedPrecondition.
//
// Every collective is also computed block by block, each device's half from nothing but the cells
// of the other devices that testing/projection/collective_needs.h names; kDataLoss where that does
// not suffice.
#ifndef TESSERA_TESTING_EVALUATOR_SHARDED_SPMD_H_
#define TESSERA_TESTING_EVALUATOR_SHARDED_SPMD_H_

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
  int64_t exchanges() const { return exchanges_; }  // computed so far, on one device each

 private:
  using DeviceValues = std::vector<Value>;  // one for each device
  using Operands = std::vector<const DeviceValues*>;
  using Awake = std::vector<bool>;  // which devices take part; values of others mean nothing

  absl::StatusOr<DeviceValues> RunComputation(hlo::ComputationId computation,
                                              std::vector<DeviceValues> arguments,
                                              const Awake& awake);
  absl::StatusOr<DeviceValues> Step(hlo::InstructionId id, const Operands& operands,
                                    const Awake& awake);
  absl::StatusOr<DeviceValues> Apart(hlo::InstructionId id, const Operands& operands,
                                     const Awake& awake);
  absl::StatusOr<DeviceValues> Loop(hlo::InstructionId id, const Operands& operands,
                                    const Awake& awake);
  absl::StatusOr<DeviceValues> Branch(hlo::InstructionId id, const Operands& operands,
                                      const Awake& awake);
  absl::StatusOr<DeviceValues> Call(hlo::InstructionId id, const Operands& operands,
                                    const Awake& awake);
  absl::StatusOr<DeviceValues> Exchange(hlo::InstructionId id, const Operands& operands,
                                        const Awake& awake);

  const hlo::Module& module_;
  Interpreter interpreter_;
  size_t devices_;
  int64_t exchanges_ = 0;
};

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_SHARDED_SPMD_H_
