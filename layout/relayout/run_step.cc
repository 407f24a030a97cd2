// Running a step: an odometer of outer loops, and under it the kernel.
//
// Threads: the outermost loop (or, without one, the rows or blocks of the kernel) is cut into equal
// parts. Parts write different bytes, since different turns write different elements; steps in bits
// may share bytes and are never cut.

#include <algorithm>
#include <array>
#include <cstring>

#include "tessera/layout/relayout/bits.h"
#include "tessera/layout/relayout/step.h"

namespace tessera::layout::relayout {
namespace {

// Where part `part` of `parts` of `total` turns begins.
int64_t Begin(int64_t total, int part, int parts) { return total * part / parts; }

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
  const int64_t begin = Begin(first.extent, mode.part, mode.parts);
  const int64_t end = Begin(first.extent, mode.part + 1, mode.parts);
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

Span OwnTurns(const Step& step, const RunMode& mode, int64_t extent, int64_t multiple) {
  if (!step.outer.empty()) return {0, extent};
  const int64_t units = (extent + multiple - 1) / multiple;
  return {std::min(extent, Begin(units, mode.part, mode.parts) * multiple),
          std::min(extent, Begin(units, mode.part + 1, mode.parts) * multiple)};
}

template <int kWidth>
void CopyFixed(const Loop& rows, const uint8_t* src, uint8_t* dst) {
  for (int64_t i = 0; i < rows.extent; ++i, src += rows.src, dst += rows.dst) {
    std::memcpy(dst, src, kWidth);
  }
}

void CopyRows(const Step& step, const RunMode& mode, const Loop& rows, const uint8_t* src,
              uint8_t* dst) {
  switch (step.width) {
    case 1:
      return CopyFixed<1>(rows, src, dst);
    case 2:
      return CopyFixed<2>(rows, src, dst);
    case 4:
      return CopyFixed<4>(rows, src, dst);
    case 8:
      return CopyFixed<8>(rows, src, dst);
    case 16:
      return CopyFixed<16>(rows, src, dst);
    case 32:
      return CopyFixed<32>(rows, src, dst);
  }
  mode.kernels->copy(src, dst, {rows.extent, step.width, rows.src, rows.dst}, mode.stream);
}

void RunCopy(const Step& step, const RunMode& mode, const uint8_t* src, uint8_t* dst) {
  if (step.outer.empty() && step.inner.extent == 1) {  // one run: its bytes are cut
    const Span bytes = OwnTurns(step, mode, step.width, 64);
    return mode.kernels->copy(src + bytes.begin, dst + bytes.begin,
                              {1, bytes.end - bytes.begin, 0, 0}, mode.stream);
  }
  const Span own = OwnTurns(step, mode, step.inner.extent, 1);
  Loop rows = step.inner;
  rows.extent = own.end - own.begin;
  src += own.begin * rows.src;
  dst += own.begin * rows.dst;
  RunOuter(step, mode, src, dst,
           [&](const uint8_t* s, uint8_t* d) { CopyRows(step, mode, rows, s, d); });
}

void RunZip(const Step& step, const RunMode& mode, const uint8_t* src, uint8_t* dst) {
  const Span own = OwnTurns(step, mode, step.inner.extent, 64);
  const int64_t count = own.end - own.begin;
  const int width = WidthPlace(step.width), factor = FactorPlace(step.factor);
  src += own.begin * step.inner.src;
  dst += own.begin * step.inner.dst;
  if (step.kind == StepKind::kZip) {
    const ZipFn zip = mode.kernels->zip[width][factor];
    return RunOuter(step, mode, src, dst, [&](const uint8_t* s, uint8_t* d) {
      zip(s, step.row_stride, d, count, mode.stream);
    });
  }
  const UnzipFn unzip = mode.kernels->unzip[width][factor];
  RunOuter(step, mode, src, dst,
           [&](const uint8_t* s, uint8_t* d) { unzip(s, d, step.row_stride, count, mode.stream); });
}

void RunNibbles(const Step& step, const RunMode& mode, const uint8_t* src, uint8_t* dst) {
  const Span own = OwnTurns(step, mode, step.inner.extent, 64);
  const NibblesFn nibbles =
      step.kind == StepKind::kPack ? mode.kernels->pack : mode.kernels->unpack;
  RunOuter(step, mode, src + own.begin * step.inner.src, dst + own.begin * step.inner.dst,
           [&](const uint8_t* s, uint8_t* d) { nibbles(s, d, own.end - own.begin); });
}

void RunGather(const Step& step, const RunMode& mode, const uint8_t* src, uint8_t* dst) {
  const int64_t line = kStagedLine / step.width;
  const Span own = OwnTurns(step, mode, step.inner.extent, line);
  RunOuter(step, mode, src, dst, [&](const uint8_t* s, uint8_t* d) {
    for (int64_t i = own.begin; i < own.end; i += line) {
      const int64_t from = i * step.inner.src, count = std::min(line, own.end - i);
      mode.kernels->stage(step.staging, s, &from, 1, count * step.width, d + i * step.inner.dst);
    }
  });
}

// Elements whose width has no kernel.
void TransposeAny(const Matrix& m, int64_t width, int64_t rows, int64_t columns) {
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = 0; i < rows; ++i) {
      std::memcpy(m.dst + m.to[j] + i * width, m.src + m.from[i] + j * width, width);
    }
  }
}

