// One piece of a plan, ready to run: outer loops around a kernel.

#ifndef TESSERA_LAYOUT_RELAYOUT_RUN_STEP_H_
#define TESSERA_LAYOUT_RELAYOUT_RUN_STEP_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "tessera/layout/relayout/kernels/axis.h"
#include "tessera/layout/relayout/kernels/kernels.h"
#include "tessera/layout/relayout/kernels/staging.h"
#include "tessera/layout/relayout/plan/nest.h"

namespace tessera::layout::relayout {

enum class StepKind : uint8_t {
  kBits,       // elements that do not fill bytes, or change their size
  kCopy,       // rows of `width` bytes
  kTranspose,  // blocks in which the two sides have different adjacent elements
  kGather,     // elements with gaps become adjacent
  kZip,        // the source has rows, the destination takes one element of each in turn
  kUnzip,      // the way back
  kPack,       // bytes become 4-bit elements, in the same order
  kUnpack,     // the way back
};

struct Step {
  StepKind kind = StepKind::kCopy;
  // In bits for kBits, else in bytes.
  int64_t src = 0;
  int64_t dst = 0;
  int64_t width = 1;
  int64_t dst_width = 1;
  Loops outer;             // outermost first
  Loop inner;              // kCopy: the rows; kTranspose: done in each block; else: along the rows
  int64_t factor = 1;      // kZip, kUnzip: the number of rows
  int64_t row_stride = 0;  // and how far apart they are
  Axis rows, columns;      // kTranspose: adjacent in the destination; in the source
  Staging staging;         // kTranspose, kGather: what happens to the source's lines
  // kTranspose: the elements are squares whose bytes are to be permuted, see Matrix.
  std::optional<std::array<uint8_t, 16>> shuffle;

  // Bytes (rounded down) that the step writes.
  int64_t Bytes() const;
  // "transpose 128 x 128 of 4 bytes, loops 32 (stride 131072 -> 512)": without a line end.
  std::string ToString() const;
};

// `nest` has been cleaned up; the source has `src_bytes` bytes, all of which may be read.
Step MakeStep(const Nest& nest, int64_t src_bytes);

// How Run is to do it.
struct RunMode {
  const Kernels* kernels = nullptr;
  bool stream = false;
  // This call does part `part` of `parts` equal ones.
  int part = 0;
  int parts = 1;
};

void RunStep(const Step& step, const RunMode& mode, const uint8_t* src, uint8_t* dst);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_RUN_STEP_H_
