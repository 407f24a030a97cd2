// Variants and what they cost, as text and as JSON.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_VARIANT_TEXT_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_VARIANT_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/pipeline/pattern_annotation.h"
#include "tessera/pipeline/verbs/search/variants/variant_cost.h"
#include "tessera/sharding/mesh.h"
#include "tessera/text/formats/json.h"

namespace tessera::pipeline {

std::string MeshText(const sharding::Mesh& mesh);                 // data=4,model=2
std::string ShortMeshText(const sharding::Mesh& mesh);            // without axes of size 1
std::string AnnotationText(const PatternAnnotation& annotation);  // as --annotate reads it
std::string VariantText(const Variant& variant);                  // "as the module says" for none

// The time of a step; a + behind it: some collectives or operations have none.
std::string TimeText(const cost::StepCost& cost);
// A paragraph that counts and names operations without a cost; "" if there are none.
std::string UnpricedText(const cost::StepCost& cost);

// Members of an object, those of sweep_answer.proto.
void PutVariant(const Variant& variant, text::JsonWriter* json);
void PutOutcome(const absl::StatusOr<cost::StepCost>& outcome, bool timed, text::JsonWriter* json);
// The same as an object of its own, with times.
void PutOutcomeAt(absl::string_view key, const absl::StatusOr<cost::StepCost>& outcome,
                  text::JsonWriter* json);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_VARIANT_TEXT_H_
