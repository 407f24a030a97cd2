// An index counts along a dimension if it is an iota there. That is an iota instruction, a
// constant, a broadcast of one, or one that a loop or branch passes through. Copies before a
// concatenation are looked through. XLA: hlo_sharding_util::GetGatherScatterBatchParallelDims.

#include "tessera/sharding/partition/ops/indexed/iota_index.h"

#include <algorithm>

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"

namespace tessera::sharding::partition {
namespace {

// Each array is looked at once, in whatever chain it stands and however many read it.
class IotaFinder {
 public:
  explicit IotaFinder(const ModuleView& view) : view_(view), module_(view.module()) {}

  // -1: it counts along none. The chain is followed to its beginning, then back.
  int64_t DimOf(hlo::InstructionId id) const {
    std::vector<hlo::InstructionId> chain;
    auto known = view_.iota_dims().find(id);
    while (known == view_.iota_dims().end()) {
      chain.push_back(id);
      id = Before(id);
      if (id == hlo::kNoId) break;
      known = view_.iota_dims().find(id);
    }
    int64_t dim = id == hlo::kNoId ? DimOfFirst(chain.back()) : known->second;
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
      if (dim >= 0 && opcode(*at) == Opcode::kBroadcast) dim = DimBeforeBroadcast(*at, dim);
      view_.iota_dims()[*at] = dim;
    }
    return dim;
  }

 private:
  Opcode opcode(hlo::InstructionId id) const { return module_.instruction(id).opcode; }
  bool IsIndex(hlo::InstructionId id) const {
    return module_.shape(id).element_type() == layout::ElementType::kS32;
  }

  // The array that this one takes its counting from; kNoId if there is none.
  hlo::InstructionId Before(hlo::InstructionId id) const {
    if (!IsIndex(id)) return hlo::kNoId;
    if (opcode(id) == Opcode::kBroadcast) return module_.operands(id)[0];
    if (opcode(id) == Opcode::kGetTupleElement) return Argument(id);
    return hlo::kNoId;
  }

  // Of one that has none before it.
  int64_t DimOfFirst(hlo::InstructionId id) const {
    if (opcode(id) == Opcode::kIota) {
      return hlo::GetInt(module_, id, hlo::AttributeName::kIotaDimension).value_or(-1);
    }
    return IsIndex(id) && opcode(id) == Opcode::kConstant ? DimOfConstant(id) : -1;
  }

  int64_t DimOfConstant(hlo::InstructionId id) const {
    const Shape& shape = module_.shape(id);
    const auto literal = hlo::ParseLiteral(module_.LiteralText(id), shape);
    if (!literal.ok() || literal->elided || literal->num_elements() == 0) return -1;
    int64_t stride = literal->num_elements();
    for (int64_t dim = 0; dim < shape.rank(); ++dim) {
      stride /= shape.dim(dim);
      bool counts = shape.dim(dim) > 1;
      for (int64_t i = 0; counts && i < literal->num_elements(); ++i) {
        counts = literal->IntAt(i) == i / stride % shape.dim(dim);
      }
      if (counts) return dim;
    }
    return -1;
  }

  int64_t DimBeforeBroadcast(hlo::InstructionId id, int64_t dim) const {
    return At(*hlo::GetInts(module_, id, hlo::AttributeName::kDimensions), dim);
  }

  // What an element of the argument of a loop that never changes it, or of a branch, is outside.
  hlo::InstructionId Argument(hlo::InstructionId id) const {
    const hlo::InstructionId tuple = module_.operands(id)[0];
    if (opcode(tuple) != Opcode::kParameter) return hlo::kNoId;
    const hlo::ComputationId called = module_.instruction(id).computation;
    const auto callers = view_.callers(called);
    if (called == module_.entry_id() || callers.size() != 1) return hlo::kNoId;
    const hlo::InstructionId caller = callers[0];
    const auto index = static_cast<size_t>(hlo::GetTupleIndex(module_, id));
    if (opcode(caller) == Opcode::kWhile) {
      const hlo::InstructionId root = module_.computation(called).root;
      return Element(root, index) == id ? Element(module_.operands(caller)[0], index) : hlo::kNoId;
    }
    if (opcode(caller) != Opcode::kConditional) return hlo::kNoId;
    const auto branches = module_.called(caller);
    const auto at = std::find(branches.begin(), branches.end(), called) - branches.begin();
    return Element(module_.operands(caller)[static_cast<size_t>(at) + 1], index);
  }

  // kNoId unless that is a tuple that is put together.
  hlo::InstructionId Element(hlo::InstructionId tuple, size_t index) const {
    return opcode(tuple) == Opcode::kTuple ? module_.operands(tuple)[index] : hlo::kNoId;
  }

  const ModuleView& view_;
  const hlo::Module& module_;
};

}  // namespace

std::vector<IndexPart> PartsOfIndices(const ModuleView& view, hlo::InstructionId indices,
                                      int64_t index_vector_dim) {
  const hlo::Module& module = view.module();
  const IotaFinder finder(view);
  const hlo::InstructionId joined = view.SkipCopies(indices);
  const bool is_joined = module.instruction(joined).opcode == Opcode::kConcatenate;
  std::vector<IndexPart> out;
  const auto add = [&](hlo::InstructionId id) {
    const Shape& shape = module.shape(id);
    const int64_t elements = shape.rank() > index_vector_dim ? shape.dim(index_vector_dim) : 1;
    const int64_t dim = finder.DimOf(id);
    out.push_back({elements, dim != index_vector_dim ? dim : -1});
  };
  if (is_joined && hlo::GetDimension(module, joined) == index_vector_dim) {
    for (hlo::InstructionId part : module.operands(joined)) add(part);
  } else {
    add(is_joined ? joined : indices);
  }
  return out;
}

std::vector<int64_t> IotaIndexDims(const IndexedOp& op) {
  std::vector<int64_t> out;
  for (const IndexPart& part : PartsOfIndices(*op.view, op.indices_id, op.index_vector_dim)) {
    out.insert(out.end(), static_cast<size_t>(part.elements), part.iota_dim);
  }
  out.resize(op.index_map.size(), -1);
  return out;
}

}  // namespace tessera::sharding::partition
