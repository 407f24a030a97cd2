// m = f32[8] reduce(x[8,16], -inf), to_apply=maximum, beside (f32[8], s32[8]) reduce(x, iota, -inf, 0), to_apply=argmax
// ->  m is the first result of the latter
//
// Minima alike. Greedy decoding that also gives the probability of each token has both.

#include <limits>
#include <optional>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Extreme {
  Opcode step;
  double begin;
  absl::string_view direction;  // of the compare that finds its place
};
constexpr Extreme kExtremes[] = {{Opcode::kMaximum, -kInfinity, "GT"},
                                 {Opcode::kMinimum, kInfinity, "LT"}};

// The first result of the computation is the larger, or smaller, of its two values.
bool Chooses(const DeviceProgram& program, InstructionId pair, absl::string_view direction) {
  const hlo::Computation& c = program.module().computation(program.module().called(pair)[0]);
  if (program.opcode(c.root) != Opcode::kTuple || c.parameters.size() != 4) return false;
  const InstructionId chosen = program.operand(c.root, 0);
  const InstructionId a = c.parameters[0], b = c.parameters[2];
  if (program.opcode(chosen) != Opcode::kSelect || program.operand(chosen, 1) != a ||
      program.operand(chosen, 2) != b) {
    return false;
  }
  return absl::c_any_of(program.Users(a), [&](InstructionId user) {
    return program.opcode(user) == Opcode::kCompare && program.operand(user, 0) == a &&
           program.operand(user, 1) == b &&
           hlo::GetComparisonDirection(program.module(), user) == direction;
  });
}

// Whatever else the reduce reads may be made of the array that it would take the place of.
bool CountsPlaces(const DeviceProgram& program, InstructionId pair) {
  InstructionId places = program.operand(pair, 1);
  if (program.opcode(places) == Opcode::kBroadcast) places = program.operand(places, 0);
  return program.opcode(places) == Opcode::kIota &&
         program.opcode(program.operand(pair, 3)) == Opcode::kConstant;
}

}  // namespace

InstructionId TakeBesidePlace(DeviceProgram& program, InstructionId reduce) {
  if (!IsReduceOfOneArray(program, reduce)) return kNoId;
  const std::optional<Opcode> step = OnlyStep(program, reduce);
  const auto extreme =
      absl::c_find_if(kExtremes, [&](const Extreme& one) { return one.step == step; });
  if (extreme == std::end(kExtremes)) return kNoId;
  if (FloatOf(program, program.operand(reduce, 1)) != extreme->begin) return kNoId;
  const InstructionId x = program.operand(reduce, 0);
  for (const InstructionId pair : program.Users(x)) {
    if (program.opcode(pair) != Opcode::kReduce || program.operands(pair).size() != 4) continue;
    const bool is_alike = program.operand(pair, 0) == x &&
                          DimensionsOf(program, pair) == DimensionsOf(program, reduce) &&
                          FloatOf(program, program.operand(pair, 2)) == extreme->begin;
    if (is_alike && CountsPlaces(program, pair) && Chooses(program, pair, extreme->direction)) {
      return program.AddGetTupleElement(pair, 0);
    }
  }
  return kNoId;
}

}  // namespace tessera::target
