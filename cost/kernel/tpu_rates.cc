#include "tessera/cost/kernel/tpu_rates.h"

#include <algorithm>
#include <iterator>

#include "absl/algorithm/container.h"

namespace tessera::cost {
namespace {

using target::Access;
using target::KernelKind;

// Rows are in the order of TpuRates: eleven figures, then the columns of loops, reductions, products, copies and lone
// operations, then moved tiles. Clocks are the public peak of bf16 by two operations for each multiplication. A
// column has reads and writes of 4, 2 and 1 bytes an element, each in HBM and in the fast memory. Then comes work in
// the order of target::Work: simple, hard, division, reduced, across, moved, spread, joined, windowed. Tested by
// kernel_time_test.cc.
constexpr TpuRates kRates[] = {
    {"tpu-v5e",
     1.5e9,
     128,
     65536,
     1824,
     440,
     546,
     1024,
     1.0,
     0.5,
     0.17,
     {{{{7.1, 4.8}, {3.3, 3.2}, {1.9, 1.9}}},
      {{{11, 5.6}, {14, 11}, {12, 10}}},
      {0.01, 3.4, 0.07, 0.5, 0.3, 0.17, 0.04, 1.7, 8}},
     {{{{9.1, 8.2}, {4.7, 4.3}, {4.7, 4.3}}},
      {{{1.8, 0.54}, {4.3, 1.2}, {6.3, 2.7}}},
      {0.02, 0.35, 0.1, 9.2, 0.24, 0.72, 0.04, 0.33, 1.9}},
     {{{{10, 0.57}, {4.9, 0.53}, {1.9, 0.33}}},
      {{{8.3, 0.94}, {13, 9.1}, {4.3, 4.2}}},
      {0, 0.19, 0.22, 0.13, 0.11, 0.4, 0.05, 0.99, 1.4}},
     {{{{14, 0.3}, {14, 2.3}, {12, 0.3}}},
      {{{14, 0.3}, {12, 0.3}, {23, 0.3}}},
      {0.1, 0.2, 0.2, 0.3, 0.2, 0.02, 0.1, 0.3, 0.3}},
     {{{{6.4, 3.7}, {3.7, 3.7}, {2.3, 2.3}}},
      {{{22, 5}, {27, 22}, {12, 10}}},
      {1.2, 0.2, 0.2, 0.3, 0.2, 1, 0, 0.3, 0.3}},
     {18.4, 14.4, 22.5},
     {13.5, 12},
     {12, 12, 24.5},
     8.8},
    {"tpu-v5p",
     1.75e9,
     128,
     131072,
     2122,
     1365,
     1580,
     1024,
     1.1,
     0.5,
     0.26,
     {{{{2.1, 2.5}, {1.0, 1.2}, {0.88, 0.7}}},
      {{{4.9, 1.6}, {5.7, 3.7}, {4.3, 3.7}}},
      {0.02, 0.6, 0.09, 0.5, 0.3, 1.2, 0.06, 0.56, 8}},
     {{{{2.8, 2.6}, {1.1, 1.2}, {0.75, 0.65}}},
      {{{2.7, 3.3}, {2.1, 1.3}, {4.3, 4.5}}},
      {0.04, 0.17, 0.1, 4.1, 0.09, 0.83, 0.06, 0.55, 3.1}},
     {{{{4.3, 2.1}, {2.2, 0.83}, {0.75, 0.28}}},
      {{{3.4, 1.0}, {4.8, 3.1}, {2.8, 2.8}}},
      {0.01, 0.08, 0.08, 0.09, 0.08, 0.28, 0.02, 0.56, 0.32}},
     {{{{7.8, 1.6}, {7.1, 1.5}, {0.75, 0.3}}},
      {{{3.2, 1.0}, {3.1, 3.1}, {3.6, 2.8}}},
      {0.1, 0.2, 0.2, 0.3, 0.2, 0.96, 0.1, 0.3, 0.3}},
     {{{{2.3, 3.3}, {1.1, 1.6}, {0.75, 0.3}}},
      {{{10, 11}, {13, 11}, {4.3, 3.7}}},
      {0.06, 0.2, 0.2, 0.3, 0.2, 1, 0.14, 0.3, 0.3}},
     {7.2, 6.0, 11},
     {6.0, 5.3},
     {4.9, 9.7, 12.2},
     3.2,
     0.25,
     1},
    {"tpu-v6e",
     1.75e9,
     256,
     262144,
     2120,
     830,
     937,
     1536,
     0.93,
     0.75,
     0.66,
     {{{{4.4, 0.17}, {2.7, 0.44}, {2.7, 1.1}}},
      {{{4.9, 1.6}, {6.9, 4.5}, {6.4, 5.7}}},
      {0.02, 0.66, 0.15, 0.5, 0.3, 1.2, 0.14, 0.65, 8}},
     {{{{5.0, 1.1}, {2.4, 0.62}, {1.2, 1.4}}},
      {{{1.6, 3.4}, {1.5, 0.11}, {6.5, 6.5}}},
      {0.01, 0.65, 0.1, 5.2, 0.19, 1.5, 0.07, 0.34, 1.3}},
     {{{{4.2, 0.38}, {2.4, 0.33}, {1.0, 0.32}}},
      {{{0.45, 0.18}, {4.2, 0.1}, {3.2, 3.2}}},
      {0.07, 0.19, 0.18, 0.07, 0.06, 0.07, 0.06, 0.28, 1.3}},
     {{{{3.0, 0.3}, {10, 0.3}, {1.2, 0.3}}},
      {{{11, 0.3}, {8.8, 0.3}, {8.0, 3.2}}},
      {0.1, 0.2, 0.2, 0.3, 0.2, 0.02, 0.1, 0.3, 0.3}},
     {{{{5.3, 0.35}, {4.3, 0.54}, {1.2, 0.3}}},
      {{{19, 20}, {22, 17}, {6.4, 5.7}}},
      {0.05, 0.2, 0.2, 0.3, 0.2, 1, 0.02, 0.3, 0.3}},
     {10.8, 8.2, 20.9},
     {10.2, 10.2},
     {6.6, 6.6, 20.5},
     5.8,
     0.25,
     2,
     true},
};

size_t WidthRow(double width) { return width > 2 ? 0 : width > 1 ? 1 : 2; }

}  // namespace

const TpuColumn& TpuRates::Column(KernelKind kind) const {
  switch (kind) {
    case KernelKind::kReduce:
      return reduce;
    case KernelKind::kDot:
    case KernelKind::kConvolution:
      return products;
    case KernelKind::kCopy:
      return copy;
    case KernelKind::kLone:
      return lone;
    default:
      return loop;
  }
}

absl::Span<const TpuRates> AllTpuRates() { return kRates; }

const TpuRates* TpuRatesOf(absl::string_view chip) {
  const auto row =
      absl::c_find_if(kRates, [chip](const TpuRates& candidate) { return candidate.chip == chip; });
  return row == std::end(kRates) ? nullptr : row;
}

double AccessCycles(const TpuColumn& column, const Access& access) {
  const TpuColumn::Accesses& rates = access.is_written ? column.written : column.read;
  // Wider elements are as many registers more.
  const double parts = std::max(1.0, access.width / 4);
  return parts * access.registers * rates[WidthRow(access.width)][access.is_fast ? 1 : 0];
}

}  // namespace tessera::cost
