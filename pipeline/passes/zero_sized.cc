#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/side_effects.h"
#include "tessera/pipeline/passes/dead_code.h"
#include "tessera/pipeline/passes/passes.h"
#include "tessera/pipeline/passes/replacements.h"

namespace tessera::pipeline::passes {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

bool IsZeroSized(const hlo::Module& module, InstructionId id) {
  const layout::Shape& shape = module.shape(id);
  return shape.is_array() && !shape.has_dynamic_dim() && shape.NumElements() == 0;
}

// Lists that are written out; what has more is elided, as a reader has no use for them.
constexpr int64_t kMaxLists = 1'000'000;

bool HasManyLists(const layout::Shape& shape) {
  int64_t lists = 1;
  for (int64_t d = 0; d < shape.rank() && shape.dim(d) > 0; ++d) {
    if (shape.dim(d) > kMaxLists / lists) return true;
    lists *= shape.dim(d);
  }
  return false;
}

// "{{}, {}}" for [2,0]: nested lists down to the dimension of size 0.
std::string EmptyLiteral(const layout::Shape& shape, int64_t dim) {
  if (dim == shape.rank()) return "";
  std::string text = "{";
  for (int64_t i = 0; i < shape.dim(dim); ++i) {
    if (i > 0) text += ", ";
    text += EmptyLiteral(shape, dim + 1);
  }
  return text + "}";
}

class Replacer {
 public:
  explicit Replacer(hlo::Builder* builder)
      : builder_(*builder), module_(builder->module()), effects_(builder->module()) {}

  bool Run(hlo::ComputationId c) {
    const std::vector<InstructionId> order = hlo::PostOrder(module_, c);
    const auto is_zero_sized = [&](InstructionId id) { return IsZeroSized(module_, id); };
    if (std::none_of(order.begin(), order.end(), is_zero_sized)) return false;
    NoteUsers(c);
    for (InstructionId id : order) {
      if (IsReplaced(id)) Replace(c, id);
    }
    const bool changed = !replaced_.empty();
    replaced_.Apply(&module_, c);
    return changed;
  }

 private:
  void NoteUsers(hlo::ComputationId c) {
    used_.clear();
    predecessors_.clear();
    for (InstructionId id : module_.computation(c).instructions) {
      used_.insert(module_.operands(id).begin(), module_.operands(id).end());
      const auto before = module_.control_predecessors(id);
      predecessors_.insert(before.begin(), before.end());
    }
  }

  bool IsReplaced(InstructionId id) {
    const Opcode opcode = module_.instruction(id).opcode;
    if (opcode == Opcode::kConstant || !IsZeroSized(module_, id)) return false;
    if (!module_.control_predecessors(id).empty() || predecessors_.contains(id)) return false;
    return !CountsAsEffect(id) && (opcode != Opcode::kParameter || used_.contains(id));
  }

  bool CountsAsEffect(InstructionId id) {
    return effects_.Of(id) && hlo::GetCustomCallTarget(module_, id) != "xla.sdy.LocalToGlobalShape";
  }

  void Replace(hlo::ComputationId c, InstructionId id) {
    const layout::Shape shape = module_.shape(id);
    const std::string name(module_.instruction(id).name);
    const std::string literal = HasManyLists(shape) ? "{...}" : EmptyLiteral(shape, 0);
    replaced_.Add(id, builder_.AddConstant(c, name, shape, literal));
  }

  hlo::Builder& builder_;
  hlo::Module& module_;
  hlo::SideEffects effects_;
  Replacements replaced_;
  absl::flat_hash_set<InstructionId> used_, predecessors_;  // of the current computation
};

}  // namespace

bool RemoveZeroSized(hlo::Builder* builder) {
  hlo::Module& module = builder->module();
  Replacer replacer(builder);
  bool changed = false;
  for (hlo::ComputationId c : hlo::ComputationPostOrder(module)) {
    changed |= replacer.Run(c);
  }
  if (changed) RemoveDeadInstructions(&module);
  return changed;
}

}  // namespace tessera::pipeline::passes
