// Writes into a computation the orders that were decided for it, as XLA's layout normalization does.
//
//   t = f32[8,64] transpose(x: f32[64,8]), dimensions={1,0}   // a bitcast, if t has the bytes of x
//   a reader that wants x in another order                     // reads a bitcast of a transpose of x
//
// Each array is moved once into each order. Cost: linear. Tested by layout_assignment_test.cc.

#ifndef TESSERA_TARGET_GPU_LAYOUTS_NORMALIZATION_H_
#define TESSERA_TARGET_GPU_LAYOUTS_NORMALIZATION_H_

#include "absl/container/flat_hash_map.h"
#include "tessera/target/gpu/layouts/layout_constraints.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// Those of each computation that runs.
using OrdersOfComputations = absl::flat_hash_map<ComputationId, BorderOrders>;

// `borders` has those of the computation and of all that it calls.
void WriteOrders(DeviceProgram& program, ComputationId c, const LayoutConstraints& layouts,
                 const OrdersOfComputations& borders);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_LAYOUTS_NORMALIZATION_H_
