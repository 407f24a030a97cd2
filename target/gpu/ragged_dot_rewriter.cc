// ragged_dot_rewriter: a product of groups of rows with a matrix for each becomes one of all rows.
//
//   f32[64,6] ragged-dot(x: f32[64,4], w: f32[8,4,6], sizes: s32[8])       rows in groups
//   ->  f32[64,6] dot(f32[8,64,4] select(is_in_group, broadcast(x), 0), w)  contracts groups, too
//
// If the groups are contracted, as in gradients of weights, they become a batch dimension of both operands.
// Rows of other groups are zeros, so an operand takes as much memory as there are groups.
//
// Cost: linear. Tested by ragged_dot_rewriter_test.cc.

#include <cstdint>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/gpu/layouts/order.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/simplify/dot_parts.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/prefix_windows.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using hlo::IntList;
using layout::ElementType;

// Where each group ends; the groups are the last dimension.
InstructionId EndsOfGroups(DeviceProgram& program, InstructionId sizes) {
  const layout::Shape shape = program.shape(sizes);
  const ComputationId c = program.computation(sizes);
  const int64_t groups = shape.dims().back();
  const InstructionId zero = program.AddConstant(c, Resized(shape, {}), "0");
  const InstructionId ends =
      program.Add(c, Opcode::kReduceWindow, "reduce-window", shape, {sizes, zero});
  program.SetAttribute(ends, AttributeName::kWindow,
                       WindowText(shape.rank(), shape.rank() - 1, {groups, groups - 1, 0}));
  program.SetCalled(ends, {AddSum(program, shape.element_type())});
  return ends;
}

InstructionId StartsOfGroups(DeviceProgram& program, InstructionId ends) {
  const layout::Shape shape = program.shape(ends);
  IntList sizes(shape.dims().begin(), shape.dims().end());
  const InstructionId most = SliceAlong(program, ends, shape.rank() - 1, 0, sizes.back() - 1);
  sizes.back() = 1;
  const InstructionId zero =
      program.AddConstant(program.computation(ends), Resized(shape, {}), "0");
  const InstructionId first = InEachElement(program, zero, Resized(shape, sizes));
  return AddConcatenate(program, {first, most}, shape, shape.rank() - 1);
}

InstructionId Compare(DeviceProgram& program, InstructionId a, InstructionId b,
                      absl::string_view direction) {
  const InstructionId made = program.Add(program.computation(a), Opcode::kCompare, "compare",
                                         Retyped(program.shape(a), ElementType::kPred), {a, b});
  program.SetAttribute(made, AttributeName::kDirection, direction);
  return made;
}

// An array with the groups of another one's dimension `ragged` as a further dimension.
struct Grouping {
  InstructionId sizes = kNoId;
  int64_t group = 0;   // the new dimension
  int64_t ragged = 0;  // of the given array
};

// Whether a row is in a group; `shape` is that of the grouped array, in the type of the sizes.
InstructionId IsInGroup(DeviceProgram& program, const layout::Shape& shape, const Grouping& by) {
  const IntList places = DefaultOrder(program.shape(by.sizes).dims().size());
  const InstructionId ends = EndsOfGroups(program, by.sizes);
  const InstructionId start = AddBroadcast(program, StartsOfGroups(program, ends), shape, places);
  const InstructionId rows = program.Add(program.computation(ends), Opcode::kIota, "iota",
                                         Resized(shape, {shape.dim(by.ragged + 1)}), {});
  program.SetAttribute(rows, AttributeName::kIotaDimension, "0");
  const InstructionId row = AddBroadcast(program, rows, shape, {by.ragged + 1});
  const InstructionId is_after = Compare(program, start, row, "LE");
  const InstructionId is_before =
      Compare(program, row, AddBroadcast(program, ends, shape, places), "LT");
  return program.Add(program.computation(ends), Opcode::kAnd, "and",
                     Retyped(shape, ElementType::kPred), {is_after, is_before});
}

