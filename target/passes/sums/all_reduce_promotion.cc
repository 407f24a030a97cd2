// all-reduce-promotion: integers of 16 bits are summed in 32.
//
//   u16[8] all-reduce(x)  ->  convert(u32[8] all-reduce(convert(x)))

#include <optional>

#include "tessera/layout/element_type.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/walk.h"

namespace tessera::target {
namespace {

constexpr char kAllReducePromotion[] = "all-reduce-promotion";

std::optional<layout::ElementType> Promoted(layout::ElementType type) {
  if (type == layout::ElementType::kU16) return layout::ElementType::kU32;
  if (type == layout::ElementType::kS16) return layout::ElementType::kS32;
  return std::nullopt;
}

void Promote(Context& context, InstructionId sum, layout::ElementType wide) {
  DeviceProgram& program = context.program;
  const InstructionId operand = AddConvert(program, program.operand(sum, 0), wide);
  const InstructionId promoted = program.Clone(sum, {operand}, Retyped(program.shape(sum), wide));
  SetReducer(context.program, promoted, *ReductionOf(program, sum));
  context.origins.Set(kAllReducePromotion, program, promoted, {sum});
  program.ReplaceUses(sum, AddConvert(program, promoted, program.shape(sum).element_type()));
  program.RemoveDead(sum);
}

}  // namespace

absl::Status PromoteAllReduces(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    const Opcode opcode = program.opcode(id);
    if (opcode != Opcode::kAllReduce && opcode != Opcode::kReduceScatter) continue;
    if (program.operands(id).size() != 1 || program.IsPinned(id)) continue;
    const auto wide = Promoted(program.shape(id).element_type());
    if (wide.has_value() && ReductionOf(program, id).has_value()) Promote(context, id, *wide);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
