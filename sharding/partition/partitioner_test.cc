// What the partitioner does with small modules, one a family of operations. The collectives are
// those of the reference, asked with these modules.

#include "tessera/sharding/partition/partitioner.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/parser.h"
#include "tessera/layout/shape_text.h"
#include "tessera/sharding/partition/device_text.h"
#include "tessera/text/diagnostic.h"

namespace tessera::sharding::partition {
namespace {

using ::testing::HasSubstr;

constexpr char kAdd[] = R"(add_ {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}
)";

constexpr char kSelect[] = R"(add_ {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}
ge {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=GE
}
)";

constexpr char kLess[] = R"(less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT
}
)";

constexpr char kScanned[] = R"(scanned {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  s = f32[] add(a, b)
  ROOT r = (f32[], f32[]) tuple(s, s)
}
)";

constexpr char kLoop[] = R"(cond {
  p = (s32[], f32[16,32]) parameter(0), sharding={{replicated}, {devices=[8,1]<=[8]}}
  i = s32[] get-tuple-element(p), index=0, sharding={replicated}
  n = s32[] constant(10)
  ROOT c = pred[] compare(i, n), direction=LT, sharding={replicated}
}
body {
  p = (s32[], f32[16,32]) parameter(0), sharding={{replicated}, {devices=[8,1]<=[8]}}
  i = s32[] get-tuple-element(p), index=0, sharding={replicated}
  one = s32[] constant(1)
  j = s32[] add(i, one), sharding={replicated}
  x = f32[16,32] get-tuple-element(p), index=1, sharding={devices=[8,1]<=[8]}
  y = f32[16,32] negate(x), sharding={devices=[1,8]<=[8]}
  ROOT r = (s32[], f32[16,32]) tuple(j, y), sharding={{replicated}, {devices=[1,8]<=[8]}}
}
)";

struct Case {
  const char* name;
  const char* computations;
  const char* entry;
  const char* collectives;
};

constexpr Case kCases[] = {
    {"AllToAll", "", R"(
  x = f32[16,32] parameter(0), sharding={devices=[8,1]<=[8]}
  ROOT y = f32[16,32] negate(x), sharding={devices=[1,8]<=[8]}
)",
     R"(all-to-all f32[2,8,4] dim 1 [1,8]<=[8]
)"},
    {"GatherOneDimension", "", R"(
  x = f32[16,32] parameter(0), sharding={devices=[2,4]<=[8]}
  ROOT y = f32[16,32] negate(x), sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}
)",
     R"(all-gather f32[8,32] of f32[8,8] dim 1 [2,4]<=[8]
)"},
    {"GatherTwoDimensions", "", R"(
  x = f32[16,32] parameter(0), sharding={devices=[2,4]<=[8]}
  ROOT y = f32[16,32] negate(x), sharding={replicated}
)",
     R"(all-gather f32[8,32] of f32[8,8] dim 1 [2,4]<=[8]
all-gather f32[16,32] of f32[8,32] dim 0 [4,2]<=[2,4]T(1,0)
)"},
    {"PermuteDevices", "", R"(
  x = f32[16,32] parameter(0), sharding={devices=[2,4]<=[8]}
  ROOT y = f32[16,32] negate(x), sharding={devices=[2,4]<=[4,2]T(1,0)}
)",
     R"(collective-permute f32[8,8] {{0,0},{1,2},{2,4},{3,6},{4,1},{5,3},{6,5},{7,7}}
)"},
    {"SliceReplicas", "", R"(
  x = f32[16,32] parameter(0), sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}
  ROOT y = f32[16,32] negate(x), sharding={devices=[2,4]<=[8]}
)",
     R"()"},
    {"ReplicasOfAMeshInTheOrderOfDevices", "", R"(
  x = f32[8,16,32] parameter(0), sharding={mesh['a'=2,'b'=2,'c'=2], device_ids=(4,6,1,2,5,3,7,0), [{'a'}, {'b'}, {}]}
  ROOT y = f32[8,16,32] cosine(x), sharding={mesh['a'=2,'b'=2,'c'=2], device_ids=(4,6,1,2,5,3,7,0), [{'a'}, {}, {}]}
)",
     R"(all-gather f32[4,16,32] of f32[4,8,32] dim 1 {{4,1},{6,2},{3,0},{5,7}}
)"},
    {"ReplicasInAnotherOrderAreNotSwappedWithACut", "", R"(
  x = f32[24,8,16] parameter(0), sharding={mesh['x'=2,'y'=4], device_ids=(7,6,5,4,3,2,1,0), [{}, {}, {'y'}]}
  ROOT y = f32[24,8,16] copy(x), sharding={mesh['x'=2,'y'=4], device_ids=(7,6,5,4,3,2,1,0), [{}, {'y'}, {'x'}]}
)",
     R"(all-to-all f32[24,2,2,4] dim 1 {{7,6},{5,4},{3,2},{1,0}}
collective-permute f32[24,2,8] {{0,0},{1,1},{2,4},{3,5},{4,2},{5,3},{6,6},{7,7}}
)"},
    {"NorIsACutWithReplicasInAnotherOrder", "", R"(
  x = f32[24,8,16] parameter(0), sharding={mesh['x'=2,'y'=4], device_ids=(7,6,5,4,3,2,1,0), [{}, {'y'}, {'x'}]}
  ROOT y = f32[24,8,16] copy(x), sharding={mesh['x'=2,'y'=4], device_ids=(7,6,5,4,3,2,1,0), [{}, {}, {'y'}]}
)",
     R"(all-gather f32[24,2,16] of f32[24,2,8] dim 2 {{7,3},{6,2},{5,1},{4,0}}
