// f32[8] reduce(f32[8,16] convert(x: bf16[8,16]), -inf), to_apply=maximum
// ->  convert(bf16[8] reduce(x, -inf), to_apply=maximum)
//
// bf16[8] convert(f32[8] reduce(f32[8,16] convert(x: bf16[8,16]), 0), to_apply=add)
// ->  bf16[8] reduce(x, 0), to_apply=add
//
// The largest of widened numbers is the widened largest, and half as large where it is exchanged. Minima from inf
// alike. A softmax of float32 over logits of bfloat16 has such a maximum. JAX sums bfloat16 as float32; this
// compiler does not, if nothing else reads the sum.

#include <limits>

#include "tessera/layout/element_type.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using layout::ElementType;

// Each bfloat16 is a float32.
bool Widens(const DeviceProgram& program, InstructionId id) {
  return program.opcode(id) == Opcode::kConvert &&
         program.shape(id).element_type() == ElementType::kF32 &&
         program.shape(program.operand(id, 0)).element_type() == ElementType::kBf16;
}

// Where it begins; nothing for other reductions.
std::optional<absl::string_view> BeginOf(const DeviceProgram& program, InstructionId reduce) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::optional<Opcode> step = OnlyStep(program, reduce);
  const std::optional<double> begin = FloatOf(program, program.operand(reduce, 1));
  if (step == Opcode::kMaximum && begin == -kInfinity) return "-inf";
  if (step == Opcode::kMinimum && begin == kInfinity) return "inf";
  return std::nullopt;
}

// The same reduction of the array that `reduce` widens, from the number `begin`.
InstructionId ReduceNarrow(DeviceProgram& program, InstructionId reduce, absl::string_view begin) {
  const Opcode step = *OnlyStep(program, reduce);
  const InstructionId x = program.operand(program.operand(reduce, 0), 0);
  const InstructionId start =
      program.AddConstant(program.computation(reduce),
                          layout::Shape::Array(ElementType::kBf16, {}, std::nullopt), begin);
  const InstructionId narrow =
      program.Clone(reduce, {x, start}, Retyped(program.shape(reduce), ElementType::kBf16));
  SetReducer(program, narrow, step);
  return narrow;
}

bool ReducesWidened(const DeviceProgram& program, InstructionId reduce) {
  return IsReduceOfOneArray(program, reduce) && Widens(program, program.operand(reduce, 0));
}

}  // namespace

InstructionId ReduceBeforeWidening(DeviceProgram& program, InstructionId reduce) {
  if (!ReducesWidened(program, reduce)) return kNoId;
  const std::optional<absl::string_view> begin = BeginOf(program, reduce);
  if (!begin.has_value()) return kNoId;
  return AddConvert(program, ReduceNarrow(program, reduce, *begin), ElementType::kF32);
}

InstructionId SumWithoutWidening(DeviceProgram& program, InstructionId convert) {
  const InstructionId reduce = program.operand(convert, 0);
  if (program.shape(convert).element_type() != ElementType::kBf16) return kNoId;
  if (program.opcode(reduce) != Opcode::kReduce || program.OnlyUser(reduce) != convert) {
    return kNoId;
  }
  if (!ReducesWidened(program, reduce) || !IsSum(program, reduce)) return kNoId;
  return ReduceNarrow(program, reduce, "0");
}

}  // namespace tessera::target
