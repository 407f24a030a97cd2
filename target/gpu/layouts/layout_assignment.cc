#include "tessera/target/gpu/layouts/layout_assignment.h"

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/gpu/layouts/layout_constraints.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

// Writes down what was decided for one computation.
class Normalization {
 public:
  Normalization(DeviceProgram& program, ComputationId c, const LayoutConstraints& layouts,
                BorderOrders borders, const OrdersOfComputations& called)
      : program_(program),
        c_(c),
        layouts_(layouts),
        borders_(std::move(borders)),
        called_(called) {}

  void Run() {
    const std::vector<InstructionId> order = program_.PostOrder(c_);
    for (const InstructionId id : order) {
      MoveOperands(id);
      if (program_.opcode(id) == Opcode::kWhile) {
        MoveElements(id, 0, called_.at(program_.module().called(id).front()).arguments);
      } else if (program_.opcode(id) == Opcode::kConditional) {
        const auto callees = program_.module().called(id);
        for (size_t b = 0; b < callees.size(); ++b)
          MoveElements(id, b + 1, called_.at(callees[b]).arguments);
      }
    }
    MoveResults();
    for (const InstructionId id : order) Rename(id);
  }

 private:
  const Order& OrderOf(InstructionId id) const { return layouts_.OrderOf(layouts_.buffers().Of(id)); }

  // The array in the other order; each is moved once.
  InstructionId Moved(InstructionId x, const Order& from, const Order& to) {
    const layout::Shape shape = program_.shape(x);
    if (to.empty() || LiesAlike(from, to, shape.dims())) return x;
    const auto [found, is_new] = moved_.try_emplace({x, to}, x);
    if (is_new) found->second = AddBitcast(program_, TransposeTo(program_, AddBitcast(program_, x, InOrder(shape, from)), Places(from, to)), shape);
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
    const InstructionId root = program_.module().computation(c_).root;
    if (program_.opcode(root) != Opcode::kTuple) return;
    for (size_t k = 0; k < program_.operands(root).size() && k < borders_.results.size(); ++k) {
      const InstructionId element = program_.operand(root, k);
      if (!program_.shape(element).is_array()) continue;
      const InstructionId moved = Moved(element, OrderOf(element), borders_.results[k]);
      if (moved != element) program_.SetOperand(root, k, moved);
    }
  }

  // A transpose that moves nothing; a reshape that would have to move is made of a transpose.
  void Rename(InstructionId id) {
    if (program_.IsRemoved(id)) return;
    const Opcode opcode = program_.opcode(id);
    if (opcode != Opcode::kTranspose && opcode != Opcode::kReshape) return;
    const Order* const wish = layouts_.WishOf({id, 0});
    const Order from = wish != nullptr ? *wish : OrderOf(program_.operand(id, 0));
    const layout::Shape shape = program_.shape(id);
    const auto sizes = program_.shape(program_.operand(id, 0)).dims();
    const Order& to = layouts_.OrderOf({id, 0});
    if (opcode == Opcode::kTranspose) {
      const bool is_free = LiesAlike(Kept(from, DimensionsOf(program_, id)), to, shape.dims());
      if (is_free) program_.ReplaceUses(id, AddBitcast(program_, program_.operand(id, 0), shape));
      return;
    }
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
  const BorderOrders borders_;
  const OrdersOfComputations& called_;
  std::map<std::pair<InstructionId, Order>, InstructionId> moved_;
};

// Loops, branches and the entry; not what a reduction or a fusion applies.
std::vector<ComputationId> ComputationsThatRun(DeviceProgram& program) {
  std::vector<bool> runs(program.module().num_computations());
  runs[program.module().entry_id()] = true;
  const std::vector<ComputationId> all = program.Computations();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    if (!runs[*it]) continue;
    for (const InstructionId id : program.module().computation(*it).instructions) {
      if (program.IsRemoved(id)) continue;
      const Opcode opcode = program.opcode(id);
      if (opcode != Opcode::kWhile && opcode != Opcode::kConditional) continue;
      for (const ComputationId callee : program.module().called(id)) runs[callee] = true;
    }
  }
  std::vector<ComputationId> running;
  for (const ComputationId c : all) {
    if (runs[c]) running.push_back(c);
  }
  return running;
}

std::vector<Order> DefaultOrders(const layout::Shape& shape) {
  std::vector<Order> orders;
  if (!shape.is_tuple()) return {DefaultOrder(shape.dims().size())};
  for (const layout::Shape& element : shape.tuple_elements())
    orders.push_back(DefaultOrder(element.dims().size()));
  return orders;
}

// Of the entry and of branches: row-major.
BorderOrders PlainBorders(const DeviceProgram& program, ComputationId c) {
  const hlo::Computation& computation = program.module().computation(c);
  BorderOrders borders;
  for (const InstructionId p : computation.parameters) {
    for (Order& order : DefaultOrders(program.shape(p)))
      borders.arguments.push_back(std::move(order));
  }
  borders.results = DefaultOrders(program.shape(computation.root));
  return borders;
}

// Conditions by their bodies.
absl::flat_hash_map<ComputationId, ComputationId> ConditionsOf(
    const DeviceProgram& program, const std::vector<ComputationId>& computations) {
  absl::flat_hash_map<ComputationId, ComputationId> conditions;
  for (const ComputationId c : computations) {
    for (const InstructionId id : program.module().computation(c).instructions) {
      if (program.IsRemoved(id) || program.opcode(id) != Opcode::kWhile) continue;
      conditions[program.module().called(id)[0]] = program.module().called(id)[1];
    }
  }
  return conditions;
}

}  // namespace

absl::Status AssignLayouts(Context& context) {
  DeviceProgram& program = context.program;
  const std::vector<ComputationId> computations = ComputationsThatRun(program);
  const auto conditions = ConditionsOf(program, computations);
  OrdersOfComputations borders;
  for (const ComputationId c : computations) borders[c] = PlainBorders(program, c);
  for (const ComputationId c : computations) {
    const auto condition = conditions.find(c);
    if (condition == conditions.end()) continue;
    borders[c] = LayoutConstraints(program, c, {}, borders).Borders();
    borders[c].arguments = borders[c].results;  // a loop carries what its body leaves
    borders[condition->second].arguments = borders[c].results;
  }
  for (const ComputationId c : computations) {
    const LayoutConstraints layouts(program, c, borders[c], borders);
    Normalization(program, c, layouts, borders[c], borders).Run();
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
