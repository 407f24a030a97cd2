// The outer loops of a step, and which turns of them are a part's.
//
// The outermost loop (or, without one, the rows or blocks of the kernel) is cut into equal parts.
// Parts write different bytes, since different turns write different elements.

#ifndef TESSERA_LAYOUT_RELAYOUT_RUN_RUN_LOOPS_H_
#define TESSERA_LAYOUT_RELAYOUT_RUN_RUN_LOOPS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tessera/layout/relayout/run/step.h"

namespace tessera::layout::relayout {

// Where part `part` of `parts` of `total` turns begins.
inline int64_t PartBegin(int64_t total, int part, int parts) { return total * part / parts; }

template <typename Kernel>
void RunLoops(const Loop* loop, size_t count, const uint8_t* src, uint8_t* dst,
              const Kernel& kernel) {
  if (count == 0) return kernel(src, dst);
  for (int64_t i = 0; i < loop->extent; ++i, src += loop->src, dst += loop->dst) {
    RunLoops(loop + 1, count - 1, src, dst, kernel);
  }
}

// All outer loops, the first only for this part's turns.
template <typename Kernel>
void RunOuter(const Step& step, const RunMode& mode, const uint8_t* src, uint8_t* dst,
              const Kernel& kernel) {
  if (step.outer.empty()) return kernel(src, dst);
  Loop first = step.outer[0];
  const int64_t begin = PartBegin(first.extent, mode.part, mode.parts);
  const int64_t end = PartBegin(first.extent, mode.part + 1, mode.parts);
  for (int64_t i = begin; i < end; ++i) {
    RunLoops(step.outer.data() + 1, step.outer.size() - 1, src + i * first.src, dst + i * first.dst,
             kernel);
  }
}

// The turns of the kernel's own loop that are this part's.
struct Span {
  int64_t begin;
  int64_t end;
};

inline Span OwnTurns(const Step& step, const RunMode& mode, int64_t extent, int64_t multiple) {
  if (!step.outer.empty()) return {0, extent};
  const int64_t units = (extent + multiple - 1) / multiple;
  return {std::min(extent, PartBegin(units, mode.part, mode.parts) * multiple),
          std::min(extent, PartBegin(units, mode.part + 1, mode.parts) * multiple)};
}

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_RUN_RUN_LOOPS_H_