all-to-all f32[24,2,4,4] dim 2 {{7,6,5,4},{3,2,1,0}}
)"},
    {"WindowsWantTileForm", "", R"(
  x = f32[12,6] parameter(0), sharding={mesh['a'=4,'b'=2], [{}, {'b'}]}
  z = f32[] constant(0)
  ROOT y = f32[12,11] pad(x, z), padding=0_0_0x0_0_1, sharding={mesh['a'=4,'b'=2], [{'b'}, {}]}
)",
     R"(all-gather f32[12,6] of f32[12,3] dim 1 [4,2]<=[8]
)"},
    {"TheFirstOperandGivesItsForm", "", R"(
  x = f32[8,16,32] parameter(0), sharding={mesh['a'=2,'b'=2,'c'=2], [{}, {'a'}, {}]}
  y = f32[8,48,32] parameter(1), sharding={mesh[], replicated}
  w = f32[8,16,48] parameter(2), sharding={mesh['a'=2,'b'=2,'c'=2], [{}, {'a'}, {}]}
  d = f32[8,16,48] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}, sharding={mesh['a'=2,'b'=2,'c'=2], [{}, {'a'}, {}]}
  q = f32[8,16,48] divide(d, w), sharding={mesh['a'=2,'b'=2,'c'=2], [{}, {'a'}, {}]}
  ROOT s = f32[8,16,48] sine(q), sharding={mesh['a'=2,'b'=2,'c'=2], [{}, {}, {'a'}]}
)",
     R"(all-gather f32[8,16,48] of f32[8,8,48] dim 1 [4,2]<=[2,4]T(1,0)
)"},
    {"TheSecondOperandDoesNot", "", R"(
  x = f32[8,16,32] parameter(0), sharding={mesh['a'=2,'b'=2,'c'=2], [{}, {'a'}, {}]}
  y = f32[8,48,32] parameter(1), sharding={mesh[], replicated}
  w = f32[8,16,48] parameter(2), sharding={mesh['a'=2,'b'=2,'c'=2], [{}, {'a'}, {}]}
  d = f32[8,16,48] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}, sharding={mesh['a'=2,'b'=2,'c'=2], [{}, {'a'}, {}]}
  q = f32[8,16,48] divide(w, d), sharding={mesh['a'=2,'b'=2,'c'=2], [{}, {'a'}, {}]}
  ROOT s = f32[8,16,48] sine(q), sharding={mesh['a'=2,'b'=2,'c'=2], [{}, {}, {'a'}]}
)",
     R"(all-to-all f32[8,8,2,24] dim 2 [4,2]<=[2,4]T(1,0)
)"},
    {"LargestOfParts",
     "gt {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  "
     "c = s32[] parameter(2)\n  d = s32[] parameter(3)\n  "
     "ROOT r = pred[] compare(a, b), direction=GT\n}\n",
     R"(
  x = f32[8,64] parameter(0), sharding={mesh['a'=2,'b'=4], [{'a'}, {'b'}]}
  ROOT y = (f32[8,4], s32[8,4]) custom-call(x), custom_call_target="TopK", called_computations={gt}, sharding={{mesh['a'=2,'b'=4], [{'a'}, {}]}, {mesh['a'=2,'b'=4], [{'a'}, {}]}}
)",
     R"(all-gather f32[4,16] of f32[4,4] dim 1 [2,4]<=[8]
all-gather s32[4,16] of s32[4,4] dim 1 [2,4]<=[8]
)"},
    {"UnevenToOtherDimension", "", R"(
  x = f32[10,30] parameter(0), sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}
  ROOT y = f32[10,30] negate(x), sharding={devices=[1,4,2]<=[8] last_tile_dim_replicate}
)",
     R"(all-to-all f32[3,4,8] dim 1 [2,4]<=[4,2]T(1,0)
)"},
    {"ReshardIsShared", "", R"(
  x = f32[16,32] parameter(0), sharding={devices=[8,1]<=[8]}
  y = f32[16,32] negate(x), sharding={replicated}
  z = f32[16,32] cosine(x), sharding={replicated}
  ROOT w = f32[16,32] add(y, z), sharding={replicated}
)",
     R"(all-gather f32[16,32] of f32[2,32] dim 0 [1,8]<=[8]
)"},
    {"DotSum", "", R"(
  x = f32[16,32] parameter(0), sharding={devices=[1,8]<=[8]}
  w = f32[32,64] parameter(1), sharding={devices=[8,1]<=[8]}
  ROOT y = f32[16,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0},
      sharding={replicated}
)",
     R"(all-reduce f32[16,64] [1,8]<=[8] add
)"},
    {"DotGathersWeights", "", R"(
  x = f32[16,32] parameter(0), sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}
  w = f32[32,64] parameter(1), sharding={devices=[2,4]<=[8]}
  ROOT y = f32[16,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0},
      sharding={devices=[2,4]<=[8]}
)",
     R"(all-gather f32[32,16] of f32[16,16] dim 0 [4,2]<=[2,4]T(1,0)
)"},
    {"DotSumThenSlice", "", R"(
  x = f32[16,32] parameter(0), sharding={devices=[1,8]<=[8]}
  w = f32[32,64] parameter(1), sharding={devices=[8,1]<=[8]}
  ROOT y = f32[16,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0},
      sharding={devices=[8,1]<=[8]}
)",
     R"(all-reduce f32[16,64] [1,8]<=[8] add
)"},
    {"DotOfBatches", "", R"(
  x = f32[8,16,32] parameter(0), sharding={devices=[8,1,1]<=[8]}
  w = f32[8,32,64] parameter(1), sharding={devices=[1,8,1]<=[8]}
  ROOT y = f32[8,16,64] dot(x, w), lhs_batch_dims={0}, rhs_batch_dims={0},
      lhs_contracting_dims={2}, rhs_contracting_dims={1}, sharding={devices=[8,1,1]<=[8]}
)",
     R"(all-to-all f32[8,1,4,64] dim 0 [1,8]<=[8]
)"},
    {"Reduce", kAdd, R"(
  x = f32[16,32] parameter(0), sharding={devices=[2,4]<=[8]}
  z = f32[] constant(0)
  ROOT y = f32[16] reduce(x, z), dimensions={1}, to_apply=add_,
      sharding={devices=[2,4]<=[8] last_tile_dim_replicate}
)",
     R"(all-reduce f32[8] [2,4]<=[8] add
)"},
    {"ReduceWindow", kAdd, R"(
  x = f32[64] parameter(0), sharding={devices=[8]<=[8]}
  z = f32[] constant(0)
  ROOT y = f32[64] reduce-window(x, z), window={size=3 pad=1_1}, to_apply=add_,
      sharding={devices=[8]<=[8]}
)",
     R"(collective-permute f32[1] {{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7}}
collective-permute f32[1] {{1,0},{2,1},{3,2},{4,3},{5,4},{6,5},{7,6}}
)"},
    {"SliceShifts", "", R"(
  x = f32[64] parameter(0), sharding={devices=[8]<=[8]}
  ROOT y = f32[60] slice(x), slice={[4:64]}, sharding={devices=[8]<=[8]}
)",
     R"(collective-permute f32[4] {{1,0},{2,1},{3,2},{4,3},{5,4},{6,5},{7,6}}
)"},
    {"PadShifts", "", R"(
  x = f32[62] parameter(0), sharding={devices=[8]<=[8]}
  z = f32[] constant(0)
  ROOT y = f32[64] pad(x, z), padding=2_0, sharding={devices=[8]<=[8]}
)",
     R"(collective-permute f32[2] {{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7}}
)"},
    {"Reverse", "", R"(
  x = f32[64] parameter(0), sharding={devices=[8]<=[8]}
  ROOT y = f32[64] reverse(x), dimensions={0}, sharding={devices=[8]<=[8]}
)",
     R"(collective-permute f32[8] {{0,7},{1,6},{2,5},{3,4},{4,3},{5,2},{6,1},{7,0}}
)"},
    {"Concatenate", "", R"(
  x = f32[16,32] parameter(0), sharding={devices=[8,1]<=[8]}
  y = f32[16,32] parameter(1), sharding={devices=[8,1]<=[8]}
  ROOT z = f32[32,32] concatenate(x, y), dimensions={0}, sharding={devices=[8,1]<=[8]}
)",
     R"(all-to-all f32[2,8,4] dim 1 [1,8]<=[8]
