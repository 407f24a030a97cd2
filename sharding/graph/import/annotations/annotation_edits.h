// What somebody would write instead of an annotation of the module, to see what would come of it.
//
//   AnnotationEdit edit;
//   edit.where = AnnotationEdit::Where::kParameter;
//   edit.number = 1;
//   edit.sharding = TensorSharding::FullyOpen(mesh_id, 2);
//   TESSERA_RETURN_IF_ERROR(ApplyAnnotationEdits(&graph, {edit}));
//
// The graph must have been read: annotations are shardings of parameters, results and constraints.

#ifndef TESSERA_SHARDING_GRAPH_IMPORT_ANNOTATIONS_ANNOTATION_EDITS_H_
#define TESSERA_SHARDING_GRAPH_IMPORT_ANNOTATIONS_ANNOTATION_EDITS_H_

#include <vector>

#include "absl/status/status.h"
#include "tessera/sharding/graph/graph.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::graph {

struct AnnotationEdit {
  enum class Where {
    kParameter,   // `number` of the entry's flattened parameters
    kResult,      // the same of its results
    kConstraint,  // that `instruction` is
    kBehind,      // a new constraint behind array `leaf` of `instruction`
  };
  Where where = Where::kParameter;
  int number = 0;
  hlo::InstructionId instruction = hlo::kNoId;
  int leaf = 0;
  TensorSharding sharding;  // of a mesh of the graph
};

// NotFound for a place that the graph does not have.
absl::Status ApplyAnnotationEdits(Graph* graph, const std::vector<AnnotationEdit>& edits);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_IMPORT_ANNOTATIONS_ANNOTATION_EDITS_H_
