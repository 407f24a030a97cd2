#include "tessera/sharding/reference/behavior_table.h"

namespace tessera::sharding::reference {
namespace {

template <bool Behaviors::*kMember, bool kBefore = false>
void Revert(Behaviors* behaviors) {
  behaviors->*kMember = kBefore;
}

template <BecomingUnreduced kBefore>
void RevertUnreduced(Behaviors* behaviors) {
  behaviors->becoming_unreduced = kBefore;
}

template <PartitionerOpRules kBefore>
void RevertPartitionerOps(Behaviors* behaviors) {
  behaviors->partitioner_op_rules = kBefore;
}

// Before any operand was copied, none was copied twice.
void RevertSingleDevice(Behaviors* behaviors) {
  behaviors->single_device_operands_are_replicated = false;
  behaviors->single_device_second_copy = false;
}

using B = Behaviors;

constexpr Behavior kTable[] = {
    {"ffts_stay_cut", "0.12.0",
     "the partitioner leaves an fft cut along dimensions that it does not transform",
     Revert<&B::ffts_stay_cut>},
    {"scans_stay_cut", "0.12.0", "the partitioner scans each shard of an array",
     Revert<&B::scans_stay_cut>},
    {"side_effects_at_manual_boundaries", "0.12.0",
     "the Sharding calls at the boundary of a manual computation have side effects",
     Revert<&B::side_effects_at_manual_boundaries>},
    {"empty_shardings_keep_device_ids", "0.12.0",
     "a sharding without axes prints its mesh if that has device ids",
     Revert<&B::empty_shardings_keep_device_ids>},
    {"empty_open_shardings_take_constraints", "0.12.0",
     "a closed constraint applies to a value whose sharding is fully open and names nothing",
     Revert<&B::empty_open_shardings_take_constraints>},
    {"unaligned_reshapes_permute", "0.12.0",
     "the first unmatched dimensions of a reshape share a permutation factor, the others need "
     "replication",
     Revert<&B::unaligned_reshapes_permute>},
    {"spatial_factors_permute", "0.12.0",
     "spatial dimensions of a convolution's kernel and result without a part in the input are "
     "permutation factors",
     Revert<&B::spatial_factors_permute>},
    {"padding_permutes", "0.12.0",
     "a dimension that pad moves without changing its size is a permutation factor",
     Revert<&B::padding_permutes>},
    {"hyperbolic_ops_have_rules", "0.12.0",
     "acos, acosh, asin, asinh, atanh, cosh, erf and sinh have a rule",
     Revert<&B::hyperbolic_ops_have_rules>},
    {"topk_custom_call_rule", "0.12.0", "the custom call TopK has the rule of topk",
     Revert<&B::topk_custom_call_rule>},
    {"pred_conditionals_propagate", "0.12.0",
     "a conditional on a pred propagates like one with branch indices",
     Revert<&B::pred_conditionals_propagate>},
    {"constraints_bind_before_inlining", "0.12.0",
     "constraints bind their operands before calls are inlined",
     Revert<&B::constraints_bind_before_inlining>},
    {"single_device_second_copy", "0.12.0",
     "operands and results of a single-device op are copied once, not twice",
     Revert<&B::single_device_second_copy, true>},
    {"single_device_in_named_form", "0.12.0",
     "a named sharding on one device prints as single_device[..]; before, as maximal_mesh[..]",
     Revert<&B::single_device_in_named_form>},
    {"groups_in_mesh_order", "0.11.2",
     "collectives of a named sharding list their groups in the order of its mesh",
     Revert<&B::groups_in_mesh_order>},
    {"dots_leave_tile_form", "0.11.2",
     "after a dot, the partitioner keeps the named shardings of its operands and result in V1 "
     "form",
     Revert<&B::dots_leave_tile_form>},
    {"updates_gather_on_table_axes", "0.11.2",
     "updates of a scatter are gathered along lookup dimensions over axes that shard the indexed "
     "dimensions of the table",
     Revert<&B::updates_gather_on_table_axes>},
    {"tokens_are_never_partly_manual", "0.11.2",
     "tokens in a manual computation over some axes are replicated",
     Revert<&B::tokens_are_never_partly_manual>},
    {"named_shardings_by_default", "0.11.2", "shardings are written in named form (V3)",
     Revert<&B::named_shardings_by_default>},
    {"manual_computations_in_named_form", "0.11.2",
     "boundaries of manual computations are Sharding calls and shardings with manual axes",
     Revert<&B::manual_computations_in_named_form>},
    {"results_take_sharding_of_value", "0.11.2",
     "a result of the module without a sharding takes the sharding of its value",
     Revert<&B::results_take_sharding_of_value>},
    {"update_slices_permute", "0.11.2",
     "sliced dimensions of dynamic-update-slice are permutation factors",
     Revert<&B::update_slices_permute>},
    {"single_device_operands_are_replicated", "0.11.2",
     "operands of a single-device op are replicated before they are copied to the device",
     RevertSingleDevice},
    {"compare_has_order", "0.11.2",
     "compare prints order=, not type=", Revert<&B::compare_has_order>},
    {"origins_name_callers", "0.11.2",
     "origins have a list of calls, {(),[\"\"]} in place of {[synthetic_call]}",
     Revert<&B::origins_name_callers>},
    {"unreduced_axes_show_reduction", "0.11.1", "unreduced axes name their reduction op",
     Revert<&B::unreduced_axes_show_reduction>},
    {"scan_bodies_matter", "0.11.1",
     "the rule of scan lets shardings pass beside the scan only if its body is element-wise",
     Revert<&B::scan_bodies_matter>},
    {"topk_shows_stability", "0.11.0", "topk prints is_stable= even if the text lacks it",
     Revert<&B::topk_shows_stability>},
    {"collectives_name_their_operand", "0.11.0",
     "a collective of the partitioner has the metadata of its operand; before, of the op that "
     "needs it",
     Revert<&B::collectives_name_their_operand>},
    {"reverses_stay_on_their_device", "0.11.0",
     "a reverse without a sharding runs on the single device of its operand",
     Revert<&B::reverses_stay_on_their_device>},
    {"compact_get_tuple_elements", "0.11.0",
     "dumps name tuple elements at their use (%w#1), without a line",
     Revert<&B::compact_get_tuple_elements>},
    {"dropped_unreduced_axes_are_errors", "0.11.0",
     "unreduced axes that an op drops without reducing them are an error",
     Revert<&B::dropped_unreduced_axes_are_errors>},
    {"late_inlining_of_manual_computations", "0.11.0",
     "calls of manual computations are marked inlineable=\"xla_late\"; before, \"false\"",
     Revert<&B::late_inlining_of_manual_computations>},
    {"scatter_window_replicates", "0.10.1",
     "a scatter window dimension that the update covers only in part needs replication",
     Revert<&B::scatter_window_replicates>},
    {"constant_update_passes", "0.10.1",
     "sliced dimensions of dynamic-update-slice pass through if all indices are constant",
     Revert<&B::constant_update_passes>},
    {"cut_sub_axes_at_border", "0.10.0",
     "open dimensions of the module's parameters and results lose their sub-axes",
     Revert<&B::cut_sub_axes_at_border>},
    {"convert_where_values_flow", "0.10.0",
     "results, data-flow edges and call operands with more unreduced axes than their value get a "
     "conversion",
     Revert<&B::convert_where_values_flow>},
    {"collapsed_one_replicates", "0.10.0",
     "a collapsed gather dimension of size 1 needs replication; before, it was a reduction",
     Revert<&B::collapsed_one_replicates>},
    {"scatter_body_matters", "0.10.0",
     "implicit batch dimensions of scatter are reductions only if the update computation is one",
     Revert<&B::scatter_body_matters>},
    {"partitioner_op_rules", "0.10.0", "the partitioner's op MultiPad has a rule",
     RevertPartitionerOps<PartitionerOpRules::kAllButMultiPad>},
    {"partitioner_op_rules", "0.9.2",
     "the partitioner's ops RotateRight, MultiRotate, MultiSlice and Wrap have a rule",
     RevertPartitionerOps<PartitionerOpRules::kNone>},
    {"becoming_unreduced", "0.9.2",
     "a change to unreduced axes begins with a reshard if one is needed",
     RevertUnreduced<BecomingUnreduced::kNoReshard>},
    {"simplify_collectives", "0.9.1", "conversions of unreduced axes that undo each other vanish",
     Revert<&B::simplify_collectives>},
    {"replication_factors_compete", "0.9.1",
     "factors that need replication take part in the choice of explicit reshards",
     Revert<&B::replication_factors_compete>},
    {"same_value_concatenate_replicates", "0.9.1",
     "the dimension along which a value is concatenated with itself needs replication",
     Revert<&B::same_value_concatenate_replicates>},
    {"tie_by_local_size", "0.9.1",
     "ties between axes of explicit reshards are not decided by the size of the shards",
     Revert<&B::tie_by_local_size, true>},
    {"batch_norm_inference_rule", "0.9.0", "batch-norm-inference has a rule",
     Revert<&B::batch_norm_inference_rule>},
    {"becoming_unreduced", "0.9.0",
     "a change to unreduced axes converts replicated and sharded axes separately",
     RevertUnreduced<BecomingUnreduced::kShardedFirst>},
    {"first_tie_by_source_size", "0.9.0",
     "the first tie between axes of explicit reshards is not decided by the tensors that have them",
     Revert<&B::first_tie_by_source_size, true>},
    {"becoming_unreduced", "0.8.2", "a change to unreduced axes is a conversion; before, a copy",
     RevertUnreduced<BecomingUnreduced::kCopy>},
    {"reductions_yield", "0.8.1",
     "reduction factors rank after pass-through factors in the choice of explicit reshards",
     Revert<&B::reductions_yield>},
    {"sum_beside_unreduced", "0.8.0",
     "an op with unreduced results is followed by an all-reduce over its other reduced axes",
     Revert<&B::sum_beside_unreduced>},
    {"edges_take_unreduced", "0.8.0", "data-flow edges take the unreduced axes of constraints",
     Revert<&B::edges_take_unreduced>},
    {"x64_pair_replicates", "0.8.0",
     "the pair dimension of X64Combine before rng-bit-generator needs replication",
     Revert<&B::x64_pair_replicates>},
};

}  // namespace

absl::Span<const Behavior> BehaviorTable() { return kTable; }

}  // namespace tessera::sharding::reference
