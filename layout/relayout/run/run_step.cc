// Running a step: an odometer of outer loops, and under it the kernel. Steps in bits may share
// bytes and are never cut into parts.

#include <algorithm>
#include <cstring>

#include "tessera/layout/relayout/kernels/bits.h"
#include "tessera/layout/relayout/run/run_loops.h"
#include "tessera/layout/relayout/run/run_transpose.h"
#include "tessera/layout/relayout/run/step.h"

namespace tessera::layout::relayout {
namespace {

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
