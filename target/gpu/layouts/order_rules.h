// The order that an operation wants for an operand, or gives to its result, once the other is settled.
//
//   OperandFor(program, transpose, 0, {0, 1});    // {1, 0} of dimensions={1,0}: the transpose is free
//   HasOneOrder(program, add);                    // true: operands have the order of the result
//
// Cost: linear in the dimensions. Tested by layout_constraints_test.cc.

#ifndef TESSERA_TARGET_GPU_LAYOUTS_ORDER_RULES_H_
#define TESSERA_TARGET_GPU_LAYOUTS_ORDER_RULES_H_

#include <optional>

#include "tessera/hlo/attributes.h"
#include "tessera/target/gpu/layouts/order.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// The dimensions of the operand of a reduce that its result keeps, in increasing order.
hlo::IntList KeptByReduction(const DeviceProgram& program, InstructionId id);

// Operands of its rank have the order of its result.
bool HasOneOrder(const DeviceProgram& program, InstructionId id);

// Of operand k, for a result in this order. None where the operation wants nothing.
std::optional<Order> OperandFor(const DeviceProgram& program, InstructionId id, size_t k,
                                const Order& result);
// Of the result of a reshape or a transpose whose operand is in this order. None of another operation.
std::optional<Order> ResultFor(const DeviceProgram& program, InstructionId id,
                               const Order& operand);
// An order that it hands on is handed on at once, not after all others.
bool GoesDeep(const DeviceProgram& program, InstructionId id);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_LAYOUTS_ORDER_RULES_H_
