#include "tessera/cost/kernel/tpu_time.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "tessera/cost/kernel/widened_product.h"
#include "tessera/target/kernels/products/registers.h"

namespace tessera::cost {
namespace {

using target::Access;
using target::Depthwise;
using target::DeviceKernel;
using target::KernelKind;
using target::Product;

constexpr double kScalarCycles = 30;
constexpr double kRows = 8;            // of a register
constexpr double kBytesOfRow = 512;    // that a gather reads at least, a row
constexpr double kOtherResult = 0.35;  // of the time of a tile
constexpr double kSortCycles = 4;      // a register, a step
constexpr double kPackedWidth = 2;     // bytes of an element

double RoundedUp(double size, double unit) { return std::ceil(size / unit) * unit; }

double Padded(double size, double unit) { return RoundedUp(size, unit) / std::max(1.0, size); }

// Of a convolution over a window, features are lanes, or images where that pads less.
double PaddingOfWindow(const Product& p, double edge) {
  return Padded(p.packed, edge) * std::min(Padded(p.n, edge) * Padded(p.rows, kRows),
                                           Padded(p.rows, edge) * Padded(p.n, kRows));
}

// How much of the matrix unit a product leaves idle.
double PaddingOf(const Product& p, double edge) {
  if (p.is_window && p.batch == 1) return PaddingOfWindow(p, edge);
  const double small = std::max(1.0, std::min(p.m, p.n));
  return RoundedUp(p.k, edge) / std::max(1.0, p.k) *
         std::min(RoundedUp(p.n, edge) / std::max(1.0, p.n),
                  RoundedUp(p.m, edge) / std::max(1.0, p.m)) *
         RoundedUp(small, 8) / small;
}

// Probes of 3 to 49 taps, 4 to 128 images and 96 to 512 features: forward and to the image 0.97 to 1.1 of this, to the
// kernel 0.7 to 1.1.
double DepthwiseCycles(const Depthwise& d, const TpuRates& rates) {
  constexpr double kStart = 0.75, kStartOfKernel = 3;  // taps
  constexpr double kOfKernel = 0.27, kOfDilated = 0.55;
  if (d.is_of_kernel) {
    return rates.depthwise * kOfKernel * d.registers * (d.taps + kStartOfKernel);
  }
  return rates.depthwise * d.registers * ((d.is_dilated ? kOfDilated : 1) * d.taps + kStart);
}

double ProductCycles(const Product& p, const TpuRates& rates) {
  if (p.depthwise.registers > 0) return DepthwiseCycles(p.depthwise, rates);
  const double type = p.is_integer && p.width <= 1 ? rates.integer : 1;
  const double holes = rates.multiplies_holes ? p.with_holes : 1;
  return rates.product * type * p.passes * p.multiplies * holes * PaddingOf(p, rates.edge) /
         rates.multiplies;
}

// A product of vectors in many batches runs as a multiplication and a reduction.
bool IsOfVectors(const Product& p) {
  return p.batch > 1 && std::min(p.m, p.n) == 1 && !p.is_window;
}

// One of few rows or columns does so where that is faster.
bool IsThin(const Product& p) {
  return p.batch > 1 && std::min({p.m, p.n, p.k}) <= 8 && !p.is_window;
}

double MemoryCycles(const DeviceKernel& kernel, const TpuRates& rates) {
  double cycles = 0;
  for (const Access& access : kernel.accesses) {
    cycles += AccessCycles(rates.Column(kernel.kind), access);
  }
  return cycles;
}

// Of the results of a loop beside the largest: selects of 1, 2, 4 and 12 arrays of bf16 take so much less than that
// many selects.
double PackedBesideCycles(const DeviceKernel& kernel, const TpuRates& rates) {
  if (kernel.kind != KernelKind::kLoop) return 0;
  double all = 0, largest = 0;
  for (const Access& access : kernel.accesses) {
    if (!access.is_written || access.width > kPackedWidth) continue;
    const double cycles =
        std::min(rates.packed * access.registers, AccessCycles(rates.loop, access));
    all += cycles;
    largest = std::max(largest, cycles);
  }
  return all - largest;
}

double VectorCycles(const DeviceKernel& kernel, const TpuRates& rates) {
  double cycles = 0;
  for (size_t work = 0; work < kernel.work.size(); ++work) {
    cycles += kernel.work[work] * rates.Column(kernel.kind).work[work];
  }
  return cycles;
}

// The least time of a kernel that walks over tiles with few rows: each result beside the largest takes a part.
double LowTileCycles(const DeviceKernel& kernel, const TpuRates& rates) {
  const bool reduces = kernel.kind == KernelKind::kReduce;
  if (kernel.kind != KernelKind::kLoop && kernel.kind != KernelKind::kLone && !reduces) return 0;
  const bool is_lone = kernel.kind == KernelKind::kLone || !kernel.is_fused;
  const double tile = rates.low_tile[is_lone ? 2 : reduces ? 1 : 0];
  return tile * (kernel.low_tiles + kOtherResult * kernel.other_low_tiles);
}

// A reduction that is not fused reads each register of 16 bits like another single operation.
double LoneReductionCycles(const DeviceKernel& kernel, const TpuRates& rates) {
  if (kernel.kind != KernelKind::kReduce || kernel.is_fused) return 0;
  double registers = 0;
  for (const Access& access : kernel.accesses) {
    if (!access.is_written && access.width <= 2) registers += access.registers;
  }
  return rates.low_tile[2] * registers;
}

double IndexedCycles(const DeviceKernel& kernel, const TpuRates& rates) {
  double bytes = 0;
  for (const Access& access : kernel.accesses) bytes += access.bytes;
  return std::max(bytes, kernel.count * kBytesOfRow) / rates.hbm_bytes;
}

double TileCopyCycles(const DeviceKernel& kernel, const TpuRates& rates) {
  const auto in_fast_memory =
      absl::c_count_if(kernel.accesses, [](const Access& access) { return access.is_fast; });
  return kernel.count * rates.moved_tile[static_cast<size_t>(std::min<int64_t>(2, in_fast_memory))];
}

double LaneCopyCycles(const DeviceKernel& kernel, const TpuRates& rates) {
  const bool is_fast = absl::c_any_of(kernel.accesses, [](const Access& a) { return a.is_fast; });
  return kernel.count * rates.turned_tile[is_fast ? 1 : 0];
}

double SortCycles(const DeviceKernel& kernel) {
  const double steps = std::ceil(std::log2(std::max(2.0, kernel.count)));
  double registers = 0;
  for (const Access& access : kernel.accesses) {
    if (access.is_written) registers += access.registers;
  }
  return registers * steps * (steps + 1) / 2 * kSortCycles;
}

double SecondsOf(double cycles, const TpuRates& rates) { return cycles / rates.cycles_per_s; }

// A kernel that moves data, beside the fixed cost of its steps.
KernelTime TimeOfMove(double fixed_s, double cycles, const TpuRates& rates) {
  KernelTime time;
  time.fixed_s = fixed_s;
  time.memory_s = SecondsOf(cycles, rates);
  time.seconds = time.fixed_s + time.memory_s;
  return time;
}

KernelTime TimeOfScalar(const DeviceKernel&, const TpuRates& rates) {
  KernelTime time;
  time.fixed_s = time.seconds = SecondsOf(kScalarCycles, rates);
  return time;
}

// Beside all else, so it takes no time of its own.
KernelTime TimeOfPrefetch(const DeviceKernel& kernel, const TpuRates& rates) {
  KernelTime time;
  time.memory_s = SecondsOf(MemoryCycles(kernel, rates), rates);
  return time;
}

KernelTime TimeOfCustomCall(const DeviceKernel&, const TpuRates&) {
  KernelTime time;
  time.is_known = false;
  return time;
}

KernelTime TimeOfIndexed(const DeviceKernel& kernel, const TpuRates& rates) {
  return TimeOfMove(SecondsOf(rates.fixed, rates) * kernel.steps, IndexedCycles(kernel, rates),
                    rates);
}

KernelTime TimeOfTileCopy(const DeviceKernel& kernel, const TpuRates& rates) {
  return TimeOfMove(SecondsOf(rates.fixed, rates), TileCopyCycles(kernel, rates), rates);
}

KernelTime TimeOfLaneCopy(const DeviceKernel& kernel, const TpuRates& rates) {
  return TimeOfMove(SecondsOf(rates.fixed, rates), LaneCopyCycles(kernel, rates), rates);
}

KernelTime TimeOfSort(const DeviceKernel& kernel, const TpuRates& rates) {
  KernelTime time;
  time.fixed_s = SecondsOf(rates.fixed, rates);
  time.vector_s = SecondsOf(SortCycles(kernel), rates);
  time.seconds = time.fixed_s + time.vector_s;
  return time;
}

// The cycles of a kernel's products: on the matrix unit, as reductions on the vector unit, and of the longest whose
// operand is widened while it streams.
struct ProductSums {
  double matrix = 0, thin = 0, streamed = 0;
};

ProductSums SumsOfProducts(const DeviceKernel& kernel, const TpuRates& rates) {
  ProductSums sums;
  for (const Product& product : kernel.products) {
    const double cycles = ProductCycles(product, rates);
    const double as_reduction =
        product.multiplies / target::kElementsOfRegister * rates.reduce.work[target::kReduced];
    if (IsOfVectors(product) || (IsThin(product) && as_reduction < cycles)) {
      sums.thin += as_reduction;
      continue;
    }
    sums.matrix += cycles;
    if (!IsWidened(product)) continue;
    sums.streamed = std::max(sums.streamed, cycles + StreamedCycles(kernel, product, rates));
  }
  return sums;
}

// Products hide memory and vector work but for a share.
KernelTime TimeOfTiles(const DeviceKernel& kernel, const TpuRates& rates) {
  const ProductSums products = SumsOfProducts(kernel, rates);
  const double matrix = products.matrix;
  const double memory = MemoryCycles(kernel, rates) - PackedBesideCycles(kernel, rates);
  const double vector = VectorCycles(kernel, rates) + products.thin;
  const double others = memory + vector;
  const double hidden = std::max(others, matrix) + rates.beside_product * std::min(others, matrix);
  const double least = std::max({LowTileCycles(kernel, rates), LoneReductionCycles(kernel, rates),
                                 rates.operation * kernel.work[target::kOperations]});
  KernelTime time;
  time.fixed_s = SecondsOf(rates.fixed, rates);
  time.products_s = SecondsOf(matrix, rates);
  time.vector_s = SecondsOf(vector, rates);
  time.memory_s = SecondsOf(memory, rates);
  time.seconds = SecondsOf(rates.fixed + std::max({hidden, products.streamed, least}), rates);
  return time;
}

// Kernels of other kinds run tile by tile.
constexpr struct {
  KernelKind kind;
  KernelTime (*time)(const DeviceKernel&, const TpuRates&);
} kTimes[] = {
    {KernelKind::kScalar, TimeOfScalar},
    {KernelKind::kPrefetch, TimeOfPrefetch},
    {KernelKind::kCustomCall, TimeOfCustomCall},
    {KernelKind::kIndexed, TimeOfIndexed},
    {KernelKind::kTileCopy, TimeOfTileCopy},
    {KernelKind::kLaneCopy, TimeOfLaneCopy},
    {KernelKind::kSort, TimeOfSort},
};

}  // namespace

KernelTime TimeOnTpu(const DeviceKernel& kernel, const TpuRates& rates) {
  for (const auto& row : kTimes) {
    if (row.kind == kernel.kind) return row.time(kernel, rates);
  }
  return TimeOfTiles(kernel, rates);
}

}  // namespace tessera::cost
