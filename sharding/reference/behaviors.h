// Differences of the releases of the reference (the `shardy-xla` pass of a jaxlib): one member for
// each difference, named after the behaviour. A pass that asks for a release is wrong; it asks for
// a behaviour. The meaning of each, and the release that began it, stand in behavior_table.cc;
// `FindReference(version)->behaviors` (reference.h) is this struct for a release.
//
//   reference::Behaviors behaviors;                         // the newest release that is known
//   if (behaviors.cut_sub_axes_at_border) ...

#ifndef TESSERA_SHARDING_REFERENCE_BEHAVIORS_H_
#define TESSERA_SHARDING_REFERENCE_BEHAVIORS_H_

#include <cstdint>

namespace tessera::sharding::reference {

// The form of a reshard whose target has unreduced axes that the value does not have.
enum class BecomingUnreduced : uint8_t {
  kCopy,          // stays a reshard
  kShardedFirst,  // one sharded-to-unreduced conversion, then a reshard to the target
  kNoReshard,     // the conversions of today without the reshard before them
  kReshardFirst,  // a reshard where one is needed, then the conversions
};

// Which `_SPMDInternalOp_*` custom calls have a sharding rule.
enum class PartitionerOpRules : uint8_t { kNone, kAllButMultiPad, kAll };

struct Behaviors {
  // Text.
  bool compact_get_tuple_elements = true;
  bool named_shardings_by_default = true;
  bool manual_computations_in_named_form = true;
  bool late_inlining_of_manual_computations = true;
  bool side_effects_at_manual_boundaries = true;
  bool empty_shardings_keep_device_ids = true;
  bool unreduced_axes_show_reduction = true;
  bool compare_has_order = true;
  bool single_device_in_named_form = true;
  bool topk_shows_stability = true;
  bool origins_name_callers = true;

  // Import and propagation.
  bool empty_open_shardings_take_constraints = true;
  bool pred_conditionals_propagate = true;
  bool constraints_bind_before_inlining = true;
  bool edges_take_unreduced = true;

  // Export.
  bool tokens_are_never_partly_manual = true;
  bool results_take_sharding_of_value = true;
  bool dropped_unreduced_axes_are_errors = true;
  bool single_device_operands_are_replicated = true;
  bool single_device_second_copy = false;
  bool cut_sub_axes_at_border = true;
  bool convert_where_values_flow = true;
  BecomingUnreduced becoming_unreduced = BecomingUnreduced::kReshardFirst;
  bool simplify_collectives = true;
  bool sum_beside_unreduced = true;

  // Explicit reshards of concatenates and ragged dots.
  bool replication_factors_compete = true;
  bool tie_by_local_size = false;
  bool first_tie_by_source_size = false;
  bool reductions_yield = true;

  // Rules.
  bool update_slices_permute = true;
  bool unaligned_reshapes_permute = true;
  bool spatial_factors_permute = true;
  bool padding_permutes = true;
  bool hyperbolic_ops_have_rules = true;
  bool topk_custom_call_rule = true;
  bool scan_bodies_matter = true;
  bool batch_norm_inference_rule = true;
  PartitionerOpRules partitioner_op_rules = PartitionerOpRules::kAll;
  bool same_value_concatenate_replicates = true;
  bool collapsed_one_replicates = true;
  bool scatter_body_matters = true;
  bool scatter_window_replicates = true;
  bool constant_update_passes = true;
  bool x64_pair_replicates = true;

  // The partitioner after the pass.
  bool collectives_name_their_operand = true;
  bool reverses_stay_on_their_device = true;
  bool groups_in_mesh_order = true;
  bool dots_leave_tile_form = true;
  bool updates_gather_on_table_axes = true;
  bool ffts_stay_cut = true;
  bool scans_stay_cut = true;
};

}  // namespace tessera::sharding::reference

#endif  // TESSERA_SHARDING_REFERENCE_BEHAVIORS_H_
