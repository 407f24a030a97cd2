// The literal of a constant op as HLO text, and what kind of op it is told by its source.

#ifndef TESSERA_SHARDING_PASSES_QUERIES_CONSTANT_TEXT_H_
#define TESSERA_SHARDING_PASSES_QUERIES_CONSTANT_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// The text between the brackets of constant(..) for a kConstant op: the source's literal, the one
// element of a splat, the zero of a comparison.
absl::string_view ConstantText(const hlo::Module& module, const Op* op);

// True for every op that is a broadcast in HLO, whatever instruction it was made from.
bool IsBroadcast(const Op* op);
// True for an op that is a complete instruction of this opcode.
inline bool HasOpcode(const Op* op, hlo::Opcode opcode) {
  return op->opcode == opcode && op->kind == OpKind::kHlo && op->part == OpPart::kWhole &&
         op->source != hlo::kNoId;
}

// The first element of a literal: "{ {1, 1}, {1, 1} }" -> "1".
absl::string_view FirstElement(absl::string_view literal);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_QUERIES_CONSTANT_TEXT_H_
