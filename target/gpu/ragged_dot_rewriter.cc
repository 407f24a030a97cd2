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
#include "tessera/hlo/attributes.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/gpu/ragged_groups.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/simplify/dot_parts.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using hlo::IntList;

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
