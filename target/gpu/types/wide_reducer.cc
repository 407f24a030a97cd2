#include "tessera/target/gpu/types/wide_reducer.h"

#include <utility>
#include <vector>

#include "tessera/layout/element_type.h"
#include "tessera/target/passes/rewrites.h"

namespace tessera::target {
namespace {

using layout::ElementType;

InstructionId WithType(DeviceProgram& program, InstructionId id, ElementType type) {
  return program.shape(id).element_type() == type ? id : AddConvert(program, id, type);
}

InstructionId WidenedRoot(DeviceProgram& program, InstructionId root) {
  if (!program.shape(root).is_tuple()) {
    return WithType(program, root, Widened(program.shape(root)).element_type());
  }
  std::vector<InstructionId> elements(program.operands(root).begin(), program.operands(root).end());
  std::vector<layout::Shape> shapes;
  for (InstructionId& element : elements) {
    shapes.push_back(Widened(program.shape(element)));
    element = WithType(program, element, shapes.back().element_type());
  }
  const InstructionId made = program.Add(program.computation(root), Opcode::kTuple, "tuple",
                                         layout::Shape::Tuple(std::move(shapes)), elements);
  program.RemoveDead(root);
  return made;
}

}  // namespace

layout::Shape Widened(const layout::Shape& shape) {
  const bool is_narrow = shape.is_array() && shape.element_type() == ElementType::kBf16;
  return is_narrow ? Retyped(shape, ElementType::kF32) : shape;
}

void WidenReducer(DeviceProgram& program, InstructionId reduction) {
  const ComputationId narrow = program.module().called(reduction)[0];
  const ComputationId wide = program.AddComputation("wide");
  std::vector<InstructionId> parameters;
  for (const InstructionId p :
       std::vector<InstructionId>(program.module().computation(narrow).parameters)) {
    const layout::Shape shape = program.shape(p);
    const InstructionId made = program.Add(wide, Opcode::kParameter, "p", Widened(shape), {});
    parameters.push_back(WithType(program, made, shape.element_type()));
  }
  program.SetRoot(wide, WidenedRoot(program, CloneBody(program, narrow, wide, parameters)));
  program.SetCalled(reduction, {wide});
}

}  // namespace tessera::target
