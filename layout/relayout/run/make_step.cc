// Which kernel: decided by the loops over adjacent elements of each side.
//
//   the source has none                       its narrowest loop, with gaps, takes that part
//   the element is all that is adjacent       copy rows of elements
//   both sides have one, and they differ:
//     together they are a small square        it becomes one element; then as below
//     the destination's is short (2, 4, 8) and the source's comes right after it    zip
//     the mirror image                                                              unzip
//     otherwise                                                                     transpose
//   4-bit elements                            their pairs become bytes; then as above
//   other sizes or places within bytes        bit by bit
//
// (A loop that is adjacent on both sides has become part of the element, see nest.h.) The other
// loops stay outside, in order of falling destination stride. So the destination is written from
// front to back as far as possible.

#include <algorithm>

#include "tessera/layout/relayout/kernels/blocks.h"
#include "tessera/layout/relayout/options.h"
#include "tessera/layout/relayout/plan/fold.h"
#include "tessera/layout/relayout/run/step.h"

namespace tessera::layout::relayout {
namespace {

constexpr int64_t kInMemory = int64_t{128} << 20;  // bytes that the last cache does not hold
constexpr int64_t kLineBytes = kStagedLine;        // elements this large gain nothing from blocks

Step InBytes(const Nest& nest) {
  Step step;
  step.src = nest.src / 8;
  step.dst = nest.dst / 8;
  step.width = step.dst_width = nest.src_bits / 8;
  for (const Loop& loop : nest.loops) {
    step.outer.push_back({loop.extent, loop.src / 8, loop.dst / 8});
  }
  return step;
}

Step InBits(const Nest& nest) {
  Step step;
  step.kind = StepKind::kBits;
  step.src = nest.src;
  step.dst = nest.dst;
  step.width = nest.src_bits;
  step.dst_width = nest.dst_bits;
  step.outer = nest.loops;
  return step;
}

void Remove(const Loop& used, Loops* loops) {
  const auto found = std::find(loops->begin(), loops->end(), used);
  if (found != loops->end()) loops->erase(found);
}

// Several turns of an outer loop may read from one line of the source. Then as many as the line
// holds are done next to the inner loop, before the line has left the cache.
void KeepSourceLines(Step* step) {
  Loops& outer = step->outer;
  const auto finest = std::min_element(outer.begin(), outer.end(),
                                       [](const Loop& a, const Loop& b) { return a.src < b.src; });
  if (finest == outer.end() || finest->src >= std::min(step->inner.src, kLineBytes)) return;
  const int64_t turns = kLineBytes / std::max<int64_t>(finest->src, 1);
  Loop near = *finest;
  if (near.extent <= turns) {
    outer.erase(finest);
  } else if (near.extent % turns == 0) {
    near.extent = turns;
    *finest = {finest->extent / turns, near.src * turns, near.dst * turns};
  } else {
    return;
  }
  outer.push_back(near);
}

void MakeCopy(Step* step) {
  step->kind = StepKind::kCopy;
  if (step->outer.empty()) return;
  step->inner = step->outer.back();
  step->outer.pop_back();
  KeepSourceLines(step);
}

// `rows` is adjacent in the destination, `columns` in the source.
bool MakeZip(const Loop& rows, const Loop& columns, Step* step) {
  const int place = WidthPlace(step->width);
  if (place < 0 || place >= kZipWidths) return false;
  if (columns.dst == rows.extent * step->width && FactorPlace(rows.extent) >= 0) {
    step->kind = StepKind::kZip;
    step->inner = columns;
    step->factor = rows.extent;
    step->row_stride = rows.src;
  } else if (rows.src == columns.extent * step->width && FactorPlace(columns.extent) >= 0) {
    step->kind = StepKind::kUnzip;
    step->inner = rows;
    step->factor = columns.extent;
    step->row_stride = columns.dst;
  } else {
    return false;
  }
  Remove(rows, &step->outer);
  Remove(columns, &step->outer);
  return true;
}

// A loop that stays within a page of the source is done inside each block, while the page is at
// hand.
void KeepSourcePages(Step* step) {
  constexpr int64_t kPage = 4096;
  const auto within = [](const Loop& loop) { return loop.extent * loop.src <= kPage; };
  const auto found = std::find_if(step->outer.begin(), step->outer.end(), within);
  if (found == step->outer.end()) return;
  step->inner = *found;
  step->outer.erase(found);
}

// Steps through the buffer do not gain from the second cache.
WorkingSetLevel RoomFor(const Step& step) {
  const int64_t bytes = step.Bytes();
  if (bytes >= kInMemory) return WorkingSetLevel::kMemory;
  const bool staged = step.staging.kind != StageKind::kNone;
  return staged || bytes >= kStreamedTransposition ? WorkingSetLevel::kLastCache
                                                   : WorkingSetLevel::kSecondCache;
}

// `columns` is the loop of the source, with the stride of step->staging.
void MakeTranspose(const Loop& columns, Step* step) {
  const Blocks blocks = BlocksFor(step->width, RoomFor(*step));
  step->kind = StepKind::kTranspose;
  step->rows = TakeAxis(step->width, Side::kDst, blocks.rows, columns, &step->outer);
  step->columns = TakeAxis(step->staging.step, Side::kSrc, blocks.columns, {0, 0, 0}, &step->outer);
  KeepSourcePages(step);
}

Loop LoopWith(int64_t Loop::*side, int64_t stride, const Loops& loops) {
  const auto found = std::find_if(loops.begin(), loops.end(),
                                  [&](const Loop& loop) { return loop.*side == stride; });
  return found == loops.end() ? Loop{} : *found;
}

bool IsLoop(const Loop& loop) { return loop.extent > 1; }

// The loop over elements of the source with gaps between them. Only if a kernel can take them, and
// the gap after the last one may be read.
Loop GappedColumns(const Step& step, int64_t src_bytes) {
  const auto narrow = [](const Loop& a, const Loop& b) { return a.src < b.src; };
  const auto found = std::min_element(step.outer.begin(), step.outer.end(), narrow);
  if (found == step.outer.end() || found->src % step.width != 0 || found->src > 16) return {};
  const int place = WidthPlace(step.width);
  if (place < 0 || place >= kZipWidths || FactorPlace(found->src / step.width) < 0) return {};
  if (found->extent * step.width < 16) return {};
  int64_t end = step.src + found->src;
  for (const Loop& loop : step.outer) end += (loop.extent - 1) * loop.src;
  return end <= src_bytes ? *found : Loop{};
}

bool MakeGapped(const Loop& rows, int64_t src_bytes, Step* step) {
  const Loop columns = GappedColumns(*step, src_bytes);
  if (!IsLoop(columns)) return false;
  step->staging.kind = StageKind::kEvery;
  step->staging.width = step->width;
  step->staging.step = columns.src;
  if (!(columns == rows)) {
    MakeTranspose(columns, step);
    return true;
  }
  step->kind = StepKind::kGather;
  step->inner = columns;
  Remove(columns, &step->outer);
  return true;
}

// Both sides have a loop over adjacent elements of `step`, and it is not the same.
bool HasTwoSides(const Step& step) {
  const Loop rows = LoopWith(&Loop::dst, step.width, step.outer);
  const Loop columns = LoopWith(&Loop::src, step.width, step.outer);
  return IsLoop(rows) && IsLoop(columns) && !(rows == columns);
}

bool MakeSquares(const Nest& nest, Step* step) {
  const std::optional<FoldedSquare> folded = FoldSquare(nest);
  if (!folded.has_value()) return false;
  Step squares = InBytes(folded->nest);
  if (!HasTwoSides(squares)) return false;
  *step = std::move(squares);
  step->shuffle = folded->shuffle;
  step->staging.width = step->staging.step = step->width;
  MakeTranspose(LoopWith(&Loop::src, step->width, step->outer), step);
  return true;
}

Step ByBytes(const Nest& nest, int64_t src_bytes) {
  Step step = InBytes(nest);
  step.staging.width = step.staging.step = step.width;
  const Loop rows = LoopWith(&Loop::dst, step.width, step.outer);
  const Loop columns = LoopWith(&Loop::src, step.width, step.outer);
  if (step.width >= kLineBytes || !IsLoop(rows)) {
    MakeCopy(&step);
  } else if (!IsLoop(columns)) {
    if (!MakeGapped(rows, src_bytes, &step)) MakeCopy(&step);
  } else if (!MakeSquares(nest, &step) && !MakeZip(rows, columns, &step)) {
    MakeTranspose(columns, &step);
  }
  return step;
}

Step ByNibbles(const FoldedNibbles& folded) {
  Step step = InBytes(folded.nest);
  step.staging = folded.staging;
  const bool packs = folded.staging.kind == StageKind::kPair;
  const auto in_order = [&](const Loop& loop) {
    return packs ? folded.staging.apart == 1 && loop.src == 2 && loop.dst == 1
                 : folded.staging.dst_apart == 1 && loop.src == 1 && loop.dst == 2;
  };
  const auto run = std::find_if(step.outer.begin(), step.outer.end(), in_order);
  if (folded.staging.halves + packs == 2 && run != step.outer.end()) {
    step.kind = packs ? StepKind::kPack : StepKind::kUnpack;
    step.inner = *run;
    step.outer.erase(run);
  } else {
    MakeTranspose(LoopWith(&Loop::src, 1, step.outer), &step);
  }
  return step;
}

}  // namespace

Step MakeStep(const Nest& nest, int64_t src_bytes) {
  if (InWholeBytes(nest) && nest.src_bits == nest.dst_bits) return ByBytes(nest, src_bytes);
  const std::optional<FoldedNibbles> folded = FoldNibbles(nest);
  return folded.has_value() ? ByNibbles(*folded) : InBits(nest);
}

}  // namespace tessera::layout::relayout
