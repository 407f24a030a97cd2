#include "tessera/cost/memory/gpu_latencies.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/algorithm/container.h"

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
    {Opcode::kAllGather, 2, {15.2, 15.2, 19.6, 11.6, 11.6, 11.6, 11.8, 16.6, 12.6, 14.9, 17.5,
                             25.6, 30.7, 40.2, 60.4, 96.4, 161,  295,  549,  1049, 1997}},
    {Opcode::kAllGather, 4, {18.1, 18.1, 18.1, 29.7, 14.1, 14,  13.9, 18,  20.6, 16.3, 20.5,
                             28.6, 42.2, 56.7, 70,   113,  196, 350,  666, 1268, 2473}},
    {Opcode::kAllGather, 8, {50.4, 50.4, 50.4, 50.4, 30.8, 18.4, 18.6, 29.5, 33,   19.1, 31.1,
                             31.6, 47.1, 65.1, 82.2, 129,  214,  390,  729,  1392, 2730}},
    {Opcode::kReduceScatter, 2, {86.5, 13.3, 12,   11.3, 14.3, 37.8, 18.2, 18.9, 29.3, 20.1, 15.7,
                                 30.7, 31.7, 42.7, 68,   126,  221,  406,  773,  1468, 2756}},
    {Opcode::kReduceScatter, 4, {36.3, 39.4, 25.6, 23.9, 30.5, 45.4, 14.5, 36.4, 15.4, 28.7, 29.1,
                                 22.5, 42.4, 54.8, 69.8, 124,  224,  404,  774,  1490, 2892}},
    {Opcode::kReduceScatter, 8, {21.4, 37.1, 30,   29.5, 32.9, 39.8, 37.7, 22.4, 28.6, 41.3, 20.4,
                                 34.4, 35.6, 59.3, 86.6, 134,  219,  412,  771,  1496, 2921}},
    {Opcode::kAllToAll, 2, {134, 30.8, 58.2, 15.3, 21.7, 46,  17.3, 24.7, 43.9, 19,  36.2,
                            49,  55.8, 47.3, 79.4, 106,  170, 308,  517,  961,  1721}},
    {Opcode::kAllToAll, 4, {137,  22.7, 26.1, 29.2, 41.6, 29.5, 30.2, 32.2, 37.9, 37.9, 34.2,
                            35.8, 53.1, 78.7, 87.7, 136,  233,  358,  671,  1272, 2384}},
    {Opcode::kAllToAll, 8, {96.9, 38.1, 40.4, 32.6, 32.5, 65,  23.7, 36.4, 25.4, 60.6, 54.9,
                            25.1, 37.4, 70.8, 106,  133,  219, 413,  759,  1461, 2797}},
    {Opcode::kAllReduce, 2, {123,  16.8, 18.5, 32.2, 24.2, 14.3, 15.2, 16.8, 16.4, 19.3, 21,
                             44.1, 43.1, 72.9, 101,  188,  330,  621,  1181, 2265, 4433}},
    {Opcode::kAllReduce, 4, {74.3, 22.6, 32.1, 35.8, 31.5, 23.4, 18,  26,   20,   42.5, 43.5,
                             59.1, 59.2, 85,   153,  218,  395,  738, 1420, 2752, 5415}},
    {Opcode::kAllReduce, 8, {49.3, 36,   32.5, 32.3, 34.7, 37.7, 39.7, 39.8, 26.2, 41.6, 51.9,
                             57.3, 68.7, 105,  145,  226,  380,  670,  1262, 2415, 4721}},
};

// The same for any number of devices.
constexpr double kPermuteStart = 11.5, kPermuteBytesPerMicro = 290e3;

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

// Straight lines between powers of two; beyond them as many bytes a second as at the last one.
double At(const Micros& micros, double bytes) {
  const double power = std::log2(std::max(bytes, 1.0)) - kFirstPower;
  if (power <= 0) return micros.front();
  if (power >= kPowers - 1) return micros.back() * std::exp2(power - (kPowers - 1));
  const auto k = static_cast<size_t>(power);
  const double share = std::exp2(power - std::floor(power)) - 1;
  return micros[k] + (micros[k + 1] - micros[k]) * share;
}

// A sum by a kernel: of the first kind each device reads all others' arrays, of the second its part of them.
struct OwnKernelRow {
  int64_t devices;
  double one_shot, two_shot;  // microseconds a KiB
};
constexpr OwnKernelRow kOwnKernels[] = {
    {2, 3.459e-3, 3.455e-3}, {4, 9.144e-3, 4.878e-3}, {8, 20.52e-3, 5.587e-3}};
constexpr double kOneShotStart = 2.5, kTwoShotStart = 4, kOneShotKib = 256;

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
  if (opcode == Opcode::kCollectivePermute) return kPermuteStart + bytes / kPermuteBytesPerMicro;
  return At(RowOf(opcode, devices).micros, bytes);
}

double OwnKernelMicros(double bytes, int64_t devices) {
  const auto* const row =
      absl::c_find_if(kOwnKernels, [&](const OwnKernelRow& one) { return one.devices >= devices; });
  const OwnKernelRow& found = row == std::end(kOwnKernels) ? kOwnKernels[2] : *row;
  const double kib = bytes / 1024;
  return kib <= kOneShotKib ? kOneShotStart + kib * found.one_shot
                            : kTwoShotStart + kib * found.two_shot;
}

}  // namespace tessera::cost
