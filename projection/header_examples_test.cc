// The examples at the head of the public headers, as they stand there: each compiles, and gives
// what its comment says. Boxes that the headers write as zr[5:20] are read from that text.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/projection/core/affine_map.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/core/matrix.h"
#include "tessera/projection/core/point.h"
#include "tessera/projection/core/range.h"
#include "tessera/projection/draw/operation_picture.h"
#include "tessera/projection/draw/picture.h"
#include "tessera/projection/draw/shard_picture.h"
#include "tessera/projection/draw/svg.h"
#include "tessera/projection/map/factor_map.h"
#include "tessera/projection/map/image.h"
#include "tessera/projection/map/inverse/inverse.h"
#include "tessera/projection/map/offsets.h"
#include "tessera/projection/map/projection.h"
#include "tessera/projection/map/reads.h"
#include "tessera/projection/map/reshape.h"
#include "tessera/projection/partition/cuts.h"
#include "tessera/projection/partition/incremental.h"
#include "tessera/projection/partition/partial.h"
#include "tessera/projection/partition/shards.h"
#include "tessera/projection/set/axis_set.h"
#include "tessera/projection/set/runs.h"
#include "tessera/projection/set/set.h"
#include "tessera/projection/set/split.h"
#include "tessera/projection/signature/einsum.h"
#include "tessera/projection/signature/indexing_map.h"
#include "tessera/projection/signature/signature.h"
#include "tessera/testing/projection/compose.h"
#include "tessera/testing/projection/inverse_box.h"
#include "tessera/testing/projection/overlap.h"
#include "tessera/testing/projection/rewrites.h"
#include "tessera/testing/projection/uneven_split.h"
#include "tessera/testing/projection/write_check.h"

