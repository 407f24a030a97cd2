// The figures of GPUs stand in compile.py for XLA, in the chips of a target and in the presets of machines. The
// roofline of kernels has those of an H100 for every chip. Capabilities, cores and bandwidths are equal in all of
// them. A GB200 has a preset of its own; the compiler is asked for a B200 in its place.
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "re2/re2.h"
#include "tessera/pipeline/verbs/confirm/real_compiler.h"
#include "tessera/projection/cost/network/topology.h"
#include "tessera/target/priority_fusion/model/roofline.h"
#include "tessera/target/target.h"

namespace tessera::pipeline {
namespace {

struct Gpu {
  int major = 0, minor = 0;
  double cores = 0, fpus = 0, clock = 0, bandwidth = 0;  // clock in GHz, bytes a second
};

// A row of GPUS in compile.py.
Gpu GpuOf(const std::string& name) {
  Gpu gpu;
  static const LazyRE2 kRow = {
      R"re("capability": \((\d+), (\d+)\), "cores": (\d+), "fpus": (\d+), "clock": ([0-9.]+), .*"bandwidth": (\d+)e9)re"};
  const std::string start = "    \"" + name + "\": {";
  const std::string script(CompileScript());
  const size_t at = script.find(start);
  if (at == std::string::npos) return gpu;
  const std::string row = script.substr(at, script.find('\n', at) - at);
  EXPECT_TRUE(RE2::PartialMatch(row, *kRow, &gpu.major, &gpu.minor, &gpu.cores, &gpu.fpus,
                                &gpu.clock, &gpu.bandwidth))
      << row;
  gpu.bandwidth *= 1e9;
  return gpu;
}

// compile.py has no row for a GB200: it takes that of a B200.
std::string RowOf(absl::string_view chip) { return chip == "gb200" ? "b200" : std::string(chip); }

TEST(GpuFiguresTest, ChipsAreThoseOfTheScript) {
  for (const target::Chip& chip : target::Chips()) {
    if (chip.platform != target::Platform::kGpu) continue;
    const Gpu gpu = GpuOf(RowOf(chip.name));
    EXPECT_EQ(gpu.major * 10 + gpu.minor, chip.compute_capability) << chip.name;
    EXPECT_EQ(gpu.cores, chip.cores) << chip.name;
  }
}

TEST(GpuFiguresTest, PresetsAreThoseOfTheScript) {
  const std::pair<const char*, const char*> kPresets[] = {{"a100", "a100-sxm"},
                                                          {"h100", "h100-sxm"},
                                                          {"h100", "h100-infiniband:8x2"},
                                                          {"h200", "h200-sxm"},
                                                          {"b200", "b200"}};
  for (const auto& [chip, preset] : kPresets) {
    EXPECT_EQ(GpuOf(chip).bandwidth, projection::TopologyOf(preset)->device().hbm_bytes_per_s())
        << preset;
  }
}

TEST(GpuFiguresTest, RooflineIsThatOfAnH100) {
  const Gpu h100 = GpuOf("h100");
  const double bytes = 1e12, second = target::kTicksOfSecond;
  EXPECT_NEAR(bytes * second / target::WriteTicks(bytes, 1), h100.bandwidth,
              1e9);  // the script's digits
  const target::Launch all = {1e6, 1024};
  const double flops = 1e15, units = h100.cores * h100.fpus;
  EXPECT_NEAR(flops * second / target::ComputeTicks(flops, all), 2e9 * h100.clock * units, 1e9);
}

}  // namespace
}  // namespace tessera::pipeline
