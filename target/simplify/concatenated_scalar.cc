// concatenate(x, broadcast(scalar))  ->  pad(x, scalar): also in front, but not on both sides

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

// What fills the array, if that is one number.
InstructionId ScalarOf(const DeviceProgram& program, InstructionId id) {
  if (program.opcode(id) != Opcode::kBroadcast) return kNoId;
  const InstructionId operand = program.operand(id, 0);
  return program.shape(operand).rank() == 0 ? operand : kNoId;
}

}  // namespace

InstructionId PadInPlaceOfConcatenate(DeviceProgram& program, InstructionId joined) {
  if (program.operands(joined).size() != 2) return kNoId;
  const InstructionId first = program.operand(joined, 0), second = program.operand(joined, 1);
  const InstructionId in_front = ScalarOf(program, first), after = ScalarOf(program, second);
  if ((in_front == kNoId) == (after == kNoId)) return kNoId;
  const bool is_low = in_front != kNoId;
  const InstructionId x = is_low ? second : first, filled = is_low ? first : second;
  const int64_t dimension = DimensionsOf(program, joined)[0];
  std::vector<std::string> words(static_cast<size_t>(program.shape(joined).rank()), "0_0");
  const int64_t size = program.shape(filled).dim(dimension);
  words[static_cast<size_t>(dimension)] =
      is_low ? absl::StrCat(size, "_0") : absl::StrCat("0_", size);
  const InstructionId padded = program.Add(program.computation(joined), Opcode::kPad, "pad",
                                           program.shape(joined), {x, is_low ? in_front : after});
  program.SetAttribute(padded, hlo::AttributeName::kPadding, absl::StrJoin(words, "x"));
  return padded;
}

}  // namespace tessera::target
