// File: projection/cost/demand/module_needs.h
//
// The demand of every instruction of a module on a mesh, in time linear in the instructions.
//
//   const ShardingOf sharding_of = [&](InstructionId id, int leaf) {
//     return shardings.Find(id, leaf);                     // null for replicated
//   };
//   absl::StatusOr<ModuleDemand> d = DemandOfModule(module, grid, sharding_of);
//   d->total_bytes                                         // moved by all devices
//   d->instructions[i].forms->gather.classes               // which device needs what
//
// Instructions that are alike (same operation, attributes, shapes and shardings) share one answer,
// and devices that are alike (same coordinates on the axes used) share one within it: a model of a
// thousand equal layers is priced once.
#ifndef TESSERA_PROJECTION_COST_DEMAND_MODULE_NEEDS_H_
#define TESSERA_PROJECTION_COST_DEMAND_MODULE_NEEDS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/cost/demand/reduction_strategies.h"

namespace tessera::projection {

using ShardingOf = std::function<const sharding::TensorSharding*(hlo::InstructionId id, int leaf)>;

struct InstructionDemand {
  hlo::InstructionId id;
  int leaf;
  std::shared_ptr<const ReductionStrategies> forms;  // shared by like instructions
};

struct ModuleDemand {
  std::vector<InstructionDemand> instructions;  // in order of their computations
  int64_t total_bytes = 0;                      // of the forms that the shardings ask for
  std::vector<int64_t>
      missing_bytes;     // by position: fetched in gather or partial form, combining apart
  int64_t distinct = 0;  // how many were computed
};

// The entry and what it calls, loops once. Left out are instructions that only hand on (parameters,
// constants, tuples, calls). Errors as of FormsOf.
absl::StatusOr<ModuleDemand> DemandOfModule(const hlo::Module& module, const DeviceGrid& grid,
                                            const ShardingOf& sharding_of);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_DEMAND_MODULE_NEEDS_H_
