// Idea. A box is one run for each index of the dimensions before the last one that is not full. In
// f32[3,4], zr[1:3, 0:2] is two runs of 2, zr[1:3, 0:4] one of 8. Back, a run is a staircase: the
// rest of the first row, full rows, the beginning of the last row, each again a staircase one
// dimension lower down:
//
//   cells [1, 7) of f32[3,4]: zr[0:1, 1:4], then zr[1:2, 0:3]
//
// Cost: O(runs log runs), and O(2 rank) boxes for a run. Tested by set_test.cc
// (BoxesAndRunsAreInverse).
#include "tessera/projection/set/runs.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// weights[d] = cells from one index of dimension d to the next; weights[rank] is not there.
absl::StatusOr<std::vector<int64_t>> Weights(const ZPoint& shape) {
  std::vector<int64_t> weights(shape.rank(), 1);
  Checked cells = 1;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    weights[d] = cells.value();
    cells *= shape[d];
    if (!cells.ok())
      return OverflowError(absl::StrCat("the number of cells of ", ShapeText(shape)));
  }
  return weights;
}

std::vector<Run> Merge(std::vector<Run> runs) {
  std::sort(runs.begin(), runs.end(), [](Run a, Run b) { return a.first < b.first; });
  std::vector<Run> out;
  for (Run r : runs) {
    if (!out.empty() && out.back().first + out.back().length >= r.first) {
      out.back().length = std::max(out.back().length, r.first + r.length - out.back().first);
    } else {
      out.push_back(r);
    }
  }
  return out;
}

// Prefixes `box` with the one position `at` of an earlier dimension.
ZRange Prefixed(int64_t at, const ZRange& box) {
  return ZRange::Create({at}, {at + 1})->Product(box);
}

// The staircase over the dimensions from `d` on.
std::vector<ZRange> Stairs(int64_t first, int64_t end, const ZPoint& shape,
                           const std::vector<int64_t>& weights, int d) {
  if (d == shape.rank()) return {ZRange()};
  std::vector<ZRange> out;
  int64_t w = weights[d];
  int64_t full_from = CeilDiv(first, w), full_to = FloorDiv(end, w);
  if (full_from > full_to) {  // inside one row
    for (const ZRange& box :
         Stairs(first - full_to * w, end - full_to * w, shape, weights, d + 1)) {
      out.push_back(Prefixed(full_to, box));
    }
    return out;
  }
  if (first < full_from * w) {
    for (const ZRange& box : Stairs(first - (full_from - 1) * w, w, shape, weights, d + 1)) {
      out.push_back(Prefixed(full_from - 1, box));
    }
  }
  if (full_from < full_to) {
    ZPoint rest;
    for (int i = d + 1; i < shape.rank(); ++i) rest.push_back(shape[i]);
    out.push_back(ZRange::Create({full_from}, {full_to})->Product(ZRange::FromShape(rest)));
  }
  if (full_to * w < end) {
    for (const ZRange& box : Stairs(0, end - full_to * w, shape, weights, d + 1)) {
      out.push_back(Prefixed(full_to, box));
    }
  }
  return out;
}

}  // namespace

absl::StatusOr<std::vector<Run>> RunsOfBox(const ZRange& box, const ZPoint& shape, int64_t limit) {
  if (!ZRange::FromShape(shape).Contains(box)) {
    return MakeError(ErrorCode::kOutOfBounds,
                     absl::StrCat(box.ToString(), " is not inside ", ShapeText(shape)));
  }
  TESSERA_ASSIGN_OR_RETURN(std::vector<int64_t> weights, Weights(shape));
  if (box.empty()) return std::vector<Run>();
  int j = box.rank() - 1;  // the last dimension that is not full; all of it is one run
  while (j > 0 && box.extent(j) == shape[j]) --j;
  if (j < 0) return std::vector<Run>{{0, 1}};
  ZRange outer = box;
  for (int d = j; d < box.rank(); ++d) outer = outer.WithDim(d, box.start()[d], box.start()[d] + 1);
  int64_t length = box.extent(j) * weights[j];
  std::vector<Run> runs;
  bool within = ForEachCell(outer, [&](const ZPoint& p) {
    int64_t at = 0;
    for (int d = 0; d < p.rank(); ++d) at += p[d] * weights[d];
    runs.push_back({at, length});
    return static_cast<int64_t>(runs.size()) <= limit;
  });
  if (!within) return MakeError(ErrorCode::kTooLarge, absl::StrCat("more than ", limit, " runs"));
  return Merge(std::move(runs));
}

absl::StatusOr<std::vector<ZRange>> BoxesOfRun(Run run, const ZPoint& shape) {
  TESSERA_ASSIGN_OR_RETURN(std::vector<int64_t> weights, Weights(shape));
  TESSERA_ASSIGN_OR_RETURN(int64_t cells, ZRange::FromShape(shape).size());
  if (run.first < 0 || run.length < 0 || run.length > cells || run.first > cells - run.length) {
    return MakeError(ErrorCode::kOutOfBounds, absl::StrCat("run [", run.first, ", ", run.length,
                                                           "] in a tensor of ", cells, " cells"));
  }
  if (run.length == 0) return std::vector<ZRange>();
  return Stairs(run.first, run.first + run.length, shape, weights, 0);
}

}  // namespace tessera::projection
