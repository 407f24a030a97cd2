// Blocks of rows and columns, each given to a kernel. If the source must be made ready first, it
// goes line by line through a buffer of kStagedRows lines, which stays in the first cache.

#include "tessera/layout/relayout/run/run_transpose.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "tessera/layout/relayout/run/run_loops.h"

namespace tessera::layout::relayout {
namespace {

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
  int64_t from[kMaxPlaces];
  int64_t to[kMaxPlaces];
};

// All blocks of one turn of the outer loops.
void RunBlocks(const Step& step, const RunMode& mode, const Places& places, const Span& own,
               const uint8_t* src, uint8_t* dst) {
  const Axis& rows = step.rows;
  const Axis& columns = step.columns;
  const uint8_t* const shuffle = step.shuffle.has_value() ? step.shuffle->data() : nullptr;
  const auto to = [&](int64_t i, int64_t j) {
    return dst + i * rows.top.dst + j * columns.top.dst;
  };
  for (int64_t i = own.begin; i < own.end; i += rows.turns) {
    const int64_t row_count = rows.lower * std::min(rows.turns, own.end - i);
    for (int64_t j = 0; j < columns.top.extent; j += columns.turns) {
      Matrix matrix{src + i * rows.top.src + j * columns.top.src, places.from, to(i, j), places.to,
                    shuffle};
      const bool last = j + columns.turns >= columns.top.extent;
      const uint8_t* const next = last ? to(i + rows.turns, 0) : to(i, j + columns.turns);
      for (int64_t k = 0; k < step.inner.extent; ++k) {
        matrix.next = k + 1 < step.inner.extent ? matrix.dst + step.inner.dst : next;
        RunBlock(step, mode, matrix, row_count, columns.Count(j));
        matrix.src += step.inner.src;
        matrix.dst += step.inner.dst;
      }
    }
  }
}

}  // namespace

void RunTranspose(const Step& step, const RunMode& mode, const uint8_t* src, uint8_t* dst) {
  const Span own = OwnTurns(step, mode, step.rows.top.extent, step.rows.turns);
  Places places;
  step.rows.SetPlaces(places.from);
  step.columns.SetPlaces(places.to);
  RunOuter(step, mode, src, dst,
           [&](const uint8_t* s, uint8_t* d) { RunBlocks(step, mode, places, own, s, d); });
}

}  // namespace tessera::layout::relayout
