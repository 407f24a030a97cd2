// In which order each array of a computation lies in memory, as XLA's layout assignment decides it.
//
//   LayoutConstraints layouts(program, c, {.arguments = .., .results = .., .loops = &loops});
//   layouts.OrderOf({id, 0});          // of the array that id makes
//   layouts.WishOf({user, k});         // of operand k of user; another one than that of the array: a copy
//
// What must be so comes first: borders, products with a batch, collectives, whose dimension must be the
// most major one. From there orders spread, depth first, to operands and to readers: an operation on cells
// has one order for all; a transpose or a reshape the order that makes it free. What is settled stays,
// unless the new one must be so. What is left has the default order. wanted_orders.cc has what must be so,
// order_rules.h how orders spread.
//
// Cost: linear in the operands. Only its own operand or result unsettles what is settled, so each is
// settled a few times at most; the operands of an instruction are gone through once for each rank that
// they have. Tested by layout_constraints_test.cc.

#ifndef TESSERA_TARGET_GPU_LAYOUTS_LAYOUT_CONSTRAINTS_H_
#define TESSERA_TARGET_GPU_LAYOUTS_LAYOUT_CONSTRAINTS_H_

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/target/gpu/layouts/buffers.h"
#include "tessera/target/gpu/layouts/order.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// Of the arrays that a computation takes and gives. Empty: not said.
struct BorderOrders {
  std::vector<Order> arguments;  // by element of its parameter, or by parameter of the entry
  std::vector<Order> results;    // by element of its root
};

// Those of each computation that a loop or a conditional runs.
using OrdersOfComputations = absl::flat_hash_map<ComputationId, BorderOrders>;

class LayoutConstraints {
 public:
  // `borders` may leave both lists empty; `called` has all that it calls.
  LayoutConstraints(const DeviceProgram& program, ComputationId c, const BorderOrders& borders,
                    const OrdersOfComputations& called);

  const ArrayBuffers& buffers() const { return buffers_; }
  const Order& OrderOf(const BufferId& buffer) const { return orders_.at(buffer).order; }
  // None where nothing is asked for.
  const Order* WishOf(const OperandId& operand) const;
  // Of what it takes and gives.
  BorderOrders Borders() const;

 private:
  struct Constraint {
    Order order;
    bool must = false;
    bool goes_deep = true;
  };
  struct Added {
    bool is_operand = false;
    BufferId buffer;
    OperandId operand;
    bool goes_deep = true;
  };

  void AddBorders(const BorderOrders& borders, const OrdersOfComputations& called);
  void AddArguments(const std::vector<Order>& arguments);
  void AddOfCalls(InstructionId id, const OrdersOfComputations& called);
  void AddOfCall(InstructionId id, const BorderOrders& callee, size_t operand);
  void AddOfDot(InstructionId id);
  void AddOfBatchedProduct(InstructionId id);
  void AddOfTranspose(InstructionId id);
  void AddOfCollective(InstructionId id);
  void AddDefaultOperands(InstructionId id);
  void AddOfCustomCall(InstructionId id);
  void AddOfInstruction(InstructionId id);

  // By element.
  std::vector<Order> OrdersOf(InstructionId id) const;

  void SetBuffer(const BufferId& buffer, Order order, bool must, bool goes_deep = true);
  void SetOperand(const OperandId& operand, Order order, bool must, bool goes_deep = true);
  void SetSource(const BufferId& buffer, const Order& order);
  void Spread();
  void SpreadBuffer(const BufferId& buffer);
  void SpreadToOperand(const OperandId& operand, const Order& result);
  void SpreadOperand(const OperandId& operand);
  void SpreadToSiblings(const OperandId& operand, const Order& order);
  void TakeAdded();

  const DeviceProgram& program_;
  const ComputationId c_;
  const ArrayBuffers buffers_;
  absl::flat_hash_map<BufferId, Constraint> orders_;
  absl::flat_hash_map<OperandId, Constraint> wishes_;
  absl::flat_hash_set<std::pair<InstructionId, int64_t>> spread_;  // among operands of this rank
  std::vector<Added> added_;
  std::deque<Added> open_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_LAYOUTS_LAYOUT_CONSTRAINTS_H_
