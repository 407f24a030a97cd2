#include "tessera/target/gpu/reductions/steps.h"

#include "absl/algorithm/container.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"

namespace tessera::target {

ReductionSteps::ReductionSteps(DeviceProgram* program, InstructionId reduce)
    : program_(*program), reduce_(reduce), operand_(program->operand(reduce, 0)) {
  Group();
}

void ReductionSteps::Over(int64_t d) {
  IntList others;
  for (const int64_t other : reduced_) {
    if (other != d) others.push_back(other > d ? other - 1 : other);
  }
  Finish(Reduced({d}, operand_, sizes_), others);
}

void ReductionSteps::InParts(int64_t d, int64_t last, int64_t first) {
  if (sizes_[d] != first * last) Pad(d, first * last);
  sizes_[d] = last;
  sizes_.insert(sizes_.begin() + d + 1, first);
  int64_t in_front = 0;
  for (int64_t& other : reduced_) {
    in_front += other < d ? 1 : 0;
    other += other >= d ? 1 : 0;
  }
  operand_ = As(sizes_, operand_);
  Finish(Reduced(reduced_, operand_, sizes_), {d - in_front});
}

void ReductionSteps::Group() {
  const layout::Shape& shape = program_.shape(operand_);
  const IntList reduced = DimensionsOf(program_, reduce_);
  bool joins = false;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const bool is_reduced = absl::c_linear_search(reduced, d);
    if (is_reduced && joins) {
      sizes_.back() *= shape.dim(d);
    } else {
      if (is_reduced) reduced_.push_back(static_cast<int64_t>(sizes_.size()));
      sizes_.push_back(shape.dim(d));
    }
    joins = is_reduced;
  }
}

InstructionId ReductionSteps::As(const IntList& sizes, InstructionId x) {
  const layout::Shape& shape = program_.shape(x);
  return absl::c_equal(shape.dims(), sizes) ? x : AddBitcast(program_, x, Resized(shape, sizes));
}

void ReductionSteps::Pad(int64_t d, int64_t size) {
  operand_ = As(sizes_, operand_);
  sizes_[d] = size;
  operand_ = AddPadAfter(program_, operand_, program_.operand(reduce_, 1), sizes_);
}

InstructionId ReductionSteps::Reduced(const IntList& dimensions, InstructionId operand,
                                      const IntList& sizes) {
  IntList kept;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!absl::c_linear_search(dimensions, static_cast<int64_t>(d))) kept.push_back(sizes[d]);
  }
  const InstructionId made =
      program_.Clone(reduce_, {As(sizes, operand), program_.operand(reduce_, 1)},
                     Resized(program_.shape(reduce_), kept));
  program_.SetAttribute(made, hlo::AttributeName::kDimensions, hlo::PrintInts(dimensions));
  return made;
}

void ReductionSteps::Finish(InstructionId first, const IntList& dimensions) {
  const auto dims = program_.shape(first).dims();
  const InstructionId last = Reduced(dimensions, first, IntList(dims.begin(), dims.end()));
  program_.ReplaceUses(reduce_, last);
  program_.RemoveDead(reduce_);
}

void ForEachReduction(DeviceProgram& program, absl::FunctionRef<void(InstructionId)> rewrite) {
  for (const InstructionId id : AllInstructions(program)) {
    if (IsReduceOfOneArray(program, id) && !program.IsPinned(id)) rewrite(id);
  }
}

}  // namespace tessera::target
