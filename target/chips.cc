// The chips. Compute capabilities are those of NVIDIA's list of CUDA GPUs; the sides of a TPU's
// torus those of Google's description of each generation. Hosts of A100 have up to 16 GPUs, and an NVL72 is
// one NVLink domain of many hosts. Fast memories are as full as the compiler makes
// them in whole programs (libtpu 0.0.50.1).

#include "tessera/target/target.h"

namespace tessera::target {
namespace {

constexpr int64_t kMiB = 1 << 20;

constexpr Chip Gpu(absl::string_view name, int compute_capability, int64_t cores,
                   Hosts hosts = Hosts::kOfEight) {
  Chip chip;
  chip.name = name;
  chip.platform = Platform::kGpu;
  chip.compute_capability = compute_capability;
  chip.hosts = hosts;
  chip.cores = cores;
  return chip;
}

constexpr Chip Tpu(absl::string_view name, int64_t cores, int torus_sides, int64_t fast_bytes = 0) {
  Chip chip;
  chip.name = name;
  chip.platform = Platform::kTpu;
  chip.cores = cores;
  chip.torus_sides = torus_sides;
  chip.table_granule = 32;
  chip.fast_bytes = fast_bytes;
  return chip;
}

constexpr Chip V5e() {
  Chip chip = Tpu("tpu-v5e", 1, 2, 112 * kMiB);
  chip.is_compared = true;
  chip.table_granule = 512;
  chip.hides_gathers = true;
  chip.most_hiding_permutes = 16;
  return chip;
}

constexpr Chip V5p() {
  Chip chip = Tpu("tpu-v5p", 2, 3, 48 * kMiB);
  chip.is_compared = true;
  chip.keeps_quotients = true;
  chip.writes_score_gradients = true;
  chip.has_sparse_cores = true;
  return chip;
}

constexpr Chip V6e() {
  Chip chip = Tpu("tpu-v6e", 1, 2, 96 * kMiB);
  chip.is_compared = true;
  chip.joins_long_rows = true;
  chip.writes_score_gradients = true;
  chip.has_sparse_cores = true;
  return chip;
}

constexpr Chip H100() {
  Chip chip = Gpu("h100", 90, 132);
  chip.is_compared = true;
  return chip;
}

constexpr Chip OfTwoDevices(absl::string_view name, int torus_sides) {
  Chip chip = Tpu(name, 1, torus_sides);
  chip.chip_devices = 2;
  return chip;
}

constexpr Chip kChips[] = {
    {"cpu", Platform::kCpu},
    Gpu("a100", 80, 108, Hosts::kLarger),
    H100(),
    Gpu("h200", 90, 132),
    Gpu("b200", 100, 148),
    Gpu("gb200", 100, 148, Hosts::kJoined),
    OfTwoDevices("tpu-v3", 2),
    Tpu("tpu-v4", 2, 3),
    V5e(),
    V5p(),
    V6e(),
    OfTwoDevices("tpu7x", 3),
};

}  // namespace

absl::Span<const Chip> Chips() { return kChips; }

}  // namespace tessera::target
