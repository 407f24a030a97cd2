// topk(x[8,4,16]), k=2  ->  tuple(reshape(c#0), reshape(c#1)) of c = custom-call TopK(reshape(x) of
// [32,16]), which the kernel of XLA's compiler for GPUs does
//
// The leading dimensions become one, so that the partitioner keeps only what cuts the first of them.

#include "tessera/layout/element_type.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using layout::ElementType;

// All dimensions but the last in one; as it is where there are no more than two.
layout::Shape AsMatrix(const layout::Shape& shape) {
  if (shape.rank() <= 2) return Resized(shape, shape.dims());
  const int64_t last = shape.dim(shape.rank() - 1);
  int64_t lines = 1;
  for (int64_t d = 0; d < shape.rank() - 1; ++d) lines *= shape.dim(d);
  return Resized(shape, {lines, last});
}

}  // namespace

InstructionId CallTopK(DeviceProgram& program, InstructionId topk) {
  const InstructionId x = program.operand(topk, 0);
  const layout::Shape from = program.shape(x), shape = program.shape(topk);
  const bool has_kernel =
      from.element_type() == ElementType::kF32 || from.element_type() == ElementType::kBf16;
  if (!has_kernel || !shape.is_tuple() || shape.tuple_elements().size() != 2) return kNoId;
  const layout::Shape values = shape.tuple_elements()[0], indices = shape.tuple_elements()[1];
  const InstructionId matrix = ReshapeTo(program, x, AsMatrix(from));
  const InstructionId call =
      program.Add(program.computation(topk), Opcode::kCustomCall, "top-k",
                  layout::Shape::Tuple({AsMatrix(values), AsMatrix(indices)}), {matrix});
  program.SetAttribute(call, AttributeName::kCustomCallTarget, "\"TopK\"");
  const InstructionId first = ReshapeTo(program, program.AddGetTupleElement(call, 0), values);
  const InstructionId second = ReshapeTo(program, program.AddGetTupleElement(call, 1), indices);
  return program.Add(program.computation(topk), Opcode::kTuple, "tuple", shape, {first, second});
}

}  // namespace tessera::target
