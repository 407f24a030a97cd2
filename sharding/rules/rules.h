// The sharding rule of every HLO op. This is the page to read. The functions that make the rules are in ops/, one
// file for each family (elementwise.cc, dot.cc, reshape.cc, ...); the table of rules.cc says which opcode has which.
//
//   std::optional<OpShardingRule> rule = DeriveRule(op);
//   // f32[8,6] dot(f32[8,4], f32[4,6]): ([i, k], [k, j])->([i, j]) {i=8, j=6, k=4} reduction={k}
//
// An op without a rule stops propagation: no sharding passes it in any direction. docs/limits.md
// lists them; the ones that surprise most are map, rng, bitcast, batch-norm-training and custom
// calls that nobody gave a rule.
//
// How propagation schedules an op is in op_traits.h, what changes many rules at once in
// rule_mode.h.
//
// A caller with many ops uses a RuleRegistry (rule_registry.h): it remembers what it derived, knows
// the rules that users gave for custom calls, and reads the ones attached to instructions.

#ifndef TESSERA_SHARDING_RULES_RULES_H_
#define TESSERA_SHARDING_RULES_RULES_H_

#include <optional>

#include "absl/types/span.h"
#include "tessera/hlo/attribute_name.h"
#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/rules/op_traits.h"  // IWYU pragma: export
#include "tessera/sharding/rules/op_view.h"
#include "tessera/sharding/rules/rule_mode.h"  // IWYU pragma: export

namespace tessera::sharding::rules {

// The rule, or nothing for an op without one. Never fails: an op that no definition covers (an
// Eigh with three operands, an all-reduce of arrays of different rank, dynamic dimensions) has no
// rule. The rule has a mapping for each operand and each result of `op`; see op_view.h for the one
// exception, rng-bit-generator.
std::optional<factors::OpShardingRule> DeriveRule(const OpView& op, const RuleMode& mode = {});

// The rule of an element-wise op of these tensors: dimension d is factor d everywhere, sizes are
// those of the first result. Sharding constraints have it too.
std::optional<factors::OpShardingRule> PointwiseRule(
    absl::Span<const layout::Shape* const> operands,
    absl::Span<const layout::Shape* const> results);

// The attributes on which the rule of an opcode depends, in any mode. Whatever else an instruction
// carries (metadata, channels, comparators, ...) does not matter to it.
absl::Span<const hlo::AttributeName> AttributesRead(hlo::Opcode opcode);

}  // namespace tessera::sharding::rules

#endif  // TESSERA_SHARDING_RULES_RULES_H_
