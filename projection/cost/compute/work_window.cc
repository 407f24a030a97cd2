// Reductions: one application of the combiner for each cell after the first. Windows count the
// cells that they hit; a window that hits n cells applies n - 1 times, one that hits none not at
// all.
#include "tessera/hlo/attributes.h"
#include "tessera/projection/cost/compute/work_rules.h"
#include "tessera/projection/map/inverse/inverse.h"
#include "tessera/projection/map/reads.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

hlo::Window WindowOf(const Work& w) {
  hlo::Window window = hlo::GetWindow(w.module, w.id);
  if (window.empty()) window.resize(w.operand(0).rank());
  return window;
}

absl::StatusOr<ZProjection> WindowProjection(const Work& w, const hlo::Window& window) {
  ProjectionSpec spec;
  const int rank = static_cast<int>(w.operand(0).rank());
  spec.matrix = ZMatrix(rank, rank);
  spec.shape = spec.step = spec.dilate = ZPoint::Filled(rank, 1);
  ZPoint pad = ZPoint::Filled(rank, 0);
  for (int d = 0; d < rank; ++d) {
    spec.matrix(d, d) = window[d].stride;
    pad[d] = -window[d].padding_low;
    spec.shape[d] = window[d].size;
    spec.step[d] = window[d].window_dilation;
    spec.dilate[d] = window[d].base_dilation;
  }
  spec.offsets.Set(OffsetRole::kPad, pad);
  spec.policy = OutOfBoundsPolicy::kDrop;
  spec.extent = ZPoint(w.operand(0).dims());
  return ZProjection::Create(std::move(spec));
}

// sum over the window positions of max(0, taps - 1): all taps, less one for each position that has
// any.
absl::StatusOr<Checked> TapsAfterTheFirst(const Work& w, const ZRange& positions) {
  if (w.operand(0).NumElements().value_or(0) == 0) return Checked(0);
  TESSERA_ASSIGN_OR_RETURN(ZProjection p, WindowProjection(w, WindowOf(w)));
  TESSERA_ASSIGN_OR_RETURN(ReadCount reads, CountReads(p, positions));
  TESSERA_ASSIGN_OR_RETURN(ZSet live, InverseImage(p, ZRange::FromShape(*p.spec().extent),
                                                   positions, InverseKind::kTouch));
  TESSERA_ASSIGN_OR_RETURN(int64_t positions_with_taps, live.size());
  return Checked(reads.reads) - positions_with_taps;
}

Checked CellsOfWindow(const hlo::Window& window) {
  Checked cells = 1;
  for (const hlo::WindowDimension& d : window) cells *= d.size;
  return cells;
}

// XLA takes one shape of window for a reduction that is broadcast again: a single window dimension,
// padded so far on both sides that every window sees everything.
bool LooksLikeBroadcastReduce(const Work& w, const hlo::Window& window, int64_t* extent) {
  int windowed = 0, padded = 0;
  bool fits = w.module.shape(w.id).is_array();
  for (size_t d = 0; d < window.size(); ++d) {
    const hlo::WindowDimension& x = window[d];
    windowed += x.size > 1;
    const bool has_padding = x.padding_low != 0 || x.padding_high != 0;
    padded += has_padding;
    if (!has_padding) continue;
    *extent = w.module.shape(w.id).rank() > static_cast<int64_t>(d)
                  ? w.module.shape(w.id).dim(static_cast<int64_t>(d))
                  : 0;
    fits &= x.padding_low == x.padding_high && x.padding_low == (x.size - 1) / 2 &&
            x.padding_low == *extent - 1 && x.size > 1;
  }
  return fits && windowed == 1 && padded == 1;
}

}  // namespace

absl::StatusOr<Tally> ReduceWork(const Work& w) {
  // Variadic reductions apply once for each tuple of cells, so the first input stands for all.
  const Checked in = w.whole ? w.operand(0).NumElements().value_or(0) : w.in_cells;
  return Applications(w, 0, in - w.out_cells);
}

absl::StatusOr<Tally> ReduceWindowWork(const Work& w) {
  const hlo::Window window = WindowOf(w);
  if (w.mode == CostMode::kXla) {
    int64_t extent = 0;
    if (LooksLikeBroadcastReduce(w, window, &extent)) {
      return Applications(w, 0, Checked(w.out_cells / extent) + extent - 1);
    }
    return Applications(w, 0, (CellsOfWindow(window) - 1) * w.out_cells);
  }
  TESSERA_ASSIGN_OR_RETURN(Checked taps, TapsAfterTheFirst(w, w.block));
  return Applications(w, 0, taps);
}

absl::StatusOr<Tally> SelectAndScatterWork(const Work& w) {
  const ZRange sources = ZRange::FromShape(ZPoint(w.operand(1).dims()));
  TESSERA_ASSIGN_OR_RETURN(int64_t count, sources.size());
  Checked selections = (CellsOfWindow(WindowOf(w)) - 1) * count;
  if (w.mode == CostMode::kExact) {
    TESSERA_ASSIGN_OR_RETURN(selections, TapsAfterTheFirst(w, sources));
  }
  TESSERA_ASSIGN_OR_RETURN(Tally select, Applications(w, 0, selections));
  TESSERA_ASSIGN_OR_RETURN(Tally scatter, Applications(w, 1, count));
  return Tally{select.flops + scatter.flops, select.transcendentals + scatter.transcendentals};
}

}  // namespace tessera::projection
