#include "tessera/target/passes/rewrites.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/values/value_printer.h"

namespace tessera::target {

using hlo::AttributeName;

bool IsCommutative(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
    case Opcode::kOr:
    case Opcode::kXor:
      return true;
    default:
      return false;
  }
}

layout::Shape Resized(const layout::Shape& like, absl::Span<const int64_t> sizes) {
  return layout::Shape::Array(like.element_type(), sizes);
}

layout::Shape SplitDimension(const layout::Shape& like, int64_t d, int64_t parts) {
  std::vector<int64_t> sizes(like.dims().begin(), like.dims().end());
  sizes[static_cast<size_t>(d)] /= parts;
  sizes.insert(sizes.begin() + d, parts);
  return Resized(like, sizes);
}

layout::Shape Retyped(const layout::Shape& like, layout::ElementType type) {
  layout::Shape shape = like;
  shape.set_element_type(type);
  return shape;
}

InstructionId AddReshape(DeviceProgram& program, InstructionId operand,
                         const layout::Shape& shape) {
  return program.Add(program.computation(operand), Opcode::kReshape, "reshape", shape, {operand});
}

InstructionId AddBitcast(DeviceProgram& program, InstructionId operand,
                         const layout::Shape& shape) {
  return program.Add(program.computation(operand), Opcode::kBitcast, "bitcast", shape, {operand});
}

InstructionId AddConvert(DeviceProgram& program, InstructionId operand, layout::ElementType type) {
  return program.Add(program.computation(operand), Opcode::kConvert, "convert",
                     Retyped(program.shape(operand), type), {operand});
}

InstructionId AddSlice(DeviceProgram& program, InstructionId operand,
                       const std::vector<hlo::SliceDimension>& ranges, const layout::Shape& shape) {
  const InstructionId slice =
      program.Add(program.computation(operand), Opcode::kSlice, "slice", shape, {operand});
  program.SetAttribute(slice, AttributeName::kSlice, hlo::PrintSlice(ranges));
  return slice;
}

InstructionId AddSlice(DeviceProgram& program, InstructionId operand,
                       absl::Span<const int64_t> limits) {
  std::vector<hlo::SliceDimension> ranges;
  for (const int64_t limit : limits) ranges.push_back({0, limit});
  return AddSlice(program, operand, ranges, Resized(program.shape(operand), limits));
}

InstructionId SliceAlong(DeviceProgram& program, InstructionId operand, int64_t dimension,
                         int64_t begin, int64_t end) {
  const layout::Shape whole = program.shape(operand);
  std::vector<hlo::SliceDimension> ranges;
  for (const int64_t size : whole.dims()) ranges.push_back({0, size});
  ranges[dimension] = {begin, end};
  std::vector<int64_t> sizes(whole.dims().begin(), whole.dims().end());
  sizes[dimension] = end - begin;
  return AddSlice(program, operand, ranges, Resized(whole, sizes));
}

InstructionId AddConcatenate(DeviceProgram& program, absl::Span<const InstructionId> parts,
                             const layout::Shape& shape, int64_t dimension) {
  const InstructionId whole =
      program.Add(program.computation(parts[0]), Opcode::kConcatenate, "concatenate", shape, parts);
  program.SetAttribute(whole, AttributeName::kDimensions, hlo::PrintInts({dimension}));
  return whole;
}

InstructionId AddDynamicSlice(DeviceProgram& program, InstructionId operand,
                              absl::Span<const InstructionId> starts, const layout::Shape& shape) {
  std::vector<InstructionId> operands = {operand};
  operands.insert(operands.end(), starts.begin(), starts.end());
  const InstructionId slice = program.Add(program.computation(operand), Opcode::kDynamicSlice,
                                          "dynamic-slice", shape, operands);
  program.SetAttribute(slice, AttributeName::kDynamicSliceSizes, hlo::PrintInts(shape.dims()));
  return slice;
}

InstructionId AddPadAfter(DeviceProgram& program, InstructionId operand, InstructionId value,
                           absl::Span<const int64_t> sizes) {
  const layout::Shape shape = program.shape(operand);
  std::vector<std::string> padding;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    padding.push_back(absl::StrCat("0_", sizes[d] - shape.dim(d)));
  }
  const InstructionId padded = program.Add(program.computation(operand), Opcode::kPad, "pad",
                                           Resized(shape, sizes), {operand, value});
  program.SetAttribute(padded, AttributeName::kPadding, absl::StrJoin(padding, "x"));
  return padded;
}

InstructionId PadWithZeros(DeviceProgram& program, InstructionId operand,
                           absl::Span<const int64_t> sizes) {
  const layout::Shape shape = program.shape(operand);
  if (shape.dims() == sizes) return operand;
  const InstructionId zero =
      program.AddConstant(program.computation(operand), Resized(shape, {}), "0");
  return AddPadAfter(program, operand, zero, sizes);
}

InstructionId AddBroadcast(DeviceProgram& program, InstructionId operand,
                           const layout::Shape& shape, absl::Span<const int64_t> dimensions) {
  const InstructionId broadcast =
      program.Add(program.computation(operand), Opcode::kBroadcast, "broadcast", shape, {operand});
  program.SetAttribute(broadcast, AttributeName::kDimensions, hlo::PrintInts(dimensions));
  return broadcast;
}

InstructionId InEachElement(DeviceProgram& program, InstructionId scalar,
                            const layout::Shape& shape) {
  return shape.rank() == 0 ? scalar : AddBroadcast(program, scalar, shape, {});
}

absl::flat_hash_map<InstructionId, InstructionId> CloneInstructions(
    DeviceProgram& program, ComputationId from, ComputationId to,
    absl::Span<const InstructionId> parameters) {
  absl::flat_hash_map<InstructionId, InstructionId> clones;
  const std::vector<InstructionId> order = program.PostOrder(from);
  for (const InstructionId id : order) {
    if (program.opcode(id) == Opcode::kParameter) {
      clones[id] = parameters[program.module().instruction(id).parameter_number];
      continue;
    }
    std::vector<InstructionId> operands;
    for (const InstructionId operand : program.operands(id)) operands.push_back(clones[operand]);
    clones[id] = program.CloneInto(to, id, operands);
  }
  return clones;
}

InstructionId CloneBody(DeviceProgram& program, ComputationId from, ComputationId to,
                        absl::Span<const InstructionId> parameters) {
  return CloneInstructions(program, from, to, parameters)[program.module().computation(from).root];
}

}  // namespace tessera::target
