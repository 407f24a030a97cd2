#include "tessera/target/gpu/layouts/move_copies.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/projection/signatures/opcode_sets.h"

namespace tessera::target {
namespace {

// Beside element-wise operations of one operand: each has the order of its first operand.
constexpr Opcode kOfOneArray[] = {Opcode::kDynamicSlice, Opcode::kPad, Opcode::kReduceWindow,
                                  Opcode::kReverse, Opcode::kSlice};

class CopyMover {
 public:
  CopyMover(const DeviceProgram& program, DecidedOrders& decided)
      : program_(program), decided_(decided) {}

  void Visit(InstructionId id) {
    const Opcode opcode = program_.opcode(id);
    if (!program_.shape(id).is_array() || program_.operands(id).empty()) return;
    if (opcode == Opcode::kReshape) return DecomposeReshape(id);
    if (opcode == Opcode::kReduce) return KeepOperand(id, 0);
    if (IsOfOneArray(id) || AllMoveAlike(id)) MoveAfter(id);
  }

 private:
  const Order& OrderOfOperand(InstructionId id, size_t k) const {
    return decided_.OrderOf(program_.operand(id, k));
  }

  bool IsMoved(InstructionId id, size_t k) const {
    const layout::Shape& read = program_.shape(program_.operand(id, k));
    const Order* const preference = decided_.PreferenceOf({id, k});
    return preference != nullptr && read.is_array() &&
           !LiesAlike(OrderOfOperand(id, k), *preference, read.dims());
  }

  bool IsOfOneArray(InstructionId id) const {
    const Opcode opcode = program_.opcode(id);
    if (opcode == Opcode::kBitcastConvert || opcode == Opcode::kReducePrecision) return false;
    const bool is_unary = projection::IsElementwise(opcode) && program_.operands(id).size() == 1;
    return (is_unary || absl::c_linear_search(kOfOneArray, opcode)) && IsMoved(id, 0);
  }

  // Both operands of an element-wise operation, or all of a concatenate, lie in one other order.
  bool AllMoveAlike(InstructionId id) const {
    const Opcode opcode = program_.opcode(id);
    const size_t count = program_.operands(id).size();
    const bool is_binary = projection::IsElementwise(opcode) && count == 2;
    if (!is_binary && opcode != Opcode::kConcatenate) return false;
    for (size_t k = 0; k < count; ++k) {
      if (!IsMoved(id, k) || OrderOfOperand(id, k) != OrderOfOperand(id, 0)) return false;
    }
    return true;
  }

  void KeepOperand(InstructionId id, size_t k) {
    if (IsMoved(id, k)) decided_.SetPreference({id, k}, OrderOfOperand(id, k));
  }

  void MoveAfter(InstructionId id) {
    const Order order = OrderOfOperand(id, 0);
    for (size_t k = 0; k < program_.operands(id).size(); ++k) {
      const layout::Shape& read = program_.shape(program_.operand(id, k));
      if (read.is_array() && read.dims().size() == order.size()) KeepOperand(id, k);
    }
    decided_.MakeIn(id, order);
  }

  // Towards its result if that can be, else away from its operand, else through rows.
  void DecomposeReshape(InstructionId id) {
    const Sizes sizes = program_.shape(id).dims();
    const Sizes read = program_.shape(program_.operand(id, 0)).dims();
    const Order* const preference = decided_.PreferenceOf({id, 0});
    const Order from = preference != nullptr ? *preference : OrderOfOperand(id, 0);
    const Order to = decided_.OrderOf(BufferId{id, 0});
    if (IsDefault(from) && IsDefault(to)) return;
    const std::optional<Order> after = Reshaped(from, read, sizes);
    if (after.has_value() && LiesAlike(*after, to, sizes)) return;
    const std::optional<Order> before = Reshaped(to, sizes, read);
    if (before.has_value()) return decided_.SetPreference({id, 0}, *before);
    if (after.has_value()) return decided_.MakeIn(id, *after);
    decided_.SetPreference({id, 0}, DefaultOrder(read.size()));
    decided_.MakeIn(id, DefaultOrder(sizes.size()));
  }

  const DeviceProgram& program_;
  DecidedOrders& decided_;
};

}  // namespace

const Order& DecidedOrders::OrderOf(const BufferId& buffer) const {
  const auto found = orders_.find(buffer);
  return found != orders_.end() ? found->second : layouts_.OrderOf(buffer);
}

const Order* DecidedOrders::PreferenceOf(const OperandId& operand) const {
  const auto found = preferences_.find(operand);
  return found != preferences_.end() ? &found->second : layouts_.PreferenceOf(operand);
}

void DecidedOrders::SetPreference(const OperandId& operand, Order order) {
  preferences_[operand] = std::move(order);
}

void DecidedOrders::MakeIn(InstructionId id, const Order& order) {
  const BufferId buffer = {id, 0};
  const Order wanted = OrderOf(buffer);
  for (const OperandId& use : buffers().UsesOf(buffer)) {
    if (PreferenceOf(use) == nullptr) SetPreference(use, wanted);
  }
  orders_[buffer] = order;
}

void MoveCopiesToUsers(const DeviceProgram& program, absl::Span<const InstructionId> order,
                       DecidedOrders& decided) {
  CopyMover mover(program, decided);
  for (const InstructionId id : order) mover.Visit(id);
}

}  // namespace tessera::target
