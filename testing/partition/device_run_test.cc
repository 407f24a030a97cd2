// Small modules on a few devices, one or more for each family of operations: what the per-device
// module computes is what the module computes, and its collectives are those that are reported.

#include "tessera/testing/partition/device_run.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/hlo/verifier.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/testing/partition/device_collectives.h"

namespace tessera::testing {
namespace {

using sharding::partition::FindCollectives;
using sharding::partition::PartitionModule;

constexpr char kCalled[] = R"(HloModule m, num_partitions=4
fused { a = f32[8,6] parameter(0) ROOT r = f32[8,6] add(a, a) }
add_ { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
max_ { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
larger { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=GE }
twice { x = f32[8,6] parameter(0), sharding={devices=[4,1]<=[4]} ROOT r = f32[8,6] add(x, x), sharding={devices=[1,2,2]<=[4] last_tile_dim_replicate} }
go { s = (s32[], f32[8,6]) parameter(0), sharding={{replicated},{devices=[4,1]<=[4]}} i = s32[] get-tuple-element(s), index=0, sharding={replicated} n = s32[] constant(3), sharding={replicated} ROOT p = pred[] compare(i, n), direction=LT, sharding={replicated} }
body { s = (s32[], f32[8,6]) parameter(0), sharding={{replicated},{devices=[4,1]<=[4]}} i = s32[] get-tuple-element(s), index=0, sharding={replicated}
  x = f32[8,6] get-tuple-element(s), index=1, sharding={devices=[4,1]<=[4]} one = s32[] constant(1), sharding={replicated} n = s32[] add(i, one), sharding={replicated}
  y = f32[8,6] negate(x), sharding={devices=[1,4]<=[4]} z = f32[8,6] add(y, y), sharding={devices=[1,4]<=[4]}
  ROOT t = (s32[], f32[8,6]) tuple(n, z), sharding={{replicated},{devices=[4,1]<=[4]}} }
ENTRY main {
)";

constexpr char kRows[] = "sharding={devices=[4,1]<=[4]}";
constexpr char kColumns[] = "sharding={devices=[1,4]<=[4]}";
constexpr char kWhole[] = "sharding={replicated}";

struct Row {
  const char* name;
  // The entry; R, C and W stand for rows, columns and whole.
  const char* entry;
};

std::vector<Row> Rows() {
  return {
      {"Elementwise",
       "x = f32[8,6] parameter(0), R y = f32[8,6] negate(x), R ROOT z = f32[8,6] add(x, y), R"},
      {"WindowsOfTwoFills",
       "x = f32[8,8] parameter(0), C zero = f32[] constant(0), W low = f32[] constant(-1000), W p "
       "= f32[8,8] reduce-window(x, zero), window={size=1x3 pad=0_0x2_0}, to_apply=add_, C m = "
       "f32[8,8] reduce-window(x, low), window={size=1x3 pad=0_0x2_0}, to_apply=max_, C ROOT y = "
       "f32[8,8] add(p, m), C"},
      {"OnOneDevice",
       "x = f32[8,6] parameter(0), R c = f32[8,6] custom-call(x), "
       "custom_call_target=\"MoveToHost\", "
       "sharding={maximal device=2} ROOT y = f32[8,6] negate(c), R"},
      {"FedByOneDevice",
       "x = f32[8,6] parameter(0), R t = token[] after-all() i = ((f32[8,6], s32[3]), token[]) "
       "infeed(t), sharding={{maximal device=2}, {maximal device=2}, {maximal device=2}} j = "
       "(f32[8,6], s32[3]) get-tuple-element(i), index=0, sharding={{maximal device=2}, {maximal "
       "device=2}} k = f32[8,6] get-tuple-element(j), index=0, sharding={maximal device=2} u = "
       "token[] get-tuple-element(i), index=1, sharding={maximal device=2} y = f32[8,6] add(k, x), "
       "R o = token[] outfeed(y, u), outfeed_shape=f32[8,6], sharding={maximal device=3} ROOT z = "
       "f32[8,6] negate(y), R"},
      {"SentByOneDevice",
       "x = f32[8,6] parameter(0), R t = token[] after-all() s = (f32[8,6], u32[], token[]) "
       "send(x, t), channel_id=5, is_host_transfer=true, sharding={{maximal device=1}, {maximal "
       "device=1}, {maximal device=1}} d = token[] send-done(s), channel_id=5, "
       "is_host_transfer=true, sharding={maximal device=1} r = (f32[8,6], u32[], token[]) recv(d), "
       "channel_id=6, is_host_transfer=true, sharding={{maximal device=1}, {maximal device=1}, "
       "{maximal device=1}} e = (f32[8,6], token[]) recv-done(r), channel_id=6, "
       "is_host_transfer=true, sharding={{maximal device=1}, {maximal device=1}} k = f32[8,6] "
       "get-tuple-element(e), index=0, sharding={maximal device=1} ROOT y = f32[8,6] add(k, x), R"},
      {"WholeFusion",
       "x = f32[8,6] parameter(0), R f = f32[8,6] fusion(x), kind=kLoop, calls=fused, W ROOT y = "
       "f32[8,6] negate(f), R"},
      {"FourierInParts",
       "x = c64[2,2,32] parameter(0), sharding={devices=[1,1,4]<=[4]} ROOT y = c64[2,2,32] fft(x), "
       "fft_type=FFT, fft_length={32}, sharding={devices=[1,1,4]<=[4]}"},
      {"FourierInPaddedParts",
       "x = c64[2,2,24] parameter(0), sharding={devices=[1,1,4]<=[4]} ROOT y = c64[2,2,24] fft(x), "
       "fft_type=FFT, fft_length={24}, sharding={devices=[1,1,4]<=[4]}"},
      {"FourierOfPlanesInParts",
       "x = c128[2,4,16] parameter(0), sharding={devices=[1,1,4]<=[4]} ROOT y = c128[2,4,16] "
       "fft(x), fft_type=FFT, fft_length={4,16}, sharding={devices=[1,1,4]<=[4]}"},
      {"Uneven", "x = f32[7,6] parameter(0), R ROOT z = f32[7,6] negate(x), R"},
      {"AllToAll", "x = f32[8,8] parameter(0), R ROOT z = f32[8,8] copy(x), C"},
      {"AllToAllUneven", "x = f32[7,6] parameter(0), R ROOT z = f32[7,6] copy(x), C"},
      {"Gathered", "x = f32[8,6] parameter(0), R ROOT z = f32[8,6] copy(x), W"},
      {"GatheredUneven", "x = f32[7,6] parameter(0), R ROOT z = f32[7,6] copy(x), W"},
      {"GatheredOfFew", "x = f32[2,6] parameter(0), R ROOT z = f32[2,6] copy(x), W"},
      {"GatheredOfOne", "x = f32[1,6] parameter(0), R ROOT z = f32[1,6] copy(x), W"},
      {"Sliced", "x = f32[8,6] parameter(0), W ROOT z = f32[8,6] copy(x), C"},
      {"Permuted",
       "x = f32[8,6] parameter(0), R ROOT z = f32[8,6] copy(x), sharding={devices=[4,1]3,0,2,1}"},
      {"ReplicasSliced",
       "x = f32[8,6] parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate} ROOT z "
       "= f32[8,6] copy(x), R"},
      {"ReplicasSlicedUneven",
       "x = f32[5,6] parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate} ROOT z "
       "= f32[5,6] copy(x), R"},
      {"ReplicasGathered",
       "x = f32[8,6] parameter(0), R ROOT z = f32[8,6] copy(x), sharding={devices=[2,1,2]<=[4] "
       "last_tile_dim_replicate}"},
      {"ReplicasGatheredUneven",
       "x = f32[5,6] parameter(0), R ROOT z = f32[5,6] copy(x), sharding={devices=[2,1,2]<=[4] "
       "last_tile_dim_replicate}"},
      {"DotOfParts",
       "x = f32[8,8] parameter(0), C w = f32[8,6] parameter(1), R ROOT y = f32[8,6] dot(x, w), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}, R"},
      {"DotOfUnevenParts",
       "x = f32[8,7] parameter(0), C w = f32[7,6] parameter(1), R ROOT y = f32[8,6] dot(x, w), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}, W"},
      {"DotGathersWeights",
       "x = f32[8,8] parameter(0), R w = f32[8,6] parameter(1), C ROOT y = f32[8,6] dot(x, w), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}, R"},
      {"DotOfBatches",
       "x = f32[4,3,5] parameter(0), sharding={devices=[4,1,1]<=[4]} w = f32[4,5,2] parameter(1), "
       "W ROOT y = f32[4,3,2] dot(x, w), lhs_batch_dims={0}, rhs_batch_dims={0}, "
       "lhs_contracting_dims={2}, rhs_contracting_dims={1}, sharding={devices=[4,1,1]<=[4]}"},
      {"Reduce",
       "x = f32[8,6] parameter(0), R zero = f32[] constant(0), W ROOT y = f32[6] reduce(x, zero), "
       "dimensions={0}, to_apply=add_, W"},
      {"ReduceUneven",
       "x = f32[7,6] parameter(0), R least = f32[] constant(-inf), W ROOT y = f32[6] reduce(x, "
       "least), dimensions={0}, to_apply=max_, sharding={devices=[4]<=[4]}"},
      {"Transpose",
       "x = f32[8,6] parameter(0), R ROOT y = f32[6,8] transpose(x), dimensions={1,0}, R"},
      {"Broadcast", "x = f32[6] parameter(0), W ROOT y = f32[8,6] broadcast(x), dimensions={1}, C"},
      {"Reshape",
       "x = f32[8,6] parameter(0), R ROOT y = f32[48] reshape(x), sharding={devices=[4]<=[4]}"},
      {"ReshapeShifted",
       "x = f32[6,3] parameter(0), R ROOT y = f32[18] reshape(x), sharding={devices=[4]<=[4]}"},
      {"ReshapeShiftedBack",
       "x = f32[18] parameter(0), sharding={devices=[4]<=[4]} ROOT y = f32[6,3] reshape(x), R"},
      {"Tuples",
       "x = f32[8,6] parameter(0), R y = f32[8,6] negate(x), R t = (f32[8,6], f32[8,6]) tuple(x, "
       "y), sharding={{replicated}, {devices=[1,4]<=[4]}} ROOT z = f32[8,6] get-tuple-element(t), "
       "index=1, R"},
      {"Call", "x = f32[8,6] parameter(0), R ROOT y = f32[8,6] call(x), to_apply=twice, R"},
      {"Loop",
       "x = f32[8,6] parameter(0), R i = s32[] constant(0), W t = (s32[], f32[8,6]) tuple(i, x), "
       "sharding={{replicated},{devices=[4,1]<=[4]}} w = (s32[], f32[8,6]) while(t), condition=go, "
       "body=body, sharding={{replicated},{devices=[4,1]<=[4]}} ROOT z = f32[8,6] "
       "get-tuple-element(w), index=1, R"},
      {"Branch",
       "p = pred[] parameter(0), W x = f32[8,6] parameter(1), R ROOT y = f32[8,6] conditional(p, "
       "x, x), true_computation=twice, false_computation=twice, C"},
      {"Iota", "ROOT x = s32[7,6] iota(), iota_dimension=0, R"},
      {"IotaOfFloats", "ROOT x = f32[7,6] iota(), iota_dimension=1, C"},
      {"Constants",
       "b = f32[4,2] constant({{1, 2}, {3, 4}, {5, 6}, {7, 8}}), R d = f32[] constant(3), W "
       "c = f32[4,2] broadcast(d), dimensions={}, R ROOT e = f32[4,2] add(b, c), R"},
      {"ConstantWithComments",
       "b = f32[4,2] constant({ /*i0=0*/ {7, 7}, /*i0=1*/ {7, 7}, {7, 7}, {7, 7} }), R ROOT e = "
       "f32[4,2] add(b, b), R"},
      {"Slice",
       "x = f32[16] parameter(0), sharding={devices=[4]<=[4]} ROOT y = f32[11] slice(x), "
       "slice={[3:14]}, sharding={devices=[4]<=[4]}"},
      {"SliceOfHalf",
       "x = f32[8,64] parameter(0), C ROOT y = f32[8,32] slice(x), slice={[0:8], [0:32]}, C"},
      {"SliceOfOtherHalf",
       "x = f32[8,64] parameter(0), C ROOT y = f32[8,32] slice(x), slice={[0:8], [32:64]}, C"},
      {"SliceFromTwoShardsEach",
       "x = f32[8,64] parameter(0), C ROOT y = f32[8,26] slice(x), slice={[0:8], [38:64]}, C"},
      {"SliceOfEnd",
       "x = f32[16] parameter(0), sharding={devices=[4]<=[4]} ROOT y = f32[3] slice(x), "
       "slice={[13:16]}, sharding={devices=[4]<=[4]}"},
      {"SliceWithStride",
       "x = f32[16] parameter(0), sharding={devices=[4]<=[4]} ROOT y = f32[5] slice(x), "
       "slice={[1:16:3]}, sharding={devices=[4]<=[4]}"},
      {"SliceOfWhole",
       "x = f32[16] parameter(0), W ROOT y = f32[11] slice(x), slice={[3:14]}, "
       "sharding={devices=[4]<=[4]}"},
      {"SliceSame",
       "x = f32[8,6] parameter(0), R ROOT y = f32[8,2] slice(x), slice={[0:8], [2:4]}, R"},
      {"Pad",
       "x = f32[13] parameter(0), sharding={devices=[4]<=[4]} v = f32[] constant(2), W ROOT y = "
       "f32[19] pad(x, v), padding=2_4, sharding={devices=[4]<=[4]}"},
      {"PadOfFewFromTheBeginning",
       "x = f32[8,64] parameter(0), C v = f32[] constant(2), W ROOT y = f32[8,12] pad(x, v), "
       "padding=0_0x2_-54, C"},
      {"PadOfFewFromTheEnd",
       "x = f32[8,64] parameter(0), C v = f32[] constant(2), W ROOT y = f32[8,12] pad(x, v), "
       "padding=0_0x-54_2, C"},
      {"PadOfFewFromTheMiddle",
       "x = f32[8,61] parameter(0), C v = f32[] constant(2), W ROOT y = f32[8,12] pad(x, v), "
       "padding=0_0x-27_-22, C"},
      {"PadInside",
       "x = f32[8] parameter(0), sharding={devices=[4]<=[4]} v = f32[] constant(2), W ROOT y = "
       "f32[16] pad(x, v), padding=1_0_1, sharding={devices=[4]<=[4]}"},
      {"PadNegative",
       "x = f32[16] parameter(0), sharding={devices=[4]<=[4]} v = f32[] constant(0), W ROOT y = "
       "f32[13] pad(x, v), padding=-5_2, sharding={devices=[4]<=[4]}"},
      {"Concatenate",
       "x = f32[8,6] parameter(0), R y = f32[4,6] parameter(1), R ROOT z = f32[12,6] "
       "concatenate(x, y), dimensions={0}, R"},
      {"Rotation",
       "x = f32[16] parameter(0), sharding={devices=[4]<=[4]} a = f32[5] slice(x), "
       "slice={[11:16]}, sharding={devices=[4]<=[4]} b = f32[11] slice(x), slice={[0:11]}, "
       "sharding={devices=[4]<=[4]} ROOT y = f32[16] concatenate(a, b), dimensions={0}, "
       "sharding={devices=[4]<=[4]}"},
      {"RotationUneven",
       "x = f32[14] parameter(0), sharding={devices=[4]<=[4]} a = f32[5] slice(x), slice={[9:14]}, "
       "sharding={devices=[4]<=[4]} b = f32[9] slice(x), slice={[0:9]}, "
       "sharding={devices=[4]<=[4]} ROOT y = f32[14] concatenate(a, b), dimensions={0}, "
       "sharding={devices=[4]<=[4]}"},
      {"PadWithWrap",
       "x = f32[16] parameter(0), sharding={devices=[4]<=[4]} a = f32[2] slice(x), "
       "slice={[14:16]}, sharding={devices=[4]<=[4]} b = f32[3] slice(x), slice={[0:3]}, "
       "sharding={devices=[4]<=[4]} ROOT y = f32[21] concatenate(a, x, b), dimensions={0}, "
       "sharding={devices=[4]<=[4]}"},
      {"Reverse",
       "x = f32[14] parameter(0), sharding={devices=[4]<=[4]} ROOT y = f32[14] reverse(x), "
       "dimensions={0}, sharding={devices=[4]<=[4]}"},
      {"DynamicSlice",
       "x = f32[8,6] parameter(0), R i = s32[] parameter(1), W z = s32[] constant(0), W ROOT y = "
       "f32[8,2] dynamic-slice(x, z, i), dynamic_slice_sizes={8,2}, R"},
      {"DynamicUpdateOfOneShard",
       "x = f32[8,6] parameter(0), R u = f32[1,6] parameter(1), W i = s32[] parameter(2), W z = "
       "s32[] constant(0), W ROOT y = f32[8,6] dynamic-update-slice(x, u, i, z), R"},
      {"DynamicUpdateAcrossShards",
       "x = f32[8,6] parameter(0), R u = f32[3,6] parameter(1), W i = s32[] parameter(2), W z = "
       "s32[] constant(0), W ROOT y = f32[8,6] dynamic-update-slice(x, u, i, z), R"},
      {"Sort",
       "x = f32[8,6] parameter(0), R ROOT y = f32[8,6] sort(x), dimensions={0}, to_apply=less, R"},
      {"ReduceWindow",
       "x = f32[16] parameter(0), sharding={devices=[4]<=[4]} zero = f32[] constant(0), W ROOT y = "
       "f32[16] reduce-window(x, zero), window={size=3 pad=1_1}, to_apply=add_, "
       "sharding={devices=[4]<=[4]}"},
      {"ReduceWindowWithStride",
       "x = f32[14] parameter(0), sharding={devices=[4]<=[4]} zero = f32[] constant(0), W ROOT y = "
       "f32[7] reduce-window(x, zero), window={size=3 stride=2 pad=1_0}, to_apply=add_, "
       "sharding={devices=[4]<=[4]}"},
      {"SelectAndScatter",
       "x = f32[16] parameter(0), sharding={devices=[4]<=[4]} s = f32[8] parameter(1), "
       "sharding={devices=[4]<=[4]} zero = f32[] constant(0), W ROOT y = f32[16] "
       "select-and-scatter(x, s, zero), window={size=3 stride=2 pad=1_0}, select=larger, "
       "scatter=add_, sharding={devices=[4]<=[4]}"},
      {"Convolution",
       "x = f32[1,16,2] parameter(0), sharding={devices=[1,4,1]<=[4]} w = f32[3,2,5] parameter(1), "
       "W ROOT y = f32[1,16,5] convolution(x, w), window={size=3 pad=1_1}, "
       "dim_labels=b0f_0io->b0f, sharding={devices=[1,4,1]<=[4]}"},
      {"ConvolutionOfChannels",
       "x = f32[2,9,8] parameter(0), sharding={devices=[1,1,4]<=[4]} w = f32[3,8,5] parameter(1), "
       "sharding={devices=[1,4,1]<=[4]} ROOT y = f32[2,9,5] convolution(x, w), window={size=3 "
       "pad=1_1}, dim_labels=b0f_0io->b0f, W"},
      {"ConvolutionOfGroups",
       "x = f32[2,9,8] parameter(0), sharding={devices=[1,1,4]<=[4]} w = f32[3,1,8] parameter(1), "
       "sharding={devices=[1,1,4]<=[4]} ROOT y = f32[2,9,8] convolution(x, w), window={size=3 "
       "pad=1_1}, dim_labels=b0f_0io->b0f, feature_group_count=8, sharding={devices=[1,1,4]<=[4]}"},
      {"GatherOfCutTable",
       "t = f32[8,6] parameter(0), R i = s32[5,1] parameter(1), W ROOT y = f32[5,6] gather(t, i), "
       "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
       "slice_sizes={1,6}, W"},
      {"GatherOfUnevenTable",
       "t = f32[5,6] parameter(0), R i = s32[7,1] parameter(1), R ROOT y = f32[7,6] gather(t, i), "
       "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
       "slice_sizes={1,6}, R"},
      {"GatherOfWholeRows",
       "t = f32[8,8] parameter(0), C i = s32[5,1] parameter(1), W ROOT y = f32[5,8] gather(t, i), "
       "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
       "slice_sizes={1,8}, C"},
      {"GatherOfTwo",
       "t = f32[8,5] parameter(0), R i = s32[6,2] parameter(1), W ROOT y = f32[6] gather(t, i), "
       "offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=1, "
       "slice_sizes={1,1}, W"},
      {"GatherThatCounts",
       "t = f32[8,6] parameter(0), R c = s32[8,1] iota(), iota_dimension=0, R j = s32[8,1] "
       "parameter(1), R i = s32[8,2] concatenate(c, j), dimensions={1}, R ROOT y = f32[8] "
       "gather(t, i), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, "
       "index_vector_dim=1, slice_sizes={1,1}, sharding={devices=[4]<=[4]}"},
      {"ScatterIntoCutTable",
       "t = f32[8,6] parameter(0), R i = s32[5,1] parameter(1), W u = f32[5,6] parameter(2), W "
       "ROOT y = f32[8,6] scatter(t, i, u), update_window_dims={1}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_, R"},
      {"ScatterOfCutUpdates",
       "t = f32[8,6] parameter(0), W i = s32[8,1] parameter(1), R u = f32[8,6] parameter(2), R "
       "ROOT y = f32[8,6] scatter(t, i, u), update_window_dims={1}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_, W"},
      {"ScatterOfUnevenUpdates",
       "t = f32[8,6] parameter(0), W i = s32[7,1] parameter(1), R u = f32[7,6] parameter(2), R "
       "ROOT y = f32[8,6] scatter(t, i, u), update_window_dims={1}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=max_, W"},
      // The third dot repeats the second one from memory, with another element of the barrier.
      {"DotsOfElementsOfABarrier",
       "x = f32[6,8] parameter(0), sharding={mesh['f'=2,'m'=2], [{}, {'f'}]} u = f32[8,4] "
       "parameter(1), sharding={mesh['f'=2,'m'=2], [{'f'}, {'m'}]} v = f32[8,4] parameter(2), "
       "sharding={mesh['f'=2,'m'=2], [{'f'}, {'m'}]} w = f32[8,4] parameter(3), "
       "sharding={mesh['f'=2,'m'=2], [{'f'}, {'m'}]} t = (f32[8,4], f32[8,4], f32[8,4]) tuple(u, "
       "v, w), sharding={{mesh['f'=2,'m'=2], [{'f'}, {'m'}]}, {mesh['f'=2,'m'=2], [{'f'}, "
       "{'m'}]}, {mesh['f'=2,'m'=2], [{'f'}, {'m'}]}} b = (f32[8,4], f32[8,4], f32[8,4]) "
       "opt-barrier(t), sharding={{mesh['f'=2,'m'=2], [{'f'}, {'m'}]}, {mesh['f'=2,'m'=2], "
       "[{'f'}, {'m'}]}, {mesh['f'=2,'m'=2], [{'f'}, {'m'}]}} b0 = f32[8,4] "
       "get-tuple-element(b), index=0, sharding={mesh['f'=2,'m'=2], [{'f'}, {'m'}]} b1 = "
       "f32[8,4] get-tuple-element(b), index=1, sharding={mesh['f'=2,'m'=2], [{'f'}, {'m'}]} b2 "
       "= f32[8,4] get-tuple-element(b), index=2, sharding={mesh['f'=2,'m'=2], [{'f'}, {'m'}]} "
       "d0 = f32[6,4] dot(x, b0), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
       "sharding={mesh['f'=2,'m'=2], [{}, {'m'}]} d1 = f32[6,4] dot(x, b1), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={mesh['f'=2,'m'=2], [{}, "
       "{'m'}]} d2 = f32[6,4] dot(x, b2), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
       "sharding={mesh['f'=2,'m'=2], [{}, {'m'}]} s = f32[6,4] subtract(d1, d2), "
       "sharding={mesh['f'=2,'m'=2], [{}, {'m'}]} ROOT y = f32[6,4] multiply(d0, s), "
       "sharding={mesh['f'=2,'m'=2], [{}, {'m'}]}"},
  };
}

std::string TextOf(const Row& row) {
  std::string out = kCalled;
  // A letter after a comma that ends an instruction.
  const std::string entry = absl::StrCat(row.entry, " ");
  for (size_t i = 0; i < entry.size(); ++i) {
    const bool is_short = i >= 2 && entry.compare(i - 2, 2, ", ") == 0 && entry[i + 1] == ' ';
    if (is_short && entry[i] == 'R') {
      out += kRows;
    } else if (is_short && entry[i] == 'C') {
      out += kColumns;
    } else if (is_short && entry[i] == 'W') {
      out += kWhole;
    } else {
      out += entry[i];
    }
  }
  return absl::StrCat(out, "\n}\n");
}

class DeviceRunTest : public ::testing::TestWithParam<Row> {};

// Of the entry on one device and of `device` on four.
DeviceRun RunBoth(absl::string_view entry, absl::string_view device) {
  const auto whole = hlo::ParseModule(TextOf({"", std::string(entry).c_str()}));
  const auto parts = hlo::ParseModule(absl::StrCat("HloModule d, num_partitions=4\n", device));
  EXPECT_TRUE(whole.ok() && parts.ok()) << whole.status() << parts.status();
  return RunOnDevices(*whole, *parts);
}

TEST(RunOnDevicesTest, DifferencesAreFound) {
  const DeviceRun run = RunBoth(
      "x = f32[8] parameter(0), sharding={devices=[4]<=[4]} ROOT z = f32[8] negate(x), "
      "sharding={devices=[4]<=[4]}",
      "ENTRY e { ROOT x = f32[2] parameter(0) }");
  EXPECT_EQ(run.verdict, DeviceRun::Verdict::kDiffers);
  EXPECT_EQ(run.note, "result 0, device 0, cell 0: -2, expected 2");
}

TEST(RunOnDevicesTest, SumsOfFewBitsMayRoundOtherwise) {
  const char* const device =
      "ENTRY e { x = f32[2] parameter(0) y = f32[] constant(1.01) z = f32[2] broadcast(y), "
      "dimensions={} ROOT r = f32[2] multiply(x, z) }";
  const std::string argument = "x = f32[8] parameter(0), sharding={devices=[4]<=[4]} ";
  const std::string copied =
      ", sharding={devices=[4]<=[4]} ROOT z = f32[8] convert(c), "
      "sharding={devices=[4]<=[4]}";
  const auto verdict = [&](absl::string_view type) {
    return RunBoth(absl::StrCat(argument, "c = ", type, "[8] convert(x)", copied), device).verdict;
  };
  EXPECT_EQ(verdict("bf16"), DeviceRun::Verdict::kEqual);
  EXPECT_EQ(verdict("f32"), DeviceRun::Verdict::kDiffers);
}

// On one device it has no meaning, so nothing is compared.
TEST(RunOnDevicesTest, WhatHasNoMeaningOnOneDeviceIsSkipped) {
  const char* const device = "ENTRY e { ROOT x = f32[2] parameter(0) }";
  const char* const entries[] = {
      "x = f32[8] parameter(0), sharding={devices=[4]<=[4]} m = f32[2] custom-call(x), "
      "custom_call_target=\"SPMDFullToShardShape\", sharding={manual} ROOT z = f32[8] "
      "custom-call(m), custom_call_target=\"SPMDShardToFullShape\", "
      "sharding={devices=[4]<=[4]}",
      "x = f32[8] parameter(0), sharding={devices=[4]<=[4]} ROOT z = f32[8] custom-call(x), "
      "custom_call_target=\"anything\", sharding={devices=[4]<=[4]}",
      "x = f32[8] parameter(0), sharding={unreduced} ROOT z = f32[8] negate(x), "
      "sharding={devices=[4]<=[4]}",
  };
  for (const char* entry : entries) {
    const DeviceRun run = RunBoth(entry, device);
    EXPECT_EQ(run.verdict, DeviceRun::Verdict::kSkipped) << entry << run.note;
  }
}

TEST_P(DeviceRunTest, ComputesTheSame) {
  const auto module = hlo::ParseModule(TextOf(GetParam()));
  ASSERT_TRUE(module.ok()) << module.status() << TextOf(GetParam());
  const auto made = PartitionModule(*module);
  ASSERT_TRUE(made.ok()) << made.status();
  hlo::PrintOptions options = hlo::PrintOptions::Default();
  options.large_constants = true;
  const std::string text = hlo::PrintModule(made->module, options);
  const auto device = hlo::ParseModule(text);
  ASSERT_TRUE(device.ok()) << device.status() << text;
  const text::Diagnostics verified = hlo::VerifyModule(*device);
  EXPECT_TRUE(verified.ok()) << verified.Render(*device->text());
  // The collectives of the module's text, and the list beside the module, both equal FindCollectives().
  const auto found = FindCollectives(*module);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(CollectivesIn(*device), CollectivesOf(*found)) << text;
  EXPECT_TRUE(made->found == *found) << text;
  const DeviceRun run = RunOnDevices(*module, *device);
  EXPECT_EQ(run.verdict, DeviceRun::Verdict::kEqual) << run.note << "\n" << text;
}

// As XLA's partitioner writes it.
struct Spelling {
  const char* what;
  const char* entry;
  std::vector<const char*> written;
  const char* not_written = "dynamic-update-slice(";
};

std::vector<Spelling> Spellings() {
  return {
      {"of three sources the shorter is at the end of the column",
       "x = f32[8,64] parameter(0), C ROOT y = f32[8,32] slice(x), slice={[0:8], [0:32]}, C",
       {"padding=0_0x8_0", "select("},
       "concatenate("},
      {"what is beyond the array is masked, in front and after it",
       "x = f32[8,64] parameter(0), C v = f32[] constant(2), W ROOT y = f32[8,12] pad(x, v), "
       "padding=0_0x2_-54, C",
       {"direction=LT", "direction=GE"}},
      {"zeros after the array need no mask, also where another sharding is left first",
       "x = f32[8,4] parameter(0), R z = f32[] constant(0), W ROOT y = f32[8,8] pad(x, z), "
       "padding=0_0x0_4, C",
       {"all-to-all("},
       "select("},
      {"replicas of a tile are a group, which has a number",
       "x = f32[8,6] parameter(0), W ROOT y = f32[8,6] negate(x), "
       "sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}",
       {"u32[4] constant({0, 0, 1, 1})", "s32[2] constant({0, 4})"}},
      {"a tile in a tile starts at the difference",
       "x = f32[8,6] parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate} "
       "ROOT y = f32[8,6] negate(x), R",
       {"s32[4] constant({0, 2, 4, 6})", "s32[4] constant({0, 0, 4, 4})", "s32[] subtract("}},
      {"an iota starts at a multiple of the number of its tile",
       "ROOT y = s32[8,6] iota(), iota_dimension=0, R",
       {"s32[4] constant({0, 1, 2, 3})", "s32[] multiply("}},
      {"a halo starts at a number that is computed",
       "x = f32[16] parameter(0), sharding={devices=[4]<=[4]} ROOT y = f32[11] slice(x), "
       "slice={[3:14]}, sharding={devices=[4]<=[4]}",
       {"s32[] multiply(", "s32[] add("}},
      {"limits are one constant, and the last index is a sum, also with zero",
       "x = f32[4,6] parameter(0), R i = s32[3,1] parameter(1), W ROOT y = f32[3,6] gather(x, i), "
       "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
       "slice_sizes={1,6}, W",
       {"s32[1] constant({3})", "s32[] add("}},
      {"one device compares its id",
       "x = f32[16] parameter(0), sharding={maximal device=2} ROOT y = f32[16] negate(x), W",
       {"u32[] constant(2)"},
       "s32[4]"},
      {"each sum has its own reducer",
       "x = f32[8,6] parameter(0), R z = f32[] constant(0), W a = f32[6] reduce(x, z), "
       "dimensions={0}, to_apply=add_, W y = f32[8,6] negate(x), R b = f32[6] reduce(y, z), "
       "dimensions={0}, to_apply=add_, W ROOT t = f32[6] add(a, b), W",
       {"to_apply=%add_\n", "to_apply=%add_.1\n", "to_apply=%add_.2\n"}},
  };
}

TEST(PartitionModuleTest, IsWrittenAsInXla) {
  for (const Spelling& spelling : Spellings()) {
    SCOPED_TRACE(spelling.what);
    const auto module = hlo::ParseModule(TextOf({"", spelling.entry}));
    ASSERT_TRUE(module.ok()) << module.status();
    const auto made = PartitionModule(*module);
    ASSERT_TRUE(made.ok()) << made.status();
    const std::string text = hlo::PrintModule(made->module, hlo::PrintOptions::Default());
    for (const char* written : spelling.written) EXPECT_THAT(text, ::testing::HasSubstr(written));
    EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr(spelling.not_written)));
  }
}

TEST(PartitionModuleTest, ALongHaloIsPaddedByAZeroOfItsType) {
  const auto module =
      hlo::ParseModule(TextOf({"",
                               "x = c64[8,64] parameter(0), C "
                               "ROOT y = c64[8,32] slice(x), slice={[0:8], [0:32]}, C"}));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto made = PartitionModule(*module);
  ASSERT_TRUE(made.ok()) << made.status();
  const std::string text = hlo::PrintModule(made->module, hlo::PrintOptions::Default());
  EXPECT_THAT(text, ::testing::HasSubstr("c64[] constant((0, 0))"));
}

// XLA's partitioner makes a module of it that its verifier refuses.
TEST(PartitionModuleTest, CutFusionIsRefused) {
  const auto module = hlo::ParseModule(
      TextOf({"",
              "x = f32[8,6] parameter(0), R ROOT f = f32[8,6] fusion(x), kind=kLoop, "
              "calls=fused, R"}));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto made = PartitionModule(*module);
  EXPECT_TRUE(absl::IsUnimplemented(made.status())) << made.status();
  EXPECT_THAT(made.status().message(), ::testing::HasSubstr("partition the module before it is"));
}

// The same where index vectors are compared with the starts of a sharded operand.
TEST(PartitionModuleTest, CutIndexVectorIsRefused) {
  const auto module = hlo::ParseModule(
      TextOf({"",
              "x = f32[8,6] parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate} "
              "i = s32[3,2] parameter(1), "
              "sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate} "
              "ROOT g = f32[3,1,1] gather(x, i), offset_dims={1,2}, collapsed_slice_dims={}, "
              "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}, W"}));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto made = PartitionModule(*module);
  EXPECT_TRUE(absl::IsUnimplemented(made.status())) << made.status();
  EXPECT_THAT(made.status().message(), ::testing::HasSubstr("leave index_vector_dim whole"));
}

// For costs it is written all the same: shards around the computation, with a collective within it.
TEST(PartitionModuleTest, CutFusionOfCosts) {
  const auto module = hlo::ParseModule(
      "HloModule m, num_partitions=4\n"
      "fused {\n"
      "  p = f32[8,6] parameter(0)\n"
      "  n = f32[8,6] collective-permute(p), source_target_pairs={{0,1}}\n"
      "  ROOT s = f32[8,6] tanh(n)\n"
      "}\n"
      "inner {\n"
      "  p = f32[8,6] parameter(0)\n"
      "  ROOT s = f32[8,6] negate(p)\n"
      "}\n"
      "ENTRY e {\n"
      "  x = f32[8,6] parameter(0), sharding={devices=[4,1]<=[4]}\n"
      "  f = f32[8,6] fusion(x), kind=kLoop, calls=inner, sharding={devices=[4,1]<=[4]}\n"
      "  ROOT g = f32[8,6] fusion(f), kind=kLoop, calls=fused, sharding={devices=[4,1]<=[4]}\n"
      "}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto made = PartitionModule(*module, {}, sharding::partition::OptionsOfCosts());
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(made->found == *FindCollectives(*module));
  const std::string text = hlo::PrintModule(made->module, hlo::PrintOptions::Default());
  EXPECT_THAT(text, ::testing::HasSubstr("%f = f32[2,6] fusion(%x), kind=kLoop, calls=%inner"));
  EXPECT_THAT(text, ::testing::HasSubstr("calls=%fused"));
  EXPECT_THAT(text, ::testing::HasSubstr("%n = f32[8,6]{1,0} collective-permute("));
}

INSTANTIATE_TEST_SUITE_P(All, DeviceRunTest, ::testing::ValuesIn(Rows()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tessera::testing
