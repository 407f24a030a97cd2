// The engine beside memcpy, a copy around the caches, oneDNN's reorder and a plain blocked
// transposition, in one run and in turns; prints one line a case. See docs/relayout.md.
//
//   relayout_benchmark            all cases
//   relayout_benchmark T          those whose names begin with T

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dnnl.hpp"
#include "tessera/layout/relayout/benchmark_cases.h"
#include "tessera/layout/relayout/kernels.h"
#include "tessera/layout/relayout/plan.h"
#include "tessera/layout/shape_text.h"

namespace tessera::layout::relayout {
namespace {

constexpr double kSecondsEach = 0.03;  // at least this long for each way of each case
constexpr int64_t kCacheBytes = 1 << 20;
constexpr int kLeastRuns = 3;

using Work = std::function<void()>;

struct Free {
  void operator()(uint8_t* p) const { std::free(p); }
};
using Buffer = std::unique_ptr<uint8_t, Free>;

Buffer MakeBuffer(int64_t bytes) {
  Buffer buffer(static_cast<uint8_t*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096)));
  std::memset(buffer.get(), 1, bytes);
  return buffer;
}

double Seconds(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The median time of each way; they take turns, so that a busy machine is fair to all. Where all
// fits into the caches, each way finds there what it left itself, not what the way before did.
std::vector<double> Medians(const std::vector<Work>& ways, bool warm) {
  std::vector<std::vector<double>> times(ways.size());
  for (const Work& work : ways) {
    if (work) work();
  }
  double total = 0;
  while (total < kSecondsEach * ways.size() || times[0].size() < kLeastRuns) {
    for (size_t i = 0; i < ways.size(); ++i) {
      if (!ways[i]) continue;
      if (warm) ways[i]();
      total += times[i].emplace_back(Seconds(ways[i]));
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& of : times) {
    std::sort(of.begin(), of.end());
    medians.push_back(of.empty() ? 0 : of[of.size() / 2]);
  }
  return medians;
}

// Source strides of the destination's dimensions, most major first, for untiled arrays.
struct Strided {
  std::vector<int64_t> dims;
  std::vector<int64_t> src;
};

Strided StridedOf(const BenchmarkCase& c, const Shape& src) {
  Strided strided;
  std::vector<int64_t> strides(src.rank(), 1);
  for (int64_t i = src.rank() - 1; i-- > 0;) strides[i] = strides[i + 1] * src.dim(i + 1);
  for (const int64_t dim : c.perm) {
    strided.dims.push_back(src.dim(dim));
    strided.src.push_back(strides[dim]);
  }
  return strided;
}

// What one writes in five minutes: loops over the destination, its last dimension and the one that
// is last in the source in blocks of 32.
template <typename T>
void BlockedTranspose(const Strided& s, size_t depth, const T* src, T* dst, int64_t dst_size) {
  const size_t last = s.dims.size() - 1;
  const int64_t rest = dst_size / s.dims[depth];
  if (depth + 1 < last && s.src[depth] != 1) {
    for (int64_t i = 0; i < s.dims[depth]; ++i) {
      BlockedTranspose(s, depth + 1, src + i * s.src[depth], dst + i * rest, rest);
    }
    return;
  }
  if (depth + 1 < last) {  // the source's last dimension lies further out
    for (int64_t b = 0; b < s.dims[depth]; b += 32) {
      const int64_t end = std::min(b + 32, s.dims[depth]);
      for (int64_t i = b; i < end; ++i) {
        BlockedTranspose(s, depth + 1, src + i * s.src[depth], dst + i * rest, rest);
      }
    }
    return;
  }
  for (int64_t bi = 0; bi < s.dims[depth]; bi += 32) {
    for (int64_t bj = 0; bj < s.dims[last]; bj += 32) {
      for (int64_t i = bi; i < std::min(bi + 32, s.dims[depth]); ++i) {
        for (int64_t j = bj; j < std::min(bj + 32, s.dims[last]); ++j) {
          dst[i * s.dims[last] + j] = src[i * s.src[depth] + j * s.src[last]];
        }
      }
    }
  }
}

Work BlockedWork(const BenchmarkCase& c, const Shape& src, int64_t bits, const uint8_t* from,
                 uint8_t* to) {
  if (c.perm.size() < 2) return nullptr;
  const Strided s = StridedOf(c, src);
  const int64_t size = *src.NumElements();
  if (bits == 8) return [=] { BlockedTranspose<uint8_t>(s, 0, from, to, size); };
  return [=] {
    BlockedTranspose<uint32_t>(s, 0, reinterpret_cast<const uint32_t*>(from),
                               reinterpret_cast<uint32_t*>(to), size);
  };
}

// oneDNN, for the permutations of untiled arrays.
Work OneDnnWork(const BenchmarkCase& c, const Shape& src, int64_t bits, uint8_t* from,
                uint8_t* to) {
  if (c.perm.size() < 2) return nullptr;
  using dnnl::memory;
  const auto type = bits == 8 ? memory::data_type::u8 : memory::data_type::f32;
  const Strided s = StridedOf(c, src);
  std::vector<int64_t> dense(s.dims.size(), 1);
  for (size_t i = s.dims.size() - 1; i-- > 0;) dense[i] = dense[i + 1] * s.dims[i + 1];
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  static const auto stream = std::make_shared<dnnl::stream>(engine);
  auto a = std::make_shared<memory>(memory::desc(s.dims, type, s.src), engine, from);
  auto b = std::make_shared<memory>(memory::desc(s.dims, type, dense), engine, to);
  auto reorder = std::make_shared<dnnl::reorder>(*a, *b);
  return [=] {
    reorder->execute(*stream, *a, *b);
    stream->wait();
  };
}

void RunCase(const BenchmarkCase& c, double* log_sum, int* count) {
  const Shape src = *ParseShape(c.src), dst = *ParseShape(c.dst);
  Options options;
  options.perm = c.perm;
  const auto begin = std::chrono::steady_clock::now();
  const Plan plan = *Plan::Create(src, dst, options);
  const std::chrono::duration<double> planned = std::chrono::steady_clock::now() - begin;
  const int64_t bytes = c.touched > 0 ? c.touched : plan.data_bytes();
  const Buffer from = MakeBuffer(std::max(bytes, plan.src_bytes()));
  const Buffer to = MakeBuffer(std::max(bytes, plan.dst_bytes()));
  const int64_t bits = 8 * plan.data_bytes() / *src.NumElements();
  const Kernels& kernels = KernelsOfThisCpu();
  const std::vector<double> t = Medians({
                                            [&] { std::memcpy(to.get(), from.get(), bytes); },
                                            [&] {
                                              kernels.copy(from.get(), to.get(), bytes, true);
                                              kernels.fence();
                                            },
                                            [&] { plan.Run(from.get(), to.get()); },
                                            BlockedWork(c, src, bits, from.get(), to.get()),
                                            OneDnnWork(c, src, bits, from.get(), to.get()),
                                        },
                                        bytes <= kCacheBytes);
  std::printf(
      "| %s | %s | %.1f | %.2f | %.2f | %s | %s | %.1f |\n", c.name, c.what, 1e-9 * bytes / t[0],
      t[0] / t[2], t[1] / t[2], t[3] > 0 ? std::to_string(t[0] / t[3]).substr(0, 4).c_str() : "",
      t[4] > 0 ? std::to_string(t[0] / t[4]).substr(0, 4).c_str() : "", 1e6 * planned.count());
  std::fflush(stdout);
  if (c.bar > 0) {
    *log_sum += std::log(t[0] / t[2] / c.bar);
    ++*count;
  }
}

}  // namespace
}  // namespace tessera::layout::relayout

int main(int argc, char** argv) {
  using namespace tessera::layout::relayout;
  const std::string wanted = argc > 1 ? argv[1] : "";
  double log_sum = 0;
  int count = 0;
  std::printf(
      "| case | what | memcpy GB/s | engine / memcpy | engine / streaming copy | blocked |"
      " oneDNN | plan us |\n|---|---|---|---|---|---|---|---|\n");
  for (const BenchmarkCase& c : BenchmarkCases()) {
    if (std::string(c.name).compare(0, wanted.size(), wanted) == 0) RunCase(c, &log_sum, &count);
  }
  if (count > 0)
    std::printf("\ngeometric mean over TransposePlan: %.2f\n", std::exp(log_sum / count));
  return 0;
}
