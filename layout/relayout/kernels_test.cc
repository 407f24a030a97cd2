#include "tessera/layout/relayout/kernels.h"

#include <vector>

#include "gtest/gtest.h"

namespace tessera::layout::relayout {
namespace {

constexpr int64_t kRows = 70, kColumns = 37, kStride = 640;
using Bytes = std::vector<uint8_t>;

Bytes Noise(size_t size) {
  Bytes bytes(size);
  uint32_t seed = 7;
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>((seed = seed * 1664525u + 13u) >> 24);
  return bytes;
}

Bytes Transposed(const Kernels& kernels, int place, bool stream) {
  const Bytes src = Noise(kRows * kStride);
  Bytes dst(kColumns * kStride + 64, 0);
  std::vector<int64_t> places;
  for (int64_t i = 0; i < kRows; ++i) places.push_back(i * kStride);
  uint8_t* const aligned = dst.data() + 63 - (reinterpret_cast<uint64_t>(dst.data()) + 63) % 64;
  kernels.transpose[place]({src.data(), places.data(), aligned, places.data()}, kRows, kColumns,
                           stream);
  kernels.fence();
  return Bytes(aligned, aligned + kColumns * kStride);
}

TEST(KernelsTest, AllGiveWhatPlainLoopsGive) {
  for (const Kernels* kernels : AllKernels()) {
    for (int place = 0; place < kWidths; ++place) {
      const Bytes expected = Transposed(ScalarKernels(), place, false);
      EXPECT_EQ(Transposed(*kernels, place, false), expected) << kernels->name << place;
      EXPECT_EQ(Transposed(*kernels, place, true), expected) << kernels->name << place;
    }
  }
}

TEST(KernelsTest, ZipAndUnzip) {
  constexpr int64_t kCount = 37;
  const Bytes src = Noise(8 * kStride);
  for (const Kernels* kernels : AllKernels()) {
    for (int place = 0; place < kWidths; ++place) {
      for (int factor = 0; factor < kFactors; ++factor) {
        Bytes zipped(8 * kStride, 0), expected = zipped, back = zipped, plain = zipped;
        kernels->zip[place][factor](src.data(), kStride, zipped.data(), kCount, false);
        ScalarKernels().zip[place][factor](src.data(), kStride, expected.data(), kCount, false);
        EXPECT_EQ(zipped, expected) << kernels->name;
        kernels->unzip[place][factor](src.data(), back.data(), kStride, kCount, false);
        ScalarKernels().unzip[place][factor](src.data(), plain.data(), kStride, kCount, false);
        EXPECT_EQ(back, plain) << kernels->name;
      }
    }
  }
}

}  // namespace
}  // namespace tessera::layout::relayout
