// Idea. A search for the k largest elements may be a sort of values and indices, of which slices take the first
// k. It is known by its parts: two operands, the second an iota along the dimension, a comparator a > b, and
// results of which only slices [0:k] are used:
//
//   s = (f32[64], s32[64]) sort(x, iota), dimensions={0}, to_apply=greater
//   slice(get-tuple-element(s), index=0), slice={[0:4]}          4, where a shard has more than 4 elements
//
// Cost: linear in the users of the sort, and in the depth of the comparator.
#include "tessera/sharding/partition/ops/largest.h"

#include "tessera/hlo/attributes.h"

namespace tessera::sharding::partition {
namespace {

using layout::ElementType;

// The parameter (0 or 1) that a comparator compares: itself, converted, or, for f32, mapped to
// integers of the same order (a select on the sign bit).
std::optional<int64_t> ComparedParameter(const hlo::Module& module, hlo::InstructionId id) {
  const Opcode opcode = module.instruction(id).opcode;
  switch (opcode) {
    case Opcode::kParameter:
      return static_cast<int64_t>(module.instruction(id).parameter_number);
    case Opcode::kConvert:
    case Opcode::kBitcastConvert:
      return ComparedParameter(module, module.operands(id)[0]);
    case Opcode::kSelect:
      return ComparedParameter(module, module.operands(id)[2]);
    default:
      return std::nullopt;
  }
}

// a > b, with an order for NaN.
bool IsGreaterThan(const hlo::Module& module, const hlo::Computation& comparator) {
  hlo::InstructionId root = comparator.root;
  if (module.instruction(root).opcode == Opcode::kSelect) root = module.operands(root)[2];
  if (module.instruction(root).opcode != Opcode::kCompare ||
      hlo::GetComparisonDirection(module, root) != "GT") {
    return false;
  }
  return ComparedParameter(module, module.operands(root)[0]) == 0 &&
         ComparedParameter(module, module.operands(root)[1]) == 1;
}

bool IsSearchable(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kBf16 || type == ElementType::kS32 ||
         type == ElementType::kU32;
}

// k, if a use of a result takes its first k elements and nothing else.
std::optional<int64_t> FirstTaken(const ModuleView& view, hlo::InstructionId element, int64_t dim) {
  const hlo::Module& module = view.module();
  if (module.instruction(element).opcode != Opcode::kGetTupleElement ||
      view.users(element).empty()) {
    return std::nullopt;
  }
  const hlo::InstructionId slice = view.users(element)[0];
  if (module.instruction(slice).opcode != Opcode::kSlice) return std::nullopt;
  const std::vector<hlo::SliceDimension> dims = hlo::GetSlice(module, slice);
  for (int64_t i = 0; i < Size(dims); ++i) {
    const bool whole = At(dims, i).limit == module.shape(element).dim(i);
    if (At(dims, i).start != 0 || At(dims, i).stride != 1 || (i != dim && !whole)) {
      return std::nullopt;
    }
  }
  return At(dims, dim).limit;
}

bool IsOperandPattern(const Visit& v, int64_t dim) {
  const hlo::Module& module = v.module();
  if (v.operands.size() != 2 || !IsSearchable(v.operands[0].base->element_type())) return false;
  const hlo::InstructionId index = module.operands(v.id)[1];
  return module.instruction(index).opcode == Opcode::kIota &&
         module.shape(index).element_type() == ElementType::kS32 &&
         hlo::GetInt(module, index, hlo::AttributeName::kIotaDimension) == dim &&
         IsGreaterThan(module, module.computation(module.called(v.id)[0]));
}

}  // namespace

std::optional<int64_t> LargestOfCutDim(const Visit& v, int64_t dim) {
  const Tiling data = v.operand(0).tiling;
  if (data.dim(dim) == 1 || data.tiles() != data.dim(dim)) return std::nullopt;
  if (!IsOperandPattern(v, dim)) return std::nullopt;
  std::optional<int64_t> k;
  for (hlo::InstructionId user : v.view->users(v.id)) {
    const auto taken = FirstTaken(*v.view, user, dim);
    if (!taken.has_value() || (k.has_value() && taken != k)) return std::nullopt;
    k = taken;
  }
  if (k >= CeilDiv(v.operands[0].base->dim(dim), data.dim(dim))) return std::nullopt;
  return k;
}

}  // namespace tessera::sharding::partition
