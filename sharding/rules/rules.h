// File: rules.h
//
// The sharding rule of every HLO op. This is the page to read; the rules themselves are in one file
// for each family of ops (elementwise.cc, dot.cc, reshape.cc, ...), in the table of rules.cc.
//
//   std::optional<OpShardingRule> rule = DeriveRule(op);
//   // f32[8,6] dot(f32[8,4], f32[4,6]): ([i, k], [k, j])->([i, j]) {i=8, j=6, k=4} reduction={k}
//
// An op without a rule is a wall: no sharding passes it in any direction. docs/limits.md lists
// them; the ones that surprise most are erf, acos and their kin, PRED conditionals, map, rng,
// bitcast, batch-norm-training and custom calls that nobody gave a rule.
//
// A caller with many ops uses a RuleBook (rule_book.h): it remembers what it derived, knows the
// rules that users gave for custom calls, and reads the ones attached to instructions.

#ifndef TESSERA_SHARDING_RULES_RULES_H_
#define TESSERA_SHARDING_RULES_RULES_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "tessera/hlo/attribute_name.h"
#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/rules/op_view.h"

namespace tessera::sharding::rules {

// Which of the two published rules for `scan` counts.
enum class ScanVersion : uint8_t {
  kJaxlib0_10_2,   // needs replication along the scan only; what the installed XLA does
  kXla2026_08_07,  // also elsewhere, unless the body is element-wise
};

struct RuleMode {
  // Never lets a sharding through where its axes might not divide a dimension evenly: concatenate,
  // convolution, pad, reduce-window, select-and-scatter, slice. XLA sets it for modules under
  // automatic SPMD partitioning.
  bool conservative = false;
  ScanVersion scan = ScanVersion::kJaxlib0_10_2;
};

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

// --- what propagation asks about an op beside its rule -------------------------------------------

// How early, and in which direction, op priorities let an op move.
enum class FlowClass : uint8_t {
  kOther,
  kPassThrough,  // element-wise ops, reshape, transpose, custom calls that move between memories
  kForward,      // dynamic-slice, dynamic-update-slice: as pass-through, but forward only
  kBroadcast,    // broadcast: backward only until the last level
};

struct OpTraits {
  // Counts as element-wise when the aggressive strategy settles a conflict. Not all pointwise ops
  // do: an all-reduce or a custom call does not.
  bool element_wise = false;
  FlowClass flow = FlowClass::kOther;
};

OpTraits TraitsOf(const OpView& op);

}  // namespace tessera::sharding::rules

#endif  // TESSERA_SHARDING_RULES_RULES_H_
