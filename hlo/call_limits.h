// How deep and how large a module becomes when its calls are followed, counted before anything is
// copied.
//
//   CheckNesting(module);                   // f calls g calls h: three deep
//   CheckUnfolded(module, IsRegion, "..");  // f calls g twice: f and two of g
//
// Recursion along calls relies on the first, copies of callees on the second:
// thirty functions that each call the one before twice are half a billion copies of the first. Both
// are linear in the size of the module.

#ifndef TESSERA_HLO_CALL_LIMITS_H_
#define TESSERA_HLO_CALL_LIMITS_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"

namespace tessera::hlo {

class CallSites;  // order.h

// Programs nest some ten deep. A level of a recursion takes up to 4 KB of stack; that of `project`
// takes 7, on a stack of its own.
inline constexpr int kMaxNestedCalls = 1000;
// Some 10 GB.
inline constexpr int64_t kMaxUnfolded = 10'000'000;

// InvalidArgument (text::ErrorAt) at the first instruction, callees first, with a chain of more
// than kMaxNestedCalls computations below it, and at one that calls itself.
absl::Status CheckNesting(const Module& module);
absl::Status CheckNesting(const Module& module, const CallSites& sites);
// Whether more than `depth` computations call each other in a chain.
bool NestsDeeper(const Module& module, int depth);

// InvalidArgument (text::ErrorAt) if a computation has more than kMaxUnfolded instructions,
// unfolded. A computation that it names counts once for each mention, and so do those named in that
// one. Only instructions for which `unfolds` is true mention. The error is at the first one beyond
// the limit, callees first. CheckNesting must have passed. `what` begins the message: "with a copy
// of each ..., the module".
absl::Status CheckUnfolded(const Module& module, absl::FunctionRef<bool(InstructionId)> unfolds,
                           absl::string_view what);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_CALL_LIMITS_H_
