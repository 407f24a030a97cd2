#include "tessera/target/stated/stated_kernels.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

// As libtpu 0.0.50.1 and XLA:GPU write it (testing/compiled/oracle/kernels.py), with less code.
constexpr char kMosaic[] =
    R"({"flag_configs":[],"scoped_memory_configs":[{"memory_space":"1","offset":"0","size":"33554432"}],)"
    R"("custom_call_config":{"body":"TUzvUg==","has_communication":true,"cost_estimate":{"flops":"536870912",)"
    R"("transcendentals":"7","bytes_accessed":"2621440","remote_bytes_transferred":"64"},"needs_layout_passes":true},)"
    R"("used_scoped_memory_configs":[{"memory_space":"1","offset":"0","size":"393216"}]})";
// As JAX lowers it.
constexpr char kLowered[] =
    "{\"custom_call_config\": {\"body\": \"TUzvUg==\", \"cost_estimate\": {\n\"flops\": "
    "536870912,\n"
    "\"bytes_accessed\":2621440\n}, \"serialization_format\": 1}}";
constexpr char kTriton[] =
    R"({debug = false, grid_x = 64 : i32, grid_y = 2 : i32, grid_z = 1 : i32, ir = "grid_x = 9, name = ", )"
    R"(name = "softmax_rows", num_stages = 2 : i32, num_warps = 4 : i32})";

std::vector<StatedKernel> KernelsOf(const std::string& target, const std::string& config) {
  const auto module = hlo::ParseModule(absl::StrCat(
      "HloModule m\nENTRY e {\n  x = f32[8] parameter(0)\n  c = f32[8] custom-call(x), "
      "custom_call_target=\"Other\"\n  ROOT k = f32[8] custom-call(c), custom_call_target=\"",
      target, "\", custom_call_has_side_effect=true, backend_config=", config, "\n}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? StatedKernels(*module) : std::vector<StatedKernel>();
}

TEST(StatedKernelsTest, Mosaic) {
  const auto kernels = KernelsOf("tpu_custom_call", kMosaic);
  ASSERT_EQ(kernels.size(), 1u);
  const StatedKernel& kernel = kernels[0];
  ASSERT_EQ(kernel.scratch.size(), 1u);
  EXPECT_EQ(kernel.scratch[0].space, 1);
  EXPECT_EQ(kernel.scratch[0].bytes, 393216);
  ASSERT_EQ(kernel.limit.size(), 1u);
  EXPECT_EQ(kernel.limit[0].bytes, 33554432);
  ASSERT_TRUE(kernel.cost.has_value());
  EXPECT_EQ(kernel.cost->flops, 536870912);
  EXPECT_EQ(kernel.cost->transcendentals, 7);
  EXPECT_EQ(kernel.cost->bytes, 2621440);
  EXPECT_EQ(kernel.cost->remote_bytes, 64);
  EXPECT_TRUE(kernel.has_communication);
  EXPECT_TRUE(kernel.has_side_effect);
  EXPECT_FALSE(kernel.grid.has_value());
}

TEST(StatedKernelsTest, BeforeACompilation) {
  const auto kernels = KernelsOf("tpu_custom_call", kLowered);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_TRUE(kernels[0].scratch.empty());
  ASSERT_TRUE(kernels[0].cost.has_value());
  EXPECT_EQ(kernels[0].cost->flops, 536870912);
  EXPECT_EQ(kernels[0].cost->bytes, 2621440);
}

TEST(StatedKernelsTest, Triton) {
  const auto kernels = KernelsOf("__gpu$xla.gpu.triton", kTriton);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, "softmax_rows");
  ASSERT_TRUE(kernels[0].grid.has_value());
  EXPECT_EQ(kernels[0].grid->blocks, (std::array<int64_t, 3>{64, 2, 1}));
  EXPECT_EQ(kernels[0].grid->warps, 4);
  EXPECT_EQ(kernels[0].grid->stages, 2);
}

TEST(StatedKernelsTest, NothingStated) {
  for (const char* config :
       {"{}", "\"opaque\"", R"({"custom_call_config":{"cost_estimate":{"flops":"-1"}}})"}) {
    const auto kernels = KernelsOf("tpu_custom_call", config);
    ASSERT_EQ(kernels.size(), 1u) << config;
    EXPECT_FALSE(kernels[0].cost.has_value()) << config;
    EXPECT_TRUE(kernels[0].scratch.empty()) << config;
  }
  EXPECT_TRUE(KernelsOf("Other", kMosaic).empty());
}

}  // namespace
}  // namespace tessera::target
