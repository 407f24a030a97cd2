#include "tessera/target/simplify/parts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/hlo/literal.h"
#include "tessera/hlo/number_format.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/rewrites.h"

namespace tessera::target {
namespace {

// Of a constant whose elements are all one.
std::optional<uint64_t> BitsOfEach(const DeviceProgram& program, InstructionId id) {
  if (program.opcode(id) != Opcode::kConstant) return std::nullopt;
  const layout::Shape& shape = program.shape(id);
  const bool is_scalar = shape.is_array() && shape.rank() == 0;
  if (!is_scalar && !hlo::IsSplat(program.module(), id)) return std::nullopt;
  const auto literal = hlo::ParseLiteral(program.module().LiteralText(id), shape);
  if (!literal.ok() || literal->elided) return std::nullopt;
  return literal->BitsAt(0);
}

using hlo::AttributeName;
using layout::ElementType;

// Those of the dimensions that are left.
IntList SizesWithout(const layout::Shape& shape, const IntList& dimensions) {
  IntList sizes;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!absl::c_linear_search(dimensions, d)) sizes.push_back(shape.dim(d));
  }
  return sizes;
}

}  // namespace

ComputationId AddSum(DeviceProgram& program, ElementType type) {
  const ComputationId c = program.AddComputation("sum");
  const layout::Shape scalar = layout::Shape::Array(type, {}, std::nullopt);
  const InstructionId a = program.Add(c, Opcode::kParameter, "a", scalar, {});
  const InstructionId b = program.Add(c, Opcode::kParameter, "b", scalar, {});
  program.SetRoot(c, program.Add(c, Opcode::kAdd, "sum", scalar, {a, b}));
  return c;
}

IntList DimensionsOf(const DeviceProgram& program, InstructionId id) {
  return hlo::GetInts(program.module(), id, AttributeName::kDimensions).value_or(IntList());
}

bool HasOnes(const layout::Shape& shape) { return absl::c_linear_search(shape.dims(), 1); }

IntList SizesWithoutOnes(const layout::Shape& shape) {
  IntList sizes;
  for (const int64_t size : shape.dims()) {
    if (size != 1) sizes.push_back(size);
  }
  return sizes;
}

InstructionId ReshapeTo(DeviceProgram& program, InstructionId x, const layout::Shape& shape) {
  return program.shape(x).dims() == shape.dims() ? x : AddReshape(program, x, shape);
}

InstructionId TransposeTo(DeviceProgram& program, InstructionId x,
                          absl::Span<const int64_t> order) {
  if (absl::c_is_sorted(order)) return x;
  const layout::Shape shape = program.shape(x);
  IntList sizes;
  for (const int64_t d : order) sizes.push_back(shape.dim(d));
  const InstructionId moved = program.Add(program.computation(x), Opcode::kTranspose, "transpose",
                                          Resized(shape, sizes), {x});
  program.SetAttribute(moved, AttributeName::kDimensions, hlo::PrintInts(order));
  return moved;
}

ElementType TypeOfSum(ElementType type) {
  const bool is_short = layout::IsFloat(type) && layout::ByteWidth(type) < 4;
  return is_short ? ElementType::kF32 : type;
}

InstructionId ReduceOver(DeviceProgram& program, InstructionId reduce, InstructionId x,
                         const IntList& dimensions) {
  const layout::Shape shape =
      Resized(program.shape(reduce), SizesWithout(program.shape(x), dimensions));
  const InstructionId made = program.Clone(reduce, {x, program.operand(reduce, 1)}, shape);
  program.SetAttribute(made, AttributeName::kDimensions, hlo::PrintInts(dimensions));
  return made;
}

InstructionId SumOver(DeviceProgram& program, InstructionId x, const IntList& dimensions) {
  const layout::Shape shape = program.shape(x);
  const ComputationId c = program.computation(x);
  const ElementType type = shape.element_type();
  const InstructionId zero =
      program.AddConstant(c, layout::Shape::Array(type, {}, std::nullopt), "0");
  const InstructionId sum = program.Add(c, Opcode::kReduce, "reduce",
                                        Resized(shape, SizesWithout(shape, dimensions)), {x, zero});
  program.SetAttribute(sum, AttributeName::kDimensions, hlo::PrintInts(dimensions));
  program.SetCalled(sum, {AddSum(program, type)});
  return sum;
}

IntList KeptByReshape(const layout::Shape& from, const layout::Shape& to) {
  IntList kept(from.rank(), -1);
  if (from.NumElements() == 0) return kept;
  int64_t before_from = 1, before_to = 1;
  for (int64_t d = 0, e = 0; d < from.rank(); ++d) {
    while (e < to.rank() && (before_to < before_from || to.dim(e) == 1)) before_to *= to.dim(e++);
    const bool is_kept = e < to.rank() && before_to == before_from && from.dim(d) == to.dim(e);
    if (is_kept && from.dim(d) != 1) kept[d] = e;
    before_from *= from.dim(d);
  }
  return kept;
}

