// The elements that loops carry, as far as they decide the reads, writes and work of a device.
//
//   const LoopValues loops(module, true);
//   // body: %x = get-tuple-element(%p), index=2, which the body hands on as it is
//   const LoopValue* value = loops.Find(x);      // null for what no loop carries
//   value->is_invariant, value->is_stack;        // true, and whether a slice of it is read or written
//   loops.Origin(x);                             // the value outside of all loops that hand it on
//
// Compilers change what a loop carries:
//
// - A loop that converts each slice of a stack to a narrower type reads a stack that is converted once,
//   in front of the loop:
//
//     s = f32[1,64,64] dynamic-slice(stack, i, ..)        c = bf16[8,64,64] convert(stack)
//     c = bf16[1,64,64] convert(s)                  ->    s = bf16[1,64,64] dynamic-slice(c, i, ..)
//
// - A broadcast that a loop hands on is made inside of it, from what is repeated.
// - A stack that a loop fills from the first slice to the last begins with no value. One that it fills in
//   another order is written once before.
//
// Found in modules after the compiler of TPUs. Cost: linear in the instructions. Tested by
// loop_kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_LOOP_VALUES_H_
#define TESSERA_TARGET_KERNELS_LOOP_VALUES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"

namespace tessera::target {

struct LoopValue {
  hlo::InstructionId start = hlo::kNoId;  // at first, in the computation of the loop
  hlo::InstructionId next = hlo::kNoId;   // at the end of a trip, in its body
  bool is_invariant = false;
  bool is_stack = false;
  bool begins_empty = false;  // a stack that is filled in order, and not read
  double width = 0;           // bytes of an element of the slices that are read; 0: as it says
};

// A stack that is converted in front of its loops.
struct ConvertedStack {
  hlo::InstructionId stack = hlo::kNoId;
  double width = 0;  // bytes of an element that it is converted to
};

class LoopValues {
 public:
  // `compiler_changes_them`: as above; else the module is taken as it is.
  LoopValues(const hlo::Module& module, bool compiler_changes_them);

  // By an element of the parameter of a body, or of the result of a loop; else null.
  const LoopValue* Find(hlo::InstructionId element) const;
  // All of a loop, by the loop or the root of its body; else null.
  const std::vector<LoopValue>* Of(hlo::InstructionId id) const;
  // Outside of all loops that hand a value on as it is, and after all views.
  hlo::InstructionId Origin(hlo::InstructionId id) const;
  // The broadcast that is made in the loop in place of this element; kNoId for none.
  hlo::InstructionId Broadcast(hlo::InstructionId element) const;
  // Bytes of an element of a stack that is converted, and of slices of it; 0 for all else.
  double WidthOf(hlo::InstructionId id) const;

  // A value from which a loop starts, and that nobody has to write.
  bool IsUnwritten(hlo::InstructionId start) const { return unwritten_.contains(start); }
  // By computation, in which the stack stands.
  absl::Span<const ConvertedStack> converted() const { return converted_; }
  absl::Span<const ConvertedStack> ConvertedIn(hlo::ComputationId c) const;

 private:
  using Values = std::vector<LoopValue>;

  void AddLoop(hlo::InstructionId loop);
  void AddConverted(const LoopValue& value);
  hlo::InstructionId BroadcastAt(const LoopValue& value) const;

  const hlo::Module& module_;
  const bool compiler_changes_them_;
  absl::flat_hash_map<hlo::InstructionId, Values> values_;             // by loop
  absl::flat_hash_map<hlo::InstructionId, hlo::InstructionId> loops_;  // by it, parameter and root
  absl::flat_hash_map<hlo::InstructionId, double> widths_;
  absl::flat_hash_set<hlo::InstructionId> unwritten_;
  std::vector<ConvertedStack> converted_;
  absl::flat_hash_set<std::pair<hlo::InstructionId, double>> known_conversions_;  // stack, width
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_LOOP_VALUES_H_
