// Each row of the table of behaviours, shown by the smallest module: with the release that began
// the row, and with the one before it.

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "re2/re2.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/shard.h"
#include "tessera/sharding/reference/behavior_table.h"
#include "tessera/sharding/reference/reference.h"
#include "tessera/testing/rules/rule_of_text.h"

namespace tessera::pipeline {
namespace {

using sharding::reference::Reference;

using Row = std::pair<std::string, std::string>;  // its name, and since when

// The first release with the row that is known; 0.8.1 is none.
std::string Known(const Row& row) { return row.second == "0.8.1" ? "0.8.2" : row.second; }

Reference Since(const Row& row) { return *sharding::reference::FindReference(Known(row)); }

Reference Before(const Row& row) {
  const auto known = sharding::reference::KnownVersions();
  const auto since = std::find(known.begin(), known.end(), Known(row));
  return *sharding::reference::FindReference(*std::next(since));
}

// The rule of the instruction `op`.
struct RuleCase {
  Row row;
  const char* body;
  const char* before;
  const char* since;
};

const RuleCase kRules[] = {
    {{"unaligned_reshapes_permute", "0.12.0"},
     "x = f32[12,5] parameter(0)\n ROOT op = f32[5,12] reshape(x)",
     "([i, l])->([j, k]) {i=12, j=5, k=12, l=5}",
     "([i, k])->([i, j]) {i=12, j=12, k=5} need_replication={j, k} permutation={i}"},
    {{"spatial_factors_permute", "0.12.0"},
     "x = f32[4,28,3] parameter(0)\n k = f32[7,3,4] parameter(1)\n"
     "ROOT op = f32[4,22,4] convolution(x, k), window={size=7}, dim_labels=b0f_0io->b0f",
     "([i, j, k], [m, k, l])->([i, j, l]) {i=4, j=22, k=3, l=4, m=1} reduction={k} permutation={j}",
     "([i, j, l], [k, l, m])->([i, j, m]) {i=4, j=22, k=7, l=3, m=4} reduction={l} "
     "permutation={j, k}"},
    {{"padding_permutes", "0.12.0"},
     "x = f32[6] parameter(0)\n z = f32[] parameter(1)\n"
     "ROOT op = f32[6] pad(x, z), padding=1_-1",
     "([i], [])->([i]) {i=6}",
     "([i], [])->([i]) {i=6} permutation={i}"},
    {{"hyperbolic_ops_have_rules", "0.12.0"},
     "x = f32[6] parameter(0)\n ROOT op = f32[6] erf(x)",
     "none",
     "([i])->([i]) {i=6}"},
    {{"topk_custom_call_rule", "0.12.0"},
     "x = f32[6,8] parameter(0)\n"
     "ROOT op = (f32[6,2], s32[6,2]) custom-call(x), custom_call_target=\"TopK\"",
     "none",
     "([i, j])->([i, j], [i, j]) {i=6, j=8} need_replication={j} blocked_propagation={j}"},
    {{"update_slices_permute", "0.11.2"},
     "x = f32[9] parameter(0)\n u = f32[3] parameter(1)\n n = s32[] parameter(2)\n"
     "ROOT op = f32[9] dynamic-update-slice(x, u, n)",
     "([i], [j], [])->([i]) {i=9, j=3} need_replication={j}",
     "([i], [j], [])->([i]) {i=9, j=3} permutation={i, j}"},
    {{"scan_bodies_matter", "0.11.1"},
     "x = f32[5,7] parameter(0)\n c = f32[7] parameter(1)\n"
     "ROOT op = (f32[5,7], f32[7]) scan(x, c), dimensions={0}, num_carries=1, to_apply=flip",
     "([i, j], [j])->([i, j], [j]) {i=5, j=7} need_replication={i}",
     "([i, j], [j])->([i, j], [j]) {i=5, j=7} need_replication={i, j}"},
    {{"scatter_window_replicates", "0.10.1"},
     "x = f32[9,7] parameter(0)\n n = s32[5,1] parameter(1)\n u = f32[5,3] parameter(2)\n"
     "ROOT op = f32[9,7] scatter(x, n, u), update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=put",
     "([l, j], [i, m], [i, k])->([l, j]) {i=5, j=7, k=3, l=9, m=1} need_replication={i, k, m}",
     "([l, j], [i, m], [i, k])->([l, j]) {i=5, j=7, k=3, l=9, m=1} need_replication={i, j, k, m}"},
    {{"constant_update_passes", "0.10.1"},
     "x = f32[9] parameter(0)\n u = f32[3] parameter(1)\n n = s32[] constant(2)\n"
     "ROOT op = f32[9] dynamic-update-slice(x, u, n)",
     "([i], [j], [])->([i]) {i=9, j=3} need_replication={j}",
     "([i], [j], [])->([i]) {i=9, j=3}"},
    {{"collapsed_one_replicates", "0.10.0"},
     "x = f32[1,7] parameter(0)\n n = s32[5,1] parameter(1)\n"
     "ROOT op = f32[5,7] gather(x, n), offset_dims={1}, collapsed_slice_dims={0}, "
     "start_index_map={0}, index_vector_dim=1, slice_sizes={1,7}",
     "([k, j], [i, l])->([i, j]) {i=5, j=7, k=1, l=1} reduction={k} need_replication={l}",
     "([k, j], [i, l])->([i, j]) {i=5, j=7, k=1, l=1} need_replication={k, l}"},
    {{"scatter_body_matters", "0.10.0"},
     "x = f32[9] parameter(0)\n n = s32[5,1] parameter(1)\n u = f32[5] parameter(2)\n"
     "ROOT op = f32[9] scatter(x, n, u), update_window_dims={}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=put",
     "([j], [i, k], [i])->([j]) {i=5, j=9, k=1} reduction={i} need_replication={k}",
     "([j], [i, k], [i])->([j]) {i=5, j=9, k=1} need_replication={i, k}"},
    {{"partitioner_op_rules", "0.10.0"},
     "x = f32[6] parameter(0)\n"
     "ROOT op = f32[6] custom-call(x), custom_call_target=\"_SPMDInternalOp_MultiPad\"",
     "none",
     "([i])->([i]) {i=6}"},
    {{"partitioner_op_rules", "0.9.2"},
     "x = f32[6] parameter(0)\n"
     "ROOT op = f32[6] custom-call(x), custom_call_target=\"_SPMDInternalOp_Wrap\"",
     "none",
     "([i])->([i]) {i=6}"},
    {{"same_value_concatenate_replicates", "0.9.1"},
     "x = f32[4] parameter(0)\n ROOT op = f32[8] concatenate(x, x), dimensions={0}",
     "([i], [i])->([i]) {i=8} permutation={i}",
     "([i], [i])->([i]) {i=8} need_replication={i}"},
    {{"batch_norm_inference_rule", "0.9.0"},
     "x = f32[3,8] parameter(0)\n c = f32[8] parameter(1)\n"
     "ROOT op = f32[3,8] batch-norm-inference(x, c, c, c, c), epsilon=0.1, feature_index=1",
     "none",
     "([i, j], [j], [j], [j], [j])->([i, j]) {i=3, j=8}"},
    {{"x64_pair_replicates", "0.8.0"},
     "lo = u32[2] parameter(0)\n hi = u32[2] parameter(1)\n"
     "op = u64[2] custom-call(lo, hi), custom_call_target=\"X64Combine\"\n"
     "ROOT r = (u64[2], u32[8]) rng-bit-generator(op), algorithm=rng_three_fry",
     "([i], [i])->([i]) {i=2} blocked_propagation={i}",
     "([i], [i])->([i]) {i=2} need_replication={i} blocked_propagation={i}"},
};

constexpr char kBodies[] =
    "put {\n x = f32[] parameter(0)\n ROOT y = f32[] parameter(1)\n}\n"
    "flip {\n x = f32[7] parameter(0)\n c = f32[7] parameter(1)\n"
    " s = f32[7] reverse(x), dimensions={0}\n ROOT t = (f32[7], f32[7]) tuple(s, c)\n}\n";

std::string RuleWith(const RuleCase& c, const Reference& reference) {
  sharding::rules::RuleMode mode;
  mode.behaviors = reference.behaviors;
  return sharding::rules::RuleOfOpIn(c.body, kBodies, mode);
}

TEST(BehaviorRowsTest, Rules) {
  for (const RuleCase& c : kRules) {
    EXPECT_EQ(RuleWith(c, Before(c.row)), c.before) << c.row.first;
    EXPECT_EQ(RuleWith(c, Since(c.row)), c.since) << c.row.first;
  }
}

// Something that only the one result has, and something that only the other has; both results
// differ even where nothing is named. In the body `<..>` is a sharding of a parameter,
// `constraint(x) <..>` and `returned(x) <..>` are the custom calls.
struct ModuleCase {
  Row row;
  const char* mesh;
  const char* body;
  const char* before;
  const char* since;
};

constexpr char kMadeUnreduced[] =
    "x = f32[8] parameter(0), <[{}]>\n c = f32[8] constraint(x) <[{}], unreduced={\"x\"}>\n"
    "ROOT n = f32[8] negate(c)";

const ModuleCase kModules[] = {
    {{"cut_sub_axes_at_border", "0.10.0"},
     "\"x\"=8",
     "x = f32[128] parameter(0), <[{\"x\"}]>\n ROOT r = f32[2,64] reshape(x)",
     "",
     "get-tuple-element"},
    {{"convert_where_values_flow", "0.10.0"},
     "\"x\"=4",
     "x = f32[8] parameter(0), <[{}]>\n ROOT r = f32[8] returned(x) <[{}], unreduced={\"x\"}>",
     "",
     "SPMDShardToFullShape"},
    {{"becoming_unreduced", "0.9.2"},
     "\"x\"=4, \"y\"=2",
     "x = f32[8] parameter(0), <[{\"x\", \"y\"}]>\n"
     "c = f32[8] constraint(x) <[{\"y\"}], unreduced={\"x\"}>\n ROOT n = f32[8] negate(c)",
     "%c: its dimensions have to change before axes can become unreduced",
     "copy("},
    {{"becoming_unreduced", "0.9.0"}, "\"x\"=4", kMadeUnreduced, "dynamic-update-slice", "select("},
    {{"becoming_unreduced", "0.8.2"}, "\"x\"=4", kMadeUnreduced, "", "dynamic-update-slice"},
    {{"simplify_collectives", "0.9.1"}, "\"x\"=4", kMadeUnreduced, "all-reduce", ""},
    {{"replication_factors_compete", "0.9.1"},
     "\"x\"=4, \"y\"=2",
     "a = f32[16,32] parameter(0), <[{\"x\"}, {}]>\n b = f32[8,32] parameter(1), <[{}, {\"y\"}]>\n"
     "ROOT c = f32[24,32] concatenate(a, b), dimensions={0}",
     "dimensions={0}, sharding={devices=[1,2,4]",
     "dimensions={0}, sharding={devices=[1,8]"},
    {{"tie_by_local_size", "0.9.1"},
     "\"x\"=4",
     "a = f32[8,16,16] parameter(0), <[{}, {}, {}]>\n"
     "b = f32[1,8,16,8] parameter(1), <[{}, {}, {}, {\"x\"}]>\n"
     "n = s32[8,1] parameter(2), <[{}, {}]>\n"
     "d = f32[8,16,8] ragged-dot(a, b, n), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
     "rhs_batch_dims={1}, rhs_contracting_dims={2}, lhs_ragged_dims={1}, rhs_group_dims={0}\n"
     "ROOT r = f32[8,16,8] returned(d) <[{\"x\"}, {}, {}]>",
     "{devices=[1,4,1,1]<=[4]}",
     "{devices=[1,1,4]<=[4]}"},
    {{"first_tie_by_source_size", "0.9.0"},
     "\"x\"=4, \"y\"=2",
     "a = f32[8,32] parameter(0), <[{}, {\"x\"}]>\n b = f32[8,32] parameter(1), <[{}, {\"x\"}]>\n"
     "c = f32[16,32] concatenate(a, b), dimensions={0}\n"
     "ROOT r = f32[16,32] returned(c) <[{}, {\"y\"}]>",
     "dimensions={0}, sharding={devices=[1,2,4]",
     "dimensions={0}, sharding={devices=[1,4,2]"},
    {{"reductions_yield", "0.8.1"},
     "\"x\"=4, \"y\"=2",
     "a = f32[64,16] parameter(0), <[{\"y\"}, {\"x\"}]>\n"
     "b = f32[4,16,16] parameter(1), <[{}, {\"y\"}, {\"x\"}]>\n"
     "n = s32[4] parameter(2), <[{\"x\"}]>\n"
     "d = f32[64,16] ragged-dot(a, b, n), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={0}, rhs_group_dims={0}\n"
     "ROOT r = f32[64,16] returned(d) <[{\"x\"}, {\"y\"}]>",
     "",
     ""},
    {{"sum_beside_unreduced", "0.8.0"},
     "\"x\"=2, \"y\"=2",
     "x = f32[8,8] parameter(0), <[{}, {\"x\", \"y\"}]>\n z = f32[] constant(0)\n"
     "s = f32[8] reduce(x, z), dimensions={1}, to_apply=add\n"
     "ROOT c = f32[8] constraint(s) <[{}], unreduced={\"x\"}>",
     "",
     "replica_groups={{0,1},{2,3}}"},
    {{"edges_take_unreduced", "0.8.0"},
     "\"x\"=2, \"y\"=2",
     "x = f32[8,8] parameter(0)\n b = f32[8,8] opt-barrier(x)\n"
     "c = f32[8,8] constraint(b) <[{}, {}], unreduced={\"x\"}>\n ROOT n = f32[8,8] negate(c)",
     "",
     ""},
};

constexpr char kAdd[] =
    "add {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n";

// `<[{"x"}]>` after an instruction as the attribute that says so.
std::string Spelled(std::string body) {
  body = absl::StrReplaceAll(body, {{"\"", "\\\""}});
  const std::string values =
      "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, \\2>]>\"}";
  RE2::GlobalReplace(&body, "constraint\\((\\w+)\\) <(.*)>",
                     absl::StrCat("custom-call(\\1), custom_call_target=\"Sharding\", ", values));
  RE2::GlobalReplace(
      &body, "returned\\((\\w+)\\) <(.*)>",
      absl::StrCat("custom-call(\\1), custom_call_target=\"xla.sdy.FuncResultSharding\", ",
                   "custom_call_has_side_effect=true, ", values));
  RE2::GlobalReplace(
      &body, "parameter\\((\\d+)\\), <(.*)>",
      "parameter(\\1), frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, \\2>\"}");
  return body;
}

std::string ShardedWith(const ModuleCase& c, Reference reference) {
  const std::string text =
      absl::StrCat("HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[", c.mesh,
                   "]>}}\n", kAdd, "ENTRY e {\n", Spelled(c.body), "\n}\n");
  auto module = hlo::ParseModule(text);
  if (!module.ok()) return std::string(module.status().message());
  ShardOptions options;
  options.reference = std::move(reference);
  options.structure = Structure::kXla;
  options.stage = Stage::kPass;
  const auto result = ShardModule(*std::move(module), options);
  return result.ok() ? result->text : std::string(result.status().message());
}

void ExpectOnlyIn(const std::string& one, const std::string& other, const char* what) {
  if (*what == '\0') return;
  EXPECT_THAT(one, ::testing::HasSubstr(what));
  EXPECT_THAT(other, ::testing::Not(::testing::HasSubstr(what)));
}

TEST(BehaviorRowsTest, Modules) {
  for (const ModuleCase& c : kModules) {
    SCOPED_TRACE(absl::StrCat(c.row.first, " ", c.row.second));
    const std::string before = ShardedWith(c, Before(c.row));
    const std::string since = ShardedWith(c, Since(c.row));
    EXPECT_NE(before, since);
    ExpectOnlyIn(before, since, c.before);
    ExpectOnlyIn(since, before, c.since);
  }
}

// Tested where they are read, because no result of a module in tile form, read from a text, shows
// them.
constexpr const char* kElsewhere[] = {
    "side_effects_at_manual_boundaries",
    "empty_shardings_keep_device_ids",
    "empty_open_shardings_take_constraints",
    "constraints_bind_before_inlining",
    "pred_conditionals_propagate",
    "single_device_second_copy",
    "single_device_in_named_form",
    "named_shardings_by_default",
    "manual_computations_in_named_form",
    "results_take_sharding_of_value",
    "single_device_operands_are_replicated",
    "unreduced_axes_show_reduction",
    "compare_has_order",
    "origins_name_callers",
    "topk_shows_stability",
    "compact_get_tuple_elements",
    "dropped_unreduced_axes_are_errors",
    "late_inlining_of_manual_computations",
    "tokens_are_never_partly_manual",
    "collectives_name_their_operand",
    "reverses_stay_on_their_device",
    "groups_in_mesh_order",
    "ffts_stay_cut",
    "scans_stay_cut",
    "dots_leave_tile_form",
    "updates_gather_on_table_axes",
};

TEST(BehaviorRowsTest, AreAll) {
  std::set<Row> shown;
  for (const RuleCase& c : kRules) shown.insert(c.row);
  for (const ModuleCase& c : kModules) shown.insert(c.row);
  for (const sharding::reference::Behavior& row : sharding::reference::BehaviorTable()) {
    const bool elsewhere =
        std::find(std::begin(kElsewhere), std::end(kElsewhere), row.name) != std::end(kElsewhere);
    const bool here = shown.count({std::string(row.name), std::string(row.since)}) > 0;
    EXPECT_NE(here, elsewhere) << row.name << " since " << row.since;
  }
}

}  // namespace
}  // namespace tessera::pipeline