all-to-all f32[2,8,4] dim 1 [1,8]<=[8]
all-to-all f32[8,4,4] dim 0 [1,8]<=[8]
)"},
    {"ReshapeKeepsCuts", "", R"(
  x = f32[16,32] parameter(0), sharding={devices=[8,1]<=[8]}
  ROOT y = f32[512] reshape(x), sharding={devices=[8]<=[8]}
)",
     R"()"},
    {"ReshapeLosesCuts", "", R"(
  x = f32[16,32] parameter(0), sharding={devices=[1,8]<=[8]}
  ROOT y = f32[512] reshape(x), sharding={devices=[8]<=[8]}
)",
     R"(all-to-all f32[8,2,4] dim 0 [1,8]<=[8]
)"},
    {"Sort", kLess, R"(
  x = f32[16,32] parameter(0), sharding={devices=[1,8]<=[8]}
  ROOT y = f32[16,32] sort(x), dimensions={1}, to_apply=less, sharding={devices=[1,8]<=[8]}
)",
     R"(all-to-all f32[8,2,4] dim 0 [1,8]<=[8]
all-to-all f32[2,8,4] dim 1 [1,8]<=[8]
)"},
    {"ScanOfWholeLines", kScanned, R"(
  x = f32[16,64,32] parameter(0), sharding={devices=[4,1,1,2]<=[8] last_tile_dim_replicate}
  z = f32[16,32] parameter(1), sharding={devices=[1,4,2]<=[8] last_tile_dim_replicate}
  y = (f32[16,64,32], f32[16,32]) scan(x, z), dimensions={1}, num_carries=1,
      is_associative=true, to_apply=scanned,
      sharding={{devices=[1,1,4,2]<=[8] last_tile_dim_replicate}, {devices=[1,4,2]<=[8] last_tile_dim_replicate}}
  ROOT r = f32[16,64,32] get-tuple-element(y), index=0,
      sharding={devices=[1,1,4,2]<=[8] last_tile_dim_replicate}
)",
     R"(all-to-all f32[4,64,4,8] dim 2 [2,4]<=[4,2]T(1,0)
)"},
    {"ScanOfCutLines", kScanned, R"(
  x = f32[16,64] parameter(0), sharding={devices=[2,4]<=[8]}
  z = f32[16] parameter(1), sharding={devices=[2,4]<=[8] last_tile_dim_replicate}
  y = (f32[16,64], f32[16]) scan(x, z), dimensions={1}, num_carries=1, is_associative=true,
      to_apply=scanned, sharding={{devices=[2,4]<=[8]}, {devices=[2,4]<=[8] last_tile_dim_replicate}}
  ROOT r = f32[16,64] get-tuple-element(y), index=0, sharding={devices=[2,4]<=[8]}
)",
     R"(all-gather f32[8,4] of f32[8,1] dim 1 [2,4]<=[8]
)"},
    {"ScanOfOneCutLine", kScanned, R"(
  x = f32[64] parameter(0), sharding={devices=[8]<=[8]}
  z = f32[] constant(0), sharding={replicated}
  y = (f32[64], f32[]) scan(x, z), dimensions={0}, num_carries=1, is_associative=true,
      to_apply=scanned, sharding={{devices=[8]<=[8]}, {replicated}}
  ROOT r = f32[64] get-tuple-element(y), index=0, sharding={devices=[8]<=[8]}
)",
     R"(all-gather f32[8] of f32[1] dim 0 [1,8]<=[8]
)"},
    {"ScanOfOneWholeLine", kScanned, R"(
  x = f32[64] parameter(0), sharding={replicated}
  z = f32[] constant(0), sharding={replicated}
  y = (f32[64], f32[]) scan(x, z), dimensions={0}, num_carries=1, is_associative=true,
      to_apply=scanned, sharding={{replicated}, {replicated}}
  ROOT r = f32[64] get-tuple-element(y), index=0, sharding={replicated}
)",
     R"()"},
    {"GatherFromCutTable", "", R"(
  t = f32[64,32] parameter(0), sharding={devices=[8,1]<=[8]}
  i = s32[24,1] parameter(1), sharding={replicated}
  ROOT y = f32[24,32] gather(t, i), offset_dims={1}, collapsed_slice_dims={0},
      start_index_map={0}, index_vector_dim=1, slice_sizes={1,32}, sharding={replicated}
)",
     R"(all-reduce f32[24,32] [1,8]<=[8] add
)"},
    {"GatherWithCutIndices", "", R"(
  t = f32[64,32] parameter(0), sharding={replicated}
  i = s32[24,1] parameter(1), sharding={devices=[8,1]<=[8]}
  ROOT y = f32[24,32] gather(t, i), offset_dims={1}, collapsed_slice_dims={0},
      start_index_map={0}, index_vector_dim=1, slice_sizes={1,32}, sharding={devices=[8,1]<=[8]}
)",
     R"()"},
    {"ScatterIntoCutTable", kAdd, R"(
  t = f32[64,32] parameter(0), sharding={devices=[8,1]<=[8]}
  i = s32[24,1] parameter(1), sharding={devices=[8,1]<=[8]}
  u = f32[24,32] parameter(2), sharding={devices=[8,1]<=[8]}
  ROOT y = f32[64,32] scatter(t, i, u), update_window_dims={1}, inserted_window_dims={0},
      scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_,
      sharding={devices=[8,1]<=[8]}
)",
     R"(all-gather s32[24,1] of s32[3,1] dim 0 [1,8]<=[8]
