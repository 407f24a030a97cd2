#include "tessera/target/kernels/products/library_calls.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/kernels/products/products.h"
#include "tessera/target/kernels/products/registers.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;

constexpr int kResult = -1;  // in place of the number of an operand

// Which array of a call is the output of the convolution that it comes from, and which its kernel.
struct ConvolutionCall {
  absl::string_view target;
  int output, kernel;
};
constexpr ConvolutionCall kConvolutions[] = {
    {"__cudnn$convForward", kResult, 1},
    {"__cudnn$convForwardGraph", kResult, 1},
    {"__cudnn$convBiasActivationForward", kResult, 1},
    {"__cudnn$convBackwardInput", 0, 1},
    {"__cudnn$convBackwardFilter", 1, kResult},
};

const layout::Shape& ArrayOf(const hlo::Module& module, InstructionId id, int which) {
  if (which != kResult) return module.shape(module.operands(id)[static_cast<size_t>(which)]);
  return FirstArray(module.shape(id));
}

Product Multiplying(const hlo::Module& module, InstructionId id, double times) {
  Product product = ProductOfTypes(ArrayOf(module, id, 0), ArrayOf(module, id, 1));
  product.instruction = id;
  product.multiplies = times;
  return product;
}

// Each element of the output meets the kernel but for its output features.
std::optional<Product> Convolution(const hlo::Module& module, InstructionId id,
                                   const ConvolutionCall& call) {
  const auto dims = hlo::GetConvolutionDimensions(module, id);
  if (!dims.has_value()) return std::nullopt;
  const layout::Shape& kernel = ArrayOf(module, id, call.kernel);
  const double features = std::max(1.0, DimSize(kernel, dims->kernel_output_feature));
  const double outputs = Elements(ArrayOf(module, id, call.output));
  Product product = Multiplying(module, id, outputs * Elements(kernel) / features);
  product.is_window = true;
  return product;
}

// The sizes of the contracted dimensions of the left side, multiplied. The list is of quoted numbers.
double Contracted(absl::string_view config, const layout::Shape& lhs) {
  constexpr absl::string_view kKey = "\"lhs_contracting_dimensions\":[";
  const size_t at = config.find(kKey);
  if (at == absl::string_view::npos) return 0;
  config.remove_prefix(at + kKey.size());
  double size = 1;
  for (absl::string_view one : absl::StrSplit(config.substr(0, config.find(']')), ',')) {
    absl::ConsumePrefix(&one, "\"");
    absl::ConsumeSuffix(&one, "\"");
    int64_t d = 0;
    if (absl::SimpleAtoi(one, &d)) size *= DimSize(lhs, d);
  }
  return size;
}

std::optional<Product> Gemm(const hlo::Module& module, InstructionId id) {
  const std::string config =
      hlo::GetString(module, id, hlo::AttributeName::kBackendConfig).value_or("");
  const double k = Contracted(config, ArrayOf(module, id, 0));
  if (k == 0) return std::nullopt;
  return Multiplying(module, id, Elements(ArrayOf(module, id, kResult)) * k);
}

}  // namespace

std::optional<Product> LibraryProductOf(const hlo::Module& module, InstructionId id) {
  if (module.instruction(id).opcode != hlo::Opcode::kCustomCall) return std::nullopt;
  if (module.operands(id).size() < 2) return std::nullopt;
  const std::string target = hlo::GetCustomCallTarget(module, id);
  if (absl::StartsWith(target, "__cublas$")) return Gemm(module, id);
  const auto* const row = absl::c_find_if(
      kConvolutions, [&](const ConvolutionCall& call) { return call.target == target; });
  return row == std::end(kConvolutions) ? std::nullopt : Convolution(module, id, *row);
}

}  // namespace tessera::target
