#include "tessera/cost/memory/gpu_latencies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"

namespace tessera::cost {
namespace {

using hlo::Opcode;

constexpr int kFirstPower = 10;  // 1 KiB
constexpr size_t kPowers = 21;   // up to 1 GiB
using Micros = std::array<double, kPowers>;

struct MessageRow {
  Opcode opcode;
  int64_t devices;
  Micros micros;  // of powers of two of bytes
};

constexpr MessageRow kRows[] = {
    {Opcode::kAllGather, 2, {55.07, 15.2,  19.55, 11.55, 11.65, 11.65, 11.84,
                             16.64, 12.64, 14.91, 17.54, 25.57, 30.66, 40.22,
                             60.35, 96.45, 161.1, 295.4, 549.3, 1049,  1997}},
    {Opcode::kAllGather, 4, {64.51, 19.55, 18.14, 29.73, 14.11, 13.98, 13.86,
                             18.05, 20.61, 16.32, 20.48, 28.58, 42.18, 56.7,
                             69.98, 113.3, 195.8, 350.1, 666.3, 1268,  2473}},
    {Opcode::kAllGather, 8, {31.94, 35.04, 29.09, 50.4,  30.78, 18.43, 18.59,
                             29.54, 32.96, 19.1,  31.14, 31.65, 47.14, 65.06,
                             82.24, 129.4, 213.6, 390.2, 729.3, 1392,  2730}},
    {Opcode::kReduceScatter, 2, {86.5,  13.28, 11.97, 11.3,  14.34, 37.76, 18.18,
                                 18.88, 29.34, 20.13, 15.71, 30.72, 31.71, 42.69,
                                 68.03, 126.1, 220.9, 406.3, 772.7, 1468,  2756}},
    {Opcode::kReduceScatter, 4, {36.26, 39.39, 25.57, 23.87, 30.5,  45.38, 14.53,
                                 36.38, 15.39, 28.7,  29.12, 22.53, 42.43, 54.75,
                                 69.79, 123.6, 224.4, 404.4, 774.1, 1490,  2892}},
    {Opcode::kReduceScatter, 8, {21.38, 37.09, 29.98, 29.5,  32.93, 39.84, 37.66,
                                 22.37, 28.58, 41.34, 20.45, 34.4,  35.65, 59.3,
                                 86.59, 133.5, 218.6, 411.5, 771.1, 1496,  2921}},
    {Opcode::kAllToAll, 2, {134.3, 30.78, 58.21, 15.26, 21.66, 45.95, 17.34,
                            24.74, 43.9,  18.98, 36.19, 48.96, 55.84, 47.3,
                            79.39, 105.5, 169.5, 308,   517.1, 960.6, 1721}},
    {Opcode::kAllToAll, 4, {136.7, 22.69, 26.14, 29.25, 41.63, 29.54, 30.24,
                            32.16, 37.92, 37.92, 34.18, 35.84, 53.06, 78.66,
                            87.68, 135.7, 232.6, 358,   670.7, 1272,  2384}},
    {Opcode::kAllToAll, 8, {96.86, 38.14, 40.38, 32.61, 32.51, 65.02, 23.71,
                            36.42, 25.41, 60.61, 54.88, 25.09, 37.41, 70.85,
                            105.6, 132.5, 218.7, 412.6, 759,   1461,  2797}},
    {Opcode::kAllReduce, 2, {122.7, 16.77, 18.46, 32.16, 24.22, 14.34, 15.23,
                             16.77, 16.35, 19.33, 20.96, 44.13, 43.14, 72.9,
                             101.1, 187.8, 330.3, 620.8, 1181,  2309,  4433}},
    {Opcode::kAllReduce, 4, {74.27, 22.62, 32.1,  35.78, 31.52, 23.39, 18.05,
                             26.05, 20,    42.53, 43.46, 59.14, 59.17, 84.99,
                             152.8, 218.2, 394.7, 738.2, 1420,  2777,  5415}},
    {Opcode::kAllReduce, 8, {49.31, 35.97, 32.51, 32.26, 34.72, 37.66, 39.71,
                             39.84, 26.18, 41.63, 51.94, 57.28, 68.67, 104.7,
                             145.3, 225.9, 379.8, 670.1, 1262,  2432,  4721}},
};

// Of permutes, by Exchange, for any number of devices.
constexpr Micros kPermutes[] = {
    {11.89, 11.94, 12.24, 12.26, 12.33, 13.01, 13.46, 19.17, 23.41, 33.06, 31.06,
     37.53, 54.24, 86.52, 153.1, 298,   580.5, 650,   1018,  1994,  3962},
    {11.76, 11.73, 11.62, 12.46, 12.75, 12.72, 13.91, 16.68, 20.92, 29.67, 32.33,
     44.7,  60.18, 92.66, 162.6, 301,   573.3, 942.1, 1096,  1873,  3697},
    {11.28, 11.22, 11.96, 12.79, 13.19, 13.11, 14.7,  17.66, 26.88, 40.1, 35.2,
     50.95, 72.77, 128.5, 237.9, 451.9, 877.3, 929.4, 1074,  1880,  3706},
};

// The next row of the opcode with as many devices, or the last one.
const MessageRow& RowOf(Opcode opcode, int64_t devices) {
  const MessageRow* found = nullptr;
  for (const MessageRow& row : kRows) {
    if (row.opcode != opcode) continue;
    found = &row;
    if (row.devices >= devices) break;
  }
  return found == nullptr ? RowOf(Opcode::kAllReduce, devices) : *found;
}

// As many bytes a second as the nearest power of two, the larger one of two that are as near.
double At(const Micros& micros, double bytes) {
  size_t k = 0;
  while (k + 1 < kPowers && bytes >= 1.5 * std::exp2(kFirstPower + k)) ++k;
  return micros[k] * bytes / std::exp2(kFirstPower + k);
}

// A sum by a kernel: of the first kind each device reads all others' arrays, of the second its part of them.
struct OwnKernelRow {
  int64_t devices;
  double one_shot, two_shot;  // microseconds a KiB
};
constexpr OwnKernelRow kOwnKernels[] = {
    {2, 3.459e-3, 3.455e-3}, {4, 9.144e-3, 4.878e-3}, {8, 20.52e-3, 5.587e-3}};
constexpr double kOneShotStart = 2.5, kTwoShotStart = 4, kOneShotKibOfAll = 2048;

struct ProductRate {
  double start, flops_per_micro, bytes_per_micro;
};
constexpr ProductRate kNarrow = {5.5, 900e6, 10e6}, kWide = {7, 520e6, 3e6};
constexpr double kShortest = 256, kLongest = 4096, kLargestBatch = 4;

}  // namespace

double ProductMicros(const target::Product& product, double result_width) {
  const bool is_uniform = product.width == result_width;
  // XLA has no row for mixed types: it takes three lengths in bytes for lengths of bfloat16s, and counts as many operations.
  const double longer = is_uniform ? 1 : result_width / 2;
  const double m = std::clamp(product.m * longer, kShortest, kLongest);
  const double n = std::clamp(product.n * longer, kShortest, kLongest);
  const double k = std::clamp(product.k * longer, kShortest, kLongest);
  const double batch = std::min(product.batch, kLargestBatch);
  const ProductRate& rate = is_uniform && product.width > 2 ? kWide : kNarrow;
  const double width = is_uniform ? product.width : 2;
  const double bytes = batch * width * (m * k + k * n + m * n);
  const double flops = 2 * batch * m * n * k;
  const double micros = rate.start + flops / rate.flops_per_micro + bytes / rate.bytes_per_micro;
  const double counted = is_uniform ? 1 : result_width * result_width * result_width;
  return micros * 2 * product.multiplies * counted / flops;
}

double MessageMicros(Opcode opcode, double bytes, int64_t devices) {
  return At(RowOf(opcode, devices).micros, bytes);
}

Exchange ExchangeOf(absl::Span<const std::pair<int64_t, int64_t>> pairs) {
  const absl::flat_hash_set<std::pair<int64_t, int64_t>> all(pairs.begin(), pairs.end());
  absl::flat_hash_set<int64_t> sources;
  for (const auto& [source, target] : pairs) sources.insert(source);
  const auto sends_on = [&](const auto& pair) { return sources.contains(pair.second); };
  const auto is_answered = [&](const auto& pair) {
    return all.contains(std::make_pair(pair.second, pair.first));
  };
  if (absl::c_none_of(pairs, sends_on)) return Exchange::kOneWay;
  return absl::c_all_of(pairs, is_answered) ? Exchange::kMutual : Exchange::kOther;
}

double PermuteMicros(Exchange exchange, double bytes) {
  return At(kPermutes[static_cast<size_t>(exchange)], bytes);
}

double OwnKernelMicros(double bytes, int64_t devices) {
  const auto* const row =
      absl::c_find_if(kOwnKernels, [&](const OwnKernelRow& one) { return one.devices >= devices; });
  const OwnKernelRow& found = row == std::end(kOwnKernels) ? kOwnKernels[2] : *row;
  const double kib = bytes / 1024;
  return kib * found.devices <= kOneShotKibOfAll ? kOneShotStart + kib * found.one_shot
                                                 : kTwoShotStart + kib * found.two_shot;
}

}  // namespace tessera::cost
