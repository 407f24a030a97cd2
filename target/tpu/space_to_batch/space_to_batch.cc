// space-to-batch-converter: a convolution of few images works on parts of their width as on further images.
//
//   c = bf16[2,64,64,32] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
//   ->  x in eight parts of nine columns, as bf16[64,16,9,32], two columns of the next part after each
//       s = bf16[64,16,9,32] convolution(that, k), window={size=3x3 pad=1_1x0_0}, dim_labels=0b1f_01io->0b1f
//       c = bf16[2,64,64,32] transpose(slice(reshape(s)))
//
// A matrix unit wants rows, and rows are images. Up to seven images are split along the last spatial dimension. Parts
// have two columns or more there, and a window reads no more of its neighbours than a part has. What follows works on
// parts, too: elementwise operations whose other operands are parts or broadcasts, sums over images and columns
// together, concatenations of other dimensions, reduce-windows, and further convolutions. The gradient of a kernel
// reads a copy of the image for each column of the kernel. All else reads the array put together again.
//
// XLA's pass of this name is open; which numbers libtpu gives it was found from outside, by small programs. It also
// splits slices of features and some select-and-scatters, which stay whole here. Only for memory and kernels. Cost: linear.

#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/space_to_batch/kernel_gradients.h"
#include "tessera/target/tpu/space_to_batch/split_arrays.h"
#include "tessera/target/tpu/space_to_batch/split_windows.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using layout::Shape;

constexpr int64_t kFewImages = 7;

class Converter {
 public:
  explicit Converter(DeviceProgram& program) : program_(program), arrays_(program) {}

  void Run(ComputationId computation) {
    const std::vector<InstructionId> order = program_.PostOrder(computation);
    for (const InstructionId id : order) Visit(id);
    for (auto id = order.rbegin(); id != order.rend(); ++id) Finish(*id);
  }

 private:
  void Visit(InstructionId id) {
    switch (program_.opcode(id)) {
      case Opcode::kConvolution:
        return VisitConvolution(id);
      case Opcode::kReduce:
        return VisitReduce(id);
      case Opcode::kReduceWindow:
        return VisitReduceWindow(id);
      case Opcode::kConcatenate:
        return VisitConcatenate(id);
      default:
        if (KindOf(program_.opcode(id)) == OpKind::kElementwise) VisitElementwise(id);
    }
  }

  // Who was not split reads the array put together; who was is gone.
  void Finish(InstructionId id) {
    const SplitValue* const value = Find(id);
    if (program_.IsRemoved(id) || program_.RemoveDead(id) || value == nullptr) return;
    const Shape shape = program_.shape(id);
    program_.ReplaceUses(id, arrays_.Join(value->id, value->split, shape));
    program_.RemoveDead(id);
  }

  const SplitValue* Find(InstructionId id) const {
    const auto found = split_.find(id);
    return found == split_.end() ? nullptr : &found->second;
  }

  void VisitConvolution(InstructionId id) {
    const auto dims = hlo::GetConvolutionDimensions(program_.module(), id);
    const hlo::Window window = hlo::GetWindow(program_.module(), id);
    const bool has_groups =
        hlo::GetInt(program_.module(), id, AttributeName::kBatchGroupCount).value_or(1) > 1;
    if (!dims.has_value() || window.empty() || has_groups) return;
    if (SplitGradient(program_, arrays_, id, Find(program_.operand(id, 0)),
                      Find(program_.operand(id, 1))))
      return;
    const Shape& input = program_.shape(program_.operand(id, 0));
    const int64_t width = dims->input_spatial.back();
    const SplitWindow along(input.dim(width), program_.shape(id).dim(dims->output_spatial.back()),
                            window.back());
    const auto made = Input(id, {dims->input_batch, width, 0}, along);
    if (!made.has_value()) return;
    const Split result = {dims->output_batch, dims->output_spatial.back(),
                          along.MadePart(made->split.part)};
    if (result.batch > result.width) return;
    Labels labels(*program_.module().FindAttribute(id, AttributeName::kDimLabels));
    labels.input = made->split.Permuted(labels.input);
    labels.output = result.Permuted(labels.output);
    hlo::Window inner = window;
    inner.back() = along.inner;
    const InstructionId split =
        program_.Clone(id, {made->id, program_.operand(id, 1)},
                       Resized(program_.shape(id), result.Sizes(program_.shape(id))));
    program_.SetAttribute(split, AttributeName::kWindow, hlo::PrintWindow(inner));
    program_.SetAttribute(split, AttributeName::kDimLabels, labels.Text());
    split_[id] = {split, result};
  }

  // The operand of a convolution, with the columns of neighbours.
  std::optional<SplitValue> Input(InstructionId id, Split split, const SplitWindow& along) {
    const InstructionId operand = program_.operand(id, 0);
    const Shape shape = program_.shape(operand);
    if (const SplitValue* const value = Find(operand)) {
      if (value->split.batch != split.batch || value->split.width != split.width)
        return std::nullopt;
      return NextInput(*value, shape, along, kNoId);
    }
    const auto part = along.FirstPart();
    if (shape.dim(split.batch) > kFewImages || split.batch > split.width || !part.has_value())
      return std::nullopt;
    split.part = *part;
    while (along.MadePart(split.part) % StrideOfPool(program_, id) != 0)
      split.part += along.inner.stride;
    const InstructionId made = arrays_.Make(operand, split, along.low);
    return SplitValue{arrays_.WithNeighbours(made, split, 0, along.low + along.high), split};
  }

