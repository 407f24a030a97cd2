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
      MoveElements(id, 0, borders_.at(program_.module().called(id).front()).arguments);
    } else if (program_.opcode(id) == Opcode::kConditional) {
      const auto callees = program_.module().called(id);
      for (size_t b = 0; b < callees.size(); ++b)
        MoveElements(id, b + 1, borders_.at(callees[b]).arguments);
    }
  }

  // Of a tuple that the instruction takes.
  void MoveElements(InstructionId id, size_t operand, const std::vector<Order>& orders) {
    const InstructionId tuple = program_.operand(id, operand);
    if (program_.opcode(tuple) != Opcode::kTuple) return;
    std::vector<InstructionId> elements;
    bool any = false;
    for (size_t k = 0; k < program_.operands(tuple).size(); ++k) {
      const InstructionId element = program_.operand(tuple, k);
      const bool is_array = program_.shape(element).is_array() && k < orders.size();
      elements.push_back(is_array ? Moved(element, OrderOf(element), orders[k]) : element);
      any |= elements.back() != element;
    }
    if (!any) return;
    program_.SetOperand(id, operand, program_.Clone(tuple, elements, program_.shape(tuple)));
    program_.RemoveDead(tuple);
  }

  void MoveResults() {
    const std::vector<Order>& results = borders_.at(c_).results;
    const InstructionId root = program_.module().computation(c_).root;
    if (program_.opcode(root) != Opcode::kTuple) return;
    for (size_t k = 0; k < program_.operands(root).size() && k < results.size(); ++k) {
      const InstructionId element = program_.operand(root, k);
      if (!program_.shape(element).is_array()) continue;
      const InstructionId moved = Moved(element, OrderOf(element), results[k]);
      if (moved != element) program_.SetOperand(root, k, moved);
    }
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
