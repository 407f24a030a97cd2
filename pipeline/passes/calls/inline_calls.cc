#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/passes/calls/op_names.h"
#include "tessera/pipeline/passes/dead_code.h"
#include "tessera/pipeline/passes/passes.h"
#include "tessera/pipeline/passes/replacements.h"
#include "tessera/sharding/frontend.h"

namespace tessera::pipeline::passes {
namespace {

// The place in metadata as it is written, which instructions out of an inlined call take: ` stack_frame_id=3`, ` source_file="a.py" source_line=7`;
// "" where there is none.
std::string PlaceText(const hlo::Metadata& metadata) {
  if (metadata.stack_frame_id != 0) {
    return absl::StrCat(" stack_frame_id=", metadata.stack_frame_id);
  }
  if (metadata.source_file.empty()) return "";
  return absl::StrCat(" source_file=\"", absl::CEscape(metadata.source_file),
                      "\" source_line=", metadata.source_line);
}

// Gives the instruction that place unless it has one: JAX lowers the bodies of small functions
// (`jnp.where`) once, without the lines that call them.
void TakePlace(hlo::Module* module, hlo::InstructionId id, const std::string& place) {
  if (place.empty() || !PlaceText(hlo::GetMetadata(*module, id)).empty()) return;
  absl::string_view text = module->FindAttribute(id, hlo::AttributeName::kMetadata).value_or("{}");
  absl::ConsumeSuffix(&text, "}");
  const absl::string_view added = text == "{" ? absl::string_view(place).substr(1) : place;
  module->SetAttribute(id, hlo::AttributeName::kMetadata, absl::StrCat(text, added, "}"));
}

using hlo::ComputationId;
using hlo::InstructionId;

bool IsAsync(const hlo::Module& module, ComputationId c) {
  return module.computation(c).execution_thread != "main";
}

class CallInliner {
 public:
  CallInliner(hlo::Builder* builder, InstructionId call, Replacements* replaced)
      : builder_(*builder),
        module_(builder->module()),
        call_(call),
        replaced_(*replaced),
        op_name_(hlo::GetOpName(module_, call)),
        place_(PlaceText(hlo::GetMetadata(module_, call))) {}

  void Run() {
    const hlo::Computation callee = module_.computation(module_.called(call_)[0]);
    for (InstructionId parameter : callee.parameters) {
      const size_t number = module_.instruction(parameter).parameter_number;
      copies_[parameter] = replaced_.Of(module_.operands(call_)[number]);
    }
    for (InstructionId id : Order(callee)) Copy(id);
    replaced_.AddRemoved(call_, copies_.at(callee.root));
  }

 private:
  // The subtrees of instructions without users, in order of the list, that of the root last.
  std::vector<InstructionId> Order(const hlo::Computation& callee) {
    const hlo::UserMap users = hlo::FindUsers(module_, module_.called(call_)[0]);
    std::vector<InstructionId> order;
    absl::flat_hash_map<InstructionId, bool> seen;
    const auto add = [&](InstructionId root) { AddSubtree(root, &seen, &order); };
    for (InstructionId id : callee.instructions) {
      const auto found = users.find(id);
      const bool is_used = found != users.end() && !found->second.empty();
      if (!is_used && id != callee.root) add(id);
    }
    add(callee.root);
    return order;
  }

  void AddSubtree(InstructionId root, absl::flat_hash_map<InstructionId, bool>* seen,
                  std::vector<InstructionId>* order) {
    std::vector<std::pair<InstructionId, size_t>> stack;
    const auto push = [&](InstructionId id) {
      if (!copies_.contains(id) && seen->emplace(id, true).second) stack.push_back({id, 0});
    };
    push(root);
    while (!stack.empty()) {
      auto& [id, next] = stack.back();
      const auto operands = module_.operands(id);
      const auto before = module_.control_predecessors(id);
      if (next < operands.size()) {
        push(operands[next++]);
      } else if (next < operands.size() + before.size()) {
        push(before[next++ - operands.size()]);
      } else {
        order->push_back(id);
        stack.pop_back();
      }
    }
  }

  void Copy(InstructionId id) {
    std::vector<InstructionId> operands;
    std::vector<InstructionId> before;
    for (InstructionId operand : module_.operands(id)) operands.push_back(copies_.at(operand));
    for (InstructionId p : module_.control_predecessors(id)) before.push_back(copies_.at(p));
    for (InstructionId p : module_.control_predecessors(call_)) before.push_back(replaced_.Of(p));
    const std::string name(module_.instruction(id).name);
    const ComputationId into = module_.instruction(call_).computation;
    const InstructionId copy = builder_.CloneInstruction(id, into, operands, name);
    if (!before.empty()) module_.SetControlPredecessors(copy, before);
    PrefixOpNames(&module_, copy, op_name_);
    TakePlace(&module_, copy, place_);
    copies_[id] = copy;
  }

  hlo::Builder& builder_;
  hlo::Module& module_;
  const InstructionId call_;
  Replacements& replaced_;
  const std::string op_name_, place_;
  absl::flat_hash_map<InstructionId, InstructionId> copies_;
};

}  // namespace

bool IsInlinedCall(const hlo::Module& module, hlo::InstructionId id) {
  if (module.instruction(id).opcode != hlo::Opcode::kCall) return false;
  const absl::string_view callee = module.computation(module.called(id)[0]).name;
  if (sharding::IsManualBodyName(callee) || absl::StrContains(callee, "shmap_body")) return false;
  if (module.HasAttribute(id, hlo::AttributeName::kBackendConfig)) return false;
  const auto inlineable = hlo::GetFrontendAttribute(module, id, "inlineable");
  return inlineable != "false" && inlineable != "xla_late";
}

bool InlineCalls(hlo::Builder* builder) {
  hlo::Module& module = builder->module();
  bool changed = false;
  Replacements replaced;
  for (ComputationId c : hlo::ComputationPostOrder(module)) {
    if (IsAsync(module, c)) continue;
    for (InstructionId id : hlo::PostOrder(module, c)) {
      if (IsInlinedCall(module, id)) CallInliner(builder, id, &replaced).Run();
    }
    changed |= !replaced.empty();
    replaced.Apply(&module, c);
  }
  if (!changed) return false;
  RemoveDeadInstructions(&module);
  builder->RemoveUnreachableComputations();
  return true;
}

}  // namespace tessera::pipeline::passes
