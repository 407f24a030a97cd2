// Instructions of one computation that others take the place of, carried out in one sweep.
//
//   Replacements replaced;
//   replaced.Add(call, root);          // readers of `call` will read `root`
//   replaced.AddRemoved(id, element);  // the same; `id` goes, too
//   replaced.Of(call);                 // root, or what took its place since; else the same
//   replaced.Apply(&module, c);
//
// One sweep for all of them keeps a pass linear, however many there are.

#ifndef TESSERA_PIPELINE_PASSES_REPLACEMENTS_H_
#define TESSERA_PIPELINE_PASSES_REPLACEMENTS_H_

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/module.h"

namespace tessera::pipeline::passes {

class Replacements {
 public:
  void Add(hlo::InstructionId from, hlo::InstructionId to) { replacements_[from] = to; }
  void AddRemoved(hlo::InstructionId from, hlo::InstructionId to) {
    Add(from, to);
    removed_.insert(from);
  }
  hlo::InstructionId Of(hlo::InstructionId id) const;
  bool empty() const { return replacements_.empty(); }

  // Operands, control predecessors and the root of the computation; then there are none.
  void Apply(hlo::Module* module, hlo::ComputationId c);

 private:
  void Rewrite(hlo::Module* module, hlo::InstructionId user) const;

  absl::flat_hash_map<hlo::InstructionId, hlo::InstructionId> replacements_;
  absl::flat_hash_set<hlo::InstructionId> removed_;
};

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_REPLACEMENTS_H_
