#include "tessera/target/gpu/layouts/order_rules.h"

#include "absl/algorithm/container.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

// Beside element-wise operations: operands of the result's rank have its order.
constexpr Opcode kOneOrder[] = {Opcode::kAllGather,
                                Opcode::kAllReduce,
                                Opcode::kAllToAll,
                                Opcode::kCholesky,
                                Opcode::kCollectivePermute,
                                Opcode::kConcatenate,
                                Opcode::kDynamicSlice,
                                Opcode::kDynamicUpdateSlice,
                                Opcode::kFft,
                                Opcode::kMap,
                                Opcode::kPad,
                                Opcode::kReduceScatter,
                                Opcode::kReduceWindow,
                                Opcode::kReverse,
                                Opcode::kScatter,
                                Opcode::kSelectAndScatter,
                                Opcode::kSlice,
                                Opcode::kSort,
                                Opcode::kTriangularSolve};

// What a reduction must at least take in for XLA to want it along rows.
constexpr int64_t kLongReduction = 32;

// A long reduction wants what it reduces most minor.
std::optional<Order> ReducedFor(const DeviceProgram& program, InstructionId id,
                                const Order& result) {
  const IntList reduced = DimensionsOf(program, id);
  int64_t length = 1;
  for (const int64_t d : reduced) length *= program.shape(program.operand(id, 0)).dim(d);
  if (length < kLongReduction) return std::nullopt;
  Order order = Renumbered(result, KeptByReduction(program, id));
  order.insert(order.end(), reduced.begin(), reduced.end());
  return order;
}

}  // namespace

hlo::IntList KeptByReduction(const DeviceProgram& program, InstructionId id) {
  const IntList reduced = DimensionsOf(program, id);
  IntList kept;
  for (int64_t d = 0; d < program.shape(program.operand(id, 0)).rank(); ++d) {
    if (!absl::c_linear_search(reduced, d)) kept.push_back(d);
  }
  return kept;
}

bool HasOneOrder(const DeviceProgram& program, InstructionId id) {
  const Opcode opcode = program.opcode(id);
  if (opcode == Opcode::kCopy) return false;
  return projection::IsElementwise(opcode) || absl::c_linear_search(kOneOrder, opcode);
}

std::optional<Order> OperandFor(const DeviceProgram& program, InstructionId id, size_t k,
                                const Order& result) {
  const layout::Shape &made = program.shape(id), &read = program.shape(program.operand(id, k));
  switch (program.opcode(id)) {
    case Opcode::kReshape:
      return Reshaped(result, made.dims(), read.dims());
    case Opcode::kTranspose:
      return Renumbered(result, DimensionsOf(program, id));
    case Opcode::kReduce:
      return k > 0 ? std::nullopt : ReducedFor(program, id, result);
    default:
      return std::nullopt;
  }
}

std::optional<Order> ResultFor(const DeviceProgram& program, InstructionId id,
                               const Order& operand) {
  const layout::Shape &made = program.shape(id), &read = program.shape(program.operand(id, 0));
  switch (program.opcode(id)) {
    case Opcode::kReshape:
      return Reshaped(operand, read.dims(), made.dims());
    case Opcode::kTranspose:
      return Kept(operand, DimensionsOf(program, id));
    default:
      return std::nullopt;
  }
}

bool GoesDeep(const DeviceProgram& program, InstructionId id) {
  switch (program.opcode(id)) {
    case Opcode::kGather:
    case Opcode::kScatter:
    case Opcode::kTranspose:
      return true;
    case Opcode::kReshape: {
      const layout::Shape& read = program.shape(program.operand(id, 0));
      return read.rank() == 1 || DiffersByOnes(read.dims(), program.shape(id).dims());
    }
    default:
      return false;
  }
}

}  // namespace tessera::target
