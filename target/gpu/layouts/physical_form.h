// An instruction as it works on arrays whose dimensions stand in the order in which they lie in memory.
//
//   b = f32[8,64] broadcast(x), dimensions={1}    // lies in {0,1}, XLA's words for columns
//   p = f32[64,8] broadcast(x), dimensions={0}    // its physical form
//
// Cost: linear in the dimensions. Tested by layout_assignment_test.cc.

#ifndef TESSERA_TARGET_GPU_LAYOUTS_PHYSICAL_FORM_H_
#define TESSERA_TARGET_GPU_LAYOUTS_PHYSICAL_FORM_H_

#include <vector>

#include "tessera/target/gpu/layouts/order.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// The shape of an array that lies in this order.
layout::Shape InOrder(const layout::Shape& shape, const Order& order);
// The shape with the layout of this order; rows where that is the same.
layout::Shape LyingIn(const layout::Shape& shape, const Order& order);
// Where in `from` each dimension of `to` stands.
Order Places(const Order& from, const Order& to);

// The same elements in another shape; a bitcast of a bitcast is one.
InstructionId BitcastTo(DeviceProgram& program, InstructionId x, const layout::Shape& shape);

// Whether PhysicalForm makes one; other instructions keep their dimensions.
bool HasPhysicalForm(const DeviceProgram& program, InstructionId id);

// `operands` are those of `id` in their physical form, which lie in `orders`; its result shall lie in
// `result`. An all-reduce is changed itself, all others are made anew.
InstructionId PhysicalForm(DeviceProgram& program, InstructionId id,
                           std::vector<InstructionId> operands, const std::vector<Order>& orders,
                           const Order& result);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_LAYOUTS_PHYSICAL_FORM_H_