all-gather f32[24,32] of f32[3,32] dim 0 [1,8]<=[8]
)"},
    // The result is cut in 8, the table in 2: groups of 2, and the rest is cut afterwards.
    {"GatherCutFurtherThanItsTable", "", R"(
  t = f32[8,16] parameter(0), sharding={mesh['x'=2,'y'=4], [{}, {'x'}]}
  i = s32[2,1] parameter(1), sharding={replicated}
  ROOT y = f32[16,2] gather(t, i), offset_dims={0}, collapsed_slice_dims={0},
      start_index_map={0}, index_vector_dim=1, slice_sizes={1,16},
      sharding={mesh['x'=2,'y'=4], [{'x', 'y'}, {}]}
)",
     R"()"},
    // 'x' also cuts what is looked up: the updates are gathered over it.
    {"ScatterOfUpdatesCutByAnAxisOfTheTable", kAdd, R"(
  t = f32[8,16] parameter(0), sharding={mesh['x'=2,'y'=4], [{}, {'x', 'y'}]}
  i = s32[8,8,1] parameter(1), sharding={replicated}
  u = f32[8,8,8] parameter(2), sharding={mesh['x'=2,'y'=4], [{}, {'x'}, {}]}
  ROOT y = f32[8,16] scatter(t, i, u), update_window_dims={2}, inserted_window_dims={1},
      scatter_dims_to_operand_dims={1}, index_vector_dim=2, to_apply=add_,
      sharding={mesh['x'=2,'y'=4], [{}, {'x', 'y'}]}
)",
     R"(all-gather f32[8,8,8] of f32[8,4,8] dim 1 [4,2]<=[2,4]T(1,0)
)"},
    // The same where 'x' cuts a batch: the first all-gather of the updates.
    {"ScatterOfUpdatesWhoseBatchIsCutByAnAxisOfTheTable", kAdd, R"(
  t = f32[8,4,12] parameter(0), sharding={mesh['x'=2,'y'=2,'z'=2], [{'y'}, {}, {'x', 'z'}]}
  i = s32[8,4,8,1] parameter(1), sharding={mesh['x'=2,'y'=2,'z'=2], [{'x', 'z'}, {}, {}, {}]}
  u = f32[8,4,8,2] parameter(2), sharding={mesh['x'=2,'y'=2,'z'=2], [{'x'}, {}, {'y'}, {}]}
  ROOT y = f32[8,4,12] scatter(t, i, u), update_window_dims={3}, inserted_window_dims={},
      scatter_dims_to_operand_dims={2}, input_batching_dims={0,1},
      scatter_indices_batching_dims={0,1}, index_vector_dim=3, to_apply=add_,
      sharding={mesh['x'=2,'y'=2,'z'=2], [{'y'}, {}, {'x', 'z'}]}
)",
     R"(all-gather f32[8,4,4,2] of f32[4,4,4,2] dim 0 [4,2]<=[2,4]T(1,0)
all-gather f32[4,4,12] of f32[4,4,3] dim 2 [2,4]<=[2,2,2]T(1,0,2)
all-gather f32[8,4,12] of f32[4,4,12] dim 0 [4,2]<=[2,2,2]T(0,2,1)
all-gather f32[8,4,12] of f32[2,4,12] dim 0 [2,4]<=[2,2,2]T(1,0,2)
all-reduce f32[8,4,12] [4,2]<=[2,2,2]T(0,2,1) add
)"},
    // In V1 form an axis is a part of the iota that no dimension shares with another.
    {"ScatterOfUpdatesInV1FormCutByAnAxisOfTheTable", kAdd, R"(
  t = f32[8,8] parameter(0), sharding={devices=[2,1,4]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}
  i = s32[16,8,1] parameter(1), sharding={devices=[1,2,1,4]<=[8] last_tile_dim_replicate}
  u = f32[16,8,4] parameter(2), sharding={devices=[2,2,1,2]<=[2,2,2]T(1,2,0) last_tile_dim_replicate}
  ROOT y = f32[8,8] scatter(t, i, u), update_window_dims={2}, inserted_window_dims={0},
      scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=add_,
      sharding={devices=[2,1,4]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}
)",
     R"(all-gather f32[16,4,4] of f32[8,4,4] dim 0 [4,2]<=[4,2]T(1,0)
collective-permute f32[16,4,4] {{0,0},{1,4},{2,1},{3,5},{4,2},{5,6},{6,3},{7,7}}
all-reduce f32[4,8] [4,2]<=[2,4]T(1,0) add
)"},
    // Updates without windows are not gathered.
    {"ScatterOfUpdatesWithoutWindows", kAdd, R"(
  t = f32[12,12] parameter(0), sharding={devices=[4,1,2]<=[2,2,2]T(0,2,1) last_tile_dim_replicate}
  i = s32[8,16,2] parameter(1), sharding={devices=[4,2,1]<=[2,2,2]T(2,1,0)}
  u = f32[8,16] parameter(2), sharding={devices=[4,1,2]<=[2,2,2]T(2,0,1) last_tile_dim_replicate}
  ROOT y = f32[12,12] scatter(t, i, u), update_window_dims={}, inserted_window_dims={0,1},
      scatter_dims_to_operand_dims={1,0}, index_vector_dim=2, to_apply=add_,
      sharding={devices=[2,4]<=[2,2,2]T(2,0,1)}
)",
     R"(all-gather f32[12,12] of f32[3,12] dim 0 [2,4]<=[2,2,2]T(1,0,2)
collective-permute f32[2,8] {{0,0},{1,1},{2,4},{3,5},{4,2},{5,3},{6,6},{7,7}}
all-reduce f32[12,12] [4,2]<=[2,4]T(1,0) add
all-reduce f32[12,12] [2,4]<=[2,2,2]T(0,2,1) add
)"},
    // The result would be cut along its windows in another form: it is V1, replicas in order.
    {"GatherBesideAResultInV1Form", "", R"(
  t = f32[12,4] parameter(0), sharding={replicated}
  i = s32[16,2] parameter(1), sharding={mesh['x'=2,'y'=2,'z'=2], device_ids=(1,6,4,2,7,3,5,0), [{'y', 'x'}, {}]}
  ROOT y = f32[16,2,2] gather(t, i), offset_dims={1,2}, collapsed_slice_dims={},
      start_index_map={1,0}, index_vector_dim=1, slice_sizes={2,2},
      sharding={devices=[1,2,2,2]<=[8] last_tile_dim_replicate}
)",
     R"(all-gather f32[16,2,2] of f32[4,2,2] dim 0 {{1,3,2,0},{6,7,4,5}}
)"},
    // In another mesh.
    {"GatherBesideAResultInAnotherMesh", "", R"(
  t = f32[12,4] parameter(0), sharding={replicated}
  i = s32[16,2] parameter(1), sharding={mesh['x'=2,'y'=2,'z'=2], device_ids=(1,6,4,2,7,3,5,0), [{'y', 'x'}, {}]}
  ROOT y = f32[16,2,2] gather(t, i), offset_dims={1,2}, collapsed_slice_dims={},
      start_index_map={1,0}, index_vector_dim=1, slice_sizes={2,2},
      sharding={mesh['x'=2,'y'=2,'z'=2], [{}, {}, {'z'}]}
)",
     R"(all-gather f32[16,2,2] of f32[4,2,2] dim 0 {{1,3,2,0},{6,7,4,5}}
)"},
    // The tables of a batch are aligned in V1 form: devices of a group are in order.
    {"GatherOfABatchOnAPermutedMesh", "", R"(
  t = f32[8,8,8] parameter(0), sharding={mesh['x'=2,'y'=2,'z'=2], device_ids=(1,3,5,4,6,0,7,2), [{'y'}, {'z', 'x'}, {}]}
  i = s32[8,4,1] parameter(1), sharding={mesh['x'=2,'y'=2,'z'=2], device_ids=(1,3,5,4,6,0,7,2), [{}, {'y'}, {}]}
  ROOT y = f32[8,4,4] gather(t, i), offset_dims={2}, collapsed_slice_dims={1},
      start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0},
      index_vector_dim=2, slice_sizes={1,1,4},
      sharding={mesh['x'=2,'y'=2,'z'=2], device_ids=(1,3,5,4,6,0,7,2), [{'x', 'y'}, {}, {}]}
)",
     R"(collective-permute s32[4,2,1] {{0,0},{1,1},{2,3},{3,2},{4,6},{5,4},{6,5},{7,7}}
