// scan_loop_accumulator_input_unification: a loop in a loop writes the parts of its new stack over those of the old one.
//
//   outer loop: carries s
//     inner loop over i, new = broadcast(0):        ->      inner loop over i, new = s:
//       a = dynamic-slice(s, i)                               a = dynamic-slice(new, i)
//       new = dynamic-update-slice(new, f(a), i)              new = dynamic-update-slice(new, f(a), i)
//     s = new                                               s = new
//
// So a scan over layers that takes caches and gives new ones needs no second stack, if a loop over tokens is around it.
// The inner loop has to go through all parts of both, and nothing else may read the old stack. Tested by
// tpu_passes_test.cc.

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape.h"
#include "tessera/target/passes/loops/loop_match.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

// `id` moves one part of `stack`, which the counter picks; indices from operand `first` on.
bool MovesPart(const DeviceProgram& program, const CarriedLoop& loop, const Counter& counter,
               InstructionId id, size_t first, const layout::Shape& part) {
  const layout::Shape& stack = program.shape(program.operand(id, 0));
  bool counts = false;
  for (size_t d = 0; d < part.dims().size(); ++d) {
    if (part.dims()[d] == stack.dims()[d]) continue;
    const bool is_counted =
        part.dims()[d] == 1 && stack.dims()[d] == counter.trips && !counts &&
        ElementRead(program, loop, program.operand(id, first + d)) == counter.element;
    if (!is_counted) return false;
    counts = true;
  }
  return counts;
}

class Unifier {
 public:
  Unifier(DeviceProgram* program, const CarriedLoop& outer, const CarriedLoop& inner,
          const Counter& counter)
      : program_(*program), outer_(outer), inner_(inner), counter_(counter) {}

  void Run() {
    for (size_t k = 0; k < program_.operands(inner_.root).size(); ++k) {
      if (!FillsStack(k)) continue;
      const std::optional<size_t> old = OldStack(k);
      if (old.has_value()) Unify(k, *old);
    }
  }

 private:
  bool FillsStack(size_t k) const {
    const InstructionId update = program_.operand(inner_.root, k);
    return program_.opcode(update) == Opcode::kDynamicUpdateSlice &&
           program_.opcode(program_.operand(inner_.start, k)) == Opcode::kBroadcast &&
           OnlyElement(program_, inner_, update) == k &&
           MovesPart(program_, inner_, counter_, update, 2,
                     program_.shape(program_.operand(update, 1)));
  }

  // The element of the inner loop with what stack `k` becomes in the next trip of the outer one, if nothing else reads
  // it.
  std::optional<size_t> OldStack(size_t k) const {
    for (size_t old = 0; old < program_.operands(inner_.start).size(); ++old) {
      const InstructionId start = program_.operand(inner_.start, old);
      const auto element = ElementRead(program_, outer_, start);
      if (!element.has_value() || program_.OnlyUser(start) != inner_.start) continue;
      if (!IsResult(program_.operand(outer_.root, *element), k)) continue;
      if (IsReadInParts(old)) return old;
    }
    return std::nullopt;
  }

  bool IsResult(InstructionId id, size_t k) const {
    return program_.opcode(id) == Opcode::kGetTupleElement &&
           program_.operand(id, 0) == inner_.loop &&
           static_cast<size_t>(hlo::GetTupleIndex(program_.module(), id)) == k &&
           program_.OnlyUser(id) == outer_.root;
  }

  bool IsReadInParts(size_t old) const {
    bool is_read = !IsReadByCondition(program_, inner_, old);
    program_.ForEachUse(inner_.parameter, [&](InstructionId read) {
      if (ElementRead(program_, inner_, read) != old) return;
      program_.ForEachUse(read, [&](InstructionId user) { is_read &= IsPart(read, user, old); });
    });
    return is_read;
  }

  // Or it goes on to the next trip as it is.
  bool IsPart(InstructionId read, InstructionId user, size_t old) const {
    if (user == inner_.root) return program_.operand(user, old) == read;
    return program_.opcode(user) == Opcode::kDynamicSlice &&
           MovesPart(program_, inner_, counter_, user, 1, program_.shape(user));
  }

  void Unify(size_t k, size_t old) {
    program_.SetOperand(inner_.start, k, program_.operand(inner_.start, old));
    const InstructionId stack = program_.operand(program_.operand(inner_.root, k), 0);
    for (const InstructionId read : program_.Users(inner_.parameter)) {
      if (ElementRead(program_, inner_, read) != old) continue;
      for (const InstructionId user : program_.Users(read)) {
        if (user != inner_.root) program_.ReplaceOperand(user, read, stack);
      }
    }
  }

  DeviceProgram& program_;
  const CarriedLoop& outer_;
  const CarriedLoop& inner_;
  const Counter& counter_;
};

}  // namespace

absl::Status UnifyStacksOfLoops(Context& context) {
  DeviceProgram& program = context.program;
  absl::flat_hash_map<ComputationId, InstructionId> loops;  // by body
  std::vector<InstructionId> all;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kWhile || program.IsPinned(id)) continue;
    loops[program.module().called(id)[0]] = id;
    all.push_back(id);
  }
  const std::vector<int> callers = CallerCounts(program);
  for (const InstructionId id : all) {
    const auto around = loops.find(program.computation(id));
    if (around == loops.end() || !HasOwnBody(program, callers, id)) continue;
    const auto outer = FindLoop(program, around->second), inner = FindLoop(program, id);
    if (!outer.has_value() || !inner.has_value() || program.OnlyUser(inner->start) != id) continue;
    const auto counter = FindCounter(program, *inner);
    if (counter.has_value()) Unifier(&program, *outer, *inner, *counter).Run();
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
