// Marks calls that stay: a function of several callers that is not small, as a compiler wants that
// inlines the others.
//
//   call(x), to_apply=f; call(y), to_apply=f     ->     both with inlineable="false"
//
// The size of a function is that after the inlining of what it calls: callees first, a call that
// goes gives way to the callee's instructions without its parameters. Linear in the module. Tested by
// passes_test.cc.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/passes/passes.h"

namespace tessera::pipeline::passes {
namespace {

using hlo::ComputationId;
using hlo::InstructionId;

std::vector<std::vector<InstructionId>> CallsOfEach(const hlo::Module& module) {
  std::vector<std::vector<InstructionId>> calls(module.num_computations());
  for (ComputationId c : hlo::ComputationPostOrder(module)) {
    for (InstructionId id : module.computation(c).instructions) {
      if (IsInlinedCall(module, id)) calls[module.called(id)[0]].push_back(id);
    }
  }
  return calls;
}

void KeepCall(hlo::Module* module, InstructionId call) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const hlo::FrontendEntry& entry : hlo::GetFrontendEntries(*module, call)) {
    entries.emplace_back(entry.key, hlo::DecodeFrontendValue(entry.value));
  }
  entries.emplace_back("inlineable", "false");
  module->SetAttribute(call, hlo::AttributeName::kFrontendAttributes,
                       hlo::FormatFrontendAttributes(entries));
}

// Of `c`, whose calls that stay are marked; `sizes` has those of its callees.
size_t SizeInlined(const hlo::Module& module, ComputationId c, const std::vector<size_t>& sizes) {
  size_t size = module.computation(c).instructions.size();
  for (InstructionId id : module.computation(c).instructions) {
    if (!IsInlinedCall(module, id)) continue;
    const ComputationId callee = module.called(id)[0];
    size += sizes[callee] - module.computation(callee).parameters.size() - 1;
  }
  return size;
}

}  // namespace

bool KeepSharedCallees(hlo::Builder* builder, size_t least) {
  hlo::Module& module = builder->module();
  const std::vector<std::vector<InstructionId>> calls = CallsOfEach(module);
  std::vector<size_t> sizes(module.num_computations(), 0);
  bool changed = false;
  for (ComputationId c : hlo::ComputationPostOrder(module)) {
    sizes[c] = SizeInlined(module, c, sizes);
    if (calls[c].size() < 2 || sizes[c] < least) continue;
    for (InstructionId call : calls[c]) KeepCall(&module, call);
    changed = true;
  }
  return changed;
}

}  // namespace tessera::pipeline::passes
