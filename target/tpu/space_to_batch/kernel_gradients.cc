#include "tessera/target/tpu/space_to_batch/kernel_gradients.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/tpu/copies/copies.h"
#include "tessera/target/tpu/space_to_batch/split_windows.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using layout::Shape;

class Gradients {
 public:
  Gradients(DeviceProgram& program, SplitArrays& arrays) : program_(program), arrays_(arrays) {}

  bool Run(InstructionId id, const SplitValue* x, const SplitValue* g) {
    const auto found = hlo::GetConvolutionDimensions(program_.module(), id);
    const hlo::Window window = hlo::GetWindow(program_.module(), id);
    if (!found.has_value() || window.empty()) return false;
    const hlo::ConvolutionDimensions& dims = *found;
    const InstructionId images = program_.operand(id, 0), gradient = program_.operand(id, 1);
    const Split of_x = {dims.input_feature, dims.input_spatial.back(), 0};
    const Split of_g = {dims.kernel_input_feature, dims.kernel_spatial.back(), 0};
    const hlo::WindowDimension& along = window.back();
    const auto fits = [](const SplitValue* value, const Split& split) {
      return value == nullptr ||
             (value->split.batch == split.batch && value->split.width == split.width);
    };
    if ((x == nullptr && g == nullptr) || !fits(x, of_x) || !fits(g, of_g)) return false;
    if (along.stride != 1 || along.base_dilation != 1 || along.reversal) return false;
    const int64_t stride = along.window_dilation;
    const int64_t part =
        std::max(x != nullptr ? x->split.part : 0, g != nullptr ? g->split.part * stride : 0);
    const int64_t taps = program_.shape(id).dim(dims.output_spatial.back());
    const int64_t furthest = std::max(along.padding_low, taps - 1 - along.padding_low);
    if (part % stride != 0 || furthest > part) return true;
    AddGradient(id, window, SplitOf(images, x, {of_x.batch, of_x.width, part}),
                SplitOf(gradient, g, {of_g.batch, of_g.width, part / stride}));
    return true;
  }

 private:
  SplitValue SplitOf(InstructionId id, const SplitValue* value, const Split& split) {
    if (value == nullptr) return {arrays_.Make(id, split, 0), split};
    const Shape shape = program_.shape(id);
    const InstructionId valid = arrays_.Valid(value->id, value->split, shape, kNoId);
    return {value->split == split ? valid : arrays_.Repart(valid, value->split, split, shape),
            split};
  }

  void AddGradient(InstructionId id, const hlo::Window& window, const SplitValue& x,
                   const SplitValue& g) {
    const Shape result = program_.shape(id);
    Labels labels(*program_.module().FindAttribute(id, AttributeName::kDimLabels));
    const size_t last = window.size() - 1;
    const char width = static_cast<char>('0' + last), taps = static_cast<char>('1' + last);
    const auto at = static_cast<int64_t>(labels.output.find(width));
    labels.input = x.split.Permuted(labels.input) + taps;
    labels.kernel = g.split.Permuted(labels.kernel) + taps;
    labels.output[at] = taps;
    labels.output += width;
    hlo::Window inner = window;
    inner[last].size = g.split.part;
    inner[last].padding_low = 0;
    inner[last].padding_high = g.split.part == x.split.part ? 0 : 1 - window[last].window_dilation;
    inner.push_back({});
    IntList sizes(result.dims().begin(), result.dims().end());
    sizes.push_back(1);
    const InstructionId made =
        program_.Clone(id, {Taps(x, result.dim(at), window[last].padding_low), After(g.id, 1)},
                       Resized(result, sizes));
    program_.SetAttribute(made, AttributeName::kWindow, hlo::PrintWindow(inner));
    program_.SetAttribute(made, AttributeName::kDimLabels, labels.Text());
    program_.ReplaceUses(id, ReshapeTo(program_, made, result));
  }

  // With a dimension of this size after the others.
  Shape WithDimension(InstructionId id, int64_t size) const {
    const Shape& shape = program_.shape(id);
    IntList sizes(shape.dims().begin(), shape.dims().end());
    sizes.push_back(size);
    return Resized(shape, sizes);
  }
  InstructionId After(InstructionId id, int64_t size) {
    return ReshapeTo(program_, id, WithDimension(id, size));
  }

  // A copy of the images for each column of the kernel.
  InstructionId Taps(const SplitValue& x, int64_t taps, int64_t low) {
    std::vector<InstructionId> shifted;
    for (int64_t tap = 0; tap < taps; ++tap)
      shifted.push_back(After(arrays_.Shifted(x.id, x.split, tap - low), 1));
    if (taps == 1) return shifted[0];
    const InstructionId made =
        AddConcatenate(program_, shifted, WithDimension(x.id, taps), program_.shape(x.id).rank());
    return AddCopy(program_, made, "split-copy");
  }

  DeviceProgram& program_;
  SplitArrays& arrays_;
};

}  // namespace

bool SplitGradient(DeviceProgram& program, SplitArrays& arrays, InstructionId id,
                   const SplitValue* x, const SplitValue* g) {
  return Gradients(program, arrays).Run(id, x, g);
}

}  // namespace tessera::target
