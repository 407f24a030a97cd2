// The cycles of a TPU core for each part of a kernel.
//
//   const TpuRates* v5e = TpuRatesOf("tpu-v5e");      // null: no rates are known for the chip
//   v5e->fixed                                        // 1824: any operation on arrays
//   v5e->Column(kernel.kind).read[1][0]               // a register of 2-byte elements from HBM
//
// The rates are those that the TPU compiler states in its final modules as estimated_cycles (libtpu
// 0.0.50.1). They are fitted to the instructions of whole steps, towards values that were found
// with single operations, and rounded to two digits. They are the compiler's estimates: no device
// was measured. docs/cost.md has how far they agree.

#ifndef TESSERA_COST_KERNEL_TPU_RATES_H_
#define TESSERA_COST_KERNEL_TPU_RATES_H_

#include <array>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/target/kernels/kernel.h"

namespace tessera::cost {

// Cycles for a register: 8 x 128 elements.
struct TpuColumn {
  // By the width of an element (4, 2 and 1 bytes), and in HBM or in the fast memory.
  using Accesses = std::array<std::array<double, 2>, 3>;
  Accesses read, written;
  std::array<double, target::kWorks> work;
};

struct TpuRates {
  absl::string_view chip;
  double cycles_per_s = 0;
  double edge = 128;          // of the matrix unit
  double multiplies = 0;      // of bf16 in a cycle, all matrix units
  double fixed = 0;           // of any operation on arrays
  double hbm_bytes = 0;       // in a cycle, the best that programs reach
  double streamed_bytes = 0;  // in a cycle, the public peak of HBM
  double window = 0;          // rows and columns that a product computes at once
  double product = 1;         // products take so much of their time at the peak
  double integer = 1;         // products of integers of a byte take so much of the time of bf16
  double beside_product = 0;  // of memory and vector unit, or of the product: what is not hidden
  TpuColumn loop, reduce, products, copy, lone;
  // A tile that a copy moves as it is: between arrays in HBM, with one or both in the fast memory.
  std::array<double, 3> moved_tile;
  // A tile that a copy to other lanes reads from HBM or writes there: both arrays there, and one of them.
  std::array<double, 2> turned_tile;
  // A walk takes at least so much for a tile with fewer rows than a register: of a fusion, with a reduction, of
  // a single operation.
  std::array<double, 3> low_tile;
  // Of what a loop writes in a register of narrow elements: it packs one of its results while others move.
  double packed = 0;
  double operation = 0.25;        // of the vector unit on a register, which nothing hides
  double depthwise = 2;           // of a register and a tap
  bool multiplies_holes = false;  // of a dilated input

  const TpuColumn& Column(target::KernelKind kind) const;
};

const TpuRates* TpuRatesOf(absl::string_view chip);
absl::Span<const TpuRates> AllTpuRates();

// For all registers of an access.
double AccessCycles(const TpuColumn& column, const target::Access& access);

}  // namespace tessera::cost

#endif  // TESSERA_COST_KERNEL_TPU_RATES_H_
