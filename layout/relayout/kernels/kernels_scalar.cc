#include <cstring>

#include "tessera/layout/relayout/kernels/kernels.h"
#include "tessera/layout/relayout/kernels/scalar_loops.h"

namespace tessera::layout::relayout {
namespace {

template <int kWidth>
void Transpose(const Matrix& matrix, int64_t rows, int64_t columns, bool) {
  TransposeScalar<kWidth>(matrix, 0, rows, 0, columns);
}

template <int kWidth, int kFactor>
void Zip(const uint8_t* src, int64_t stride, uint8_t* dst, int64_t count, bool) {
  ZipScalar<kWidth, kFactor>(src, stride, dst, 0, count);
}

template <int kWidth, int kFactor>
void Unzip(const uint8_t* src, uint8_t* dst, int64_t stride, int64_t count, bool) {
  UnzipScalar<kWidth, kFactor>(src, dst, stride, 0, count);
}

void Copy(const uint8_t* src, uint8_t* dst, const Runs& runs, bool) {
  for (int64_t i = 0; i < runs.count; ++i) {
    std::memcpy(dst + i * runs.dst_stride, src + i * runs.src_stride, runs.bytes);
  }
}

void Stage(const Staging& how, const uint8_t* src, const int64_t* from, int64_t rows, int64_t bytes,
           uint8_t* out) {
  for (int64_t i = 0; i < rows; ++i) {
    StageScalar(how, src + from[i], 0, bytes, out + i * kStagedLine);
  }
}

void Pack(const uint8_t* src, uint8_t* dst, int64_t bytes) { PackScalar(src, dst, 0, bytes); }
void Unpack(const uint8_t* src, uint8_t* dst, int64_t bytes) { UnpackScalar(src, dst, 0, bytes); }

}  // namespace

const Kernels& ScalarKernels() {
  static constexpr Kernels kKernels = {
      "scalar",
      {Transpose<1>, Transpose<2>, Transpose<4>, Transpose<8>, Transpose<16>},
      {{Zip<1, 2>, Zip<1, 4>, Zip<1, 8>},
       {Zip<2, 2>, Zip<2, 4>, Zip<2, 8>},
       {Zip<4, 2>, Zip<4, 4>, Zip<4, 8>},
       {Zip<8, 2>, Zip<8, 4>, Zip<8, 8>}},
      {{Unzip<1, 2>, Unzip<1, 4>, Unzip<1, 8>},
       {Unzip<2, 2>, Unzip<2, 4>, Unzip<2, 8>},
       {Unzip<4, 2>, Unzip<4, 4>, Unzip<4, 8>},
       {Unzip<8, 2>, Unzip<8, 4>, Unzip<8, 8>}},
      Copy,
      Stage,
      Pack,
      Unpack,
      [] {},
  };
  return kKernels;
}

}  // namespace tessera::layout::relayout