namespace tessera::projection {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ZRange Zr(const char* text) { return *ZRange::Parse(text); }

std::string Text(const std::vector<ZRange>& boxes) {
  return absl::StrJoin(boxes, " ",
                       [](std::string* out, const ZRange& box) { *out += box.ToString(); });
}
std::string Text(const ZSet& set) { return Text(*set.Slabs()); }

// x -> stride x + offset with a window of `size` cells, in a tensor without borders.
ZProjection Window(int64_t stride, int64_t offset, int64_t size) {
  return *ZProjection::Plain(*ZMatrix::Create({{stride}}, 1), {offset}, {size});
}

// --- core

TEST(HeaderExamples, PointMatrixAffineMap) {
  ZPoint a = {1, 2}, b = {1, 3};
  EXPECT_EQ(*a.Compare(b), Dominance::kLess);
  EXPECT_EQ(a.ToString(), "[1, 2]");
  EXPECT_EQ(*a.Plus(b), (ZPoint{2, 5}));

  ZMatrix m = *ZMatrix::Create({{1, 0}, {0, 1}, {1, 1}}, 2);
  EXPECT_EQ(m(2, 1), 1);
  EXPECT_EQ(*m.Apply({5, 6}), (ZPoint{5, 6, 11}));

  ZAffineMap f = *ZAffineMap::Create(m, {10, 20, 30});
  EXPECT_EQ(*f.Apply({5, 6}), (ZPoint{15, 26, 41}));
  EXPECT_EQ(f.ToString(), "λx.[[1,0],[0,1],[1,1]]⋅x + [10,20,30]");
}

TEST(HeaderExamples, RangeAndError) {
  absl::StatusOr<ZRange> box = ZRange::Create({0, 3}, {2, 5});
  EXPECT_EQ(box->ToString(), "zr[0:2, 3:5]");
  EXPECT_EQ(*box->size(), 4);
  EXPECT_TRUE(box->Contains(ZPoint{1, 4}));

  absl::StatusOr<ZRange> range = ZRange::Create({1}, {0});
  EXPECT_EQ(range.status().message(), "start [1] must be <= end [0]");
  EXPECT_EQ(ErrorCodeOf(range.status()), ErrorCode::kBadRange);
}

// --- set

TEST(HeaderExamples, Sets) {
  AxisSet odd = AxisSet::OfComb({.first = 1, .step = 2, .count = 500000, .width = 1});
  EXPECT_EQ(*odd.size(), 500000);
  EXPECT_EQ(odd.Clip(0, 10).num_intervals(), 5);
  EXPECT_TRUE(odd.Clip(0, 10).Contains(9));

  ZSet need = ZSet::OfBox(*ZRange::Create({0, 0}, {4, 8}));
  ZSet rest = *need.Subtract(ZSet::OfBox(*ZRange::Create({0, 0}, {4, 6})));
  EXPECT_EQ(*rest.size(), 8);
  EXPECT_EQ(*rest.bounding(), Zr("zr[0:4, 6:8]"));
}

TEST(HeaderExamples, RunsAndSplits) {
  EXPECT_THAT(*RunsOfBox(Zr("zr[1:3, 0:2]"), {3, 4}),
              ElementsAre(projection::Run{4, 2}, projection::Run{8, 2}));
  EXPECT_EQ(Text(*BoxesOfRun({1, 6}, {3, 4})), "zr[0:1, 1:4] zr[1:2, 0:3]");
  EXPECT_EQ(Text(*SplitByChunk(*ZRange::Create({0}, {10}), 0, 4)), "zr[0:4] zr[4:8] zr[8:10]");
  EXPECT_EQ(Text(*SplitEven(*ZRange::Create({0}, {9}), 0, 4)), "zr[0:3] zr[3:6] zr[6:9] zr[9:9]");
}

// --- map

TEST(HeaderExamples, FactorMapAndReshape) {
  ZFactorMap f = *ZFactorMap::Create({{4, 8}});
  EXPECT_EQ(Text(*f.Digits(Zr("zr[5:20]"))), "zr[0:1, 5:8] zr[1:2, 0:8] zr[2:3, 0:4]");
  EXPECT_EQ(Text(*f.Cells(Zr("zr[1:3, 0:8]"))), "zr[8:24]");
  EXPECT_EQ(f.Weights().ToString(), "[[8,1]]");
  EXPECT_EQ(Text(*ReshapeImage({4, 8}, {32}, Zr("zr[5:20]"))),
            "zr[0:1, 5:8] zr[1:2, 0:8] zr[2:3, 0:4]");
}

TEST(HeaderExamples, Offsets) {
  Offsets o;
  o.Set(OffsetRole::kRelative, {-1});
  o.Set(OffsetRole::kBounds, {9});
  EXPECT_EQ(*o.Total(1), (ZPoint{8}));
  EXPECT_EQ(*o.Anchor(1), (ZPoint{9}));
}

TEST(HeaderExamples, Projection) {
  ProjectionSpec spec;
  spec.matrix = ZMatrix::Identity(2);
  spec.offsets.Set(OffsetRole::kRelative, {-1, -1});
  spec.shape = {3, 3};
  spec.policy = OutOfBoundsPolicy::kPad;
  spec.extent = ZPoint{8, 8};
  absl::StatusOr<ZProjection> window = ZProjection::Create(spec);
  EXPECT_EQ(*window->Region({0, 0}), Zr("zr[-1:2, -1:2]"));
  EXPECT_EQ(Text(*window->Image(*ZRange::Create({0, 0}, {4, 4}))), "zr[0:5, 0:5]");
}

TEST(HeaderExamples, ImageOverlapReads) {
  const AxisSet row = *RowImage(Window(2, 1, 1), 0, Zr("zr[0:4]"));
  EXPECT_THAT(*row.Intervals(),
              ElementsAre(Interval{1, 2}, Interval{3, 4}, Interval{5, 6}, Interval{7, 8}));

  const Overlap overlap = *StepOverlap(Window(2, 0, 3), 0);
  EXPECT_EQ(overlap.shape, (ZPoint{1}));
  EXPECT_EQ(overlap.cells, 1);
  EXPECT_EQ(overlap.sharing, Sharing::kPartial);
  EXPECT_FALSE(overlap.gap);

  ProjectionSpec spec = Window(1, -1, 3).spec();
  spec.policy = OutOfBoundsPolicy::kPad;
  spec.extent = ZPoint{4};
  const ReadCount count = *CountReads(*ZProjection::Create(spec), Zr("zr[0:4]"));
  EXPECT_EQ(count.reads, 10);
  EXPECT_EQ(count.pad_reads, 2);
}

TEST(HeaderExamples, WriteCheck) {
  const ZProjection one_cell = Window(0, 0, 1), first_half = Window(1, 0, 1);
  EXPECT_EQ(ErrorCodeOf(CheckInjective(one_cell, Zr("zr[0:4]"))), ErrorCode::kNotInjective);
  EXPECT_EQ(ErrorCodeOf(CheckCovering(first_half, Zr("zr[0:4]"), {8})), ErrorCode::kNotCovering);
  EXPECT_TRUE(CheckCovering(first_half, Zr("zr[0:4]"), {4}).ok());
}

TEST(HeaderExamples, Compose) {
  const ZProjection first = Window(2, 0, 1), second = Window(1, 0, 3);
  const ZRange block = Zr("zr[0:4]");
  absl::StatusOr<ZProjection> both = Compose(first, second);
  EXPECT_TRUE(CompositionIsExact(first, second));
  absl::StatusOr<Chain> chain = ComposeExactly(first, second);
  absl::StatusOr<ZSet> cells = ImageOfChain(*chain, block);
  EXPECT_EQ(*cells, *both->Image(block));
}

TEST(HeaderExamples, Rewrites) {
  ProjectionSpec spec;
  spec.matrix = ZMatrix::Identity(1);
  spec.offsets.Set(OffsetRole::kRelative, {-1});
  spec.shape = {3};
  const ZProjection reversed = *ReverseIndexAxis(*ZProjection::Create(spec), 0, 8);
  EXPECT_EQ(reversed.matrix()(0, 0), -1);
  EXPECT_EQ(reversed.spec().offsets.Get(OffsetRole::kBounds), (ZPoint{7}));
  EXPECT_EQ(reversed.spec().offsets.Get(OffsetRole::kRelative), (ZPoint{-1}));
}

TEST(HeaderExamples, Inverse) {
  const ZProjection p = Window(1, -1, 3);
  EXPECT_EQ(**InverseBox(p, Zr("zr[4:6]"), Zr("zr[0:10]"), InverseKind::kTouch), Zr("zr[3:7]"));
  EXPECT_EQ(Text(*InverseImage(p, Zr("zr[4:6]"), Zr("zr[0:10]"), InverseKind::kTouch)), "zr[3:7]");
  EXPECT_TRUE(InverseImage(p, Zr("zr[4:6]"), Zr("zr[0:10]"), InverseKind::kInside)->empty());
}

// --- signature

TEST(HeaderExamples, Signatures) {
  absl::StatusOr<Signature> s = SignatureFromText("ij,jk->ik", {{4, 8}, {8, 6}}, {{4, 6}});
  absl::StatusOr<std::vector<Need>> needs = Project(*s, *ZRange::Create({0, 0}, {2, 3}));
  EXPECT_EQ(Text((*needs)[0].cells), "zr[0:2, 0:8]");
  EXPECT_EQ((*needs)[0].used_fraction, 1);
  const Access access = s->operands[1].maps[0];
  const ZRange block = Zr("zr[0:2, 0:3]");
  absl::StatusOr<ZSet> cells = access->Need(block);
  EXPECT_EQ(Text(*cells), "zr[0:8, 0:3]");
  EXPECT_TRUE(SignatureFromText("x*2+k:3 c,k c->x c", {{9, 5}, {3, 5}}, {{4, 5}}).ok());
}

TEST(HeaderExamples, IndexingMap) {
  ProjectionSpec spec;
  spec.matrix = *ZMatrix::Create({{0, 0}, {1, 0}}, 2);
  spec.shape = {256, 1};
  EXPECT_EQ(IndexingMapText(*ZProjection::Create(spec), Zr("zr[0:10, 0:5]")),
            "(d0, d1)[s0] -> (s0, d0), domain: d0 in [0, 9], d1 in [0, 4], s0 in [0, 255]");
}

// --- partition

TEST(HeaderExamples, ShardsAndTheirPictures) {
  // Windows of 3 over 14 cells; 4 windows a part.
  const Signature signature = *SignatureFromText("x+k:3->x", {{14}}, {{12}});
  absl::StatusOr<ShardPlan> plan = CutOperation(signature, {{0, 3}});
  EXPECT_EQ(Text(plan->shards[1].needs[0].cells), "zr[4:10]");
  EXPECT_EQ(plan->distinct_images[0], 3);
  std::vector<Fragment> f = *FragmentsOf(*plan, 0);
  EXPECT_THAT(f[1].readers, ElementsAre(0, 1));
  EXPECT_THAT(DrawShards("x", {14}, *FragmentsOf(*plan, 0), 4),
              ::testing::StartsWith("x ‖14‖\n"
                                    "  0 0 0 0 * * 1 1 * * 2 2 2 2\n"
                                    "  read by 0: 4 cells, 16 bytes\n"
                                    "  read by 0, 1: 2 cells, 8 bytes\n"));
}

TEST(HeaderExamples, OperationPicture) {
  const Signature signature = *SignatureFromText("ij,jk->ik", {{4, 8}, {8, 6}}, {{4, 6}});
  absl::StatusOr<ShardPlan> plan = CutOperation(signature, {{0, 4}, {1, 2}});
  EXPECT_EQ(Text(plan->shards[3].needs[0].cells), "zr[1:2, 0:8]");
  EXPECT_EQ(plan->distinct_images[1], 2);
  std::string svg = SvgOfOperation(signature, {"d", {"lhs", "rhs"}, 4}, *plan);
  EXPECT_THAT(svg, HasSubstr("<svg"));
}

TEST(HeaderExamples, IncrementalAndCuts) {
  const Signature signature = *SignatureFromText("ij,jk->ik", {{4, 8}, {8, 6}}, {{4, 6}});
  ElementBytes bytes = {{4, 4}, {4}};
  const ZRange block = Zr("zr[0:2, 0:3]");
  absl::StatusOr<BlockBytes> b = BytesOfBlock(signature, bytes, block);
  EXPECT_THAT(b->read, ElementsAre(2 * 8 * 4, 8 * 3 * 4));
  absl::StatusOr<std::vector<Growth>> g = GrowByOne(signature, bytes, block);
  EXPECT_THAT((*g)[1].read, ElementsAre(0, 8 * 4));

  CutLimits limits;
  limits.memory = 64 << 20;
  absl::StatusOr<std::vector<CutChoice>> choices = ChooseCuts(signature, bytes, 8, limits);
  EXPECT_THAT((*choices)[0].parts, ElementsAre(2, 4));
}

TEST(HeaderExamples, Partial) {
  Signature split_signature = *SignatureFromText("x->x", {{12}}, {{12}});
  split_signature.axes[0].kind = AxisKind::kReduction;
  split_signature.results[0] = *ZProjection::Plain(ZMatrix(0, 1), {}, {});
  split_signature.result_shapes[0] = {};
  absl::StatusOr<SplitReduction> r = CutReduction(split_signature, 0, 4);
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(r->map.index, Zr("zr[0:4]"));
  EXPECT_EQ(Text(ProjectOperand(r->map, 0, Zr("zr[1:2]"))->cells), "zr[3:6]");
  EXPECT_EQ(Text(ProjectOperand(r->combine, 0, ZRange())->cells), "zr[0:4]");
}

// --- draw

TEST(HeaderExamples, Pictures) {
  const ZSet cells = ZSet::OfAxes(
      {AxisSet::OfIntervals({{1, 3}, {4, 5}}), AxisSet::OfIntervals({{0, 2}, {3, 5}})});
  const std::string drawn = DrawRegion("lhs", {6, 8}, cells);
  EXPECT_THAT(drawn, HasSubstr("lhs ‖6, 8‖  12 cells of [1:5, 0:5], 60% of the box used\n"));
  EXPECT_THAT(drawn, HasSubstr("# # / # # . . .\n"));

  const ZSet need = cells, block_cells = ZSet::OfBox(Zr("zr[0:2, 0:2]"));
  SvgPicture picture;
  picture.Add({"lhs", {8, 16}, need, "read by the block"});
  picture.Arrow("(d0, d1) -> (d0, s0)");
  picture.Add({"result", {8, 8}, block_cells, "the block"});
  std::string svg = picture.ToString();
  EXPECT_THAT(svg, HasSubstr("read by the block"));
}

}  // namespace
}  // namespace tessera::projection
