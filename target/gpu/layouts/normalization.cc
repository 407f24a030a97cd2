#include "tessera/target/gpu/layouts/normalization.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/target/gpu/layouts/move_copies.h"
#include "tessera/target/gpu/layouts/physical_form.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

bool IsPlain(const Order& order, const layout::Shape& shape) {
  return IsDefault(order) || LiesAlike(order, DefaultOrder(order.size()), shape.dims());
}

// Writes down what was decided for one computation.
class Normalization {
 public:
  Normalization(DeviceProgram& program, ComputationId c, const DecidedOrders& decided,
                const OrdersOfComputations& borders)
      : program_(program), c_(c), decided_(decided), borders_(borders) {}

  void Run(absl::Span<const InstructionId> order) {
    for (const InstructionId id : order) {
      if (program_.shape(id).is_array()) orders_[id] = decided_.OrderOf(id);
      program_.SetShape(id, Lying(id));
    }
    for (const InstructionId id : order) MoveTakenByCalls(id);
    MoveResults();
    for (const InstructionId id : order) Normalize(id);
    for (auto id = bitcasts_.rbegin(); id != bitcasts_.rend(); ++id) {
      if (!program_.IsRemoved(*id)) program_.RemoveDead(*id);
    }
  }

 private:
  // The shape with the layouts that were decided.
  layout::Shape Lying(InstructionId id) const {
    const layout::Shape& shape = program_.shape(id);
    if (shape.is_array()) return LyingIn(shape, orders_.at(id));
    layout::Shape lying = shape;
    for (int64_t k = 0; k < static_cast<int64_t>(shape.tuple_elements().size()); ++k) {
      const BufferId buffer = decided_.buffers().Of(id, k);
      layout::Shape* const element = lying.mutable_tuple_element(k);
      if (element->is_array() && decided_.buffers().ShapeOf(buffer).is_array())
        *element = LyingIn(*element, decided_.OrderOf(buffer));
    }
    return lying;
  }

  InstructionId Bitcast(InstructionId x, const layout::Shape& shape) {
    bitcasts_.push_back(BitcastTo(program_, x, shape));
    return bitcasts_.back();
  }

  // The array with its dimensions as it lies.
  InstructionId Physical(InstructionId x) {
    const Order& order = orders_.at(x);
    if (IsDefault(order)) return x;
    const auto [found, is_new] = physical_.try_emplace(x, x);
    if (is_new) found->second = Bitcast(x, InOrder(program_.shape(x), order));
    return found->second;
  }

  // The same in another order; each is moved once.
  InstructionId PhysicalIn(InstructionId x, const Order& to) {
    const Order from = orders_.at(x);
    const InstructionId lying = Physical(x);
    if (from == to) return lying;
    if (LiesAlike(from, to, program_.shape(x).dims()))
      return Bitcast(lying, InOrder(program_.shape(x), to));
    const auto [found, is_new] = moved_.try_emplace({x, to}, x);
    if (is_new) found->second = TransposeTo(program_, lying, Places(from, to));
    return found->second;
  }

  // With its own dimensions.
  InstructionId Moved(InstructionId x, const Order& to) {
    if (to.empty() || LiesAlike(orders_.at(x), to, program_.shape(x).dims())) return x;
    const layout::Shape shape = LyingIn(program_.shape(x), to);
    return Bitcast(PhysicalIn(x, to), shape);
  }

  // In which an operand is read.
  Order OrderRead(InstructionId id, size_t k) const {
    const InstructionId operand = program_.operand(id, k);
    if (!program_.shape(operand).is_array()) return {};
    const Order* const preference = decided_.PreferenceOf({id, k});
    return preference != nullptr && !preference->empty() ? *preference : orders_.at(operand);
  }

  // XLA writes a convolution with its own dimensions only if they are in their order, those of size 1 too.
  bool IsPlainIn(InstructionId id, const Order& order, const layout::Shape& shape) const {
    if (program_.opcode(id) != Opcode::kConvolution) return IsPlain(order, shape);
    return IsDefault(order);
  }