all-gather s32[4,4,1] of s32[4,2,1] dim 1 {{0,3},{1,6},{2,4},{5,7}}
all-reduce f32[4,4,4] {{1,6,3,0},{5,7,4,2}} add
all-to-all f32[1,2,2,2,4] dim 1 {{0,3},{1,6},{2,4},{5,7}}
collective-permute f32[1,2,4,4] {{0,1},{1,3},{2,0},{3,4},{4,2},{5,6},{6,5},{7,7}}
)"},
    {"DynamicSlice", "", R"(
  x = f32[16,32] parameter(0), sharding={devices=[2,4]<=[8]}
  i = s32[] parameter(1), sharding={replicated}
  z = s32[] constant(0)
  ROOT y = f32[1,32] dynamic-slice(x, i, z), dynamic_slice_sizes={1,32},
      sharding={devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}
)",
     R"(all-gather f32[16,8] of f32[8,8] dim 0 [4,2]<=[2,4]T(1,0)
)"},
    {"ConvolutionHalo", "", R"(
  x = f32[4,64,8] parameter(0), sharding={devices=[1,8,1]<=[8]}
  k = f32[3,8,16] parameter(1), sharding={replicated}
  ROOT y = f32[4,64,16] convolution(x, k), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f,
      sharding={devices=[1,8,1]<=[8]}
)",
     R"(collective-permute f32[4,1,8] {{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7}}
collective-permute f32[4,1,8] {{1,0},{2,1},{3,2},{4,3},{5,4},{6,5},{7,6}}
)"},
    {"ConvolutionSum", "", R"(
  x = f32[4,64,8] parameter(0), sharding={devices=[1,1,8]<=[8]}
  k = f32[3,8,16] parameter(1), sharding={devices=[1,8,1]<=[8]}
  ROOT y = f32[4,64,16] convolution(x, k), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f,
      sharding={replicated}
)",
     R"(all-reduce f32[4,64,16] [1,8]<=[8] add
)"},
    {"ConvolutionPartsOfKernel", "", R"(
  x = f32[4,64,8] parameter(0), sharding={devices=[1,8,1]<=[8]}
  k = f32[64,8,16] parameter(1), sharding={devices=[8,1,1]<=[8]}
  ROOT y = f32[4,3,16] convolution(x, k), window={size=64 pad=1_1}, dim_labels=b0f_0io->b0f,
      sharding={replicated}
)",
     R"(collective-permute f32[4,1,8] {{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7}}
collective-permute f32[4,1,8] {{1,0},{2,1},{3,2},{4,3},{5,4},{6,5},{7,6}}
all-reduce f32[4,3,16] [1,8]<=[8] add
)"},
    {"ConvolutionInGroups", "", R"(
  x = f32[4,64,16] parameter(0), sharding={devices=[1,1,8]<=[8]}
  k = f32[3,1,16] parameter(1), sharding={replicated}
  ROOT y = f32[4,64,16] convolution(x, k), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f,
      feature_group_count=16, sharding={devices=[1,1,8]<=[8]}
)",
     R"()"},
    {"ConvolutionOfCutGroups", "", R"(
  x = f32[16,8,8] parameter(0), sharding={devices=[1,8,1]<=[8]}
  k = f32[3,8,8] parameter(1), sharding={replicated}
  ROOT y = f32[16,4,8] convolution(x, k), window={size=3 pad=1_1}, dim_labels=0bf_0io->0bf,
      batch_group_count=2, sharding={devices=[8,1,1]<=[8]}
)",
     R"(all-gather f32[16,8,8] of f32[16,1,8] dim 1 [1,8]<=[8]
)"},
    {"SelectAndScatter", kSelect, R"(
  x = f32[64] parameter(0), sharding={devices=[8]<=[8]}
  s = f32[32] parameter(1), sharding={devices=[8]<=[8]}
  z = f32[] constant(0)
  ROOT y = f32[64] select-and-scatter(x, s, z), window={size=3 stride=2 pad=0_1}, select=ge,
      scatter=add_, sharding={devices=[8]<=[8]}
)",
     R"(collective-permute f32[2] {{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7}}
collective-permute f32[1] {{1,0},{2,1},{3,2},{4,3},{5,4},{6,5},{7,6}}
collective-permute f32[1] {{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7}}
)"},
    {"LoopBody", kLoop, R"(
  z = s32[] constant(0)
  x = f32[16,32] parameter(0), sharding={devices=[8,1]<=[8]}
  t = (s32[], f32[16,32]) tuple(z, x), sharding={{replicated}, {devices=[8,1]<=[8]}}
  w = (s32[], f32[16,32]) while(t), condition=cond, body=body, sharding={{replicated},
      {devices=[8,1]<=[8]}}
  ROOT y = f32[16,32] get-tuple-element(w), index=1, sharding={devices=[8,1]<=[8]}
)",
     R"(all-to-all f32[2,8,4] dim 1 [1,8]<=[8] in loop
all-to-all f32[8,2,4] dim 0 [1,8]<=[8] in loop
)"},
    {"Rng", "", R"(
  lo = f32[] constant(0)
  hi = f32[] constant(1)
  r = f32[16] rng(lo, hi), distribution=rng_uniform, sharding={replicated}
  ROOT y = f32[16] negate(r), sharding={replicated}
)",
     R"(all-reduce f32[16] [1,8]<=[8] add
)"},
    {"UnevenRotation", "", R"(
  x = f32[20,4] parameter(0), sharding={devices=[8,1]<=[8]}
  tail = f32[1,4] slice(x), slice={[19:20], [0:4]}, sharding={devices=[8,1]<=[8]}
  head = f32[19,4] slice(x), slice={[0:19], [0:4]}, sharding={devices=[8,1]<=[8]}
  ROOT y = f32[20,4] concatenate(tail, head), dimensions={0}, sharding={devices=[8,1]<=[8]}
)",
     R"(collective-permute f32[1,4] {{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,0}}
