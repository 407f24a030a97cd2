#include <cstdint>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/gpu/convolutions/conv_passes.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using hlo::WindowDimension;

// The call of cuDNN, in whose window the filter is reversed. A window that JAX reverses is none.
constexpr absl::string_view kBackwardInput = "\"__cudnn$convBackwardInput\"";

struct Convolution {
  Convolution(const DeviceProgram& program, InstructionId id)
      : input(program.shape(program.operand(id, 0))),
        filter(program.shape(program.operand(id, 1))),
        result(program.shape(id)),
        window(hlo::GetWindow(program.module(), id)),
        is_grouped(
            hlo::GetInt(program.module(), id, AttributeName::kFeatureGroupCount).value_or(1) > 1) {
    const auto found = hlo::GetConvolutionDimensions(program.module(), id);
    if (found.has_value()) dims = *found;
  }

  // Spatial dimensions whose window is not larger than the result.
  int64_t SmallWindows() const {
    int64_t count = 0;
    for (size_t k = 0; k < dims.kernel_spatial.size(); ++k) {
      if (filter.dim(dims.kernel_spatial[k]) <= result.dim(dims.output_spatial[k])) ++count;
    }
    return count;
  }

  template <typename Is>
  bool AnyWindow(const Is& is) const {
    return absl::c_any_of(window, is);
  }

  const layout::Shape& input;
  const layout::Shape& filter;
  const layout::Shape& result;
  hlo::ConvolutionDimensions dims;
  const hlo::Window window;
  const bool is_grouped;
};

bool LooksForward(const Convolution& c) {
  return c.input.dim(c.dims.input_batch) == c.result.dim(c.dims.output_batch) &&
         c.filter.dim(c.dims.kernel_output_feature) == c.result.dim(c.dims.output_feature) &&
         c.SmallWindows() == static_cast<int64_t>(c.dims.kernel_spatial.size());
}

bool IsBackwardFilter(const Convolution& c) {
  if (c.is_grouped || LooksForward(c)) return false;
  if (c.AnyWindow([](const WindowDimension& d) {
        return d.stride != 1 || d.base_dilation != 1 || d.padding_low < 0 || d.reversal;
      })) {
    return false;
  }
  const bool is_small = c.dims.kernel_spatial.empty() || c.SmallWindows() > 0;
  return !is_small || c.AnyWindow([](const WindowDimension& d) { return d.window_dilation != 1; });
}

// What a reversed filter was rewritten to, or one element with holes in the input.
bool IsBackwardInput(const DeviceProgram& program, InstructionId id, const Convolution& c) {
  if (c.is_grouped) return false;
  if (program.module().FindAttribute(id, AttributeName::kBackendConfig) == kBackwardInput) {
    return true;
  }
  return !c.AnyWindow([](const WindowDimension& d) { return d.size != 1; }) &&
         c.AnyWindow([](const WindowDimension& d) { return d.base_dilation != 1; });
}

// Its filter is reversed in each spatial dimension, and in nothing else; and each element counts.
bool ReadsReversed(const DeviceProgram& program, InstructionId id) {
  const Convolution c(program, id);
  const InstructionId reverse = program.operand(id, 1);
  if (c.is_grouped || c.dims.kernel_spatial.empty()) return false;
  if (program.opcode(reverse) != Opcode::kReverse) return false;
  if (c.AnyWindow([](const WindowDimension& d) {
        return d.stride != 1 || d.window_dilation != 1 || d.reversal;
      })) {
    return false;
  }
  IntList reversed = DimensionsOf(program, reverse), spatial = c.dims.kernel_spatial;
  absl::c_sort(reversed);
  absl::c_sort(spatial);
  return reversed == spatial && !IsBackwardFilter(c);
}

// "{size=3x3}" -> "{size=3x3 rhs_reversal=1x1}"
std::string Reversed(absl::string_view window, size_t rank) {
  const std::vector<int> ones(rank, 1);
  return absl::StrCat(window.substr(0, window.size() - 1),
                      " rhs_reversal=", absl::StrJoin(ones, "x"), "}");
}

}  // namespace

ConvolutionKind ConvolutionKindOf(const DeviceProgram& program, InstructionId convolution) {
  const Convolution c(program, convolution);
  if (IsBackwardFilter(c)) return ConvolutionKind::kBackwardFilter;
  return IsBackwardInput(program, convolution, c) ? ConvolutionKind::kBackwardInput
                                                  : ConvolutionKind::kForward;
}

absl::Status RewriteConvolutions(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kConvolution || !ReadsReversed(program, id)) continue;
    const InstructionId reverse = program.operand(id, 1);
    const auto window = program.module().FindAttribute(id, AttributeName::kWindow);
    if (!window.has_value()) continue;
    const size_t rank = DimensionsOf(program, reverse).size();
    program.SetAttribute(id, AttributeName::kWindow, Reversed(std::string(*window), rank));
    program.SetAttribute(id, AttributeName::kBackendConfig, std::string(kBackwardInput));
    program.SetOperand(id, 1, program.operand(reverse, 0));
    program.RemoveDead(reverse);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
