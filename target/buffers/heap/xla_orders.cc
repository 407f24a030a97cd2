#include "tessera/target/buffers/heap/xla_orders.h"

#include "tessera/hlo/order.h"

namespace tessera::target {

XlaOrders OrdersOf(const hlo::Module& module) {
  const size_t count = module.num_instructions();
  XlaOrders orders = {std::vector<size_t>(count), std::vector<size_t>(count)};
  hlo::PostOrderWalk walk(module);
  size_t number = 0, end = count;
  for (const hlo::ComputationId c : hlo::ComputationPostOrder(module)) {
    const std::vector<hlo::InstructionId>& order = walk.Of(c);
    end -= order.size();
    for (size_t k = 0; k < order.size(); ++k) {
      orders.numbers[order[k]] = number++;
      orders.positions[order[k]] = end + k;
    }
  }
  return orders;
}

}  // namespace tessera::target
