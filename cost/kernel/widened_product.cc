#include "tessera/cost/kernel/widened_product.h"

#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"

namespace tessera::cost {
namespace {

using target::Access;
using target::DeviceKernel;
using target::Factor;
using target::Product;

constexpr double kWidened = 1.2;
constexpr double kResidentBytes = 4 << 20;  // of one factor that stays while the other passes by

bool IsWide(const Factor& factor) { return factor.from_memory > kWidened * factor.bytes; }

// How often the other factor is read where `factor` stays in parts.
double Parts(const Factor& factor, const Product& product) {
  return std::ceil(factor.from_memory / product.batch / kResidentBytes);
}

double BytesRead(const Product& product, double window) {
  const Factor& left = product.factors[0];
  const Factor& right = product.factors[1];
  return std::min({left.from_memory * std::ceil(product.n / window) +
                       right.from_memory * std::ceil(product.m / window),
                   left.from_memory + right.from_memory * Parts(left, product),
                   left.from_memory * Parts(right, product) + right.from_memory});
}

}  // namespace

bool IsWidened(const Product& product) {
  const auto is_read = [](const Factor& factor) { return factor.from_memory > 0; };
  return !product.is_window && absl::c_any_of(product.factors, IsWide) &&
         absl::c_all_of(product.factors, is_read);
}

double StreamedCycles(const DeviceKernel& kernel, const Product& product, const TpuRates& rates) {
  double bytes = BytesRead(product, rates.window);
  for (const Factor& factor : product.factors) bytes -= factor.from_memory;
  for (const Access& access : kernel.accesses) {
    if (!access.is_fast) bytes += access.bytes;
  }
  return bytes / rates.streamed_bytes;
}

}  // namespace tessera::cost
