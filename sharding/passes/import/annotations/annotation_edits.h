// Edits of the annotations of a module, to try their effect.
//
//   AnnotationEdit edit;
//   edit.where = AnnotationEdit::Where::kParameter;
//   edit.number = 1;
//   edit.sharding = TensorSharding::FullyOpen(mesh_id, 2);
//   TESSERA_RETURN_IF_ERROR(ApplyAnnotationEdits(&program, {edit}));
//
// The import must have read the annotations: they are shardings of parameters, results and
// constraints then.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_ANNOTATION_EDITS_H_
#define TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_ANNOTATION_EDITS_H_

#include <vector>

#include "absl/status/status.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::passes {

struct AnnotationEdit {
  enum class Where {
    kParameter,   // `number` of the entry's flattened parameters
    kResult,      // the same of its results
    kConstraint,  // that `instruction` is
    kAfterValue,      // a new constraint after array `leaf` of `instruction`
  };
  Where where = Where::kParameter;
  int number = 0;
  hlo::InstructionId instruction = hlo::kNoId;
  int leaf = 0;
  TensorSharding sharding;  // of a mesh of the program
};

// NotFound for a place that the program does not have.
absl::Status ApplyAnnotationEdits(HloProgram* program, const std::vector<AnnotationEdit>& edits);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_ANNOTATION_EDITS_H_
