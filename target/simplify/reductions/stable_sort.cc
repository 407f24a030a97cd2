// a stable sort(x)  ->  get-tuple-element(sort(x, iota), 0): of equal elements, that of the lower place comes first
//
// XLA's stable-sort-expander, on TPUs. An iota of s32 along the sorted dimension, which argsort has, is not added again;
// one of u32, which the gradient of a sort has, is not enough. Read from the compiler's text of twelve sorts. Tested by
// tpu_rules_test.cc.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/shape.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using layout::ElementType;

layout::Shape ScalarShape(ElementType type) { return layout::Shape::Array(type, {}, std::nullopt); }

bool IsPlace(const DeviceProgram& program, InstructionId id, int64_t dimension) {
  return program.opcode(id) == Opcode::kIota &&
         program.shape(id).element_type() == ElementType::kS32 &&
         hlo::GetInt(program.module(), id, AttributeName::kIotaDimension) == dimension;
}

// With two parameters more: `less`, and where neither is less, the lower place.
ComputationId WithPlaces(DeviceProgram& program, ComputationId less) {
  const auto& old = program.module().computation(less);
  std::vector<layout::Shape> shapes;
  for (const InstructionId id : old.parameters) shapes.push_back(program.shape(id));
  const ComputationId c = program.AddComputation(absl::StrCat(old.name, ".stable"));
  std::vector<InstructionId> params, swapped;
  for (const layout::Shape& shape : shapes) {
    params.push_back(program.Add(c, Opcode::kParameter, "p", shape, {}));
  }
  for (size_t k = 0; k < params.size(); ++k) swapped.push_back(params[k ^ 1]);
  const layout::Shape place = ScalarShape(ElementType::kS32),
                      truth = ScalarShape(ElementType::kPred);
  const InstructionId a = program.Add(c, Opcode::kParameter, "place", place, {});
  const InstructionId b = program.Add(c, Opcode::kParameter, "other", place, {});
  const auto compare = [&](InstructionId x, InstructionId y, absl::string_view direction) {
    const InstructionId made = program.Add(c, Opcode::kCompare, "compare", truth, {x, y});
    program.SetAttribute(made, AttributeName::kDirection, direction);
    return made;
  };
  const InstructionId first = CloneBody(program, less, c, params);
  const InstructionId second = CloneBody(program, less, c, swapped);
  const InstructionId are_equal = compare(first, second, "EQ");
  program.SetRoot(
      c, program.Add(c, Opcode::kSelect, "select", truth, {are_equal, compare(a, b, "LT"), first}));
  return c;
}

}  // namespace

InstructionId SortWithPlaces(DeviceProgram& program, InstructionId sort) {
  if (program.module().FindAttribute(sort, AttributeName::kIsStable).value_or("") != "true") {
    return kNoId;
  }
  const int64_t dimension = DimensionsOf(program, sort)[0];
  const auto is_place = [&](InstructionId id) { return IsPlace(program, id, dimension); };
  if (absl::c_any_of(program.operands(sort), is_place)) return kNoId;
  std::vector<InstructionId> operands(program.operands(sort).begin(), program.operands(sort).end());
  const layout::Shape old = program.shape(sort);
  std::vector<layout::Shape> shapes =
      old.is_tuple()
          ? std::vector<layout::Shape>(old.tuple_elements().begin(), old.tuple_elements().end())
          : std::vector<layout::Shape>{old};
  const ComputationId c = program.computation(sort);
  shapes.push_back(Retyped(shapes[0], ElementType::kS32));
  operands.push_back(program.Add(c, Opcode::kIota, "iota", shapes.back(), {}));
  program.SetAttribute(operands.back(), AttributeName::kIotaDimension, absl::StrCat(dimension));
  const ComputationId less = WithPlaces(program, program.module().called(sort)[0]);
  const InstructionId made = program.Clone(sort, operands, layout::Shape::Tuple(shapes));
  program.RemoveAttribute(made, AttributeName::kIsStable);
  program.SetCalled(made, {less});
  std::vector<InstructionId> elements;
  for (size_t k = 0; k + 1 < shapes.size(); ++k) {
    elements.push_back(program.AddGetTupleElement(made, static_cast<int64_t>(k)));
  }
  return old.is_tuple() ? program.Add(c, Opcode::kTuple, "tuple", old, elements) : elements[0];
}

}  // namespace tessera::target
