// Kinds of ops by the names that the text of a program has for them.

#ifndef TESSERA_SHARDING_PASSES_TEXT_KIND_NAMES_H_
#define TESSERA_SHARDING_PASSES_TEXT_KIND_NAMES_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

struct KindName {
  OpKind kind;
  absl::string_view name;
};

// Kinds that have a name of their own; kHlo prints its opcode.
inline constexpr KindName kKindNames[] = {
    {OpKind::kConstant, "constant"},
    {OpKind::kReturn, "return"},
    {OpKind::kWhile, "while"},
    {OpKind::kCase, "case"},
    {OpKind::kPredConditional, "if"},
    {OpKind::kNamedComputation, "named"},
    {OpKind::kManualComputation, "manual"},
    {OpKind::kCall, "call"},
    {OpKind::kOptBarrier, "opt-barrier"},
    {OpKind::kConstraint, "constraint"},
    {OpKind::kShardingGroup, "group"},
    {OpKind::kPropagationBarrier, "barrier"},
    {OpKind::kDataFlowEdge, "edge"},
    {OpKind::kReshard, "reshard"},
    {OpKind::kAllReduce, "all-reduce"},
    {OpKind::kReplicatedToUnreduced, "replicated-to-unreduced"},
    {OpKind::kShardedToUnreduced, "sharded-to-unreduced"},
};

// Of a propagation barrier, by its attribute.
inline constexpr absl::string_view kDirections[] = {"none", "forward", "backward", "both"};

// "" for kHlo.
constexpr absl::string_view NameOf(OpKind kind) {
  for (const KindName& row : kKindNames) {
    if (row.kind == kind) return row.name;
  }
  return "";
}

inline std::optional<OpKind> KindOf(absl::string_view name) {
  for (const KindName& row : kKindNames) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_TEXT_KIND_NAMES_H_
