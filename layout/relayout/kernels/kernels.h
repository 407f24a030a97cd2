// The innermost loops, for the vector units of one CPU.
//
//   const Kernels& kernels = KernelsOfThisCpu();
//   kernels.transpose[2](matrix, rows, columns, stream);   // 4-byte elements
//
// ScalarKernels() does the same with plain loops: the reference, and the way on other machines.

#ifndef TESSERA_LAYOUT_RELAYOUT_KERNELS_KERNELS_H_
#define TESSERA_LAYOUT_RELAYOUT_KERNELS_KERNELS_H_

#include <cstdint>
#include <vector>

#include "tessera/layout/relayout/kernels/staging.h"

namespace tessera::layout::relayout {

// A small matrix of elements that changes sides: row i of the source starts at src + from[i], row j
// of the destination at dst + to[j]; element (i, j) moves to (j, i).
struct Matrix {
  const uint8_t* src;
  const int64_t* from;
  uint8_t* dst;
  const int64_t* to;
  // If given: byte b of each 16 bytes of a row comes from byte shuffle[b]. Bytes stay in their
  // elements, and all elements are alike.
  const uint8_t* shuffle = nullptr;
  // If given: where the next matrix begins in the destination, with the same `to`. Its lines are
  // asked for early; a wrong guess costs time only.
  const uint8_t* next = nullptr;
};

// Runs of `bytes` bytes: the next one is src_stride and dst_stride further.
struct Runs {
  int64_t count;
  int64_t bytes;
  int64_t src_stride;
  int64_t dst_stride;
};

// Transposes `rows` x `columns` elements. Reads and writes nothing else. With `stream`, stores go
// around the caches where vectors are whole lines of the destination.
using TransposeFn = void (*)(const Matrix& matrix, int64_t rows, int64_t columns, bool stream);
// `count` groups: element i of row r (r < p rows, `stride` bytes apart) moves to place i * p + r.
using ZipFn = void (*)(const uint8_t* src, int64_t stride, uint8_t* dst, int64_t count,
                       bool stream);
// The way back: place i * p + r of `src` moves to element i of row r of `dst`.
using UnzipFn = void (*)(const uint8_t* src, uint8_t* dst, int64_t stride, int64_t count,
                         bool stream);
using CopyFn = void (*)(const uint8_t* src, uint8_t* dst, const Runs& runs, bool stream);
// Writes `bytes` (at most kStagedLine) made as `how` says from each of `rows` rows, src + from[i],
// to out + i * kStagedLine.
using StageFn = void (*)(const Staging& how, const uint8_t* src, const int64_t* from, int64_t rows,
                         int64_t bytes, uint8_t* out);
// `bytes` bytes of two 4-bit elements each, from as many pairs of bytes, or to them.
using NibblesFn = void (*)(const uint8_t* src, uint8_t* dst, int64_t bytes);

inline constexpr int kWidths = 5;     // elements of 1, 2, 4, 8 and 16 bytes
inline constexpr int kZipWidths = 4;  // of 1, 2, 4 and 8
inline constexpr int kFactors = 3;    // p of 2, 4 and 8

struct Kernels {
  const char* name;
  TransposeFn transpose[kWidths];
  ZipFn zip[kZipWidths][kFactors];
  UnzipFn unzip[kZipWidths][kFactors];
  CopyFn copy;
  StageFn stage;
  NibblesFn pack;
  NibblesFn unpack;
  void (*fence)();  // after streaming stores
};

const Kernels& ScalarKernels();
// The widest that this CPU has.
const Kernels& KernelsOfThisCpu();
// All that this CPU can run, the scalar ones first; for tests.
std::vector<const Kernels*> AllKernels();

// The place of a width or factor in the tables: 2 for 4. -1 if it has none.
int WidthPlace(int64_t width);
int FactorPlace(int64_t factor);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_KERNELS_KERNELS_H_
