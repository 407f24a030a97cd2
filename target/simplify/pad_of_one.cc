// pad(x[1], 0), padding=0_1_1  ->  pad(x, 0), padding=0_1: there is nothing between one element

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {

InstructionId RemoveInteriorPadding(DeviceProgram& program, InstructionId pad) {
  const layout::Shape from = program.shape(program.operand(pad, 0));
  std::vector<hlo::PaddingDimension> padding = hlo::GetPadding(program.module(), pad);
  bool is_changed = false, has_interior = false;
  for (size_t d = 0; d < padding.size(); ++d) {
    const bool is_one = from.dim(static_cast<int64_t>(d)) == 1 && padding[d].interior != 0;
    if (is_one) padding[d].interior = 0;
    is_changed |= is_one;
    has_interior |= padding[d].interior != 0;
  }
  if (!is_changed) return kNoId;
  std::vector<std::string> words;
  for (const auto& p : padding) {
    words.push_back(absl::StrCat(p.low, "_", p.high));
    if (has_interior) absl::StrAppend(&words.back(), "_", p.interior);
  }
  const layout::Shape shape = program.shape(pad);
  const InstructionId plain =
      program.Clone(pad, {program.operand(pad, 0), program.operand(pad, 1)}, shape);
  program.SetAttribute(plain, hlo::AttributeName::kPadding, absl::StrJoin(words, "x"));
  return plain;
}

}  // namespace tessera::target