// The places of the lines in the buffer.
constexpr auto kStagedPlaces = [] {
  std::array<int64_t, kStagedRows> places{};
  for (int64_t i = 0; i < kStagedRows; ++i) places[i] = i * kStagedLine;
  return places;
}();

// At most as much as the buffer holds.
void RunBuffer(const Step& step, const RunMode& mode, const Matrix& m, int64_t rows,
               int64_t columns) {
  alignas(kStagedLine) uint8_t lines[kStagedRows * kStagedLine];
  Staging how = step.staging;
  for (how.half = 0; how.half < how.halves; ++how.half) {
    mode.kernels->stage(how, m.src, m.from, rows, columns * step.width, lines);
    const Matrix staged{lines, kStagedPlaces.data(), m.dst + how.half * how.dst_apart, m.to};
    mode.kernels->transpose[WidthPlace(step.width)](staged, rows, columns, mode.stream);
  }
}

void RunStaged(const Step& step, const RunMode& mode, const Matrix& m, int64_t rows,
               int64_t columns) {
  const int64_t line = kStagedLine / step.width;
  for (int64_t i = 0; i < rows; i += kStagedRows) {
    for (int64_t j = 0; j < columns; j += line) {
      const Matrix part{m.src + j * step.staging.step, m.from + i, m.dst + i * step.width,
                        m.to + j};
      RunBuffer(step, mode, part, std::min(kStagedRows, rows - i), std::min(line, columns - j));
    }
  }
}

void RunBlock(const Step& step, const RunMode& mode, const Matrix& m, int64_t rows,
              int64_t columns) {
  const int place = WidthPlace(step.width);
  if (place < 0) return TransposeAny(m, step.width, rows, columns);
  if (step.staging.kind != StageKind::kNone) return RunStaged(step, mode, m, rows, columns);
  mode.kernels->transpose[place](m, rows, columns, mode.stream);
}

// Where the elements of a block lie on the sides where they are not adjacent.
struct Places {
  int64_t from[kMostPlaces];
  int64_t to[kMostPlaces];
};

// All blocks of one turn of the outer loops.
void RunBlocks(const Step& step, const RunMode& mode, const Places& places, const Span& own,
               const uint8_t* src, uint8_t* dst) {
  const Axis& rows = step.rows;
  const Axis& columns = step.columns;
  const uint8_t* const shuffle = step.shuffle.has_value() ? step.shuffle->data() : nullptr;
  for (int64_t i = own.begin; i < own.end; i += rows.turns) {
    const int64_t row_count = rows.lower * std::min(rows.turns, own.end - i);
    for (int64_t j = 0; j < columns.top.extent; j += columns.turns) {
      Matrix matrix{src + i * rows.top.src + j * columns.top.src, places.from,
                    dst + i * rows.top.dst + j * columns.top.dst, places.to, shuffle};
      for (int64_t k = 0; k < step.inner.extent; ++k) {
        RunBlock(step, mode, matrix, row_count, columns.Count(j));
        matrix.src += step.inner.src;
        matrix.dst += step.inner.dst;
      }
    }
  }
}

void RunTranspose(const Step& step, const RunMode& mode, const uint8_t* src, uint8_t* dst) {
  const Span own = OwnTurns(step, mode, step.rows.top.extent, step.rows.turns);
  Places places;
  step.rows.SetPlaces(places.from);
  step.columns.SetPlaces(places.to);
  RunOuter(step, mode, src, dst,
           [&](const uint8_t* s, uint8_t* d) { RunBlocks(step, mode, places, own, s, d); });
}

// Loops whose strides are bits.
void RunBits(const Step& step, size_t depth, const uint8_t* src, int64_t from, uint8_t* dst,
             int64_t to) {
  if (depth < step.outer.size()) {
    const Loop& loop = step.outer[depth];
    for (int64_t i = 0; i < loop.extent; ++i) {
      RunBits(step, depth + 1, src, from + i * loop.src, dst, to + i * loop.dst);
    }
    return;
  }
  const int64_t kept = std::min(step.width, step.dst_width);
  CopyBits(src, from, dst, to, kept);
  ClearBits(dst, to + kept, step.dst_width - kept);
}

}  // namespace

void RunStep(const Step& step, const RunMode& mode, const uint8_t* src, uint8_t* dst) {
  switch (step.kind) {
    case StepKind::kBits:
      if (mode.part == 0) RunBits(step, 0, src, step.src, dst, step.dst);
      return;
    case StepKind::kCopy:
      return RunCopy(step, mode, src + step.src, dst + step.dst);
    case StepKind::kGather:
      return RunGather(step, mode, src + step.src, dst + step.dst);
    case StepKind::kPack:
    case StepKind::kUnpack:
      return RunNibbles(step, mode, src + step.src, dst + step.dst);
    case StepKind::kZip:
    case StepKind::kUnzip:
      return RunZip(step, mode, src + step.src, dst + step.dst);
    case StepKind::kTranspose:
      return RunTranspose(step, mode, src + step.src, dst + step.dst);
  }
}

}  // namespace tessera::layout::relayout
