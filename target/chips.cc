// The chips. Compute capabilities are those of NVIDIA's list of CUDA GPUs; the sides of a TPU's
// torus those of Google's description of each generation. Fast memories are as full as the compiler makes
// them in whole programs (libtpu 0.0.50.1).

#include "tessera/target/target.h"

namespace tessera::target {
namespace {

constexpr int64_t kMiB = 1 << 20;

constexpr Chip kChips[] = {
    // GPUs: name, platform, compute capability, cores.
    // TPUs: name, platform, 0, cores of a device, sides of the torus, granule of tables, filled bytes of the fast memory.
    {"cpu", Platform::kCpu},
    {"a100", Platform::kGpu, 80, 108},
    {"h100", Platform::kGpu, 90, 132},
    {"h200", Platform::kGpu, 90, 132},
    {"b200", Platform::kGpu, 100, 148},
    {"gb200", Platform::kGpu, 100, 148},
    {"tpu-v3", Platform::kTpu, 0, 1, 2, 32},
    {"tpu-v4", Platform::kTpu, 0, 2, 3, 32},
    {"tpu-v5e", Platform::kTpu, 0, 1, 2, 512, 112 * kMiB},
    {"tpu-v5p", Platform::kTpu, 0, 2, 3, 32, 48 * kMiB, true},
    {"tpu-v6e", Platform::kTpu, 0, 1, 2, 32, 96 * kMiB},
    {"tpu7x", Platform::kTpu, 0, 1, 3, 32},
};

}  // namespace

absl::Span<const Chip> Chips() { return kChips; }

}  // namespace tessera::target
