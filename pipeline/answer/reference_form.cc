#include "tessera/pipeline/answer/reference_form.h"

namespace tessera::pipeline {

hlo::PrintOptions InFormOf(const sharding::reference::Behaviors& behaviors,
                           hlo::PrintOptions options) {
  options.comparison_order = behaviors.compare_has_order;
  options.topk_stability = behaviors.topk_shows_stability;
  options.origin_call_hierarchy = behaviors.origins_name_callers;
  options.sharding_reductions = behaviors.unreduced_axes_show_reduction;
  options.single_device_shardings = behaviors.single_device_in_named_form;
  return options;
}

hlo::PrintOptions DumpFormOf(const sharding::reference::Behaviors& behaviors) {
  hlo::PrintOptions options = InFormOf(behaviors, hlo::PrintOptions::Default());
  options.compact_get_tuple_elements = behaviors.compact_get_tuple_elements;
  options.large_constants = true;
  // The plan's shardings have them already.
  options.sharding_reductions = false;
  return options;
}

}  // namespace tessera::pipeline
