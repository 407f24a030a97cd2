// gather_simplifier: gathers with one dimension of indices and whole slices.
//
//   g = f32[4,16,64] gather(x: f32[1000,64], i: s32[4,16,1]), collapsed_slice_dims={0}, ..
//   ->  g = reshape(f32[64,1,64] gather(x, reshape(i): s32[64,1]), collapsed_slice_dims={}, ..)
//
// The slice keeps its dimensions of size 1, and stands after the index. A reshape and, where dimensions of the slice stood
// in front of those of the indices, a transpose give the old result. With a reshape between, fusion computes a gather
// in the kernels that read it, though a product reads it, too.
//
// Cost: linear in the instructions. Tested by gather_simplifier_test.cc and recorded_passes_test.cc.

#include <cstdint>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

class Simplifier {
 public:
  Simplifier(DeviceProgram& program, InstructionId gather)
      : program_(program),
        gather_(gather),
        indices_(program.shape(program.operand(gather, 1))),
        dims_(hlo::GetGatherDimensions(program.module(), gather)) {
    for (int64_t d = 0; d < program.shape(gather).rank(); ++d) {
      if (!absl::c_linear_search(dims_.offset_dims, d)) batch_.push_back(d);
    }
  }

  // The numbers of an index stand last, in the order of the dimensions that they are for.
  bool CanRun() const {
    return dims_.index_vector_dim + 1 >= indices_.rank() &&
           absl::c_is_sorted(dims_.start_index_map) && !IsSimple();
  }

  void Run() {
    const InstructionId slices = WithoutOnes(WholeSlices());
    IntList sizes;
    for (const int64_t d : Order()) sizes.push_back(program_.shape(gather_).dim(d));
    const InstructionId sorted =
        ReshapeTo(program_, slices, Resized(program_.shape(gather_), sizes));
    program_.ReplaceUses(gather_, TransposeTo(program_, sorted, Places()));
    program_.RemoveDead(gather_);
  }

 private:
  bool IsSimple() const {
    return indices_.rank() == 2 && dims_.index_vector_dim == 1 &&
           dims_.collapsed_slice_dims.empty() && dims_.offset_dims == SliceDimensions();
  }

  // After the one dimension of the indices.
  IntList SliceDimensions() const {
    IntList dimensions(dims_.slice_sizes.size());
    absl::c_iota(dimensions, 1);
    return dimensions;
  }

  // Dimensions of the result: those of the indices first.
  IntList Order() const {
    IntList order = batch_;
    order.insert(order.end(), dims_.offset_dims.begin(), dims_.offset_dims.end());
    return order;
  }

  // Where each dimension of the result stands in that order.
  IntList Places() const {
    const IntList order = Order();
    IntList places(order.size());
    for (size_t k = 0; k < order.size(); ++k) {
      places[static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
    }
    return places;
  }

  // A slice for each of `count` indices, with all its dimensions.
  InstructionId WholeSlices() {
    const auto numbers = static_cast<int64_t>(dims_.start_index_map.size());
    int64_t count = 1;
    for (const int64_t d : batch_) count *= program_.shape(gather_).dim(d);
    const InstructionId indices =
        ReshapeTo(program_, program_.operand(gather_, 1), Resized(indices_, {count, numbers}));
    IntList sizes = {count};
    sizes.insert(sizes.end(), dims_.slice_sizes.begin(), dims_.slice_sizes.end());
    const InstructionId whole = program_.Clone(gather_, {program_.operand(gather_, 0), indices},
                                               Resized(program_.shape(gather_), sizes));
    program_.SetAttribute(whole, AttributeName::kOffsetDims, hlo::PrintInts(SliceDimensions()));
    program_.SetAttribute(whole, AttributeName::kCollapsedSliceDims, hlo::PrintInts({}));
    program_.SetAttribute(whole, AttributeName::kIndexVectorDim, "1");
    return whole;
  }

  // Without the dimensions that the result has not.
  InstructionId WithoutOnes(InstructionId whole) {
    IntList sizes = {program_.shape(whole).dim(0)};
    for (const int64_t d : dims_.offset_dims) sizes.push_back(program_.shape(gather_).dim(d));
    return ReshapeTo(program_, whole, Resized(program_.shape(gather_), sizes));
  }

  DeviceProgram& program_;
  const InstructionId gather_;
  const layout::Shape indices_;
  const hlo::GatherDimensions dims_;
  IntList batch_;  // dimensions of the result that are those of the indices
};

}  // namespace

absl::Status SimplifyGathers(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kGather) continue;
    Simplifier simplifier(program, id);
    if (simplifier.CanRun()) simplifier.Run();
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
