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

double ProductCycles(const Product& p, const TpuRates& rates) {
  const double type = p.is_integer && p.width <= 1 ? rates.integer : 1;
  return rates.product * type * p.passes * p.multiplies * PaddingOf(p, rates.edge) /
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

}  // namespace

KernelTime TimeOnTpu(const DeviceKernel& kernel, const TpuRates& rates) {
  KernelTime time;
  const auto seconds = [&](double cycles) { return cycles / rates.cycles_per_s; };
  time.fixed_s = seconds(rates.fixed);
  switch (kernel.kind) {
    case KernelKind::kScalar:
      time.fixed_s = time.seconds = seconds(kScalarCycles);
      return time;
    case KernelKind::kPrefetch:
      time.fixed_s = 0;
      time.memory_s = seconds(MemoryCycles(kernel, rates));
      return time;  // beside all else
    case KernelKind::kCustomCall:
      time.is_known = false;
      time.fixed_s = 0;
      return time;
    case KernelKind::kIndexed:
      time.fixed_s *= kernel.steps;
      time.memory_s = seconds(IndexedCycles(kernel, rates));
      time.seconds = time.fixed_s + time.memory_s;
      return time;
    case KernelKind::kTileCopy:
    case KernelKind::kLaneCopy:
      time.memory_s = seconds(kernel.kind == KernelKind::kTileCopy ? TileCopyCycles(kernel, rates)
                                                                   : LaneCopyCycles(kernel, rates));
      time.seconds = time.fixed_s + time.memory_s;
      return time;
    case KernelKind::kSort:
      time.vector_s = seconds(SortCycles(kernel));
      time.seconds = time.fixed_s + time.vector_s;
      return time;
    default:
      break;
  }
  double matrix = 0, thin = 0, streamed = 0;
  for (const Product& product : kernel.products) {
    const double cycles = ProductCycles(product, rates);
    const double as_reduction =
        product.multiplies / target::kElementsOfRegister * rates.reduce.work[target::kReduced];
    if (IsOfVectors(product) || (IsThin(product) && as_reduction < cycles)) {
      thin += as_reduction;
    } else {
      matrix += cycles;
      if (IsWidened(product)) {
        streamed = std::max(streamed, cycles + StreamedCycles(kernel, product, rates));
      }
    }
  }
  const double memory = MemoryCycles(kernel, rates) - PackedBesideCycles(kernel, rates);
  const double vector = VectorCycles(kernel, rates) + thin;
  const double others = memory + vector;
  time.products_s = seconds(matrix);
  time.vector_s = seconds(vector);
  time.memory_s = seconds(memory);
  const double hidden = std::max(others, matrix) + rates.beside_product * std::min(others, matrix);
  const double least = std::max({LowTileCycles(kernel, rates), LoneReductionCycles(kernel, rates),
                                 rates.operation * kernel.work[target::kOperations]});
  time.seconds = seconds(rates.fixed + std::max({hidden, streamed, least}));
  return time;
}

}  // namespace tessera::cost
