// compare(iota, broadcast(0)), direction=LT         ->  broadcast(false)
// select(broadcast(true), x, y)                     ->  x
// select(p, broadcast(true), broadcast(false))      ->  p
//
// JAX counts negative indices from the end: `x.at[jnp.arange(8), i]` compares the iota with 0. `jnp.tril` of a mask
// chooses between true and false.

#include "absl/strings/string_view.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

struct Known {
  absl::string_view direction;
  size_t iota;  // which operand it is; the other one is 0
  absl::string_view value;
};
constexpr Known kKnown[] = {
    {"LT", 0, "false"}, {"GE", 0, "true"}, {"GT", 1, "false"}, {"LE", 1, "true"}};

}  // namespace

InstructionId CompareIota(DeviceProgram& program, InstructionId compare) {
  const absl::string_view direction = hlo::GetComparisonDirection(program.module(), compare);
  for (const Known& known : kKnown) {
    if (direction != known.direction ||
        program.opcode(program.operand(compare, known.iota)) != Opcode::kIota ||
        !IsZero(program, program.operand(compare, 1 - known.iota))) {
      continue;
    }
    const layout::Shape shape = Resized(program.shape(compare), program.shape(compare).dims());
    const InstructionId value =
        program.AddConstant(program.computation(compare), Resized(shape, {}), known.value);
    return AddBroadcast(program, value, shape, {});
  }
  return kNoId;
}

InstructionId ChooseKnown(DeviceProgram& program, InstructionId select) {
  const InstructionId choice = program.operand(select, 0);
  const InstructionId x = program.operand(select, 1), y = program.operand(select, 2);
  const bool is_everywhere = program.shape(choice).dims() == program.shape(x).dims();
  if (IsTrue(program, choice)) return x;
  if (IsZero(program, choice)) return y;
  return is_everywhere && IsTrue(program, x) && IsZero(program, y) ? choice : kNoId;
}

}  // namespace tessera::target