// The rows of each group, those of the others as zeros.
InstructionId RowsOfEachGroup(DeviceProgram& program, InstructionId x, const Grouping& by) {
  const layout::Shape shape = program.shape(x);
  IntList sizes(shape.dims().begin(), shape.dims().end()), places;
  for (int64_t d = 0; d < shape.rank(); ++d) places.push_back(d < by.group ? d : d + 1);
  sizes.insert(sizes.begin() + by.group, program.shape(by.sizes).dims().back());
  const layout::Shape grouped = Resized(shape, sizes);
  const ComputationId c = program.computation(x);
  const InstructionId is_in = IsInGroup(program, Resized(program.shape(by.sizes), sizes), by);
  const InstructionId repeated = AddBroadcast(program, x, grouped, places);
  const InstructionId zero = program.AddConstant(c, Resized(shape, {}), "0");
  return program.Add(c, Opcode::kSelect, "select", grouped,
                     {is_in, repeated, InEachElement(program, zero, grouped)});
}

IntList OneFurther(const IntList& dimensions) {
  IntList moved;
  for (const int64_t d : dimensions) moved.push_back(d + 1);
  return moved;
}

// The product that takes the place of one ragged dot.
class GeneralDot {
 public:
  GeneralDot(DeviceProgram* program, InstructionId dot)
      : program_(*program),
        dot_(dot),
        given_(hlo::GetDotDimensions(program->module(), dot)),
        left_(program->operand(dot, 0)),
        right_(program->operand(dot, 1)),
        by_{program->operand(dot, 2), static_cast<int64_t>(given_.rhs_batch.size()),
            given_.lhs_ragged[0]} {}

  InstructionId Made() {
    const auto at = absl::c_find(given_.lhs_contracting, by_.ragged);
    if (at != given_.lhs_contracting.end()) {
      ContractRows(
          given_.rhs_contracting[static_cast<size_t>(at - given_.lhs_contracting.begin())]);
    } else if (!absl::c_linear_search(given_.lhs_batch, by_.ragged)) {
      ContractGroups();
    }
    return Product();
  }

 private:
  void ContractRows(int64_t ragged_on_right) {
    left_ = RowsOfEachGroup(program_, left_, by_);
    right_ = RowsOfEachGroup(program_, right_, {by_.sizes, by_.group, ragged_on_right});
    given_.lhs_contracting = OneFurther(given_.lhs_contracting);
    given_.rhs_contracting = OneFurther(given_.rhs_contracting);
    given_.lhs_batch.insert(given_.lhs_batch.begin(), by_.group);
    given_.rhs_batch.insert(given_.rhs_batch.begin(), by_.group);
  }

  void ContractGroups() {
    left_ = RowsOfEachGroup(program_, left_, by_);
    given_.lhs_contracting = OneFurther(given_.lhs_contracting);
    given_.lhs_contracting.insert(given_.lhs_contracting.begin(), by_.group);
    given_.rhs_contracting.insert(given_.rhs_contracting.begin(), given_.rhs_group[0]);
  }

  InstructionId Product() {
    const InstructionId made = program_.Add(program_.computation(dot_), Opcode::kDot, "dot",
                                            program_.shape(dot_), {left_, right_});
    const DotParts parts = {{given_.lhs_batch, given_.lhs_contracting, {}},
                            {given_.rhs_batch, given_.rhs_contracting, {}}};
    SetParts(program_, made, parts);
    const auto said = program_.module().FindAttribute(dot_, AttributeName::kMetadata);
    if (said.has_value()) program_.SetAttribute(made, AttributeName::kMetadata, std::string(*said));
    return made;
  }

  DeviceProgram& program_;
  const InstructionId dot_;
  hlo::DotDimensions given_;
  InstructionId left_, right_;
  const Grouping by_;
};

// Batch dimensions come first, as JAX writes them.
bool CanRewrite(const DeviceProgram& program, InstructionId id) {
  if (program.opcode(id) != Opcode::kRaggedDot || program.IsPinned(id)) return false;
  const hlo::DotDimensions given = hlo::GetDotDimensions(program.module(), id);
  if (given.lhs_ragged.size() != 1) return false;
  if (absl::c_linear_search(given.lhs_contracting, given.lhs_ragged[0]))
    return given.lhs_batch.empty();
  return absl::c_linear_search(given.lhs_batch, given.lhs_ragged[0]) || given.rhs_group.size() == 1;
}

}  // namespace

absl::Status RewriteRaggedDots(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (!CanRewrite(program, id)) continue;
    program.ReplaceUses(id, GeneralDot(&program, id).Made());
    program.RemoveDead(id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