  // It reads and makes rows, and everything is where it is wanted.
  bool IsInRows(InstructionId id) const {
    if (program_.shape(id).is_array() && !IsDefault(orders_.at(id))) return false;
    const auto operands = program_.operands(id);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (!program_.shape(operands[k]).is_array()) continue;
      const Order* const preference = decided_.PreferenceOf({id, k});
      if (preference != nullptr && !IsDefault(*preference)) return false;
      if (!IsDefault(orders_.at(operands[k]))) return false;
    }
    return true;
  }

  void Normalize(InstructionId id) {
    if (program_.IsRemoved(id) || IsInRows(id)) return;
    std::vector<Order> read;
    bool is_plain =
        !program_.shape(id).is_array() || IsPlainIn(id, orders_.at(id), program_.shape(id));
    for (size_t k = 0; k < program_.operands(id).size(); ++k) {
      read.push_back(OrderRead(id, k));
      is_plain = is_plain && IsPlainIn(id, read[k], program_.shape(program_.operand(id, k)));
    }
    if (is_plain || !HasPhysicalForm(program_, id)) return MoveOperands(id, read);
    Replace(id, read);
  }

  void MoveOperands(InstructionId id, const std::vector<Order>& read) {
    for (size_t k = 0; k < read.size(); ++k) {
      const InstructionId operand = program_.operand(id, k);
      if (!program_.shape(operand).is_array()) continue;
      const InstructionId moved = Moved(operand, read[k]);
      if (moved != operand) program_.SetOperand(id, k, moved);
    }
  }

  void Replace(InstructionId id, const std::vector<Order>& read) {
    const Order order = orders_.at(id);
    const layout::Shape shape = program_.shape(id);
    std::vector<InstructionId> operands;
    for (size_t k = 0; k < read.size(); ++k)
      operands.push_back(PhysicalIn(program_.operand(id, k), read[k]));
    InstructionId made = PhysicalForm(program_, id, std::move(operands), read, order);
    // A transpose that moves nothing is its operand: a bitcast that only it reads would go with it.
    const bool goes = program_.opcode(made) == Opcode::kBitcast && program_.OnlyUser(made) == id;
    if (goes) made = Bitcast(made, program_.shape(made));
    if (program_.opcode(made) == Opcode::kBitcast) bitcasts_.push_back(made);
    const InstructionId back = Bitcast(made, shape);
    orders_[back] = order;
    physical_[back] = made;
    program_.ReplaceUses(id, back);
    if (made != id) program_.RemoveDead(id);
  }

  void MoveTakenByCalls(InstructionId id) {
    if (program_.opcode(id) == Opcode::kWhile) {
      MoveTaken(id, 0, borders_.at(program_.module().called(id).front()).arguments);
    } else if (program_.opcode(id) == Opcode::kConditional) {
      const auto callees = program_.module().called(id);
      for (size_t b = 0; b < callees.size(); ++b)
        MoveTaken(id, b + 1, borders_.at(callees[b]).arguments);
    }
  }

  // A tuple that the instruction takes.
  void MoveTaken(InstructionId id, size_t operand, const std::vector<Order>& orders) {
    const InstructionId taken = program_.operand(id, operand);
    if (program_.shape(taken).is_array()) return;  // among the operands already
    const InstructionId moved = AllMoved(taken, orders);
    if (moved == taken) return;
    program_.SetOperand(id, operand, moved);
    program_.RemoveDead(taken);
  }

  void MoveResults() {
    const InstructionId root = program_.module().computation(c_).root;
    const InstructionId moved = AllMoved(root, borders_.at(c_).results);
    if (moved == root) return;
    program_.SetRoot(c_, moved);
    program_.RemoveDead(root);
  }

  // An array, or a tuple with its arrays, in these orders.
  InstructionId AllMoved(InstructionId x, const std::vector<Order>& orders) {
    const layout::Shape shape = program_.shape(x);
    if (shape.is_array()) return Moved(x, orders.front());
    if (!AnyMoves(x, orders)) return x;
    std::vector<InstructionId> elements;
    for (size_t k = 0; k < orders.size(); ++k) elements.push_back(MovedElement(x, k, orders[k]));
    const layout::Shape moved = TupleOf(elements);
    if (program_.opcode(x) == Opcode::kTuple) return program_.Clone(x, elements, moved);
    return program_.Add(c_, Opcode::kTuple, "tuple", moved, elements);
  }

  layout::Shape TupleOf(const std::vector<InstructionId>& elements) const {
    std::vector<layout::Shape> shapes;
    for (const InstructionId element : elements) shapes.push_back(program_.shape(element));
    return layout::Shape::Tuple(std::move(shapes));
  }

  bool AnyMoves(InstructionId x, const std::vector<Order>& orders) const {
    for (size_t k = 0; k < LeavesOf(program_.shape(x)); ++k) {
      const BufferId buffer = decided_.buffers().Of(x, static_cast<int64_t>(k));
      const layout::Shape& element = decided_.buffers().ShapeOf(buffer);
      if (!element.is_array()) continue;
      if (!LiesAlike(decided_.OrderOf(buffer), orders[k], element.dims())) return true;
    }
    return false;
  }

  InstructionId MovedElement(InstructionId x, size_t k, const Order& order) {
    const auto leaf = static_cast<int64_t>(k);
    const bool is_made = program_.opcode(x) == Opcode::kTuple;
    const InstructionId element =
        is_made ? program_.operand(x, k) : program_.AddGetTupleElement(x, leaf);
    if (!program_.shape(element).is_array()) return element;
    if (!is_made) orders_[element] = decided_.OrderOf(decided_.buffers().Of(x, leaf));
    return Moved(element, order);
  }

  DeviceProgram& program_;
  const ComputationId c_;
  const DecidedOrders& decided_;
  const OrdersOfComputations& borders_;
  absl::flat_hash_map<InstructionId, Order> orders_;            // of arrays
  absl::flat_hash_map<InstructionId, InstructionId> physical_;  // of those that are not row-major
  std::map<std::pair<InstructionId, Order>, InstructionId> moved_;
  std::vector<InstructionId> bitcasts_;  // that were added; many have no reader
};

}  // namespace

void WriteOrders(DeviceProgram& program, ComputationId c, const LayoutConstraints& layouts,
                 const OrdersOfComputations& borders) {
  DecidedOrders decided(layouts);
  const std::vector<InstructionId> order = program.PostOrder(c);
  MoveCopiesToUsers(program, order, decided);
  Normalization(program, c, decided, borders).Run(order);
}

}  // namespace tessera::target
