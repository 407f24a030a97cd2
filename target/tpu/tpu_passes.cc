#include "tessera/target/tpu/tpu_passes.h"

#include "absl/strings/string_view.h"
#include "tessera/target/passes/constant_folding.h"
#include "tessera/target/passes/convert_mover.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/simplify/simplifier.h"

namespace tessera::target {
namespace {

constexpr char kBeforePropagation[] = "simplification-1";
constexpr char kSimplification[] = "simplification";
constexpr char kCollectives[] = "collective-optimizations";
constexpr char kCombining[] = "combining";

// Only memory and kernels see what these do.
constexpr Pass SpaceToBatch() {
  return {kSimplification, "space-to-batch-converter",
          "splits the width of few images into further images", ConvertSpaceToBatch};
}

constexpr Pass GroupCopies() {
  return {kCollectives, "group-copies", "copies features of convolutions that are split or joined",
          CopyGroups};
}

constexpr Pass HeadCopies() {
  return {kCollectives, "head-copies",
          "copies heads whose tiles pad more than the array they are part of", CopyHeads};
}

// Passes that run more than once.
constexpr Pass OneTripLoops() {
  return {kSimplification, "one-trip-loops", "inlines loops that run once", UnrollOneTripLoops};
}

constexpr Pass StackUnification() {
  return {kSimplification, "scan_loop_accumulator_input_unification",
          "has a loop in a loop write its new stack over the old one", UnifyStacksOfLoops};
}

constexpr Pass TupleSimplifier(absl::string_view phase = kSimplification) {
  return {phase, "tuple-simplifier", "removes tuples that are made and taken apart",
          SimplifyTuples};
}

constexpr Pass NoOpRemoval() {
  return {kSimplification, "algsimp", "removes copies, reshapes and converts that change nothing",
          RemoveNoOps};
}

constexpr Pass NearGatherMerger() {
  return {kSimplification, "schedule-aware-collective-cse",
          "merges equal all-gathers that are near each other", MergeNearGathers};
}

constexpr Pass LoopSumMotion() {
  return {kCollectives, "while-loop-all-reduce-code-motion",
          "moves all-reduces of accumulated values out of the loop", MoveAddedSumsOutOfLoops};
}

constexpr Pass AllReduceReassociate() {
  return {kCollectives, "all-reduce-reassociate", "turns a sum of all-reduces into one all-reduce",
          ReassociateAllReduces};
}

constexpr Pass GatherReorder() {
  return {kCollectives, "all-gather-bcast-reorder", "gathers before a broadcast, not after it",
          ReorderGathersOfBroadcasts};
}

constexpr Pass CollectiveNarrowing() {
  return {kCollectives, "narrow-collectives", "exchanges as bf16 what is only read as bf16",
          NarrowCollectives};
}

constexpr Pass ProductNarrowing() {
  return {kSimplification, "narrow-products", "stores as bf16 what products alone read",
          NarrowProducts};
}

constexpr Pass LoopNarrowing() {
  return {kSimplification, "narrow-loops", "carries as bf16 what products alone read in a loop",
          NarrowLoops};
}

constexpr Pass RowsInWindows() {
  return {kSimplification, "rows-in-windows",
          "makes a reduction that is broadcast again a reduce-window", PutRowsInWindows};
}

constexpr Pass IciDcnSplit() {
  return {kCollectives, kSplitIciDcn,
          "cuts collectives over several slices into those of a slice and those between slices",
          SplitIciDcn};
}

constexpr Pass CrossSliceSumPipeliner() {
  return {kCollectives, "collective-pipeliner-forward",
          "sums between slices beside the next trip of a loop", PipelineCrossSliceSums};
}

constexpr Pass CrossSliceSumCombiner() {
  return {kCombining, "all-reduce-combiner", "combines all-reduces of several slices",
          CombineCrossSliceSums};
}

constexpr Pass CrossSliceLegalizer() {
  return {kCombining, "cross-slice-legalizer",
          "scatters sums of several slices of which each device keeps its part",
          ScatterCrossSliceSums};
}

constexpr Pass CrossSliceRewrites() {
  return {kCombining, "cross-slice-rewrites",
          "sums inside of each slice before what still spans several", RewriteCrossSlice};
}

constexpr Pass PermutesOfSlices() {
  return {kCollectives, "cross-slice-rewrites", "exchanges inside of each slice beside the network",
          SplitPermutes};
}

constexpr Pass ReduceScatterFusion() {
  return {kCollectives, "tpu-all-reduce-scatter-fusion",
          "turns all-reduces of which each device keeps its part into reduce-scatters",
          FuseSumsWithSlices};
}

constexpr Pass AllReduceCombiner() {
  return {kCombining, "all-reduce-combiner", "combines all-reduces over the same devices",
          CombineTpuAllReduces};
}

// It runs in front of Shardy and again on the partitioned module.
constexpr Pass ConvertMover(absl::string_view pipeline) {
  return {pipeline, "convert-mover", "does in the narrower type what only moves elements",
          MoveConverts};
}

constexpr Pass ConstantFolding(absl::string_view phase) {
  return {phase, "constant_folding", "makes constants of converted constants", FoldConverts};
}

// The second round merges what the first one made equal.
constexpr Pass kBeforeShardy[] = {
    TupleSimplifier(kBeforePropagation),
    {kBeforePropagation, "cse-before-shardy", "merges equal instructions", MergeBeforeShardy},
    {kBeforePropagation, "simplify-before-shardy",
     "simplifies dots, reduces, scatters, broadcasts and reshapes until nothing changes",
     SimplifyInPlace},
    TupleSimplifier(kBeforePropagation),
    {kBeforePropagation, "cse-before-shardy", "merges equal instructions", MergeBeforeShardy},
    {kBeforePropagation, "simplify-before-shardy",
     "simplifies dots, reduces, scatters, broadcasts and reshapes until nothing changes",
     SimplifyForShardy},
    ConvertMover(kBeforePropagation),
    ConstantFolding(kBeforePropagation),
};

// What the partitioner of TPUs does beside that of CPUs. Where that one gathers over one mesh axis after the other, it
// gathers over both at once.
constexpr Pass kOfPartitioner[] = {
    {"xla-partitioner", "all-gathers-of-dimensions", "gathers all dimensions of an array at once",
     GatherDimensionsAtOnce},
    {"xla-partitioner", "reshapes-before-sums", "reshapes what is summed, not the sum",
     ReshapeBeforeSums},
};

constexpr Pass kPasses[] = {
    {kSimplification, "cse-of-collectives",
     "merges equal instructions, collectives of any channel too", MergeEqualCollectives},
    {kSimplification, "call-inliner", "inlines calls, also of shard_map bodies", InlineCalls},
    {kSimplification, "while-loop-invariant-code-motion",
     "hoists collective-permutes and all-to-alls of what a loop does not change",
     MoveInvariantExchanges},
    TupleSimplifier(),
    NoOpRemoval(),
    {kSimplification, "all-gather-simplifier",
     "removes all-gathers of which each device keeps only its own part", SimplifySlicedAllGathers},
    NearGatherMerger(),
    OneTripLoops(),
    TupleSimplifier(),
    {kSimplification, "simplify-while-loops", "removes unused elements of loop carries",
     SimplifyWhileLoops},
    NoOpRemoval(),
    {kSimplification, "cse", "merges equal instructions", EliminateCommonSubexpressions},
    {kSimplification, "algsimp",
     "simplifies sums of products, reductions of one element and reshapes",
     SimplifyAfterPartitioner},
    {kSimplification, "dce", "removes unused instructions", RemoveDeadCode},
    {kCollectives, "all-reduce-simplifier", "removes collectives of one device",
     SimplifyAllReduces},
    LoopSumMotion(),
    AllReduceReassociate(),
    {kSimplification, "schedule-aware-collective-cse", "merges equal all-gathers that are near now",
     MergeNearGathersAgain},
    GatherReorder(),
    {kCollectives, "reduce-scatter-decomposer",
     "turns reduce-scatters over a whole torus with equal sides into sums and slices",
     DecomposeReduceScatters},
    IciDcnSplit(),
    CrossSliceSumPipeliner(),
    OneTripLoops(),
    TupleSimplifier(),
    CrossSliceSumCombiner(),
    CrossSliceLegalizer(),
    {kCollectives, "all_gather_decomposer",
     "turns all-gathers over a whole large torus, and of narrow vectors, into all-reduces",
     DecomposeAllGathers},
    {kCollectives, "dce", "removes unused instructions", RemoveDeadCode},
    {kCollectives, "pad-slice-mover", "slices what is added to a sum, not the result",
     MoveSlicesToSums},
    ReduceScatterFusion(),
    PermutesOfSlices(),
    CollectiveNarrowing(),
    ProductNarrowing(),
    LoopNarrowing(),
    {kCollectives, "pad-reduce-scatters",
     "pads parts of reduce-scatters to the chunks in which they are sent", PadReduceScatters},
    RowsInWindows(),
    {kCollectives, "dce", "removes unused instructions", RemoveDeadCode},
    CrossSliceRewrites(),
    {kCombining, "pad-slice-sums", "pads what crosses slices to the tiles of its layout",
     PadCrossSliceSums},
    AllReduceCombiner(),
    {kCombining, "reduce-scatter-combiner", "combines reduce-scatters over the same devices",
     CombineTpuReduceScatters},
    SpaceToBatch(),
    GroupCopies(),
    HeadCopies(),
    {kSimplification, "dce", "removes unused instructions", RemoveDeadCode},
};

// The passes before memory is predicted: those that change large arrays or what has to wait for them. The rule of
// what has memory (target/fusion) was chosen without the others.
constexpr Pass kBeforeKernels[] = {
    ConvertMover(kSimplification),
    ConstantFolding(kSimplification),
    NearGatherMerger(),
    StackUnification(),
    LoopSumMotion(),
    AllReduceReassociate(),
    GatherReorder(),
    IciDcnSplit(),
    CrossSliceSumPipeliner(),
    CrossSliceSumCombiner(),
    CrossSliceLegalizer(),
    SpaceToBatch(),
    {kCollectives, "table-copies", "copies tables into a layout of rows where rows are gathered",
     CopyTables},
    {kCollectives, "ragged-gathers", "copies gathered matrices whose parts fill no tiles",
     CopyRaggedGathers},
    GroupCopies(),
    HeadCopies(),
    {kCollectives, "image-copies", "copies images into the layout of a convolution", CopyImages},
    ReduceScatterFusion(),
    PermutesOfSlices(),
    CollectiveNarrowing(),
    ProductNarrowing(),
    LoopNarrowing(),
    RowsInWindows(),
    CrossSliceRewrites(),
    AllReduceCombiner(),
};

struct Name {
  absl::string_view ours, reference;
};
constexpr Name kNames[] = {
    {"cse-before-shardy", "cse"},
    {"simplify-before-shardy", "simplification-1"},
    {"one-trip-loops", "simplify-while-loops"},
    {"pad-slice-sums", "-"},
    {"cse-of-collectives", "cse"},
    {"narrow-collectives", "-"},
    {"narrow-products", "-"},
    {"narrow-loops", "-"},
    {"pad-reduce-scatters", "tpu-all-reduce-scatter-fusion"},
    {"all-gathers-of-dimensions", "-"},
    {"table-copies", "-"},
    {"ragged-gathers", "-"},
    {"group-copies", "-"},
    {"head-copies", "-"},
    {"image-copies", "-"},
    {"rows-in-windows", "-"},
    {"reshapes-before-sums", "-"},
    {"reduce-scatter-combiner", "-"},
};

// The chips with measured rules. The two limits of windowed einsum were bisected with dots on meshes of 2 to
// 64 devices. Tiles of chunks were found with 30 sizes of parts for each of 2, 4, 8 and 16 devices.
struct MeasuredChip {
  absl::string_view name;
  double flops_per_byte;
  int64_t few_bytes;
  int64_t tiles_of_chunks;
};
constexpr MeasuredChip kChips[] = {
    {"tpu-v5e", 2096, 940, 3660},
    {"tpu-v5p", 2096, 2190, 3660},
    {"tpu-v6e", 4896, 1875, 7552},
};

const MeasuredChip* FindMeasured(const Chip& chip) {
  for (const MeasuredChip& measured : kChips) {
    if (measured.name == chip.name) return &measured;
  }
  return nullptr;
}

}  // namespace

absl::Span<const Pass> TpuPasses() { return kPasses; }

absl::Span<const Pass> TpuPassesOfPartitioner() { return kOfPartitioner; }

absl::Span<const Pass> TpuPassesBeforeKernels() { return kBeforeKernels; }

absl::Span<const Pass> TpuPassesBeforeShardy() { return kBeforeShardy; }

absl::string_view TpuReferenceName(absl::string_view pass) {
  for (const Name& name : kNames) {
    if (name.ours == pass) return name.reference;
  }
  return pass;
}

absl::string_view TpuShares(const Target& target, bool was_partitioned) {
  if (target.slices > 1) {
    return was_partitioned
               ? "on several slices, from a partitioned module, the bytes of each opcode "
                 "were within 1 % in 39 of 56 training and serving steps"
               : "on several slices, from a lowered module, the bytes of each opcode "
                 "were within 1 % in 38 of 56 training and serving steps";
  }
  return was_partitioned
             ? "from a partitioned module, the bytes of each opcode were within 1 % in "
               "42 of 42 training and serving steps on which rules were chosen, and at first "
               "sight in 317 of 370 others"
             : "from a lowered module, the bytes of each opcode were within 1 % in 41 "
               "of 42 training and serving steps on which rules were chosen, and at first "
               "sight in 272 of 370 others";
}

bool HasTpuPasses(const Chip& chip) { return FindMeasured(chip) != nullptr; }

int64_t TilesOfChunks(const Chip& chip) { return FindMeasured(chip)->tiles_of_chunks; }

sharding::partition::Options TpuPartitionerOptions(const Target& target, const XlaFlags& flags) {
  const MeasuredChip* const chip = FindMeasured(*target.chip);
  if (chip == nullptr) return {};
  sharding::partition::WindowedDots windows;
  windows.flops_per_byte = chip->flops_per_byte;
  windows.few_bytes = chip->few_bytes;
  windows.torus = target.topology;
  windows.slice_devices = target.slices > 1 ? target.slice_devices() : 0;
  windows.least_bytes = flags.tpu_windowed_einsum_threshold_mib * (int64_t{1} << 20);
  windows.of_gathers = flags.tpu_windowed_einsum_for_all_gather;
  windows.of_scatters = flags.tpu_windowed_einsum_for_reduce_scatter;
  windows.in_both_directions = flags.tpu_bidirectional_windowed_einsum;
  windows.even_if_shared = flags.tpu_skip_checking_windowed_einsum_users;
  return {windows, /*shares_gathers=*/false, /*sums_dims_at_once=*/true, /*joins_pads=*/true,
          /*sorts_shards_for_largest=*/false};
}

}  // namespace tessera::target
