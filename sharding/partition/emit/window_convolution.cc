// A convolution of one shard, or of two at once: a further window over the dimension of two. The operand that
// has no such dimension gets one of size one after its others, and so does the result of a sum.
//
//   // two parts of the kernel's features: window={size=16x16x2 stride=16x16x1 pad=0_0x0_0x1_1
//   // rhs_reversal=0x0x1}, dim_labels=b01f2_01i2o->b012f

#include "tessera/hlo/opcode.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/sharding/partition/emit/window_loop.h"

namespace tessera::sharding::partition {

using hlo::AttributeName;
using hlo::IntList;
using layout::Shape;

namespace {

Shape WithoutDim(const Shape& shape, int64_t dim) {
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  if (dim >= 0) dims.erase(dims.begin() + dim);
  return MakeShape(shape.element_type(), dims);
}

// Whose dimension of two it is, as a window of two steps: batch, sum, or free in one of the two.
hlo::WindowDimension WindowOfTwo(bool in_lhs, bool in_rhs, bool in_out) {
  hlo::WindowDimension window;
  window.size = in_rhs ? 2 : 1;
  if (in_lhs && in_rhs && in_out) window.base_dilation = 2;
  if (!in_lhs) {
    window.padding_low = window.padding_high = 1;
    window.reversal = true;
  }
  return window;
}

// A further dimension at `dim` in front of those that are there.
void Insert(int64_t dim, std::initializer_list<int64_t*> places, IntList* spatial) {
  for (int64_t* place : places) *place += *place >= dim ? 1 : 0;
  for (int64_t& place : *spatial) place += place >= dim ? 1 : 0;
  spatial->push_back(dim);
}

}  // namespace

WindowLoop::Id WindowLoop::Convolve(BodyWriter* body, Id lhs, Id rhs, bool of_two) const {
  Convolution op = ConvolutionOf(*tools_.input, dot_);
  const int64_t lhs_two = of_two ? lhs_two_ : -1, rhs_two = of_two ? rhs_two_ : -1;
  const auto [one, window] = LocalConvolutionOf(op, WithoutDim(body->shape(lhs), lhs_two),
                                                WithoutDim(body->shape(rhs), rhs_two), op.window,
                                                tools_.input->shape(dot_).element_type());
  std::vector<int64_t> dims(one.dims().begin(), one.dims().end());
  hlo::Window windows = window;
  const int64_t rank = one.rank(), out_two = out_two_ >= 0 ? out_two_ : rank;
  if (of_two) {
    if (lhs_two < 0) lhs = WithOne(body, lhs, rank);
    if (rhs_two < 0) rhs = WithOne(body, rhs, rank);
    hlo::ConvolutionDimensions& n = op.numbers;
    Insert(lhs_two < 0 ? rank : lhs_two, {&n.input_batch, &n.input_feature}, &n.input_spatial);
    Insert(rhs_two < 0 ? rank : rhs_two, {&n.kernel_input_feature, &n.kernel_output_feature},
           &n.kernel_spatial);
    Insert(out_two, {&n.output_batch, &n.output_feature}, &n.output_spatial);
    windows.push_back(WindowOfTwo(lhs_two >= 0, rhs_two >= 0, out_two_ >= 0));
    dims.insert(dims.begin() + out_two, out_two_ >= 0 ? 2 : 1);
  }
  const std::string window_text = hlo::PrintWindow(windows);
  const std::string labels = hlo::PrintConvolutionDimensions(op.numbers);
  std::vector<BodyWriter::AttributeText> said = {{AttributeName::kDimLabels, labels}};
  if (!windows.empty()) said.push_back({AttributeName::kWindow, window_text});
  const auto precision = tools_.input->FindAttribute(dot_, AttributeName::kOperandPrecision);
  if (precision.has_value()) said.push_back({AttributeName::kOperandPrecision, *precision});
  const Id id =
      body->Add(hlo::Opcode::kConvolution, MakeShape(one.element_type(), dims), {lhs, rhs}, said);
  return of_two && out_two_ < 0 ? Without(body, id, out_two) : id;
}

}  // namespace tessera::sharding::partition