std::optional<Opcode> OpcodeOnParameters(const DeviceProgram& program, InstructionId id) {
  if (program.operands(id).size() != 2) return std::nullopt;
  const InstructionId a = program.operand(id, 0), b = program.operand(id, 1);
  const bool is_of_both = IsCommutative(program.opcode(id)) && a != b &&
                          program.opcode(a) == Opcode::kParameter &&
                          program.opcode(b) == Opcode::kParameter;
  return is_of_both ? std::optional<Opcode>(program.opcode(id)) : std::nullopt;
}

std::optional<Opcode> OnlyStep(const DeviceProgram& program, InstructionId id) {
  const auto called = program.module().called(id);
  if (called.size() != 1) return std::nullopt;
  return OpcodeOnParameters(program, program.module().computation(called[0]).root);
}

std::string FloatText(layout::ElementType type, double value) {
  uint64_t bits = 0;
  return hlo::EncodeFloat(type, value, &bits) ? hlo::PrintElement(type, bits) : "";
}

InstructionId PadAs(DeviceProgram& program, InstructionId pad,
                    const std::vector<hlo::PaddingDimension>& padding, const layout::Shape& shape) {
  const InstructionId made =
      program.Clone(pad, {program.operand(pad, 0), program.operand(pad, 1)}, shape);
  program.SetAttribute(made, hlo::AttributeName::kPadding, hlo::PrintPadding(padding));
  return made;
}

InstructionId ShiftedSlice(DeviceProgram& program, InstructionId slice, InstructionId x,
                           const IntList& place) {
  std::vector<hlo::SliceDimension> ranges = hlo::GetSlice(program.module(), slice);
  for (size_t d = 0; d < ranges.size(); ++d) {
    ranges[d].start -= place[d];
    ranges[d].limit -= place[d];
  }
  const InstructionId made = program.Clone(slice, {x}, program.shape(slice));
  program.SetAttribute(made, hlo::AttributeName::kSlice, hlo::PrintSlice(ranges));
  return made;
}

std::optional<double> FloatOf(const DeviceProgram& program, InstructionId id) {
  if (program.opcode(id) == Opcode::kBroadcast) id = program.operand(id, 0);
  const layout::ElementType type = program.shape(id).element_type();
  const std::optional<uint64_t> bits = BitsOfEach(program, id);
  if (!bits.has_value() || !layout::IsFloat(type)) return std::nullopt;
  return hlo::DecodeFloat(type, *bits);
}

std::optional<std::vector<ReshapePart>> PartsOfReshape(const layout::Shape& from,
                                                       const layout::Shape& to) {
  std::vector<ReshapePart> parts;
  parts.reserve(from.dims().size() + 1);
  ReshapePart part;
  while (part.from < from.rank() || part.to < to.rank()) {
    part.from_end = part.from;
    part.to_end = part.to;
    int64_t before = 1, after = 1;
    do {
      const bool takes_from =
          part.to_end == to.rank() || (part.from_end < from.rank() && before <= after);
      int64_t& product = takes_from ? before : after;
      const int64_t size = takes_from ? from.dim(part.from_end++) : to.dim(part.to_end++);
      if (size == 0) return std::nullopt;
      product *= size;
    } while (before != after && (part.from_end < from.rank() || part.to_end < to.rank()));
    parts.push_back(part);
    part.from = part.from_end;
    part.to = part.to_end;
  }
  return parts;
}

bool IsZero(const DeviceProgram& program, InstructionId id) {
  while (program.opcode(id) == Opcode::kBroadcast) id = program.operand(id, 0);
  return BitsOfEach(program, id) == 0;
}

bool IsTrue(const DeviceProgram& program, InstructionId id) {
  while (program.opcode(id) == Opcode::kBroadcast) id = program.operand(id, 0);
  return program.shape(id).element_type() == layout::ElementType::kPred &&
         BitsOfEach(program, id).value_or(0) != 0;
}

bool IsReduceOfOneArray(const DeviceProgram& program, InstructionId id) {
  return program.opcode(id) == Opcode::kReduce && program.operands(id).size() == 2 &&
         program.shape(id).is_array();
}

bool IsSum(const DeviceProgram& program, InstructionId id) {
  return IsReduceOfOneArray(program, id) && OnlyStep(program, id) == Opcode::kAdd &&
         IsZero(program, program.operand(id, 1));
}

}  // namespace tessera::target
