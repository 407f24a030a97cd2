#include "tessera/target/kernels/products/library_calls.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/kernels/program_kernels.h"

namespace tessera::target {
namespace {

std::string Module(const std::string& lines) {
  return absl::StrCat("HloModule m, is_scheduled=true\n\nENTRY e {\n", lines, "}\n");
}

// Of the last instruction.
std::optional<Product> Of(const std::string& lines) {
  const auto module = hlo::ParseModule(Module(lines));
  EXPECT_TRUE(module.ok()) << module.status();
  return LibraryProductOf(*module, module->entry().root);
}

// As XLA's GPU compiler of jaxlib 0.12.0.1 writes them for programs of ours, without what is not read.
constexpr char kGemm[] = R"(  x = bf16[64,1024]{1,0} parameter(0)
  w = bf16[1024,256]{1,0} parameter(1)
  ROOT g = (bf16[64,256]{1,0}, s8[33554432]{0}) custom-call(x, w), custom_call_target="__cublas$lt$matmul", backend_config={"gemm_backend_config":{"alpha_real":1,"beta":0,"dot_dimension_numbers":{"lhs_batch_dimensions":[],"lhs_contracting_dimensions":["1"],"rhs_batch_dimensions":[],"rhs_contracting_dimensions":["0"]},"epilogue":"DEFAULT"}}
)";

TEST(LibraryCallsTest, AProductOfCublas) {
  const auto product = Of(kGemm);
  ASSERT_TRUE(product.has_value());
  EXPECT_EQ(product->multiplies, 64.0 * 256 * 1024);
  EXPECT_EQ(product->width, 2);
}

TEST(LibraryCallsTest, ConvolutionsOfCudnnAndTheirGradientsMultiplyEquallyOften) {
  const double multiplies = 8.0 * 28 * 28 * 64 * 9 * 32;
  const std::string window = "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_o01i->b01f, ";
  const std::string x = "  x = f16[8,28,28,32]{3,2,1,0} parameter(0)\n";
  const std::string w = "  w = f16[64,3,3,32]{3,2,1,0} parameter(1)\n";
  const std::string y = "  y = f16[8,28,28,64]{3,2,1,0} parameter(2)\n";
  const auto call = [&](const char* result, const char* operands, const char* target) {
    return absl::StrCat(x, w, y, "  ROOT c = (", result, ", u8[0]{0}) custom-call(", operands,
                        "), ", window, "custom_call_target=\"", target, "\"\n");
  };
  const auto forward = Of(call("f16[8,28,28,64]{3,2,1,0}", "x, w", "__cudnn$convForward"));
  ASSERT_TRUE(forward.has_value());
  EXPECT_EQ(forward->multiplies, multiplies);
  EXPECT_TRUE(forward->is_window);
  EXPECT_EQ(Of(call("f16[8,28,28,32]{3,2,1,0}", "y, w", "__cudnn$convBackwardInput"))->multiplies,
            multiplies);
  EXPECT_EQ(Of(call("f16[64,3,3,32]{3,2,1,0}", "x, y", "__cudnn$convBackwardFilter"))->multiplies,
            multiplies);
  EXPECT_FALSE(Of(call("f16[8,28,28,64]{3,2,1,0}", "x, w", "__cudnn$other")).has_value());
}

TEST(LibraryCallsTest, TheirKernelsAreThoseOfProducts) {
  const auto module = hlo::ParseModule(Module(kGemm));
  const auto program = FindKernels(*module);
  ASSERT_TRUE(program.ok()) << program.status();
  ASSERT_EQ(program->computations[0].kernels.size(), 1u);
  const DeviceKernel& kernel = program->computations[0].kernels[0];
  EXPECT_EQ(kernel.kind, KernelKind::kDot);
  ASSERT_EQ(kernel.products.size(), 1u);
  double bytes = 0;
  for (const Access& access : kernel.accesses) bytes += access.bytes;
  EXPECT_EQ(bytes, 2.0 * (64 * 1024 + 1024 * 256 + 64 * 256)) << "without the work space";
}

}  // namespace
}  // namespace tessera::target
