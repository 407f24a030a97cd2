// The part of while-loop-invariant-code-motion for permutes and all-to-alls: one of a value that a loop does not change
// is made once, in front of the loop.
//
//   body: w = bf16[64,8] convert(element 3), and element 3 stays; p = collective-permute(w)
//   ->  in front: p = collective-permute(convert(start of element 3)); the loop carries p as a new element
//
// Windows begin with such a permute: steps that accumulate gradients exchange the same weights in each of them.
// All-gathers stay, as their result is larger than what they read: XLA moves nothing that takes more memory then. So
// does a permute of a converted array that is wider, or of a broadcast. A permute of the part that a device slices stays, too, and what
// stands after a barrier. Inner loops come first. Found from programs that accumulate gradients, and from a decoder
// whose layers read one encoded sequence. Cost: linear. Tested by tpu_passes_test.cc.

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/passes/loops/loop_match.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

int64_t BitsOf(const layout::Shape& shape) {
  if (shape.is_tuple()) return 0;
  return shape.NumElements().value_or(0) * layout::BitWidth(shape.element_type());
}

// XLA takes these along for nothing.
bool IsCheap(Opcode opcode) {
  const OpKind kind = KindOf(opcode);
  return kind == OpKind::kFree || kind == OpKind::kView || opcode == Opcode::kBroadcast ||
         opcode == Opcode::kSlice || opcode == Opcode::kTranspose || opcode == Opcode::kReverse;
}

bool IsExchange(Opcode opcode) {
  return opcode == Opcode::kCollectivePermute || opcode == Opcode::kAllToAll;
}

class Mover {
 public:
  Mover(Context* context, const CarriedLoop& loop)
      : program_(context->program), origins_(context->origins), loop_(loop) {}

  void Run() {
    if (program_.OnlyUser(loop_.start) != loop_.loop) return;
    const std::vector<InstructionId> order = program_.PostOrder(program_.computation(loop_.root));
    const auto may_move = [&](InstructionId id) {
      return IsExchange(program_.opcode(id)) && !program_.IsPinned(id) &&
             program_.operands(id).size() == 1;
    };
    if (absl::c_none_of(order, may_move)) return;
    for (const InstructionId id : order) is_invariant_[id] = ComputeInvariant(id);
    for (const InstructionId id : order) {
      if (may_move(id) && is_invariant_[program_.operand(id, 0)] && !TakesMoreMemory(id)) Move(id);
    }
  }

 private:
  // Operands come first.
  bool ComputeInvariant(InstructionId id) {
    const std::optional<size_t> element = ElementRead(program_, loop_, id);
    if (element.has_value()) {
      return ElementRead(program_, loop_, program_.operand(loop_.root, *element)) == element;
    }
    const Opcode opcode = program_.opcode(id);
    const OpKind kind = KindOf(opcode);
    if (opcode == Opcode::kParameter || opcode == Opcode::kOptBarrier) return false;
    if (program_.HasSideEffects(id)) return false;
    if (kind != OpKind::kElementwise && !IsCheap(opcode)) return false;
    int64_t read = 0;
    for (const InstructionId operand : program_.operands(id)) {
      if (!is_invariant_[operand]) return false;
      read += BitsOf(program_.shape(operand));
    }
    return IsCheap(opcode) || BitsOf(program_.shape(id)) <= read;
  }

  // Than the elements of the loop that it is computed of, as the exchange of a broadcast does.
  bool TakesMoreMemory(InstructionId exchange) const {
    int64_t read = 0;
    std::vector<InstructionId> work = {exchange};
    absl::flat_hash_set<InstructionId> seen = {exchange};
    while (!work.empty()) {
      const InstructionId id = work.back();
      work.pop_back();
      if (ElementRead(program_, loop_, id).has_value()) {
        read += BitsOf(program_.shape(id));
        continue;
      }
      for (const InstructionId operand : program_.operands(id)) {
        if (seen.insert(operand).second) work.push_back(operand);
      }
    }
    return BitsOf(program_.shape(exchange)) > read;
  }

  // The same in front of the loop, where it has been made; kNoId before.
  InstructionId MadeInFront(InstructionId id) const {
    const std::optional<size_t> element = ElementRead(program_, loop_, id);
    if (element.has_value()) return program_.operand(loop_.start, *element);
    const auto found = in_front_.find(id);
    return found == in_front_.end() ? kNoId : found->second;
  }

  InstructionId InFront(InstructionId wanted) {
    std::vector<InstructionId> missing = {wanted};
    while (!missing.empty()) {
      const InstructionId id = missing.back();
      std::vector<InstructionId> operands;
      for (const InstructionId operand : program_.operands(id)) {
        operands.push_back(MadeInFront(operand));
        if (operands.back() == kNoId) missing.push_back(operand);
      }
      if (missing.back() != id) continue;
      missing.pop_back();
      if (MadeInFront(id) != kNoId) continue;
      const InstructionId copy = program_.CloneInto(program_.computation(loop_.loop), id, operands);
      origins_.Copy(id, copy);
      in_front_[id] = copy;
    }
    return MadeInFront(wanted);
  }

  void Move(InstructionId exchange) {
    const auto element = static_cast<int64_t>(program_.operands(loop_.root).size());
    const InstructionId in_front = InFront(exchange);
    Append(loop_.start, in_front);
    AppendShape(program_.shape(exchange));
    const InstructionId read = program_.AddGetTupleElement(loop_.parameter, element);
    Append(loop_.root, read);
    is_invariant_[read] = true;
    program_.ReplaceUses(exchange, read);
    program_.RemoveDead(exchange);
  }

  void Append(InstructionId tuple, InstructionId operand) {
    std::vector<InstructionId> operands(program_.operands(tuple).begin(),
                                        program_.operands(tuple).end());
    operands.push_back(operand);
    program_.SetOperands(tuple, operands);
  }

  void AppendShape(const layout::Shape& shape) {
    const layout::Shape& old = program_.shape(loop_.loop);
    std::vector<layout::Shape> elements(old.tuple_elements().begin(), old.tuple_elements().end());
    elements.push_back(shape);
    const layout::Shape carried = layout::Shape::Tuple(std::move(elements));
    for (const InstructionId id :
         {loop_.start, loop_.loop, loop_.root, loop_.parameter, loop_.of_condition}) {
      program_.SetShape(id, carried);
    }
  }

  DeviceProgram& program_;
  Provenance& origins_;
  const CarriedLoop loop_;
  absl::flat_hash_map<InstructionId, bool> is_invariant_;
  absl::flat_hash_map<InstructionId, InstructionId> in_front_;
};

}  // namespace

absl::Status MoveInvariantExchanges(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kWhile || program.IsPinned(id)) continue;
    const std::optional<CarriedLoop> loop = FindLoop(program, id);
    if (loop.has_value()) Mover(&context, *loop).Run();
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
