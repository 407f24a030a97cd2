// What others found when they attacked tessera, through the verb that they used: inputs that once
// ended the process, never came to an end, or gave an error without a place. The rows carry the
// number of the finding; notes/hardening.md says which test has the findings that are not here.

#include <algorithm>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/command_line.h"
#include "tessera/pipeline/command_line/verbs.h"

namespace tessera::testing::hostile {
namespace {

using ::testing::HasSubstr;

struct Found {
  const char* number;
  // The verb and its flags. The file comes after the verb, and in place of FILE.
  std::vector<std::string> words;
  std::string text;
  const char* error;  // a part of it; empty: a result
};

void PrintTo(const Found& found, std::ostream* out) { *out << found.number; }

#define COMPUTATIONS                                                                   \
  "HloModule m, num_partitions=4\n"                                                    \
  "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"   \
  "lt { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), " \
  "direction=LT }\n"                                                                   \
  "none { ROOT a = f32[8,8] constant(0) }\n"                                           \
  "line { ROOT a = f32[8] parameter(0) }\n"                                            \
  "ENTRY e {\n"                                                                        \
  "p = f32[8,8] parameter(0)\n"                                                        \
  "q = () parameter(1)\n"                                                              \
  "t = (f32[8,8], f32[8,8]) parameter(2)\n"

// An entry with the operands above; the line is line 10.
#define BODY(line) COMPUTATIONS line "\n}\n"
#define AT ":10:1: error: "

// Three loops, the innermost one around an all-reduce.
#define LOOP(body, inside)                                                                     \
  body " { p = (s64[], f32[64]) parameter(0) i = s64[] get-tuple-element(p), index=0\n"        \
       "x = f32[64] get-tuple-element(p), index=1 o = s64[] constant(1) k = s64[] add(i, o)\n" \
       "z = s64[] constant(0) t = (s64[], f32[64]) tuple(z, x)\n" inside                       \
       "\n"                                                                                    \
       "ROOT r = (s64[], f32[64]) tuple(k, y) }\n"
#define LOOPS \
  "HloModule m, num_partitions=8\n"                                                              \
  "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"             \
  "cond { p = (s64[], f32[64]) parameter(0) i = s64[] get-tuple-element(p), index=0\n"           \
  "n = s64[] constant(4000000000) ROOT c = pred[] compare(i, n), direction=LT }\n"               \
  LOOP("b0", "y = f32[64] all-reduce(x), replica_groups={{0,1,2,3,4,5,6,7}}, to_apply=add")      \
  LOOP("b1", "w = (s64[], f32[64]) while(t), condition=cond, body=b0 "                           \
             "y = f32[64] get-tuple-element(w), index=1")                                        \
  LOOP("b2", "w = (s64[], f32[64]) while(t), condition=cond, body=b1 "                           \
             "y = f32[64] get-tuple-element(w), index=1")                                        \
  "ENTRY e { x = f32[64] parameter(0) z = s64[] constant(0) "                                    \
  "t = (s64[], f32[64]) tuple(z, x)\n"                                                           \
  "ROOT w = (s64[], f32[64]) while(t), condition=cond, body=b2 }\n"

const std::vector<std::string> kShard = {"shard"}, kStats = {"stats"},
                               kProject = {"project", "r", "--block=0:1,0:1"};

const Found kFound[] = {
    // A: memory.
    {"A4", kStats,
     "HloModule m\n"
     "yes { a = (s32[], f32[8]) parameter(0) b = s32[] get-tuple-element(a), index=3 "
     "ROOT c = pred[] compare(b, b), direction=LT }\n"
     "same { ROOT a = (s32[], f32[8]) parameter(0) }\n"
     "ENTRY e { s = (s32[], f32[8]) parameter(0) "
     "ROOT r = (s32[], f32[8]) while(s), condition=yes, body=same }\n",
     ":2:40: error: get-tuple-element 'b': there is no element 3"},
    {"A5", kShard, BODY("ROOT r = f32[8,8] rng-bit-generator(q), algorithm=rng_default"),
     AT "rng-bit-generator 'r': "},
    // B1: the parser.
    {"B1_Conditional", {"print"}, BODY("ROOT r = negate(f32[] conditional())"), ":10:17: error: "},
    {"B1_BroadcastStart",
     {"print"},
     BODY("ROOT r = ((), f32[4]) broadcast-start()"),
     "takes 1 operands, got 0"},
    {"B1_BroadcastStartOfTuple",
     {"print"},
     BODY("ROOT r = ((), (), ()) broadcast-start(q)"),
     "takes 1 operands, got 0"},
    {"B1_Scan",
     {"print"},
     BODY("ROOT r = scan(), num_carries=0, dimensions={0}, to_apply=none"),
     "scan needs an input"},
    // B2: what later code trusts.
    {"B2_shard_BarrierShape", kShard, BODY("ROOT r = f32[] opt-barrier(q)"),
     AT "opt-barrier 'r': "},
    {"B2_shard_BarrierKind", kShard, BODY("ROOT r = (token[]) opt-barrier(q)"),
     AT "opt-barrier 'r': "},
    {"B2_shard_Call", kShard, BODY("ROOT r = ((), ()) call(), to_apply=none"), AT "call 'r': "},
    {"B2_shard_Broadcast", kShard, BODY("ROOT r = f32[8] broadcast(q), dimensions={}"),
     ":10:44: error: broadcast is for arrays"},
    {"B2_shard_ElementRank",
     {"shard", "--mesh=a=2,b=2", "--annotate=p=P('a')"},
     BODY("ROOT r = f32[8] get-tuple-element(t), index=0"),
     AT "get-tuple-element 'r': the shape is"},
    {"B2_stats_Cholesky", kStats, BODY("ROOT r = f32[8,8] cholesky()"),
     ":10:27: error: cholesky takes 1 operands"},
    {"B2_stats_Solve", kStats,
     BODY("ROOT r = f32[8,8] triangular-solve(p, q), transpose_a=NO_TRANSPOSE"),
     AT "triangular-solve 'r': "},
    {"B2_stats_Scatter", kStats,
     BODY("ROOT r = f32[8,8] scatter(p), update_window_dims={}, inserted_window_dims={0,1}, "
          "scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=add"),
     AT "scatter 'r': "},
    {"B2_stats_Sort", kStats, BODY("ROOT r = f32[8,8] sort(), dimensions={0}, to_apply=lt"),
     AT "sort 'r': "},
    {"B2_stats_ReduceScatter", kStats,
     BODY("ROOT r = f32[8,8] reduce-scatter(), dimensions={0}, to_apply=add"),
     AT "reduce-scatter 'r': "},
    {"B2_stats_Convolution", kStats,
     BODY("ROOT r = f32[8,8] convolution(p, p), window={size=1}, dim_labels=b0f_0io->b0f"),
     AT "convolution 'r': "},
    {"B2_stats_ConvolutionKernel", kStats,
     BODY("k = f32[8] parameter(3)\nROOT r = f32[8,8] convolution(p, k), window={size=1}, "
          "dim_labels=b0f_0io->b0f"),
     ":11:1: error: convolution 'r': window, labels and operands differ in their dimensions"},
    {"B2_stats_Dot", kStats,
     BODY("ROOT r = f32[8,8] dot(t, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
     AT "dot 'r': "},
    {"B2_stats_ReduceWindow", kStats,
     BODY("ROOT r = f32[8,8] reduce-window(p), window={size=1x1}, to_apply=add"),
     ":10:68: error: expected as many initial values as inputs"},
    {"B2_stats_Fusion", kStats, BODY("ROOT r = f32[8] fusion(p), kind=kCustom, calls=line"),
     AT "fusion 'r': "},
    {"B2_project_EmptyTuple", {"project", "r"}, BODY("ROOT r = () tuple()"), ""},
    {"F_OriginsOfNoArrays",
     {"project", "r", "--to-inputs"},
     BODY("ROOT r = () custom-call(p), custom_call_target=\"effect\""),
     AT "--to-inputs and --through follow"},
    {"F_CutsOfNoArrays",
     {"project", "r", "--best=4"},
     BODY("ROOT r = () custom-call(p), custom_call_target=\"effect\""),
     AT "--best=4: no cut into 4 parts fits"},
    {"B2_project_Dependency", kProject, BODY("ROOT r = () add-dependency(q, q)"),
     AT "add-dependency 'r': "},
    {"B2_project_Done", kProject, BODY("ROOT r = f32[8,8] all-gather-done(t)"), ""},
    {"B2_project_Bitcast", kProject, BODY("ROOT r = f32[8,8] bitcast(t)"), AT "bitcast 'r': "},
    {"B2_project_Broadcast", kProject, BODY("ROOT r = f32[8] broadcast(t), dimensions={}"),
     ":10:44: error: broadcast is for arrays"},
    {"B2_project_Permute", kProject,
     BODY("ROOT r = f32[8,8] collective-permute(t), source_target_pairs={{0,1}}"),
     AT "collective-permute 'r': result and operand differ"},
    {"B2_project_Slice", kProject,
     BODY("ROOT r = f32[8,8] dynamic-slice(t), dynamic_slice_sizes={1,1}"),
     AT "dynamic-slice 'r': "},
    {"B2_project_Update", kProject, BODY("ROOT r = f32[8,8] dynamic-update-slice(t, t)"),
     AT "dynamic-update-slice 'r': "},
    {"B2_project_AddStart", kProject, BODY("ROOT r = f32[8,8] add-start(p, p)"), ":10:"},
    // B3: memory that one line asks for.
    {"B3_shard", kShard, BODY("ROOT r = u8[4294967296] constant({...})"), ""},
    {"B3_short", {"print", "--format=short"}, BODY("ROOT r = u8[4294967296] constant({...})"), ""},
    {"B3_pb", {"print", "--format=pb"}, BODY("ROOT r = u8[4294967296] constant({...})"), ""},
    // B5: numbers.
    {"B5_Iota",
     {"print"},
     BODY("ROOT r = f32[8,8] all-reduce(p), "
          "replica_groups=[1,2]<=[4611686018427387904,4]T(0,1), to_apply=add"),
     ":10:"},
    {"B5_RuleProduct",
     {"shard", "--rule=foo=([ij, k])->([ij, k]) {i=3, j=6148914691236517208, k=8}"},
     BODY("ROOT r = f32[8,8] custom-call(p), custom_call_target=\"foo\""),
     AT "%r: rule of foo:1:"},
    {"B5_Bytes",
     {"shardings", "--json"},
     BODY("ROOT r = f32[4611686018427387904] iota(), iota_dimension=0"),
     AT},
    // C: groups of 2^24 devices in a few bytes.
    {"C_MeshGroups", kStats,
     BODY("ROOT r = f32[8,8] all-reduce(p), replica_groups=mesh['x'=16777216] {'x'}, to_apply=add"),
     ""},
    {"C_IotaGroups", kStats,
     BODY("ROOT r = f32[8,8] all-reduce(p), replica_groups=[4,4194304]<=[4194304,4]T(1,0), "
          "to_apply=add"),
     ""},
    // Those who need the devices say that there are too many to list.
    {"C_MeshGroupsListed",
     {"collectives", "--as-is"},
     BODY("ROOT r = f32[8,8] all-reduce(p), replica_groups=mesh['x'=16777216] {'x'}, to_apply=add"),
     AT "replica_groups names axes that its mesh does not have, or, with those of other "
        "collectives, more than 4194304 devices"},
    // Three loops of 4 * 10^9 runs.
    {"P_LoopsWithoutEnd",
     {"collectives", "--as-is"},
     LOOPS,
     ":18:1: error: this loop and those around it run more than 2^63 times"},
    // E: errors without a place, or with another one.
    {"E_BroadcastPlace", {"print"}, BODY("ROOT r = f32[8,8] broadcast(q)"), ":10:31: error: "},
    {"E_ValueRank", kShard,
     BODY("ROOT r = f32[8,8] custom-call(p), custom_call_target=\"Sharding\", "
          "sharding={devices=[2,2,1]<=[4]}"),
     ":10:"},
    {"E_OutputRank",
     {"shard", "--mesh=a=4"},
     BODY("ROOT r = f32[8,8] custom-call(p), custom_call_target=\"xla.sdy.FuncResultSharding\", "
          "custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding="
          "\"#sdy.sharding_per_value<[<@mesh, [{}]>]>\"}"),
     AT "%r: the sharding has 1 dimensions, the value has 2"},
    {"E_AxisTwice",
     {"shard", "--mesh=a=2,b=2", "--annotate=p=P('a','a')"},
     BODY("ROOT r = f32[8,8] negate(p)"),
     ":7:1: error: %p: axis 'a' is used twice"},
    {"E_AxisTwiceInText", kShard,
     "HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = "
     "#sdy.mesh<[\"a\"=2, \"b\"=2]>}}\n"
     "ENTRY e {\n"
     "ROOT p = f32[8,8] parameter(0), "
     "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{\\\"a\\\"}, "
     "{\\\"a\\\"}]>\"} }\n",
     ":3:54: error: %p: in xla.sdy.sharding: axis \"a\" is used twice"},
    {"E_LiteralTooLarge", kShard, BODY("ROOT r = f32[100000000] constant(5)"), ":10:"},
    {"E_Nul",
     {"print"},
     std::string("HloModule m\nENTRY e {\n  p = f32[8] parameter(0) ") + '\0' + "\n}\n",
     ":3:27: error: "},
    // F: fuzzing, and products that were looked for.
    {"F_StridesOfNoElements",
     {"memory", "--mesh=x=2"},
     BODY("z = f32[0,1099511627776,1099511627776] parameter(3)\n"
          "ROOT r = f32[0,1099511627776,1099511627776] transpose(z), dimensions={0,2,1}"),
     ""},
    {"F_LevelsOfALoopThatIsGone",
     {"explain", "--trace"},
     "HloModule m, num_partitions=8, frontend_attributes={xla.sdy.meshes={mesh = "
     "#sdy.mesh<[\"x\"=2, \"y\"=2, \"z\"=2]>}}\n"
     "body { t = (s32[], f32[8,4], f32[8,4]) parameter(0) c = s32[] constant(1) g = () "
     "custom-call(t#2), custom_call_target=\"xla.sdy.ShardingGroup\", "
     "custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding_group_id=\"0 : "
     "i64\"} n = s32[] add(t#0, c) d = f32[8,4] subtract(t#1, t#2) ROOT r = (s32[], f32[8,4], "
     "f32[8,4]) tuple(n, d, t#2) }\n"
     "less { t = (s32[], f32[8,4], f32[8,4]) parameter(0) c = s32[] constant(5) ROOT r = pred[] "
     "compare(t#0, c), direction=LT }\n"
     "ENTRY e { z = s32[] constant(0) w = f32[8,4] parameter(1)\n"
     "p = f32[8,4] parameter(0)\n"
     "c = f32[8,4] custom-call(p), custom_call_target=\"Sharding\", "
     "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, [{\\\"y\\\", ?}, "
     "{\\\"z\\\"}]>]>\"}\n"
     "a = (s32[], f32[8,4], f32[8,4]) tuple(z, w, c)\n"
     "l = (s32[], f32[8,4], f32[8,4]) while(a), condition=less, body=body\n"
     "ROOT r = f32[8,4] negate(c) }\n",
     ""},
    {"F_ReportOfASingleDevice",
     {"report", "--json"},
     "HloModule m, num_partitions=8, frontend_attributes={xla.sdy.meshes={mesh = "
     "#sdy.mesh<[\"a\"=4, \"b\"=2]>, one = #sdy.mesh<[], device_ids=[3]>}}\n"
     "ENTRY e { t = token[] after-all()\n"
     "s = (f32[8,16], u32[], token[]) recv(t), channel_id=2, is_host_transfer=true, "
     "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@one, []>, <@mesh, "
     "[]>]>\"}\n"
     "d = (f32[8,16], token[]) recv-done(s), channel_id=2, is_host_transfer=true, "
     "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@one, []>, <@mesh, "
     "[]>]>\"}\n"
     "ROOT n = f32[8,16] negate(d#0) }\n",
     ""},
    {"F_DotOfOperandsThatAreNotManualAlike",
     {"collectives", "--as-is"},
     "HloModule m, num_partitions=8\n"
     "ENTRY e { p = f32[] parameter(0)\n"
     "a = f32[1,12] iota(), iota_dimension=0, sharding={devices=[2,1,4]<=[2,4]T(1,0) "
     "last_tile_dims={manual}}\n"
     "b = f32[12] broadcast(p), dimensions={}, sharding={manual}\n"
     "ROOT d = f32[1] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
     "sharding={devices=[2,4]<=[2,4]T(1,0) last_tile_dim_replicate} }\n",
     ":5:1: error: "},
    {"F_ComparedWithWhatIsManual",
     {"collectives", "--as-is"},
     "HloModule m, num_partitions=8\n"
     "ENTRY e { a = f32[1,16] parameter(0), sharding={devices=[2,2,2]<=[2,4]T(1,0) "
     "last_tile_dims={manual}}\n"
     "b = f32[1,16] parameter(1), sharding={devices=[4,1,2]<=[2,2,2]T(2,1,0) "
     "last_tile_dim_replicate}\n"
     "ROOT c = pred[1,16] compare(a, b), direction=GE, "
     "sharding={devices=[1,2,4]<=[2,4]T(1,0) last_tile_dim_replicate} }\n",
     ":4:1: error: "},
    {"F_ReshapeOfNoElements",
     {"collectives", "--as-is"},
     "HloModule m, num_partitions=8\n"
     "ENTRY e { a = f32[4,8,0] parameter(0), sharding={devices=[1,2,1,4]<=[8] "
     "last_tile_dim_replicate}\n"
     "ROOT r = f32[0,32] reshape(a), sharding={devices=[1,4,2]<=[2,4]T(1,0) "
     "last_tile_dim_replicate} }\n",
     ""},
    {"F_PadOfNoElements",
     {"collectives", "--as-is"},
     "HloModule m, num_partitions=8\n"
     "ENTRY e { p = f32[0,2] parameter(0), sharding={devices=[2,1,4]<=[8] "
     "last_tile_dim_replicate}\n"
     "z = f32[] constant(0)\n"
     "ROOT r = f32[1,2] pad(p, z), padding=1_0x0_0, sharding={devices=[2,1,4]<=[8] "
     "last_tile_dim_replicate} }\n",
     ":4:1: error: XLA's partitioner crashes on this window: dimension 0"},
    {"F_RowsWithoutElements",
     {"shard"},
     "HloModule m, num_partitions=8\n"
     "ENTRY e { p = f32[8] parameter(0), sharding={mesh['a'=8], [{'a'}]}\n"
     "c = f32[] constant(1)\n"
     "b = f32[2147483648,32,0,16] broadcast(c), dimensions={}\n"
     "ROOT r = (f32[8], f32[2147483648,32,0,16]) tuple(p, b) }\n",
     ""},
    {"F_ShardMapWhoseResultHasNoMesh",
     {"shard"},
     "HloModule m, num_partitions=2\n"
     "%xla.sdy.manual_computation_body { a = f32[8,6] parameter(0) ROOT s = f32[8,6] sine(a) }\n"
     "ENTRY e { p = f32[8,12] parameter(0)\n"
     "c = f32[8,12] custom-call(p), custom_call_target=\"Sharding\", "
     "sharding={mesh['x'=2], [{}, {'x'}]}\n"
     "g = f32[8,6] custom-call(c), custom_call_target=\"xla.sdy.GlobalToLocalShape\", "
     "sharding={mesh['x'=2], manual}\n"
     "b = f32[8,6] call(g), to_apply=%xla.sdy.manual_computation_body, "
     "sharding={mesh['x'=2], manual}, frontend_attributes={inlineable=\"xla_late\"}\n"
     "ROOT r = f32[8,12] custom-call(b), custom_call_target=\"xla.sdy.LocalToGlobalShape\", "
     "sharding={replicated} }\n",
     "shard_map needs a mesh"},
    {"F_DotOfAnOperandThatIsPartlyManual",
     {"collectives", "--as-is"},
     "HloModule m, num_partitions=8\n"
     "ENTRY e { a = f32[12] parameter(0)\n"
     "b = f32[12,8,5] parameter(1), "
     "sharding={devices=[2,1,2,2]<=[2,4]T(1,0) last_tile_dims={manual}}\n"
     "ROOT d = f32[8,5] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
     "sharding={devices=[4,2]<=[8]} }\n",
     "not manual on the same axes"},
    {"F_ReshardOfADimensionWithoutElements",
     {"collectives", "--as-is"},
     "HloModule m, num_partitions=8\n"
     "ENTRY e { p = f32[0,2,4] parameter(0), sharding={devices=[8,1,1]<=[8]}\n"
     "n = f32[0,2,4] negate(p), sharding={devices=[8,1,1]<=[8]}\n"
     "ROOT c = f32[0,2,4] copy(n), sharding={devices=[2,1,4]<=[8]} }\n",
     "crashes on this reshard: dimension 0, which has no elements"},
    // Marks and borders that hand nothing on. Review: sharding D3.
    {"F_BorderWithoutOperand",
     {"shard", "--import=hlo"},
     "HloModule m, num_partitions=2\n"
     "ENTRY e { p = f32[8] parameter(0), sharding={devices=[2]<=[2]}\n"
     "ROOT r = token[] custom-call(), custom_call_target=\"xla.sdy.GlobalToLocalShape\" }\n",
     ""},
    {"F_ReverseInAReducer",
     {"collectives", "--as-is"},
     "HloModule m, num_partitions=8\n"
     "sub { x = f32[] parameter(0) y = f32[] parameter(1) r = f32[] reverse(x), dimensions={}\n"
     "ROOT z = f32[] add(r, y) }\n"
     "ENTRY e { p = f32[8,16] parameter(0), sharding={devices=[8,1]<=[8]} k = f32[] constant(1)\n"
     "ROOT s = f32[16] reduce(p, k), dimensions={0}, to_apply=sub }\n",
     ""},
    {"F_ReshardThatComesBackToItself",
     {"collectives"},
     "HloModule m, num_partitions=8, frontend_attributes={xla.sdy.meshes={mesh = "
     "#sdy.mesh<[\"a\"=2, \"b\"=4]>}}\n"
     "sub { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] subtract(x, y) }\n"
     "ENTRY e { p = f32[8,16] parameter(0) k = s32[] constant(1)\n"
     "i = s32[6,1] broadcast(k), dimensions={}\n"
     "c = s32[6,1] custom-call(i), custom_call_target=\"Sharding\", "
     "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, [{?}, "
     "{\\\"b\\\"}]>]>\"}\n"
     "g = f32[6,16] gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, "
     "start_index_map={0}, index_vector_dim=1, slice_sizes={1,16}\n"
     "j = s32[8,1] broadcast(k), dimensions={}\n"
     "s = f32[6,16] scatter(g, j, p), update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sub\n"
     "ROOT n = f32[6,16] custom-call(s), custom_call_target=\"Sharding\", "
     "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, "
     "[{\\\"b\\\":(1)2}, {\\\"a\\\", \\\"b\\\":(2)2}]>]>\"} }\n",
     ""},
    {"F_DevicesBelowZero",
     {"comm", "--as-is", "--target=tpu-v5e:2x4"},
     "HloModule m, num_partitions=8\n"
     "ENTRY e { p = f32[8] parameter(0)\n"
     "ROOT r = f32[8] collective-permute(p), channel_id=1, source_target_pairs={{-1,0}} }\n",
     ":3:1: error: collective-permute 'r': there is no device -1"},
    // What moves inside groups named devices of a group that the outer groups do not have.
    {"F_InnerGroupsThatTheOuterOnesHaveNot",
     {"memory"},
     "HloModule m, num_partitions=8\n"
     "take { a = f32[] parameter(0) ROOT b = f32[] parameter(1) }\n"
     "ENTRY e { p = f32[2,8,32] parameter(0), "
     "sharding={mesh['a'=2,'b'=2,'c'=2], [{'a'}, {'b'}, {}]}\n"
     "u = f32[8,32] parameter(1)\n"
     "i = s32[1] constant({0})\n"
     "s = f32[2,8,32] scatter(p, i, u), update_window_dims={0,1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=take\n"
     "k = f32[2,8,32] custom-call(s), custom_call_target=\"Sharding\", "
     "sharding={mesh['a'=2,'b'=2,'c'=2], [{'a'}, {'b'}, {}]}\n"
     "ROOT r = f32[2,8,32] tanh(k) }\n",
     ""},
    // A name in the recording, l{1}, is that of another element in the program.
    {"F_CauseInADimensionThatIsNotThere",
     {"diff", "FILE", "--import=sdy", "--stage=lowered", "--schedule=user",
      "--b-annotate=p=P('b')"},
     "HloModule m, num_partitions=8, frontend_attributes={xla.sdy.meshes={mesh = "
     "#sdy.mesh<[\"a\"=2, \"b\"=4]>}}\n"
     "body { t = (s32[], f32[2], s64[], f32[8,16]) parameter(0) c = s32[] constant(1) "
     "d = f32[8,16] tanh(t#3) z = s64[] constant(1) "
     "ROOT r = (s32[], f32[2], s64[], f32[8,16]) tuple(c, t#1, z, d) }\n"
     "less { t = (s32[], f32[2], s64[], f32[8,16]) parameter(0) c = s32[] constant(5) "
     "ROOT r = pred[] compare(t#0, c), direction=LT }\n"
     "ENTRY e { z = s32[] constant(0) q = s64[] parameter(1) o = f32[] constant(1) "
     "w = f32[2] broadcast(o), dimensions={}\n"
     "p = f32[8,16] parameter(0)\n"
     "a = (s32[], f32[2], s64[], f32[8,16]) tuple(z, w, q, p)\n"
     "ROOT l = (s32[], f32[2], s64[], f32[8,16]) while(a), condition=less, body=body }\n",
     ""},
    {"F_MoreBatchDimensionsThanDimensions",
     {"collectives", "--as-is"},
     "HloModule m, num_partitions=8\n"
     "ENTRY e { a = f32[16,8] parameter(0), sharding={devices=[4,1,2]<=[8] "
     "last_tile_dim_replicate}\n"
     "g = (f32[16,8], f32[8]) custom-call(a), custom_call_target=\"lapack_sgeqrf_ffi\", "
     "frontend_attributes={num_batch_dims=\"64\"}, "
     "sharding={{devices=[4,2]<=[8]}, {devices=[8]<=[8]}}\n"
     "ROOT r = f32[8] get-tuple-element(g), index=1, sharding={replicated} }\n",
     ""},
    {"F_LoopThatIsNotRun",
     {"memory", "--target=tpu-v5e:2x4"},
     "HloModule m, num_partitions=8\n"
     "go { t = (s32[], f32[]) parameter(0) ROOT c = pred[] constant(true) }\n"
     "body { t = (s32[], f32[]) parameter(0) x = f32[] get-tuple-element(t), index=1 "
     "y = f32[8,16] broadcast(x), dimensions={} z = f32[8,16] copy(y), "
     "sharding={devices=[1,4,2]<=[8] last_tile_dim_replicate} i = s32[] constant(1) "
     "ROOT r = (s32[], f32[]) tuple(i, x) }\n"
     "ENTRY e { o = f32[] constant(1) i = s32[] constant(1) t = (s32[], f32[]) tuple(i, o) "
     "w = (s32[], f32[]) while(t), condition=go, body=body "
     "ROOT r = f32[] get-tuple-element(w), index=1 }\n",
     ""},
    {"F_GatherOfABroadcastWithoutElements",
     {"memory", "--target=tpu-v5e:2x2"},
     "HloModule m, num_partitions=4\n"
     "ENTRY e { x = f32[0] parameter(0) b = f32[0,0,2] broadcast(x), dimensions={1} "
     "ROOT g = f32[0,0,2] all-gather(b), channel_id=1, replica_groups=[2,2]<=[2,2]T(1,0), "
     "use_global_device_ids=true, dimensions={0} }\n",
     ""},
};

class FoundTest : public ::testing::TestWithParam<Found> {};

TEST_P(FoundTest, EndsAsItShould) {
  const std::string file = ::testing::TempDir() + "/found.hlo";
  std::ofstream(file) << GetParam().text;
  std::vector<std::string> words = GetParam().words;
  std::replace(words.begin(), words.end(), std::string("FILE"), file);
  words.insert(words.begin() + 1, file);
  std::ostringstream out, err;
  const int exit = pipeline::RunCommandLine(pipeline::AllVerbs(), words, out, err);
  const std::string error = GetParam().error;
  EXPECT_EQ(exit == 2, !error.empty()) << err.str();  // 1 is what `diff` found
  EXPECT_THAT(err.str(), HasSubstr(error));
}

INSTANTIATE_TEST_SUITE_P(All, FoundTest, ::testing::ValuesIn(kFound),
                         [](const auto& c) { return std::string(c.param.number); });

}  // namespace
}  // namespace tessera::testing::hostile
