// convolution(x, k) -> convolution(reverse(k), x), if k has more spatial elements than x: the window is x then
//
// As for the gradient of the kernel of a transposed convolution, whose window is an image. Element o of the result is
// the sum over j of x[j] k[j - o + low], so over k the window is x from its end. What is between the elements of x is
// between those of the window; batches and output features change places.

#include <utility>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

int64_t Dilated(int64_t size, int64_t dilation) { return 1 + (size - 1) * dilation; }

bool IsGrouped(const DeviceProgram& program, InstructionId id) {
  const hlo::Module& module = program.module();
  return hlo::GetInt(module, id, AttributeName::kFeatureGroupCount).value_or(1) > 1 ||
         hlo::GetInt(module, id, AttributeName::kBatchGroupCount).value_or(1) > 1;
}

// `size`: of x.
hlo::WindowDimension Swapped(const hlo::WindowDimension& of, int64_t size) {
  const int64_t longer = Dilated(size, of.base_dilation) - Dilated(of.size, of.window_dilation);
  hlo::WindowDimension swapped;
  swapped.size = size;
  swapped.stride = of.stride;
  swapped.padding_low = of.padding_low + longer;
  swapped.padding_high = of.padding_high + longer;
  swapped.base_dilation = of.window_dilation;
  swapped.window_dilation = of.base_dilation;
  swapped.reversal = true;
  return swapped;
}

hlo::ConvolutionDimensions Swapped(const hlo::ConvolutionDimensions& of) {
  hlo::ConvolutionDimensions swapped = of;
  swapped.input_batch = of.kernel_output_feature;
  swapped.input_feature = of.kernel_input_feature;
  swapped.input_spatial = of.kernel_spatial;
  swapped.kernel_output_feature = of.input_batch;
  swapped.kernel_input_feature = of.input_feature;
  swapped.kernel_spatial = of.input_spatial;
  std::swap(swapped.output_batch, swapped.output_feature);
  return swapped;
}

}  // namespace

InstructionId SwapOperandsOfConvolution(DeviceProgram& program, InstructionId convolution) {
  const auto dims = hlo::GetConvolutionDimensions(program.module(), convolution);
  hlo::Window window = hlo::GetWindow(program.module(), convolution);
  if (!dims.has_value() || window.empty() || IsGrouped(program, convolution)) return kNoId;
  const InstructionId x = program.operand(convolution, 0);
  InstructionId kernel = program.operand(convolution, 1);
  double of_kernel = 1, of_x = 1;
  std::vector<int64_t> reversed;
  for (size_t k = 0; k < window.size(); ++k) {
    const int64_t size = program.shape(x).dim(dims->input_spatial[k]);
    of_kernel *= static_cast<double>(window[k].size);
    of_x *= static_cast<double>(size);
    if (!window[k].reversal) reversed.push_back(dims->kernel_spatial[k]);
    window[k] = Swapped(window[k], size);
  }
  if (of_kernel <= of_x) return kNoId;
  const layout::Shape shape = program.shape(convolution);
  if (!reversed.empty()) {
    const layout::Shape of_reverse = program.shape(kernel);
    kernel = program.Add(program.computation(convolution), Opcode::kReverse, "reverse", of_reverse,
                         {kernel});
    program.SetAttribute(kernel, AttributeName::kDimensions, hlo::PrintInts(reversed));
  }
  const InstructionId swapped = program.Clone(convolution, {kernel, x}, shape);
  program.SetAttribute(swapped, AttributeName::kWindow, hlo::PrintWindow(window));
  program.SetAttribute(swapped, AttributeName::kDimLabels,
                       hlo::PrintConvolutionDimensions(Swapped(*dims)));
  return swapped;
}

InstructionId SwapOperandsOfImage(DeviceProgram& program, InstructionId convolution) {
  if (hlo::GetWindow(program.module(), convolution).size() != 2) return kNoId;
  return SwapOperandsOfConvolution(program, convolution);
}

}  // namespace tessera::target
