#include "tessera/target/gpu/gpu_passes.h"

#include "absl/algorithm/container.h"
#include "tessera/target/gpu/convolutions/conv_passes.h"
#include "tessera/target/gpu/layouts/layout_assignment.h"
#include "tessera/target/gpu/scatters/scatter_passes.h"
#include "tessera/target/gpu/splitk_rewriter.h"
#include "tessera/target/passes/constant_folding.h"
#include "tessera/target/passes/convert_mover.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/simplify/simplifier.h"

namespace tessera::target {
namespace {

constexpr char kPartitioner[] = "spmd-partitioner";
constexpr char kOptimization[] = "optimization";
constexpr char kSimplification[] = "simplification";
constexpr char kSimplification2[] = "simplification-2";
constexpr char kCollectives[] = "collective-optimizations";
constexpr char kConvolutions[] = "conv_canonicalization";
constexpr char kReshapesAgain[] = "reshape_mover_after_conv_canonicalization";
constexpr char kConvertsAgain[] = "simplify_after_conv_canonicalization";
constexpr char kLayouts[] = "layout_assignment";
constexpr char kNormalization[] = "hlo_normalization";
constexpr char kFloatNormalization[] = "float_normalization";
constexpr char kFusion[] = "fusion";
constexpr char kPostFusion[] = "post-fusion";
constexpr char kSchedule[] = "latency-hiding-scheduler";

constexpr Pass kBeforeShardy[] = {
    {kPartitioner, "spmd-simplify",
     "simplifies dots, reduces, scatters, broadcasts and reshapes until nothing changes",
     SimplifyForShardy},
};

constexpr Pass kPasses[] = {
    {kPartitioner, "call-inliner", "inlines calls, also of shard_map bodies", InlineCalls},
    {kOptimization, "ragged_dot_rewriter",
     "multiplies all rows with each group of weights, other groups' rows as zeros",
     RewriteRaggedDots},
    {kOptimization, "select_and_scatter_expander",
     "chooses an element of each window, and scatters to its place", ExpandSelectAndScatters},
    {kOptimization, "batched_gather_scatter_normalizer",
     "replaces batching dimensions of gathers and scatters by indices",
     NormalizeBatchedGathersAndScatters},
    {kOptimization, "dot_decomposer",
     "gives each product one free and one contracted dimension on each side", DecomposeDots},
    {kOptimization, "associative-scan-rewriter",
     "makes a reduce-window of a scan with one associative step", RewriteAssociativeScans},
    {kOptimization, "reduce-window-rewriter", "makes prefix sums in rows of 16",
     RewriteReduceWindows},
    {kSimplification, "gather_simplifier",
     "gathers whole slices by one dimension of indices, and reshapes them", SimplifyGathers},
    {kSimplification, "scatter_simplifier", "scatters whole windows by one dimension of indices",
     SimplifyScatters},
    {kSimplification, "degenerate-dimension-rewriter",
     "takes dimensions of size 1 out of elementwise operations", RewriteDegenerateDimensions},
    {kSimplification, "tuple-simplifier", "removes tuples that are made and taken apart",
     SimplifyTuples},
    {kSimplification, "simplify-while-loops", "removes unused elements of loop carries",
     SimplifyWhileLoops},
    {kSimplification, "algsimp", "removes copies, reshapes and converts that change nothing",
     RemoveNoOps},
    {kSimplification, "scatter-slice-simplifier", "scatters into the slice that is read",
     SliceBeforeScatters},
    {kSimplification, "algsimp", "calculates elements of tables of multiples", CalculateTables},
    {kSimplification, "cse", "merges equal instructions", EliminateCommonSubexpressions},
    {kSimplification, "algsimp",
     "simplifies sums of products, reductions of one element and reshapes",
     SimplifyAfterPartitioner},
    {kSimplification, "reshape-mover", "moves reshapes from operands to results",
     MoveReshapesAfterPartitioner},
    {kSimplification, "cse", "merges equal instructions", EliminateCommonSubexpressions},
    {kSimplification, "dce", "removes unused instructions", RemoveDeadCode},
    {kOptimization, "dot-merger", "makes one product of those that share an operand", MergeDots},
    {kSimplification2, "convert-mover", "moves elements in the narrower of two types",
     MoveConverts},
    {kSimplification2, "algsimp", "removes copies, reshapes and converts that change nothing",
     RemoveNoOps},
    {kCollectives, "all-reduce-simplifier", "removes collectives of one device",
     SimplifyAllReduces},
    {kCollectives, "all-reduce-folder", "merges an all-reduce of an all-reduce", FoldAllReduces},
    {kCollectives, "all-reduce-splitter",
     "splits all-reduces of which several devices keep the same part into two steps",
     SplitAllReduces},
    {kCollectives, "all-gather-optimizer", "moves an operation on two all-gathers before them",
     OptimizeAllGathers},
    {kCollectives, "all-gather-dynamic-slice-simplifier",
     "removes all-gathers of which each device keeps only its own part", SimplifySlicedAllGathers},
    {kCollectives, "all-gather-pad-ds-simplifier",
     "sends what is gathered, padded and cut to the devices that keep it",
     SimplifyPaddedAllGathers},
    {kCollectives, "all-gather-to-collective-permute-simplifier",
     "sends the part of a gathered array that each device slices",
     ReplaceSlicedAllGathersByPermutes},
    {kCollectives, "all-reduce-reassociate", "turns a sum of all-reduces into one all-reduce",
     ReassociateAllReduces},
    {kCollectives, "while-loop-all-reduce-code-motion",
     "moves all-reduces of accumulated or stacked values out of the loop",
     MoveAllReducesOutOfLoops},
    {kCollectives, "collective-quantizer", "converts to the narrower type before the collective",
     QuantizeCollectives},
    {kCollectives, "algsimp", "removes additions of zeros", SimplifyAfterPartitioner},
    {kCollectives, "dce", "removes unused instructions", RemoveDeadCode},
    {kCollectives, "reduce-scatter-creator",
     "turns all-reduces of which each device keeps its part into reduce-scatters",
     CreateReduceScatters},
    {kCollectives, "all-gather-bcast-reorder", "gathers before a broadcast, not after it",
     ReorderGathersOfBroadcasts},
    {kCollectives, "all-gather-remove-degenerate-dims",
     "removes dimensions of size 1 from "
     "all-gathers",
     RemoveDegenerateDims},
    {kCollectives, "all-reduce-promotion", "sums 16-bit integers in 32 bits", PromoteAllReduces},
    {kCollectives, "dce", "removes unused instructions", RemoveDeadCode},
    {kConvolutions, "conv-rewriter", "makes reversed filters a part of the window",
     RewriteConvolutions},
    {kConvolutions, "cudnn-fused-convolution-rewriter",
     "makes what is added to a convolution an operand of it", FuseAdditions},
    {kConvolutions, "conv-padding-legalization",
     "pads and slices around convolutions whose two ends are not padded alike", LegalizePadding},
    {kConvolutions, "constant_folding", "makes constants of converted constants", FoldConverts},
    {kReshapesAgain, "reshape-mover",
     "moves reshapes from operands to results, as of merged products",
     MoveReshapesAfterPartitioner},
    {kConvertsAgain, "convert-mover",
     "moves elements in the narrower of two types, also what collectives gave", MoveConverts},
    {kLayouts, "layout-assignment", "chooses layouts, and adds copies where they differ",
     AssignLayouts},
    {kNormalization, "splitk-rewriter",
     "splits the contraction of dots with few tiles, and adds the parts", SplitProducts},
    {kNormalization, "reduction-splitter", "reduces dimensions that are apart in two steps",
     SplitReductions},
    {kNormalization, "tree-reduction-rewriter", "makes long reductions in two steps",
     RewriteTreeReductions},
    {kFloatNormalization, "float-normalization-bf16",
     "float32 for operations that the chip has not for bfloat16", NormalizeBf16},
    {kFloatNormalization, "simplify-fp-conversions", "makes one convert of a chain of them",
     SimplifyFpConversions},
    {kFloatNormalization, "remove-no-op-reduce-precision-algebraic-simplifier",
     "removes reductions of precision that the type has anyway", RemoveNoOpReducePrecision},
    {kPostFusion, "gpu-all-gather-combiner", "combines all-gathers over the same devices",
     CombineAllGathers},
    {kPostFusion, "gpu-all-reduce-combiner", "combines all-reduces over the same devices",
     CombineAllReduces},
    {kPostFusion, "gpu-reduce-scatter-combiner", "combines reduce-scatters over the same devices",
     CombineReduceScatters},
    {kPostFusion, "collective-permute-combiner", "combines permutes over the same devices",
     CombineCollectivePermutes},
    {kPostFusion, "all-reduce-contiguous", "makes one flat array from the arrays of an all-reduce",
     MakeAllReducesContiguous},
};

constexpr Pass kModelled[] = {
    {kNormalization, "triton-gemm-rewriter", "decides what a product computes besides"},
    {kNormalization, "triton-softmax-rewriter", "decides which rows are one kernel"},
    {kFusion, "priority-fusion",
     "decides which instructions are one kernel, and so in which order combiners visit "
     "collectives"},
    {kFusion, "multi_output_fusion", "decides which kernels become one"},
    {kSchedule, "latency-hiding-scheduler", "decides what runs beside a collective"},
};

}  // namespace

absl::Span<const Pass> GpuPassesModelled() { return kModelled; }

absl::Span<const Pass> GpuPasses() { return kPasses; }

absl::Span<const Pass> GpuPassesBeforeShardy() { return kBeforeShardy; }

}  // namespace tessera::target
