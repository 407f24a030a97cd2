// Two orders of XLA over all instructions of a module, which decide between buffers of equal size.
//
//   const XlaOrders orders = OrdersOf(module);
//   orders.numbers[id];      // callees in front of callers: values are numbered so
//   orders.positions[id];    // callers in front of callees: buffers are assigned so
//
// Within a computation both are hlo::PostOrder(). Cost: linear in the operands. Tested by
// cpu_heap_test.cc.

#ifndef TESSERA_TARGET_BUFFERS_HEAP_XLA_ORDERS_H_
#define TESSERA_TARGET_BUFFERS_HEAP_XLA_ORDERS_H_

#include <cstddef>
#include <vector>

#include "tessera/hlo/module.h"

namespace tessera::target {

struct XlaOrders {
  std::vector<size_t> numbers, positions;  // by InstructionId
};

XlaOrders OrdersOf(const hlo::Module& module);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_HEAP_XLA_ORDERS_H_