collective-permute f32[2,4] {{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,0}}
)"},
    {"PadWithWrap", "", R"(
  x = f32[16,4] parameter(0), sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}
  tail = f32[1,4] slice(x), slice={[15:16], [0:4]}, sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}
  head = f32[3,4] slice(x), slice={[0:3], [0:4]}, sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}
  ROOT y = f32[20,4] concatenate(tail, x, head), dimensions={0}, sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}
)",
     R"(collective-permute f32[2,4] {{2,0},{3,1},{4,2},{5,3},{6,4},{7,5}}
collective-permute f32[4,4] {{0,2},{1,3},{2,4},{3,5},{4,6},{5,7},{6,0},{7,1}}
collective-permute f32[4,4] {{0,6},{1,7},{2,0},{3,1},{4,2},{5,3},{6,4},{7,5}}
)"},
    {"Cholesky", "", R"(
  x = f32[4,16,16] parameter(0), sharding={devices=[1,8,1]<=[8]}
  ROOT y = f32[4,16,16] cholesky(x), lower=true, sharding={devices=[1,8,1]<=[8]}
)",
     R"(all-gather f32[4,16,16] of f32[4,2,16] dim 1 [1,8]<=[8]
)"},
    // A constant, as XLA's clean-up leaves it; no rotation.
    {"ConcatenationOfNoElements", "", R"(
  p = f32[0] parameter(0), sharding={devices=[8]<=[8]}
  a = f32[0] slice(p), slice={[0:0]}, sharding={devices=[8]<=[8]}
  b = f32[0] slice(p), slice={[0:0]}, sharding={devices=[8]<=[8]}
  ROOT c = f32[0] concatenate(a, b), dimensions={0}, sharding={devices=[8]<=[8]}
)",
     R"()"},
    {"ReshapeOfNoElements", "", R"(
  p = f32[5,0] parameter(0), sharding={devices=[8,1]<=[8]}
  ROOT r = f32[0,4] reshape(p), sharding={devices=[8,1]<=[8]}
)",
     R"()"},
    // The pass puts copies in after that clean-up.
    {"CopyOfNoElements", "", R"(
  x = f32[0,16] parameter(0), sharding={devices=[8,1]<=[8]}
  ROOT y = f32[0,16] copy(x), sharding={devices=[1,8]<=[8]}
)",
     R"(all-to-all f32[0,8,2] dim 1 [1,8]<=[8]
)"},
    {"WindowsOverNoElements", kAdd, R"(
  x = f32[0,16] constant({}), sharding={devices=[1,8]<=[8]}
  z = f32[] parameter(0)
  ROOT y = f32[9,16] reduce-window(x, z), window={size=2x1 pad=5_5x0_0}, to_apply=add_, sharding={devices=[8,1]<=[8]}
)",
     R"(all-to-all f32[8,0,2] dim 0 [1,8]<=[8]
all-reduce f32[0,16] [1,8]<=[8] add
)"},
    {"ConvolutionOfNoElements", "", R"(
  x = f32[4,0,8] constant({{}, {}, {}, {}}), sharding={devices=[2,1,4]<=[8]}
  k = f32[3,8,16] parameter(0), sharding={devices=[1,4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}
  ROOT y = f32[4,6,16] convolution(x, k), window={size=3 pad=4_4}, dim_labels=b0f_0io->b0f, sharding={devices=[2,1,4]<=[8]}
)",
     R"(all-reduce f32[2,6,16] [2,4]<=[8] add
)"},
};

