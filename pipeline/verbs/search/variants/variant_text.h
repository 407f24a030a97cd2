// Variants and their costs, as text and in messages.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_VARIANT_TEXT_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_VARIANT_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/pipeline/pattern_annotation.h"
#include "tessera/pipeline/verbs/search/variants/variant_cost.h"

namespace tessera::pipeline {

std::string AnnotationText(const PatternAnnotation& annotation);  // as --annotate reads it
std::string VariantText(const Variant& variant);                  // "as the module says" for none

// The time of a step; a + after it: some collectives or operations have none.
std::string TimeText(const cost::StepCost& cost);
// "26.9 ms, 3.91 GiB"; why a variant was refused.
std::string FiguresText(const absl::StatusOr<cost::StepCost>& cost);
// After the row of a variant: "" if it fits the memory, ", does not fit", or ", may not fit" where the error of the
// predicted peak decides. A limit of 0 is none.
absl::string_view FitText(const cost::StepCost& cost, int64_t limit);
// A paragraph that counts and names operations without a cost; "" if there are none.
std::string UnpricedText(const cost::StepCost& cost);

// The members that a SweepAnswer and a SuggestedCost have in common.
template <typename Message>
void FillOutcome(const absl::StatusOr<cost::StepCost>& outcome, bool timed, Message* to) {
  if (!outcome.ok()) return to->set_refused(std::string(outcome.status().message()));
  to->set_memory(outcome->memory);
  to->set_sent(outcome->sent);
  to->set_collectives(outcome->collectives);
  to->set_counted_once(outcome->counted_once);
  if (!timed) return;
  to->set_seconds(outcome->seconds());
  to->set_device_seconds(outcome->device_s);
  to->set_network_seconds(outcome->network_s);
  to->set_without_time(outcome->without_time);
  to->set_unpriced(outcome->unpriced);
}

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_VARIANT_TEXT_H_
