#include "tessera/layout/relayout/kernels/kernels.h"

#include "tessera/layout/relayout/kernels/kernels_x86.h"

namespace tessera::layout::relayout {
namespace {

int Log2(int64_t value) {
  for (int i = 0; i < 8; ++i) {
    if (value == int64_t{1} << i) return i;
  }
  return -1;
}

}  // namespace

int WidthPlace(int64_t width) {
  const int place = Log2(width);
  return place < kWidths ? place : -1;
}

int FactorPlace(int64_t factor) {
  const int place = Log2(factor) - 1;
  return place >= 0 && place < kFactors ? place : -1;
}

std::vector<const Kernels*> AllKernels() {
  std::vector<const Kernels*> all = {&ScalarKernels()};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("ssse3")) all.push_back(&Ssse3Kernels());
  if (__builtin_cpu_supports("avx2")) all.push_back(&Avx2Kernels());
  if (__builtin_cpu_supports("avx512bw")) all.push_back(&Avx512Kernels());
#endif
  return all;
}

const Kernels& KernelsOfThisCpu() {
  static const Kernels* const best = AllKernels().back();
  return *best;
}

}  // namespace tessera::layout::relayout
