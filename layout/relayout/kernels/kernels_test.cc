// Every table of every vector unit against the plain loops.

#include "tessera/layout/relayout/kernels/kernels.h"

#include <string>
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

std::vector<int64_t> Places(int64_t count) {
  std::vector<int64_t> places;
  for (int64_t i = 0; i < count; ++i) places.push_back(i * kStride);
  return places;
}

// Turns the bytes of elements of 2^place bytes around.
std::vector<uint8_t> TurnedBytes(int place) {
  std::vector<uint8_t> shuffle;
  for (int b = 0; b < 16; ++b) shuffle.push_back(static_cast<uint8_t>(b ^ ((1 << place) - 1)));
  return shuffle;
}

Bytes Transposed(const Kernels& kernels, int place, bool stream, const uint8_t* shuffle = nullptr) {
  const int64_t size = kColumns * 2 * kStride;
  const Bytes src = Noise(kRows * kStride);
  Bytes dst(size + 64, 0);
  const std::vector<int64_t> from = Places(kRows);
  std::vector<int64_t> to;
  for (int64_t j = 0; j < kColumns; ++j) to.push_back(j * 2 * kStride);
  uint8_t* const aligned = dst.data() + 63 - (reinterpret_cast<uint64_t>(dst.data()) + 63) % 64;
  kernels.transpose[place]({src.data(), from.data(), aligned, to.data(), shuffle}, kRows, kColumns,
                           stream);
  kernels.fence();
  return Bytes(aligned, aligned + size);
}

TEST(KernelsTest, AllGiveWhatPlainLoopsGive) {
  for (const Kernels* kernels : AllKernels()) {
    for (int place = 0; place < kWidths; ++place) {
      const Bytes expected = Transposed(ScalarKernels(), place, false);
      EXPECT_EQ(Transposed(*kernels, place, false), expected) << kernels->name << place;
      EXPECT_EQ(Transposed(*kernels, place, true), expected) << kernels->name << place;
      const std::vector<uint8_t> turned = TurnedBytes(place);
      EXPECT_EQ(Transposed(*kernels, place, false, turned.data()),
                Transposed(ScalarKernels(), place, false, turned.data()))
          << kernels->name << place;
    }
  }
}

TEST(KernelsTest, ZipAndUnzip) {
  constexpr int64_t kCount = 77;
  const Bytes src = Noise(8 * kStride);
  for (const Kernels* kernels : AllKernels()) {
    for (int place = 0; place < kZipWidths; ++place) {
      for (int factor = 0; factor < kFactors; ++factor) {
        Bytes zipped(8 * kStride, 0), expected = zipped, back = zipped, plain = zipped;
        kernels->zip[place][factor](src.data(), kStride, zipped.data(), kCount, false);
        ScalarKernels().zip[place][factor](src.data(), kStride, expected.data(), kCount, false);
        EXPECT_EQ(zipped, expected) << kernels->name << place << factor;
        kernels->unzip[place][factor](src.data(), back.data(), kStride, kCount, false);
        ScalarKernels().unzip[place][factor](src.data(), plain.data(), kStride, kCount, false);
        EXPECT_EQ(back, plain) << kernels->name << place << factor;
      }
    }
  }
}

// Every way to stage a line, all elements at once.
std::vector<Staging> AllStagings() {
  std::vector<Staging> all;
  for (int64_t width = 1; width <= 8; width *= 2) {
    for (int64_t factor = 2; factor <= 8 && width * factor <= 16; factor *= 2) {
      Staging& every = all.emplace_back();
      every.kind = StageKind::kEvery;
      every.width = width;
      every.step = width * factor;
    }
  }
  for (const StageKind kind : {StageKind::kPair, StageKind::kHalf}) {
    for (int half = 0; half < 2; ++half) {
      Staging& nibbles = all.emplace_back();
      nibbles.kind = kind;
      nibbles.apart = 2 * kStride;
      nibbles.half = half;
    }
  }
  return all;
}

Bytes Staged(const Kernels& kernels, const Staging& how, int64_t bytes) {
  const Bytes src = Noise(8 * kStride);
  const std::vector<int64_t> from = Places(5);
  Bytes out(5 * kStagedLine, 0);
  kernels.stage(how, src.data(), from.data(), 5, bytes, out.data());
  return out;
}

TEST(KernelsTest, Staging) {
  for (const Staging& how : AllStagings()) {
    for (const int64_t bytes : {kStagedLine, int64_t{40}}) {
      const Bytes expected = Staged(ScalarKernels(), how, bytes);
      for (const Kernels* kernels : AllKernels()) {
        EXPECT_EQ(Staged(*kernels, how, bytes), expected)
            << kernels->name << " kind " << static_cast<int>(how.kind) << " width " << how.width;
      }
    }
  }
}

TEST(KernelsTest, NibblesAndRuns) {
  const Bytes src = Noise(1024);
  for (const Kernels* kernels : AllKernels()) {
    Bytes packed(300, 0), expected(300, 0), wide(600, 0), plain(600, 0);
    kernels->pack(src.data(), packed.data(), 299);
    ScalarKernels().pack(src.data(), expected.data(), 299);
    EXPECT_EQ(packed, expected) << kernels->name;
    kernels->unpack(src.data(), wide.data(), 299);
    ScalarKernels().unpack(src.data(), plain.data(), 299);
    EXPECT_EQ(wide, plain) << kernels->name;
    Bytes copied(1024, 0), runs(1024, 0);
    kernels->copy(src.data(), copied.data(), {3, 211, 300, 250}, true);
    ScalarKernels().copy(src.data(), runs.data(), {3, 211, 300, 250}, false);
    EXPECT_EQ(copied, runs) << kernels->name;
  }
}

}  // namespace
}  // namespace tessera::layout::relayout
