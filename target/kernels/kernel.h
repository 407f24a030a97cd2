// A kernel: what a device runs as one, a fusion or a single instruction, with all that its time
// depends on. Nothing here knows a chip.
//
//   // %f = bf16[8,128] fusion(%x), with %e = exponential(%x), written as bf16
//   kernel.kind;              // KernelKind::kLoop
//   kernel.accesses;          // {read, 1 register, 4 bytes an element}, {written, 1, 2 bytes}
//   kernel.work[kHard];       // 1 register of exponentials
//
// Amounts are in vector registers (registers.h): arrays with their padding.

#ifndef TESSERA_TARGET_KERNELS_KERNEL_H_
#define TESSERA_TARGET_KERNELS_KERNEL_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "tessera/hlo/module.h"

namespace tessera::target {

// The kind decides the price of an access and of an operation. A kernel with a product is a kDot or
// kConvolution, one without that reduces is a kReduce.
enum class KernelKind : uint8_t {
  kScalar,       // single elements
  kLoop,         // a fusion of element-wise operations
  kReduce,       // the same with a reduction
  kDot,          // with a matrix product
  kConvolution,  // with a convolution over a window
  kCopy,         // copies and transposes
  kTileCopy,     // a copy between two layouts with the same most minor dimension: it moves tiles
  kLaneCopy,     // a copy that changes the most minor dimension
  kLone,         // one element-wise operation that is not fused
  kIndexed,      // a gather or a scatter
  kSort,
  kCustomCall,
  kPrefetch,  // an asynchronous copy between memories
};
inline constexpr size_t kKernelKinds = static_cast<size_t>(KernelKind::kPrefetch) + 1;

// Kinds of operations on the vector unit.
enum Work : uint8_t {
  kSimple,  // add, compare, ..
  kHard,    // exponential, root, ..
  kDivision,
  kReduced,     // elements that a reduction takes in
  kAcross,      // of them, those that it takes in across lanes or rows of a register
  kMoved,       // transpose, copy
  kSpread,      // broadcast, slice, iota
  kJoined,      // concatenate, pad
  kWindowed,    // elements that a reduction over windows takes in
  kOperations,  // arithmetic on 4 bytes, however little of it shows beside the memory
  kWorks,
};

struct Access {
  double registers = 0;
  double bytes = 0;  // without padding
  double width = 4;  // bytes of an element
  bool is_written = false;
  bool is_fast = false;  // in the fast memory of the chip
};

// One side of a product.
struct Factor {
  double bytes = 0;        // as it is multiplied
  double from_memory = 0;  // bytes that are read for it, outside of the fast memory
};

// A convolution of each feature by itself, which the vector unit computes: for each register of the larger image,
// padded to whole tiles, so many taps. Without registers for other products.
struct Depthwise {
  double registers = 0, taps = 0;
  bool is_dilated = false;    // the input has holes, as for the gradient of a strided image
  bool is_of_kernel = false;  // the gradient of the kernel
};

// A matrix product: `batch` times M x K by K x N.
struct Product {
  double m = 1, n = 1, k = 1, batch = 1;
  double multiplies = 0;  // that meet an element; of a convolution fewer than m n k batch
  double width = 2;       // bytes of an element of its narrower operand
  bool is_integer = false;
  double passes = 1;       // of bf16 that a product of float32 takes by its precision
  bool is_window = false;  // a convolution that is no matrix product
  // Of a window: what is contracted at once, and how many images (of the gradient of a kernel, input features) lie
  // beside each other.
  double packed = 1, rows = 1;
  double with_holes =
      1;  // times the multiplications, if the holes of a dilated input are multiplied, too
  Depthwise depthwise;
  std::array<Factor, 2> factors;
  hlo::InstructionId instruction = hlo::kNoId;
};

struct DeviceKernel {
  hlo::InstructionId instruction = hlo::kNoId;  // that names it: the fusion, or the last one in it
  KernelKind kind = KernelKind::kLoop;
  double elements = 0;  // of the largest array that it touches, without padding
  absl::InlinedVector<Access, 4> accesses;
  std::array<double, kWorks> work = {};
  absl::InlinedVector<Product, 1> products;
  // Slices of a gather or scatter, elements of a sort that are sorted together. Tiles of a kTileCopy; of
  // a kLaneCopy only those that it moves through HBM.
  double count = 0;
  // Kernels that run for it, one after the other: of a scatter that is a loop over its slices some for each.
  double steps = 1;
  // Tiles with fewer rows than a register (LowTiles()) that it walks over: of the array with most, and of all
  // other results. None of what is only moved: dynamic slices, updates, copies.
  double low_tiles = 0, other_low_tiles = 0;
  bool is_fused = true;  // false: a single instruction
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_KERNEL_H_
