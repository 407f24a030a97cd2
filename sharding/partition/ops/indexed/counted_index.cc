// An index counts along a dimension if it is an iota there: said so, as a constant, broadcast, or
// handed unchanged through a loop or into a branch. Copies in front of a concatenation are seen
// through.

#include "tessera/sharding/partition/ops/indexed/counted_index.h"

#include <algorithm>
#include <optional>

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"

namespace tessera::sharding::partition {
namespace {

class IotaFinder {
 public:
  explicit IotaFinder(const ModuleView& view) : view_(view), module_(view.module()) {}

  std::optional<int64_t> DimOf(hlo::InstructionId id) const {
    const Opcode opcode = module_.instruction(id).opcode;
    if (opcode == Opcode::kIota) {
      return hlo::GetInt(module_, id, hlo::AttributeName::kIotaDimension);
    }
    if (module_.shape(id).element_type() != layout::ElementType::kS32) return std::nullopt;
    if (opcode == Opcode::kConstant) return DimOfConstant(id);
    if (opcode == Opcode::kBroadcast) return DimOfBroadcast(id);
    if (opcode == Opcode::kGetTupleElement) return DimOfArgument(id);
    return std::nullopt;
  }

 private:
  std::optional<int64_t> DimOfConstant(hlo::InstructionId id) const {
    const Shape& shape = module_.shape(id);
    const auto literal = hlo::ParseLiteral(module_.LiteralText(id), shape);
    if (!literal.ok() || literal->elided) return std::nullopt;
    int64_t stride = shape.NumElements().value_or(0);
    for (int64_t dim = 0; dim < shape.rank(); ++dim) {
      if (shape.dim(dim) == 0) return std::nullopt;
      stride /= shape.dim(dim);
      bool counts = shape.dim(dim) > 1;
      for (int64_t i = 0; counts && i < literal->num_elements(); ++i) {
        counts = literal->IntAt(i) == i / stride % shape.dim(dim);
      }
      if (counts) return dim;
    }
    return std::nullopt;
  }

  std::optional<int64_t> DimOfBroadcast(hlo::InstructionId id) const {
    const auto dim = DimOf(module_.operands(id)[0]);
    if (!dim.has_value()) return std::nullopt;
    const auto dims = hlo::GetInts(module_, id, hlo::AttributeName::kDimensions);
    return At(*dims, *dim);
  }

  // An element of the argument of a loop that never changes it, or of a branch.
  std::optional<int64_t> DimOfArgument(hlo::InstructionId id) const {
    const hlo::InstructionId tuple = module_.operands(id)[0];
    if (module_.instruction(tuple).opcode != Opcode::kParameter) return std::nullopt;
    const hlo::ComputationId called = module_.instruction(id).computation;
    const auto callers = view_.callers(called);
    if (called == module_.entry_id() || callers.size() != 1) return std::nullopt;
    const int64_t index = hlo::GetTupleIndex(module_, id);
    const hlo::InstructionId caller = callers[0];
    const auto element_of = [&](hlo::InstructionId argument) -> std::optional<int64_t> {
      if (module_.instruction(argument).opcode != Opcode::kTuple) return std::nullopt;
      return DimOf(module_.operands(argument)[static_cast<size_t>(index)]);
    };
    if (module_.instruction(caller).opcode == Opcode::kWhile) {
      const hlo::InstructionId root = module_.computation(called).root;
      if (module_.instruction(root).opcode != Opcode::kTuple) return std::nullopt;
      if (module_.operands(root)[static_cast<size_t>(index)] != id) return std::nullopt;
      return element_of(module_.operands(caller)[0]);
    }
    if (module_.instruction(caller).opcode == Opcode::kConditional) {
      const auto branches = module_.called(caller);
      const auto at = std::find(branches.begin(), branches.end(), called) - branches.begin();
      return element_of(module_.operands(caller)[static_cast<size_t>(at) + 1]);
    }
    return std::nullopt;
  }

  const ModuleView& view_;
  const hlo::Module& module_;
};

}  // namespace

std::vector<IndexPart> PartsOfIndices(const ModuleView& view, hlo::InstructionId indices,
                                      int64_t index_vector_dim) {
  const hlo::Module& module = view.module();
  const IotaFinder finder(view);
  hlo::InstructionId joined = indices;
  while (module.instruction(joined).opcode == Opcode::kCopy) joined = module.operands(joined)[0];
  const bool is_joined = module.instruction(joined).opcode == Opcode::kConcatenate;
  std::vector<IndexPart> out;
  const auto add = [&](hlo::InstructionId id) {
    const Shape& shape = module.shape(id);
    const int64_t elements = shape.rank() > index_vector_dim ? shape.dim(index_vector_dim) : 1;
    const auto dim = finder.DimOf(id);
    const bool counts = dim.has_value() && *dim != index_vector_dim;
    out.push_back({elements, counts ? *dim : -1});
  };
  if (is_joined && hlo::GetDimension(module, joined) == index_vector_dim) {
    for (hlo::InstructionId part : module.operands(joined)) add(part);
  } else {
    add(is_joined ? joined : indices);
  }
  return out;
}

std::vector<int64_t> CountedIndexDims(const IndexedOp& op) {
  std::vector<int64_t> out;
  for (const IndexPart& part : PartsOfIndices(*op.view, op.indices_id, op.index_vector_dim)) {
    out.insert(out.end(), static_cast<size_t>(part.elements), part.counted_dim);
  }
  out.resize(op.index_map.size(), -1);
  return out;
}

}  // namespace tessera::sharding::partition
