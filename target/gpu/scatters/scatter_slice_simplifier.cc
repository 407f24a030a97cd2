// y = slice(scatter(x: bf16[8,9], ..)): bf16[8,8]  ->  y = scatter(slice(x): bf16[8,8], ..)
//
// What is scattered outside of the slice is lost, as a scatter leaves out what does not fit. So slices start at the first
// element of each dimension, and no window of an update reaches over the dimensions that they cut.
//
// Cost: linear in the program. Tested by scatters_test.cc.

#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/gpu/scatters/scatter_passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

bool IsFirstPart(const DeviceProgram& program, InstructionId id) {
  return program.opcode(id) == Opcode::kSlice && !program.IsPinned(id) &&
         absl::c_all_of(hlo::GetSlice(program.module(), id),
                        [](const hlo::SliceDimension& d) { return d.start == 0 && d.stride == 1; });
}

// Windows of one element in each dimension that is cut.
bool CutsNoWindow(const DeviceProgram& program, InstructionId scatter, const layout::Shape& part) {
  const auto ints = [&](AttributeName name) {
    return hlo::GetInts(program.module(), scatter, name).value_or(hlo::IntList());
  };
  const hlo::IntList inserted = ints(AttributeName::kInsertedWindowDims);
  const hlo::IntList windows = ints(AttributeName::kUpdateWindowDims);
  size_t next = 0;
  for (int64_t d = 0; d < part.rank(); ++d) {
    if (absl::c_linear_search(inserted, d)) continue;
    const bool is_cut = part.dim(d) != program.shape(scatter).dim(d);
    const bool is_batched = next == windows.size();
    if (is_cut && (is_batched || program.shape(program.operand(scatter, 2)).dim(windows[next]) > 1))
      return false;
    next += is_batched ? 0 : 1;
  }
  return true;
}

InstructionId PartOf(DeviceProgram& program, InstructionId x, const layout::Shape& part) {
  if (program.opcode(x) == Opcode::kBroadcast && program.shape(program.operand(x, 0)).rank() == 0) {
    return AddBroadcast(program, program.operand(x, 0), part, {});
  }
  return AddSlice(program, x, part.dims());
}

void SliceBefore(DeviceProgram& program, InstructionId scatter) {
  const std::vector<InstructionId> users = program.Users(scatter);
  if (users.empty() || program.IsRoot(scatter) || program.operands(scatter).size() != 3) return;
  const layout::Shape part = program.shape(users[0]);
  const bool is_one_part = absl::c_all_of(users, [&](InstructionId user) {
    return IsFirstPart(program, user) && program.shape(user).dims() == part.dims();
  });
  if (!is_one_part || !CutsNoWindow(program, scatter, part)) return;
  std::vector<InstructionId> operands(program.operands(scatter).begin(),
                                      program.operands(scatter).end());
  operands[0] = PartOf(program, operands[0], part);
  const InstructionId smaller = program.Clone(scatter, operands, part);
  for (const InstructionId user : users) program.ReplaceUses(user, smaller);
  for (const InstructionId user : users) program.RemoveDead(user);
}

}  // namespace

absl::Status SliceBeforeScatters(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) == Opcode::kScatter && !program.IsPinned(id)) SliceBefore(program, id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
