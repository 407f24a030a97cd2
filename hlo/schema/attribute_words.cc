// The words that enumerations know: one row an attribute.

#include "tessera/hlo/schema/opcode_attributes.h"

namespace tessera::hlo {

using A = AttributeName;

namespace {

constexpr absl::string_view kDirectionWords[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
constexpr absl::string_view kTypeWords[] = {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
constexpr absl::string_view kOrderWords[] = {"TOTAL", "PARTIAL"};
constexpr absl::string_view kKindWords[] = {"kLoop", "kInput", "kOutput", "kCustom"};
constexpr absl::string_view kFftTypeWords[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr absl::string_view kDistributionWords[] = {"rng_invalid", "rng_uniform", "rng_normal"};
constexpr absl::string_view kOperandPrecisionWords[] = {"default", "high", "highest"};
constexpr absl::string_view kPaddingTypeWords[] = {"PADDING_INVALID", "PADDING_VALID",
                                                   "PADDING_SAME"};
constexpr absl::string_view kScheduleWords[] = {"SCHEDULE_NONE", "SCHEDULE_LATEST",
                                                "SCHEDULE_EARLIEST"};
constexpr absl::string_view kApiVersionWords[] = {
    "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
    "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
constexpr absl::string_view kConvolutionKindWords[] = {"unset", "fprop", "dgrad", "wgrad"};
constexpr absl::string_view kTransposeAWords[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE",
                                                  "ADJOINT"};
constexpr absl::string_view kModeWords[] = {"cross_replica", "cross_partition",
                                            "cross_replica_and_partition", "flattened_id"};
constexpr absl::string_view kRngAlgorithmWords[] = {"rng_default", "rng_three_fry", "rng_philox"};
constexpr absl::string_view kDotAlgorithmWords[] = {"unset",
                                                    "dot_any_f8_any_f8_f32",
                                                    "dot_any_f8_any_f8_f32_fast_accum",
                                                    "dot_f16_f16_f16",
                                                    "dot_f16_f16_f32",
                                                    "dot_bf16_bf16_bf16",
                                                    "dot_bf16_bf16_f32",
                                                    "dot_bf16_bf16_f32_x3",
                                                    "dot_bf16_bf16_f32_x6",
                                                    "dot_tf32_tf32_f32",
                                                    "dot_tf32_tf32_f32_x3",
                                                    "dot_f32_f32_f32",
                                                    "dot_f64_f64_f64",
                                                    "dot_bf16_bf16_f32_x9"};

struct EnumerationRow {
  AttributeName name;
  Enumeration enumeration;
};

constexpr EnumerationRow kEnumerations[] = {
    {A::kDirection, {kDirectionWords, false}},
    {A::kType, {kTypeWords, false}},
    {A::kOrder, {kOrderWords, false}},
    {A::kKind, {kKindWords, false}},
    {A::kFftType, {kFftTypeWords, false}},
    {A::kDistribution, {kDistributionWords, true}},
    {A::kOperandPrecision, {kOperandPrecisionWords, true}},
    {A::kPaddingType, {kPaddingTypeWords, false}},
    {A::kSchedule, {kScheduleWords, true}},
    {A::kApiVersion, {kApiVersionWords, true}},
    {A::kConvolutionKind, {kConvolutionKindWords, false}},
    {A::kTransposeA, {kTransposeAWords, false}},
    {A::kMode, {kModeWords, false}},
};

}  // namespace

Enumeration EnumValuesOf(AttributeName name, Opcode opcode) {
  if (name == A::kAlgorithm) {
    if (opcode == Opcode::kRngBitGenerator) return {kRngAlgorithmWords, true};
    return {kDotAlgorithmWords, true};
  }
  for (const EnumerationRow& row : kEnumerations) {
    if (row.name == name) return row.enumeration;
  }
  return {};
}

}  // namespace tessera::hlo
