#include "tessera/target/gpu/layouts/normalization.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

// Writes down what was decided for one computation.
class Normalization {
 public:
  Normalization(DeviceProgram& program, ComputationId c, const LayoutConstraints& layouts,
                const OrdersOfComputations& borders)
      : program_(program), c_(c), layouts_(layouts), borders_(borders) {}

  void Run() {
    const std::vector<InstructionId> order = program_.PostOrder(c_);
    for (const InstructionId id : order) {
      MoveOperands(id);
      MoveTakenByCalls(id);
    }
    MoveResults();
    for (const InstructionId id : order) Rename(id);
    for (const InstructionId id : order) RemoveUnused(id);
  }

 private:
  const Order& OrderOf(InstructionId id) const {
    return layouts_.OrderOf(layouts_.buffers().Of(id));
  }

  // The array in the other order; each is moved once.
  InstructionId Moved(InstructionId x, const Order& from, const Order& to) {
    const layout::Shape shape = program_.shape(x);
    if (to.empty() || LiesAlike(from, to, shape.dims())) return x;
    const auto [found, is_new] = moved_.try_emplace({x, to}, x);
    if (is_new) {
      const InstructionId lying = AddBitcast(program_, x, InOrder(shape, from));
      const InstructionId moved = TransposeTo(program_, lying, Places(from, to));
      found->second = AddBitcast(program_, moved, shape);
    }
    return found->second;
  }

  static layout::Shape InOrder(const layout::Shape& shape, const Order& order) {
    IntList sizes;
    for (const int64_t d : order) sizes.push_back(shape.dim(d));
    return Resized(shape, sizes);
  }

  // Where in `from` each dimension of `to` stands.
  static IntList Places(const Order& from, const Order& to) {
    IntList places;
    for (const int64_t d : to) places.push_back(absl::c_find(from, d) - from.begin());
    return places;
  }

  void MoveOperands(InstructionId id) {
    for (size_t k = 0; k < program_.operands(id).size(); ++k) {
      const Order* const wish = layouts_.WishOf({id, k});
      const InstructionId operand = program_.operand(id, k);
      if (wish == nullptr || !program_.shape(operand).is_array()) continue;
      const InstructionId moved = Moved(operand, OrderOf(operand), *wish);
      if (moved != operand) program_.SetOperand(id, k, moved);
    }
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
    if (shape.is_array()) return Moved(x, OrderOf(x), orders.front());
    if (!AnyMoves(x, orders)) return x;
    std::vector<InstructionId> elements;
    for (size_t k = 0; k < orders.size(); ++k) elements.push_back(MovedElement(x, k, orders[k]));
    if (program_.opcode(x) == Opcode::kTuple) return program_.Clone(x, elements, shape);
    return program_.Add(c_, Opcode::kTuple, "tuple", shape, elements);
  }

  bool AnyMoves(InstructionId x, const std::vector<Order>& orders) const {
    for (size_t k = 0; k < LeavesOf(program_.shape(x)); ++k) {
      const BufferId buffer = layouts_.buffers().Of(x, static_cast<int64_t>(k));
      const layout::Shape& element = layouts_.buffers().ShapeOf(buffer);
      if (!element.is_array()) continue;
      if (!LiesAlike(layouts_.OrderOf(buffer), orders[k], element.dims())) return true;
    }
    return false;
  }

  InstructionId MovedElement(InstructionId x, size_t k, const Order& order) {
    const auto leaf = static_cast<int64_t>(k);
    const InstructionId element = program_.opcode(x) == Opcode::kTuple
                                      ? program_.operand(x, k)
                                      : program_.AddGetTupleElement(x, leaf);
    if (!program_.shape(element).is_array()) return element;
    return Moved(element, layouts_.OrderOf(layouts_.buffers().Of(x, leaf)), order);
  }

  void Rename(InstructionId id) {
    if (program_.IsRemoved(id)) return;
    if (program_.opcode(id) == Opcode::kTranspose) RenameTranspose(id);
    if (program_.opcode(id) == Opcode::kReshape) RenameReshape(id);
  }

  // A transpose that became a bitcast.
  void RemoveUnused(InstructionId id) {
    if (!program_.IsRemoved(id) && program_.opcode(id) == Opcode::kTranspose)
      program_.RemoveDead(id);
  }

  // In which the operand is read.
  Order OrderRead(InstructionId id) const {
    const Order* const wish = layouts_.WishOf({id, 0});
    return wish != nullptr ? *wish : OrderOf(program_.operand(id, 0));
  }

  // A transpose that moves nothing.
  void RenameTranspose(InstructionId id) {
    const layout::Shape shape = program_.shape(id);
    const Order made = Kept(OrderRead(id), DimensionsOf(program_, id));
    if (!LiesAlike(made, layouts_.OrderOf({id, 0}), shape.dims())) return;
    program_.ReplaceUses(id, AddBitcast(program_, program_.operand(id, 0), shape));
  }

  // A reshape that would have to move is made of transposes.
  void RenameReshape(InstructionId id) {
    const Order from = OrderRead(id), to = layouts_.OrderOf({id, 0});
    const layout::Shape shape = program_.shape(id);
    const auto sizes = program_.shape(program_.operand(id, 0)).dims();
    const auto reshaped = Reshaped(from, sizes, shape.dims());
    if (reshaped.has_value() && LiesAlike(*reshaped, to, shape.dims())) return;
    const Order plain = DefaultOrder(sizes.size());
    const InstructionId in_order = Moved(program_.operand(id, 0), from, plain);
    const InstructionId renamed = AddBitcast(program_, in_order, shape);
    program_.ReplaceUses(id, Moved(renamed, DefaultOrder(shape.dims().size()), to));
  }

  DeviceProgram& program_;
  const ComputationId c_;
  const LayoutConstraints& layouts_;
  const OrdersOfComputations& borders_;
  std::map<std::pair<InstructionId, Order>, InstructionId> moved_;
};

}  // namespace

void WriteOrders(DeviceProgram& program, ComputationId c, const LayoutConstraints& layouts,
                 const OrdersOfComputations& borders) {
  Normalization(program, c, layouts, borders).Run();
}

}  // namespace tessera::target
