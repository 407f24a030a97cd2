#include "tessera/pipeline/writers/text_leaves.h"

#include <cstddef>
#include <utility>

#include "tessera/hlo/attributes.h"
#include "tessera/layout/leaves.h"
#include "tessera/pipeline/writers/custom_calls.h"

namespace tessera::pipeline::writers {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

// From leaf `path` of instruction `id`, which `holder` names, to what makes it.
TextLeaf Trace(const hlo::Module& module, InstructionId id, layout::LeafPath path,
               NamedUse holder) {
  // The holder's text names the leaf itself: what lies after is no holder.
  bool named = path.empty();
  size_t within =
      path.size();  // steps of the path that lie within the holder's operand, at its end
  while (true) {
    const Opcode opcode = module.instruction(id).opcode;
    const auto operands = module.operands(id);
    if (opcode == Opcode::kTuple && !path.empty()) {
      const uint32_t index = static_cast<uint32_t>(path.front());
      if (!named) holder = {id, index, true};
      id = operands[index];
      path.erase(path.begin());
      if (!named) within = path.size();
      named = named || path.empty();
    } else if (opcode == Opcode::kGetTupleElement) {
      holder.exists = holder.exists && named;
      path.insert(path.begin(), hlo::GetTupleIndex(module, id));
      id = operands[0];
    } else if (CallKindOf(module, id) == CallKind::kConsumed && !operands.empty()) {
      id = operands[0];
    } else {
      holder.exists = holder.exists && named;
      if (holder.exists) return {id, holder, {}, std::move(path)};
      layout::LeafPath inner(path.end() - static_cast<std::ptrdiff_t>(within), path.end());
      return {id, holder, std::move(inner), std::move(path)};
    }
  }
}

void AddLeaves(const hlo::Module& module, InstructionId id, NamedUse holder,
               std::vector<TextLeaf>* leaves) {
  if (!module.shape(id).is_tuple()) {
    leaves->push_back(Trace(module, id, {}, holder));
    return;
  }
  for (layout::LeafPath& path : layout::LeafPaths(module.shape(id))) {
    leaves->push_back(Trace(module, id, std::move(path), holder));
  }
}

}  // namespace

void AddOperandLeaves(const hlo::Module& module, InstructionId user, uint32_t operand,
                      std::vector<TextLeaf>* leaves) {
  AddLeaves(module, module.operands(user)[operand], {user, operand, true}, leaves);
}

void AddResultLeaves(const hlo::Module& module, InstructionId root, std::vector<TextLeaf>* leaves) {
  AddLeaves(module, root, {hlo::kNoId, 0, true}, leaves);
}

InstructionId SourceOf(const hlo::Module& module, InstructionId id) {
  return Trace(module, id, {}, {}).source;
}

}  // namespace tessera::pipeline::writers
