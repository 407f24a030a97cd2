// Names that lead from a target's program back to the one that was read.
//
//   const KnownNames names(module);
//   ...                                  // a simplification replaces dot_general.51 by dot_general.6
//   names.GiveTo(&simplified);           // which is dot_general.51 again
//
// A new instruction takes the name of the one that went, if they have one opcode, shape and metadata, and
// no other two do. Answers with and without --target then name it alike, and --annotate finds it.
// Linear, and only new and removed instructions are compared. Tested by target_collectives_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TARGET_KNOWN_NAMES_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TARGET_KNOWN_NAMES_H_

#include <vector>

#include "tessera/hlo/module.h"

namespace tessera::pipeline {

class KnownNames {
 public:
  explicit KnownNames(const hlo::Module& module);

  // `simplified` is that module with what passes added and took out, not compacted.
  void GiveTo(hlo::Module* simplified) const;

 private:
  std::vector<bool> listed_;  // by InstructionId: those that computations had
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TARGET_KNOWN_NAMES_H_
