#include "tessera/pipeline/writers/keep/text_view.h"

#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/writers/custom_calls.h"

namespace tessera::pipeline::writers {

using hlo::InstructionId;
using hlo::Opcode;
using sharding::passes::NodeId;

bool HaveEqualDims(const layout::Shape& a, const layout::Shape& b) {
  return a.is_array() && b.is_array() && a.dims() == b.dims();
}

TextView::TextView(const hlo::Module& module, const sharding::passes::HloForm& form,
                   int computation)
    : module_(module), form_(form) {
  const auto& c = form.computations[static_cast<size_t>(computation)];
  for (NodeId id = 0; id < c.num_nodes(); ++id) {
    const auto node = c.node(id);
    if (node.opcode() == Opcode::kWhile) body_of_.try_emplace(node.source(), node.called()[0]);
  }
}

size_t TextView::LeafOf(const TextValue& value) {
  return leaf_numbers_.Of(module_.shape(value.id), value.path);
}

bool TextView::PassesOn(InstructionId id) const {
  const CallKind kind = CallKindOf(module_, id);
  const Opcode opcode = module_.instruction(id).opcode;
  if (module_.operands(id).size() != 1) return false;
  if (opcode == Opcode::kCopy || kind == CallKind::kConstraint || kind == CallKind::kConsumed) {
    return true;
  }
  return opcode == Opcode::kReshape &&
         HaveEqualDims(module_.shape(id), module_.shape(module_.operands(id)[0]));
}

// A leaf that a loop hands on as it came.
bool TextView::IsInvariant(const TextValue& value) {
  if (module_.instruction(value.id).opcode != Opcode::kWhile) return false;
  const auto found = body_of_.find(value.id);
  if (found == body_of_.end()) return true;
  const auto& body = form_.computations[static_cast<size_t>(found->second)];
  const int element = body.parameter_leaves[0][LeafOf(value)];
  return element < 0 || element >= body.num_carried;
}

TextValue TextView::SourceOf(TextValue value) {
  while (true) {
    const Opcode opcode = module_.instruction(value.id).opcode;
    const auto operands = module_.operands(value.id);
    if (opcode == Opcode::kTuple && !value.path.empty()) {
      value.id = operands[static_cast<size_t>(value.path.front())];
      value.path.erase(value.path.begin());
    } else if (opcode == Opcode::kGetTupleElement) {
      value.path.insert(value.path.begin(), hlo::GetTupleIndex(module_, value.id));
      value.id = operands[0];
    } else if (PassesOn(value.id) || IsInvariant(value)) {
      value.id = operands[0];
    } else {
      return value;
    }
  }
}

}  // namespace tessera::pipeline::writers
