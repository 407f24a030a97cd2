#include "tessera/cost/memory/modelled_forms.h"

#include "absl/container/flat_hash_set.h"
#include "tessera/cost/memory/peak_model.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {

absl::StatusOr<absl::flat_hash_map<hlo::InstructionId, bool>> ModelledForms(
    const hlo::Module& module, const target::Target& target, target::FusionMemory* fusions,
    const target::FusedBefore& before) {
  TESSERA_ASSIGN_OR_RETURN(const target::Dataflow flow, FlowForPeak(module, target));
  TESSERA_ASSIGN_OR_RETURN(const ModelledPeak found,
                           PeakModel(flow, target, fusions, &before).Find({}));
  const absl::flat_hash_set<target::NodeId> waited(found.live.waited.begin(),
                                                   found.live.waited.end());
  absl::flat_hash_map<hlo::InstructionId, bool> forms;
  for (target::NodeId n = 0; n < flow.nodes.size(); ++n) {
    if (!target::IsMessage(flow.nodes[n].opcode)) continue;
    bool& synchronous = forms.try_emplace(flow.nodes[n].instruction, true).first->second;
    synchronous = synchronous && waited.contains(n);
  }
  return forms;
}

}  // namespace tessera::cost
