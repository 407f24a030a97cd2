// Which kernel: decided by the loops over adjacent elements of each side.
//
//   the element is all that is adjacent       copy rows of elements
//   both sides have one, and they differ:
//     the destination's is short (2, 4, 8) and the source's comes right behind it    zip
//     the mirror image                                                              unzip
//     otherwise                                                                     transpose
//   sizes or places within bytes              bit by bit
//
// (A loop that is adjacent on both sides has become part of the element, see nest.h.) The other
// loops stay outside, in order of falling destination stride, so that the destination is written
// from front to back as far as possible. Blocks of a transposition are small enough for the first
// cache and touch few pages.

#include "tessera/layout/relayout/step.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tessera::layout::relayout {
namespace {

// Most elements along each side of a block, by the place of the width.
constexpr int64_t kBlock[kWidths] = {128, 128, 64, 32};
constexpr int64_t kBlockOfOthers = 16;
constexpr int64_t kLineBytes = 64;  // elements this large gain nothing from blocks

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

// Where several turns of an outer loop read from one line of the source, as many as the line holds
// are done next to the inner loop, before the line has left the cache.
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
  if (WidthPlace(step->width) < 0) return false;
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
  const auto used = [&](const Loop& loop) { return loop == rows || loop == columns; };
  Loops& outer = step->outer;
  outer.erase(std::remove_if(outer.begin(), outer.end(), used), outer.end());
  return true;
}

void MakeTranspose(const Loop& columns, Step* step) {
  step->kind = StepKind::kTranspose;
  const int place = WidthPlace(step->width);
  const int64_t block = place < 0 ? kBlockOfOthers : kBlock[place];
  step->rows = TakeAxis(step->width, Side::kDst, block, columns, &step->outer);
  step->columns = TakeAxis(step->width, Side::kSrc, block, {0, 0, 0}, &step->outer);
}

std::string LoopText(const Loop& loop) {
  return absl::StrCat(" ", loop.extent, " (s ", loop.src, ", d ", loop.dst, ")");
}

std::string KernelText(const Step& step) {
  switch (step.kind) {
    case StepKind::kBits:
      return absl::StrCat("bits, ", step.width, " to ", step.dst_width);
    case StepKind::kCopy:
      return absl::StrCat("copy rows of ", step.width, " bytes,", LoopText(step.inner));
    case StepKind::kZip:
    case StepKind::kUnzip:
      return absl::StrCat(step.kind == StepKind::kZip ? "zip " : "unzip ", step.factor, " rows of ",
                          step.inner.extent, " elements of ", step.width, " bytes");
    case StepKind::kTranspose:
      return absl::StrCat("transpose ", step.rows.places.size(), " x ", step.columns.places.size(),
                          " elements of ", step.width, " bytes, blocks", LoopText(step.rows.top),
                          LoopText(step.columns.top));
  }
  return "";
}

}  // namespace

Step MakeStep(const Nest& nest) {
  if (!InWholeBytes(nest) || nest.src_bits != nest.dst_bits) return InBits(nest);
  Step step = InBytes(nest);
  const auto find = [&](int64_t Loop::*stride) {
    return std::find_if(step.outer.begin(), step.outer.end(),
                        [&](const Loop& loop) { return loop.*stride == step.width; });
  };
  const auto rows = find(&Loop::dst), columns = find(&Loop::src);
  const bool whole_lines = step.width >= kLineBytes;
  if (whole_lines || rows == step.outer.end() || columns == step.outer.end()) {
    MakeCopy(&step);
  } else if (!MakeZip(Loop(*rows), Loop(*columns), &step)) {
    MakeTranspose(Loop(*columns), &step);
  }
  return step;
}

int64_t Step::Bytes() const {
  const int64_t turns = Turns(outer);
  switch (kind) {
    case StepKind::kBits:
      return turns * dst_width / 8;
    case StepKind::kCopy:
      return turns * width * inner.extent;
    case StepKind::kZip:
    case StepKind::kUnzip:
      return turns * width * inner.extent * factor;
    case StepKind::kTranspose:
      return turns * width * rows.lower * rows.top.extent * columns.lower * columns.top.extent;
  }
  return 0;
}

std::string Step::ToString() const {
  std::string out = KernelText(*this);
  if (!outer.empty()) absl::StrAppend(&out, "; loops");
  for (const Loop& loop : outer) out += LoopText(loop);
  return out;
}

}  // namespace tessera::layout::relayout