  std::optional<SplitValue> NextInput(SplitValue value, const Shape& shape,
                                      const SplitWindow& along, InstructionId fill) {
    const auto part = along.NextPart(value.split.part);
    if (!part.has_value()) return std::nullopt;
    value.id = arrays_.Valid(value.id, value.split, shape, fill);
    if (*part != value.split.part) {
      const Split next = {value.split.batch, value.split.width, *part};
      value = {arrays_.Repart(value.id, value.split, next, shape), next};
    }
    value.id = arrays_.WithNeighbours(value.id, value.split, along.low, along.high, fill);
    return value;
  }

  void VisitReduceWindow(InstructionId id) {
    const SplitValue* const value = Find(program_.operand(id, 0));
    const hlo::Window window = hlo::GetWindow(program_.module(), id);
    if (value == nullptr || program_.operands(id).size() != 2 || window.empty()) return;
    const Shape& input = program_.shape(program_.operand(id, 0));
    const Split split = value->split;
    if (!window[split.batch].is_trivial() || window[split.batch].size != 1) return;
    const SplitWindow along(input.dim(split.width), program_.shape(id).dim(split.width),
                            window[split.width]);
    const auto made = NextInput(*value, input, along, program_.operand(id, 1));
    if (!made.has_value()) return;
    const Split result = {split.batch, split.width, along.MadePart(made->split.part)};
    hlo::Window inner;
    for (const int64_t d : split.Order(input.rank())) inner.push_back(window[d]);
    inner[split.At(split.width, input.rank())] = along.inner;
    const InstructionId pooled =
        program_.Clone(id, {made->id, program_.operand(id, 1)},
                       Resized(program_.shape(id), result.Sizes(program_.shape(id))));
    program_.SetAttribute(pooled, AttributeName::kWindow, hlo::PrintWindow(inner));
    split_[id] = {pooled, result};
  }

  void VisitElementwise(InstructionId id) {
    const auto split = SplitOfOperands(id);
    if (!split.has_value()) return;
    const Shape shape = program_.shape(id);
    std::vector<InstructionId> operands;
    for (const InstructionId operand : program_.operands(id)) {
      if (const SplitValue* const value = Find(operand)) {
        operands.push_back(value->id);
      } else if (program_.shape(operand).rank() == 0) {
        operands.push_back(operand);
      } else if (program_.opcode(operand) == Opcode::kBroadcast) {
        const auto made = arrays_.Broadcast(operand, *split);
        if (!made.has_value()) return;
        operands.push_back(*made);
      } else {
        return;
      }
    }
    split_[id] = {program_.Clone(id, operands, Resized(shape, split->Sizes(shape))), *split};
  }

  // Of those that are split, if they agree.
  std::optional<Split> SplitOfOperands(InstructionId id) const {
    std::optional<Split> split;
    if (split_.empty()) return split;
    for (const InstructionId operand : program_.operands(id)) {
      const SplitValue* const value = Find(operand);
      if (value == nullptr) continue;
      if (split.has_value() && !(*split == value->split)) return std::nullopt;
      split = value->split;
    }
    return split;
  }

  void VisitConcatenate(InstructionId id) {
    const auto split = SplitOfOperands(id);
    const int64_t along = DimensionsOf(program_, id)[0];
    if (!split.has_value() || along == split->batch || along == split->width) return;
    std::vector<InstructionId> operands;
    for (const InstructionId operand : program_.operands(id)) {
      const SplitValue* const value = Find(operand);
      if (value == nullptr) return;
      operands.push_back(value->id);
    }
    const Shape shape = program_.shape(id);
    const InstructionId made = program_.Clone(id, operands, Resized(shape, split->Sizes(shape)));
    program_.SetAttribute(made, AttributeName::kDimensions,
                          hlo::PrintInts({split->At(along, shape.rank())}));
    split_[id] = {made, *split};
  }

  // Over images and columns together: the result is whole.
  void VisitReduce(InstructionId id) {
    const SplitValue* const value = Find(program_.operand(id, 0));
    if (value == nullptr || program_.operands(id).size() != 2) return;
    const Shape input = program_.shape(program_.operand(id, 0));
    const IntList dims = DimensionsOf(program_, id);
    const bool has_all = absl::c_linear_search(dims, value->split.batch) &&
                         absl::c_linear_search(dims, value->split.width);
    if (!has_all) return;
    IntList at;
    for (const int64_t d : dims) at.push_back(value->split.At(d, input.rank()));
    absl::c_sort(at);
    const InstructionId init = program_.operand(id, 1);
    const InstructionId made = program_.Clone(
        id, {arrays_.Valid(value->id, value->split, input, init), init}, program_.shape(id));
    program_.SetAttribute(made, AttributeName::kDimensions, hlo::PrintInts(at));
    program_.ReplaceUses(id, made);
  }

  DeviceProgram& program_;
  SplitArrays arrays_;
  absl::flat_hash_map<InstructionId, SplitValue> split_;  // by what it was made of
};

}  // namespace

absl::Status ConvertSpaceToBatch(Context& context) {
  DeviceProgram& program = context.program;
  for (const ComputationId c : program.Computations()) Converter(program).Run(c);
  return absl::OkStatus();
}

}  // namespace tessera::target
