// conv-padding-legalization: cuDNN pads both ends of a dimension alike.
//
//   forward           convolution(x, w), pad=0_1   ->  convolution(pad(x, 0_1), w)
//   backward filter   the same: the forward pass and this one read one padded array
//   backward input    convolution(dy, w)           ->  slice(a larger convolution(dy, w))
//
// The ends are those of the call of cuDNN, which has the window of the forward convolution. An incomplete last
// window may be padded as one likes, so more dimensions are alike than it seems.
//
// Not modelled: negative padding. Cost: linear. Tested by conv_passes_test.cc.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/target/gpu/convolutions/conv_passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using hlo::WindowDimension;

// What is padded, or cut off, at the two ends of a spatial dimension, and between its elements.
struct Ends {
  int64_t low = 0, high = 0, interior = 0;
};

class Legalizer {
 public:
  Legalizer(DeviceProgram* program, InstructionId id)
      : program_(*program), id_(id), window_(hlo::GetWindow(program->module(), id)) {}

  void Run() {
    const auto found = hlo::GetConvolutionDimensions(program_.module(), id_);
    const bool is_padded_back = absl::c_any_of(
        window_, [](const WindowDimension& d) { return d.padding_low < 0 || d.padding_high < 0; });
    if (!found.has_value() || window_.size() != found->input_spatial.size()) return;
    dims_ = *found;
    switch (ConvolutionKindOf(program_, id_)) {
      case ConvolutionKind::kForward:
        if (!is_padded_back) PadForward();
        return;
      case ConvolutionKind::kBackwardFilter:
        return PadBackwardFilter();
      case ConvolutionKind::kBackwardInput:
        return CutBackwardInput();
    }
  }

 private:
  void PadForward() {
    const bool is_even = absl::c_all_of(window_, [](const WindowDimension& d) {
      return d.padding_low == d.padding_high && d.base_dilation == 1;
    });
    if (is_even) return;
    std::vector<Ends> ends;
    for (WindowDimension& d : window_) {
      ends.push_back({d.padding_low, d.padding_high, d.base_dilation - 1});
      d.padding_low = d.padding_high = 0;
      d.base_dilation = 1;
    }
    PadInput(ends);
  }

  void PadBackwardFilter() {
    std::vector<Ends> ends;
    for (size_t k = 0; k < window_.size(); ++k) {
      const int64_t padded = Size(id_, dims_.output_spatial[k]) +
                             (Size(program_.operand(id_, 1), dims_.kernel_spatial[k]) - 1) *
                                 window_[k].window_dilation;
      const int64_t least =
          padded - Size(program_.operand(id_, 0), dims_.input_spatial[k]) - window_[k].padding_low;
      if (!AddEnds(window_[k].padding_low, least, window_[k].window_dilation, &ends)) return;
    }
    if (!HasUneven(ends)) return;
    for (size_t k = 0; k < window_.size(); ++k) {
      window_[k].padding_low -= ends[k].low;
      window_[k].padding_high -= ends[k].high;
    }
    PadInput(ends);
  }

  void CutBackwardInput() {
    std::vector<Ends> ends;
    for (size_t k = 0; k < window_.size(); ++k) {
      const int64_t low = window_[k].size - 1 - window_[k].padding_low;
      const int64_t padded =
          window_[k].size +
          window_[k].base_dilation * (Size(program_.operand(id_, 0), dims_.input_spatial[k]) - 1);
      const int64_t least = padded - Size(id_, dims_.output_spatial[k]) - low;
      if (!AddEnds(low, least, window_[k].base_dilation, &ends)) return;
    }
    if (!HasUneven(ends)) return;
    for (size_t k = 0; k < window_.size(); ++k) {
      KeepWhatIsMore(&ends[k]);
      window_[k].padding_low += ends[k].low;
      window_[k].padding_high += ends[k].high;
    }
    CutResult(ends);
  }

  // The high end may have from `least` to less than a stride more: as the low one, if it can. False if one is negative.
  static bool AddEnds(int64_t low, int64_t least, int64_t stride, std::vector<Ends>* ends) {
    const int64_t high = std::clamp(low, least, least + stride - 1);
    ends->push_back({low, high, 0});
    return low >= 0 && high >= 0;
  }

  static bool HasUneven(const std::vector<Ends>& ends) {
    return absl::c_any_of(ends, [](const Ends& e) { return e.low != e.high; });
  }

  static void KeepWhatIsMore(Ends* ends) {
    const int64_t even = std::min(ends->low, ends->high);
    *ends = {ends->low - even, ends->high - even, 0};
  }

  int64_t Size(InstructionId id, int64_t dimension) const {
    return program_.shape(id).dim(dimension);
  }

  void PadInput(const std::vector<Ends>& ends) {
    const InstructionId x = program_.operand(id_, 0);
    layout::Shape shape = Resized(program_.shape(x), program_.shape(x).dims());
    std::vector<std::string> words(static_cast<size_t>(shape.rank()), "0_0");
    for (size_t k = 0; k < ends.size(); ++k) {
      const int64_t d = dims_.input_spatial[k];
      words[static_cast<size_t>(d)] =
          absl::StrCat(ends[k].low, "_", ends[k].high,
                       ends[k].interior == 0 ? "" : absl::StrCat("_", ends[k].interior));
      shape.set_dim(
          d, shape.dim(d) + ends[k].low + ends[k].high + (shape.dim(d) - 1) * ends[k].interior);
    }
    const ComputationId c = program_.computation(id_);
    const InstructionId zero = program_.AddConstant(c, Resized(shape, {}), "0");
    const InstructionId pad = program_.Add(c, Opcode::kPad, "pad", shape, {x, zero});
    program_.SetAttribute(pad, AttributeName::kPadding, absl::StrJoin(words, "x"));
    program_.SetOperand(id_, 0, pad);
    program_.SetAttribute(id_, AttributeName::kWindow, hlo::PrintWindow(window_));
  }

  void CutResult(const std::vector<Ends>& ends) {
    const layout::Shape& kept = program_.shape(id_);
    layout::Shape shape = Resized(kept, kept.dims());
    std::vector<std::string> ranges;
    for (const int64_t size : kept.dims()) ranges.push_back(absl::StrCat("[0:", size, "]"));
    for (size_t k = 0; k < ends.size(); ++k) {
      const int64_t d = dims_.output_spatial[k];
      ranges[static_cast<size_t>(d)] =
          absl::StrCat("[", ends[k].low, ":", ends[k].low + kept.dim(d), "]");
      shape.set_dim(d, kept.dim(d) + ends[k].low + ends[k].high);
    }
    const std::vector<InstructionId> operands(program_.operands(id_).begin(),
                                              program_.operands(id_).end());
    const InstructionId larger = program_.Clone(id_, operands, shape);
    program_.SetAttribute(larger, AttributeName::kWindow, hlo::PrintWindow(window_));
    const InstructionId cut = AddSlice(program_, larger, program_.shape(id_).dims());
    program_.SetAttribute(cut, AttributeName::kSlice,
                          absl::StrCat("{", absl::StrJoin(ranges, ", "), "}"));
    program_.ReplaceUses(id_, cut);
    program_.RemoveDead(id_);
  }

  DeviceProgram& program_;
  const InstructionId id_;
  hlo::Window window_;
  hlo::ConvolutionDimensions dims_;
};

}  // namespace

absl::Status LegalizePadding(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) == Opcode::kConvolution && !program.IsPinned(id)) {
      Legalizer(&program, id).Run();
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
