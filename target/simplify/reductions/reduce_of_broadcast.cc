// f32[8,256] reduce(f32[8,256,512] broadcast(x[256,512]), y), dimensions={2}  ->  broadcast(f32[256] reduce(x, y))
// f32[256,512] reduce(f32[8,256,512] broadcast(x), y), dimensions={0}         ->  add(multiply(x, 8), y), of sums
//
// What is repeated is reduced once, where no dimension that goes is one that repeats; it is multiplied where all are.
// XLA leaves the reduce as it is where some are, and so it does with products, largest and smallest numbers of copies.

#include <optional>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

// For each dimension of the broadcast's operand that stays, the place of its dimension in the result of the reduce.
IntList PlacesInResult(const IntList& places, const IntList& reduced) {
  IntList found;
  for (const int64_t place : places) {
    if (absl::c_linear_search(reduced, place)) continue;
    found.push_back(place - absl::c_count_if(reduced, [&](int64_t d) { return d < place; }));
  }
  return found;
}

// The text of a constant; empty where the type has no such number.
std::string NumberAs(layout::ElementType type, int64_t number) {
  if (layout::IsInteger(type)) return absl::StrCat(number);
  return layout::IsFloat(type) ? FloatText(type, static_cast<double>(number)) : "";
}

InstructionId SumOfCopies(DeviceProgram& program, InstructionId reduce, int64_t copies) {
  const InstructionId x = program.operand(program.operand(reduce, 0), 0);
  const layout::Shape shape = Resized(program.shape(reduce), program.shape(x).dims());
  const std::string number = NumberAs(shape.element_type(), copies);
  if (number.empty() || OnlyStep(program, reduce) != Opcode::kAdd) return kNoId;
  const ComputationId c = program.computation(reduce);
  const InstructionId constant = program.AddConstant(c, Resized(shape, {}), number);
  const InstructionId product = program.Add(c, Opcode::kMultiply, "multiply", shape,
                                            {x, InEachElement(program, constant, shape)});
  const InstructionId start = program.operand(reduce, 1);
  if (IsZero(program, start)) return product;
  return program.Add(c, Opcode::kAdd, "add", shape,
                     {InEachElement(program, start, shape), product});
}

InstructionId ReduceOfOperand(DeviceProgram& program, InstructionId reduce, const IntList& places,
                              const IntList& reduced) {
  const InstructionId x = program.operand(program.operand(reduce, 0), 0);
  IntList dimensions;
  for (int64_t d = 0; d < program.shape(x).rank(); ++d) {
    if (absl::c_linear_search(reduced, places[d])) dimensions.push_back(d);
  }
  return ReduceOver(program, reduce, x, dimensions);
}

}  // namespace

InstructionId ReduceBeforeBroadcast(DeviceProgram& program, InstructionId reduce) {
  const InstructionId broadcast = program.operand(reduce, 0);
  if (program.opcode(broadcast) != Opcode::kBroadcast || !IsReduceOfOneArray(program, reduce)) {
    return kNoId;
  }
  const IntList places = DimensionsOf(program, broadcast), reduced = DimensionsOf(program, reduce);
  const auto repeats = [&](int64_t d) { return !absl::c_linear_search(places, d); };
  InstructionId once = kNoId;
  if (absl::c_all_of(reduced, repeats)) {
    int64_t copies = 1;
    for (const int64_t d : reduced) copies *= program.shape(broadcast).dim(d);
    once = SumOfCopies(program, reduce, copies);
  } else if (absl::c_none_of(reduced, repeats)) {
    once = ReduceOfOperand(program, reduce, places, reduced);
  }
  if (once == kNoId) return kNoId;
  const layout::Shape shape = Resized(program.shape(reduce), program.shape(reduce).dims());
  return AddBroadcast(program, once, shape, PlacesInResult(places, reduced));
}

}  // namespace tessera::target
