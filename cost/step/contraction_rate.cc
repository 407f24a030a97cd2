#include "tessera/cost/step/contraction_rate.h"

#include <algorithm>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_type.h"
#include "tessera/projection/signatures/signature_of.h"

namespace tessera::cost {
namespace {

using hlo::AttributeName;
using hlo::Opcode;

constexpr absl::string_view kPrecisions[] = {"default", "high", "highest"};  // in order

// 0 for an unknown word.
int LevelOf(absl::string_view precision) {
  const auto* found = absl::c_find(kPrecisions, precision);
  return found == std::end(kPrecisions) ? 0 : static_cast<int>(found - kPrecisions);
}

// The type of the factors, their precision, and the number of passes.
struct Products {
  std::string type;
  int level = 0;
  int passes = 1;
};

struct AlgorithmRow {
  absl::string_view name, type, precision;
  int passes;
};
constexpr AlgorithmRow kAlgorithms[] = {
    {"dot_f16_f16_f16", "f16", "default", 1},       {"dot_f16_f16_f32", "f16", "default", 1},
    {"dot_bf16_bf16_bf16", "bf16", "default", 1},   {"dot_bf16_bf16_f32", "bf16", "default", 1},
    {"dot_bf16_bf16_f32_x3", "bf16", "default", 3}, {"dot_bf16_bf16_f32_x6", "bf16", "default", 6},
    {"dot_bf16_bf16_f32_x9", "bf16", "default", 9}, {"dot_tf32_tf32_f32", "f32", "default", 1},
    {"dot_tf32_tf32_f32_x3", "f32", "default", 3},  {"dot_f32_f32_f32", "f32", "highest", 1},
    {"dot_f64_f64_f64", "f64", "default", 1},
};

// Types that share the units of another one.
struct FamilyRow {
  absl::string_view type, peak;
};
constexpr FamilyRow kFamilies[] = {
    {"u8", "s8"}, {"s4", "s8"}, {"u4", "s8"}, {"c64", "f32"}, {"c128", "f64"},
};

std::string PeakTypeOf(absl::string_view type) {
  if (absl::StartsWith(type, "f8")) return "f8";
  for (const FamilyRow& row : kFamilies) {
    if (row.type == type) return std::string(row.peak);
  }
  return std::string(type);
}

absl::string_view OperandType(const hlo::Module& module, hlo::InstructionId id) {
  const auto arrays = projection::ArrayLeaves(module.shape(module.operands(id)[0]));
  return arrays.empty() ? "" : layout::ElementTypeName(arrays[0]->element_type());
}

Products ProductsOf(const hlo::Module& module, hlo::InstructionId id) {
  const auto algorithm = hlo::GetWords(module, id, AttributeName::kAlgorithm);
  for (const AlgorithmRow& row : kAlgorithms) {
    if (!algorithm.empty() && row.name == algorithm[0])
      return {std::string(row.type), LevelOf(row.precision), row.passes};
  }
  Products products = {PeakTypeOf(OperandType(module, id)), 0, 1};
  for (const absl::string_view word : hlo::GetWords(module, id, AttributeName::kOperandPrecision)) {
    products.level = std::max(products.level, LevelOf(word));
  }
  return products;
}

// The units of 64 bits are others, if there are any.
bool NeedsOwnPeak(absl::string_view type) { return absl::EndsWith(type, "64"); }

// Products of bf16 that make one of f32.
constexpr int kPasses[] = {1, 3, 6};  // by level of precision

}  // namespace

double FlopsPerSecond(const hlo::Module& module, hlo::InstructionId contraction,
                      const projection::Device& device) {
  const Products products = ProductsOf(module, contraction);
  const projection::Peak* best = nullptr;
  for (const projection::Peak& peak : device.peak()) {
    const int level = LevelOf(peak.precision());
    if (peak.dtype() != products.type || level > products.level) continue;
    if (best == nullptr || level > LevelOf(best->precision())) best = &peak;
  }
  if (best != nullptr) return best->flops_per_s() / products.passes;
  if (device.peak_size() == 0 || NeedsOwnPeak(products.type)) return 0;
  const int passes = products.type == "f32" ? kPasses[products.level] : 1;
  return device.peak(0).flops_per_s() / (products.passes * passes);
}

}  // namespace tessera::cost
