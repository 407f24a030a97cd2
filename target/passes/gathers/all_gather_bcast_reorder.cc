// all-gather-bcast-reorder: an array that is the same along a dimension is gathered first, then
// repeated.
//
//   s32[16,4] all-gather(s32[16,1] broadcast(x: s32[1]), dimensions={1}), dimensions={1}
//   ->  s32[16,4] broadcast(s32[4] all-gather(x), dimensions={0}), dimensions={1}
//
// Only where the dimensions that are neither gathered nor of x have more than one element together.
// If the gathered dimension is none of x, parts are gathered along a new first dimension, which
// becomes a part of the gathered one:
//
//   f32[12,6,5] all-gather(f32[4,6,5] broadcast(x: f32[5]), dimensions={2}), dimensions={0}
//   ->  reshape(f32[3,4,6,5] broadcast(f32[3,5] all-gather(f32[1,5] reshape(x))))

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/walk.h"

namespace tessera::target {
namespace {

constexpr char kAllGatherBcastReorder[] = "all-gather-bcast-reorder";

class Reorder {
 public:
  Reorder(Context* context, InstructionId gather)
      : context_(*context),
        program_(context->program),
        gather_(gather),
        broadcast_(program_.operand(gather, 0)),
        x_(program_.operand(broadcast_, 0)),
        dimension_(CollectiveDimension(program_, gather)),
        of_x_(hlo::GetInts(program_.module(), broadcast_, hlo::AttributeName::kDimensions)
                  .value_or(hlo::IntList())) {}

  void Run() {
    if (UniformElements() == 1) return;
    const InstructionId result =
        absl::c_linear_search(of_x_, dimension_) ? GatherX() : GatherParts();
    program_.ReplaceUses(gather_, result);
    program_.RemoveDead(gather_);
  }

 private:
  // In dimensions along which all elements are the same.
  int64_t UniformElements() const {
    int64_t product = 1;
    for (int64_t d = 0; d < program_.shape(gather_).rank(); ++d) {
      if (d != dimension_ && !absl::c_linear_search(of_x_, d)) {
        product *= program_.shape(gather_).dim(d);
      }
    }
    return product;
  }

  InstructionId Gather(InstructionId operand, const layout::Shape& shape, int64_t dimension) {
    const InstructionId gathered = program_.Clone(gather_, {operand}, shape);
    program_.SetAttribute(gathered, hlo::AttributeName::kDimensions,
                          absl::StrCat("{", dimension, "}"));
    RenewChannel(context_, gathered);
    context_.origins.Set(kAllGatherBcastReorder, program_, gathered, {gather_});
    return gathered;
  }

  InstructionId GatherX() {
    const int64_t place = std::find(of_x_.begin(), of_x_.end(), dimension_) - of_x_.begin();
    layout::Shape shape = program_.shape(x_);
    shape.set_dim(place, program_.shape(gather_).dim(dimension_));
    const InstructionId gathered = Gather(x_, shape, place);
    return program_.Clone(broadcast_, {gathered}, program_.shape(gather_));
  }

  InstructionId GatherParts() {
    const layout::Shape whole = program_.shape(gather_);
    const int64_t parts = whole.dim(dimension_) / program_.shape(broadcast_).dim(dimension_);
    const InstructionId part = AddReshape(program_, x_, Stacked(1));
    const InstructionId gathered = Gather(part, Stacked(parts), 0);
    const layout::Shape split = SplitDimension(whole, dimension_, parts);
    std::vector<int64_t> places = {dimension_};
    for (const int64_t d : of_x_) places.push_back(d > dimension_ ? d + 1 : d);
    return AddReshape(program_, AddBroadcast(program_, gathered, split, places), whole);
  }

  // As many x along a new first dimension. x may be a scalar.
  layout::Shape Stacked(int64_t parts) const {
    std::vector<int64_t> sizes = {parts};
    sizes.insert(sizes.end(), program_.shape(x_).dims().begin(), program_.shape(x_).dims().end());
    return Resized(program_.shape(x_), sizes);
  }

  Context& context_;
  DeviceProgram& program_;
  const InstructionId gather_, broadcast_, x_;
  const int64_t dimension_;
  const hlo::IntList of_x_;
};

bool IsReordered(DeviceProgram& program, InstructionId id) {
  return program.opcode(id) == Opcode::kAllGather && program.shape(id).is_array() &&
         program.shape(id).NumElements() != 0 &&
         program.opcode(program.operand(id, 0)) == Opcode::kBroadcast && !program.IsPinned(id) &&
         !program.HasSideEffects(id);
}

}  // namespace

absl::Status ReorderGathersOfBroadcasts(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (IsReordered(program, id)) Reorder(&context, id).Run();
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
