// Options of a propagation, and the source of its rules.
//
//   Options options;                          // as the compiler does it
//   options.schedule = Schedule::kFlat;       // no priorities of any kind
//   options.strategy = Strategy::kBasic;      // conflicts are left alone

#ifndef TESSERA_SHARDING_PROPAGATION_OPTIONS_H_
#define TESSERA_SHARDING_PROPAGATION_OPTIONS_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "tessera/sharding/propagation/numbered_program.h"

namespace tessera::sharding::propagation {

enum class Schedule : uint8_t { kUserPriority, kOpPriority, kFlat };

enum class Strategy : uint8_t {
  kAggressive,          // resolves conflicts: the larger source wins
  kBasic,               // leaves conflicts alone
  kBasicThenAggressive  // a whole run of the one, then of the other
};

struct Options {
  Schedule schedule = Schedule::kUserPriority;
  Strategy strategy = Strategy::kAggressive;
  // Drops an axis that would end as a sub-axis, with all after it. The rules must have been derived
  // conservatively too.
  bool conservative = false;
  // The shardings are those of the end: no axis crosses an op.
  bool is_final = false;
  // Computes every step anew and skips none. Same result, slower; an observer implies it.
  bool plain = false;
};

// Gives the rule of an op of kind kHlo or kConstraint, or factors::kNoRule: nothing crosses it.
// Asked at the op's first visit, once. An error ends the propagation and is what it returns.
using RuleSource = std::function<absl::StatusOr<RuleId>(OpId op)>;

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_OPTIONS_H_
