// The text of a lowered module with the annotations of a variant written into it, as JAX would have lowered it.
//
//   AnnotatedText(module, {mesh, {w1=P('data',)}, /*ties_donated=*/true});
//   //   w1 = f32[8,4] parameter(1)
//   //   w1 = f32[8,4] parameter(1), sharding={devices=[2,1]<=[2]}, frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {}]>"}
//
// A parameter gets its xla.sdy.sharding, a constraint another one, any other value a constraint, and a result its xla.sdy.FuncResultSharding: that of the module is
// edited, else a line is added after the value. A mesh of the variant takes the place of the module's. All other lines
// keep their bytes. `sharding=`, by which the compiler chooses layouts, says the same on these lines and on the root.
// Tested by annotated_text_test.cc and suggest_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_ANNOTATED_TEXT_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_ANNOTATED_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/verbs/search/variants/variant_key.h"

namespace tessera::pipeline {

// The whole file. `module` is as it was parsed. Unimplemented if the shardings of the module stand in `sharding=`
// alone, or it has several meshes. Also for an annotation of a tuple or of the root.
absl::StatusOr<std::string> AnnotatedText(const hlo::Module& module, const Variant& variant);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_ANNOTATED_TEXT_H_
