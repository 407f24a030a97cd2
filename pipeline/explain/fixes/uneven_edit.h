// Why the edit of an argument or of a result cannot stand: a dimension that its axes do not divide.
//
//   UnevenText(explained, slot, edit, {"model"});
//   // "dim 2 has 2 elements, which 4 devices do not divide; dim 1 (4096), dim 3 (128) can take 'model'"
//
// XLA cuts such axes at the boundary of the program, and JAX refuses them there.

#ifndef TESSERA_PIPELINE_EXPLAIN_FIXES_UNEVEN_EDIT_H_
#define TESSERA_PIPELINE_EXPLAIN_FIXES_UNEVEN_EDIT_H_

#include <string>

#include "tessera/pipeline/explain/explained.h"
#include "tessera/sharding/explain/whynot/asked_axes.h"
#include "tessera/sharding/passes/import/annotations/annotation_edits.h"

namespace tessera::pipeline {

// `slot`: the tensor of the edit. "" where all dimensions divide, and for a constraint inside of the program.
std::string UnevenText(const Explained& explained, sharding::explain::SlotId slot,
                       const sharding::passes::AnnotationEdit& edit,
                       const sharding::explain::AskedAxis& asked);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_FIXES_UNEVEN_EDIT_H_