hlo::Module Parse(const Case& c) {
  const std::string text = absl::StrCat("HloModule m, num_partitions=8\n", c.computations,
                                        "ENTRY e {\n", c.entry, "}\n");
  auto module = hlo::ParseModule(text, "m.hlo");
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

std::string ShapeText(const layout::Shape& shape) {
  return layout::ShapeToString(shape.WithoutLayout());
}

std::string LineOf(const Partitioned& found, const Collective& c) {
  std::string out = absl::StrCat(hlo::OpcodeName(c.opcode), " ", ShapeText(c.shape));
  const std::string operand = ShapeText(c.operands[0]);
  if (operand != ShapeText(c.shape)) absl::StrAppend(&out, " of ", operand);
  if (!c.dimensions.empty()) absl::StrAppend(&out, " dim ", absl::StrJoin(c.dimensions, ","));
  Pairs pairs = c.pairs;
  std::sort(pairs.begin(), pairs.end());
  absl::StrAppend(&out, " ", c.groups.empty() ? PairsText(pairs) : GroupsText(c.groups));
  if (!c.reduction.empty()) absl::StrAppend(&out, " ", c.reduction);
  if (found.bodies[static_cast<size_t>(c.body)].role == Body::Role::kLoop) {
    absl::StrAppend(&out, " in loop");
  }
  return out;
}

std::vector<std::string> Lines(const Partitioned& found) {
  std::vector<std::string> out;
  for (const Collective& c : found.collectives) out.push_back(LineOf(found, c));
  return out;
}

class PartitionerTest : public ::testing::TestWithParam<Case> {};

TEST_P(PartitionerTest, MakesTheCollectivesOfTheReference) {
  const hlo::Module module = Parse(GetParam());
  const auto found = FindCollectives(module);
  ASSERT_TRUE(found.ok()) << found.status();
  std::vector<std::string> expected =
      absl::StrSplit(GetParam().collectives, '\n', absl::SkipEmpty());
  EXPECT_THAT(Lines(*found), ::testing::UnorderedElementsAreArray(expected));
}

INSTANTIATE_TEST_SUITE_P(Families, PartitionerTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

std::string ErrorOf(const char* computations, const char* entry) {
  const hlo::Module module = Parse({"", computations, entry, ""});
  const auto found = FindCollectives(module);
  EXPECT_FALSE(found.ok());
  // Every refusal names the instruction.
  EXPECT_GT(text::ErrorOffset(found.status()), 0u);
  return std::string(found.status().message());
}

TEST(PartitionerTest, RefusesAModuleThatIsPartitioned) {
  EXPECT_THAT(ErrorOf("", "  ROOT p = u32[] partition-id()\n"),
              HasSubstr("its HloModule line needs num_partitions=N"));
}

TEST(PartitionerTest, RefusesGathersWithAPartlyManualOperand) {
  EXPECT_THAT(
      ErrorOf("",
              "  p = f32[12] parameter(0), sharding={devices=[4,2]<=[8] last_tile_dim_replicate}\n"
              "  i = s32[8,1] parameter(1), "
              "sharding={devices=[1,4,2]<=[2,4]T(1,0) last_tile_dims={manual}}\n"
              "  ROOT g = f32[8] gather(p, i), offset_dims={}, collapsed_slice_dims={0}, "
              "start_index_map={0}, index_vector_dim=1, slice_sizes={1}, "
              "sharding={devices=[2,4]<=[8] last_tile_dim_replicate}\n"),
      HasSubstr("operand 1 and the result are not manual"));
}

TEST(PartitionerTest, RefusesChannelsOutsideManualCode) {
  EXPECT_THAT(ErrorOf(kAdd,
                      "  x = f32[8] parameter(0), sharding={devices=[8]<=[8]}\n"
                      "  ROOT y = f32[8] all-reduce(x), channel_id=1, replica_groups={{0,1}}, "
                      "use_global_device_ids=true, to_apply=add_, sharding={devices=[8]<=[8]}\n"),
              HasSubstr("must be in manual code"));
}

// A kernel of Pallas that writes into the memory of other devices. jaxlib compiles it.
TEST(PartitionerTest, SideEffectsInManualCode) {
  const hlo::Module module =
      Parse({"", "",
             "  x = f32[16] parameter(0), sharding={devices=[8]<=[8]}\n"
             "  s = f32[2] custom-call(x), custom_call_target=\"SPMDFullToShardShape\", "
             "sharding={manual}\n"
             "  k = f32[2] custom-call(s), custom_call_target=\"tpu_custom_call\", "
             "custom_call_has_side_effect=true, sharding={manual}\n"
             "  ROOT y = f32[16] custom-call(k), custom_call_target=\"SPMDShardToFullShape\", "
             "sharding={devices=[8]<=[8]}\n",
             ""});
  const auto found = FindCollectives(module);
  EXPECT_TRUE(found.ok()) << found.status();
}

TEST(PartitionerTest, RefusesBordersOfManualCodeThatDoNotFit) {
  EXPECT_THAT(
      ErrorOf("",
              "  x = f32[16] parameter(0), sharding={devices=[2,2,2]<=[8] "
              "last_tile_dims={manual, replicated}}\n"
              "  ROOT y = f32[16] custom-call(x), custom_call_target=\"SPMDShardToFullShape\", "
              "sharding={devices=[8]<=[8]}\n"),
      HasSubstr("a shard of the operand is f32[8], one of the result is f32[2]"));
}

TEST(PartitionerTest, RefusesSideEffectsWithoutSharding) {
  EXPECT_THAT(
      ErrorOf("",
              "  x = f32[8] parameter(0), sharding={replicated}\n"
              "  t = token[] after-all()\n"
              "  ROOT o = token[] outfeed(x, t), outfeed_shape=f32[8]\n"),
      HasSubstr("outfeed has a side effect, and XLA's partitioner refuses it without a "
                "sharding: give it one that is not replicated, such as {maximal device=0}"));
}

TEST(PartitionerTest, DoesNotGuessWhatACallbackOfTheProgramDecides) {
  const hlo::Module module =
      Parse({"", "",
             "  x = f32[8] parameter(0), sharding={devices=[8]<=[8]}\n"
             "  ROOT y = f32[8] custom-call(x), custom_call_target=\"CustomSPMDPartitioning\", "
             "sharding={devices=[8]<=[8]}\n",
             ""});
  EXPECT_EQ(FindCollectives(module).status().code(), absl::StatusCode::kUnimplemented);
}

TEST(PartitionerTest, RunsTheLoopOfAnFftInPartsOnceADevice) {
  const hlo::Module module =
      Parse({"", "",
             "  x = c64[2,4,64] parameter(0), sharding={devices=[1,1,8]<=[8]}\n"
             "  ROOT y = c64[2,4,64] fft(x), fft_type=FFT, fft_length={64}, "
             "sharding={devices=[1,1,8]<=[8]}\n",
             ""});
  const auto found = FindCollectives(module);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(
      Lines(*found),
      ::testing::ElementsAre(
          "all-to-all c64[2,4,8] dim 2 [1,8]<=[8]",
          "collective-permute c64[2,4,8] {{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7},{7,0}} in loop",
          "collective-permute c64[] {{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7},{7,0}} in loop"));
  EXPECT_EQ(found->bodies.back().trips, 8);
}

// They stay one number less the first row of the table, and are the same on all devices.
TEST(PartitionerTest, IndicesThatAreOneNumberNeedNoPermute) {
  const auto module = hlo::ParseModule(absl::StrCat("HloModule m, num_partitions=16\n", kAdd, R"(
ENTRY e {
  t = f32[44,8] parameter(0), sharding={mesh['a'=2,'b'=2,'c'=2,'d'=2], [{'c', 'a'}, {'b'}]}
  one = s32[] parameter(2), sharding={replicated}
  i = s32[4] broadcast(one), dimensions={}, sharding={mesh['a'=2,'b'=2,'c'=2,'d'=2], [{'b'}]}
  u = f32[4,8] parameter(1), sharding={mesh['a'=2,'b'=2,'c'=2,'d'=2], [{'b'}, {}]}
  ROOT y = f32[44,8] scatter(t, i, u), update_window_dims={1}, inserted_window_dims={0},
      scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_,
      sharding={mesh['a'=2,'b'=2,'c'=2,'d'=2], [{'c', 'a'}, {'b'}]}
}
)"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(
      Lines(*FindCollectives(*module)),
      ::testing::UnorderedElementsAre("all-to-all f32[2,2,4] dim 1 [8,2]<=[2,2,2,2]T(2,0,3,1)",
                                      "all-reduce f32[11,4] [8,2]<=[4,2,2]T(1,0,2) add"));
}

std::string CrashOf(int devices, const char* entry) {
  const auto module = hlo::ParseModule(
      absl::StrCat("HloModule m, num_partitions=", devices, "\nENTRY e {\n", entry, "}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  const absl::Status status = FindCollectives(*module).status();
  EXPECT_GT(text::ErrorOffset(status), 0u);
  return std::string(status.message());
}

TEST(PartitionerTest, SaysWhereTheReferenceCrashes) {
  EXPECT_THAT(CrashOf(64,
                      "  x = f32[16,8,4,4] parameter(0), sharding={devices=[2,8,4,1]<=[64]}\n"
                      "  ROOT y = f32[16,8,4,4] negate(x), "
                      "sharding={devices=[1,2,8,4]<=[2,2,4,4]T(1,3,0,2)}\n"),
              HasSubstr("is cut finer"));
  EXPECT_THAT(CrashOf(8,
                      "  x = f32[12,6] parameter(0), sharding={devices=[4,2]<=[8]}\n"
                      "  z = f32[] constant(0)\n"
                      "  ROOT y = f32[22,6] pad(x, z), padding=-1_0_1x0_0, "
                      "sharding={devices=[4,2]<=[8]}\n"),
              HasSubstr("dimension 0, which is sharded, loses 1 in front by negative padding"));
  EXPECT_THAT(CrashOf(6,
                      "  x = f32[12,12] parameter(0), sharding={mesh['x'=2,'y'=3], [{}, {'y'}]}\n"
                      "  ROOT y = f32[12,12] negate(x), "
                      "sharding={mesh['x'=2,'y'=3], [{'y', 'x'}, {}]}\n"),
              HasSubstr("dimension 0 is to be cut in 2 first"));
}

TEST(PartitionerTest, BlamesTheInstruction) {
  const hlo::Module module = Parse(kCases[0]);
  const auto found = FindCollectives(module);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->collectives.size(), 1u);
  EXPECT_EQ(module.instruction(found->collectives[0].cause).name, "y");
  EXPECT_EQ(module.instruction(found->collectives[0].producer).name, "x");
  EXPECT_FALSE(found->collectives[0].given);
}

// The module and its sources do not depend on it.
TEST(PartitionerTest, ListsNoCollectivesIfNotAsked) {
  const hlo::Module module = Parse(kCases[0]);
  Options options;
  const auto with = PartitionModule(module, {}, options);
  options.lists_collectives = false;
  const auto without = PartitionModule(module, {}, options);
  ASSERT_TRUE(with.ok() && without.ok());
  EXPECT_EQ(with->found.collectives.size(), 1u);
  EXPECT_TRUE(without->found.collectives.empty());
  EXPECT_EQ(without->module.num_instructions(), with->module.num_instructions());
  EXPECT_EQ(without->sources, with->sources);
}

// A product of which two dimensions are contracted, each on its own axis.
TEST(PartitionerTest, SumsDimsAtOnceIfAsked) {
  const hlo::Module module = *hlo::ParseModule(
      "HloModule m, num_partitions=4\nENTRY e {\n"
      "  x = f32[8,8,4] parameter(0), sharding={devices=[2,2,1]<=[4]}\n"
      "  y = f32[8,8,6] parameter(1), sharding={devices=[2,2,1]<=[4]}\n"
      "  ROOT d = f32[4,6] dot(x, y), lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1}, "
      "sharding={replicated}\n}\n");
  Options options;
  const auto apart = PartitionModule(module, {}, options);
  options.sums_dims_at_once = true;
  const auto at_once = PartitionModule(module, {}, options);
  ASSERT_TRUE(apart.ok() && at_once.ok());
  EXPECT_EQ(apart->found.collectives.size(), 2u);
  EXPECT_EQ(at_once->found.collectives.size(), 1u);
}

// Of each shard first, or of whole rows.
TEST(PartitionerTest, SortsShardsForLargestUnlessToldNotTo) {
  const hlo::Module module = *hlo::ParseModule(
      "HloModule m, num_partitions=8\n"
      "larger {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  i = s32[] parameter(2)\n"
      "  j = s32[] parameter(3)\n  ROOT c = pred[] compare(a, b), direction=GT\n}\n"
      "ENTRY e {\n  x = f32[64] parameter(0), sharding={devices=[8]<=[8]}\n"
      "  p = s32[64] iota(), iota_dimension=0, sharding={replicated}\n"
      "  s = (f32[64], s32[64]) sort(x, p), dimensions={0}, to_apply=larger, "
      "sharding={{replicated}, {replicated}}\n"
      "  v = f32[64] get-tuple-element(s), index=0, sharding={replicated}\n"
      "  ROOT r = f32[4] slice(v), slice={[0:4]}, sharding={replicated}\n}\n");
  Options options;
  const auto of_shards = PartitionModule(module, {}, options);
  options.sorts_shards_for_largest = false;
  const auto of_all = PartitionModule(module, {}, options);
  ASSERT_TRUE(of_shards.ok() && of_all.ok());
  EXPECT_EQ(of_shards->found.collectives[0].shape.dim(0), 32);
  EXPECT_EQ(of_all->found.collectives[0].shape.dim(0), 64);
}

// What is inserted is known by the instruction whose visit inserts it.
TEST(PartitionerTest, KnowsCausesIfAsked) {
  const hlo::Module module = Parse(kCases[0]);
  Options options;
  const auto without = PartitionModule(module, {}, options);
  options.lists_causes = true;
  const auto with = PartitionModule(module, {}, options);
  ASSERT_TRUE(with.ok() && without.ok());
  EXPECT_TRUE(without->causes.empty());
  ASSERT_EQ(with->causes.size(), with->module.num_instructions());
  hlo::InstructionId collective = 0;
  while (with->module.instruction(collective).opcode != hlo::Opcode::kAllToAll) ++collective;
  EXPECT_EQ(with->sources[collective], hlo::kNoId);
  EXPECT_EQ(module.instruction(with->causes[collective]).name, "y");
}

// Each list and each text stands once in memory, however many collectives have it.
TEST(PartitionerTest, EqualCollectivesShareTheirDevices) {
  const hlo::Module module = *hlo::ParseModule(
      "HloModule m, num_partitions=4\nENTRY e {\n"
      "  x = f32[16,8] parameter(0), sharding={devices=[4,1]<=[4]}\n"
      "  y = f32[8,24] parameter(1), sharding={devices=[4,1]<=[4]}\n"
      "  a = f32[16,8] tanh(x), sharding={replicated}\n"
      "  b = f32[8,24] tanh(y), sharding={replicated}\n"
      "  ROOT t = (f32[16,8], f32[8,24]) tuple(a, b), sharding={{replicated}, {replicated}}\n}\n");
  const auto device = PartitionModule(module);
  ASSERT_TRUE(device.ok()) << device.status();
  ASSERT_EQ(device->found.collectives.size(), 2u);
  EXPECT_EQ(device->found.collectives[0].groups.identity(),
            device->found.collectives[1].groups.identity());
  std::vector<const char*> texts;
  for (hlo::InstructionId id = 0; id < device->module.num_instructions(); ++id) {
    const auto text = device->module.FindAttribute(id, hlo::AttributeName::kReplicaGroups);
    if (text.has_value()) texts.push_back(text->data());
  }
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_EQ(texts[0], texts[1]);
}

}  // namespace
}  // namespace tessera::sharding::partition
