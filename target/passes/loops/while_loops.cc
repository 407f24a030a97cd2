// The part of simplify-while-loops that removes elements of loop carries without a reader.
//
//   body: (i, a, b) -> (i + 1, a + x, b * b)      if nobody after the loop reads b
//   ->    (i, a)    -> (i + 1, a + x)
//
// An element is needed if the condition, an instruction after the loop, or the next value of a
// needed element reads it. The needed elements of all loops are found at once, backwards from the
// result of the entry and from side effects. So elements of a loop in a loop that only feed each
// other go, too. Cost: linear in the module.
//
// A loop stays as it is if another instruction calls its body or condition. Also if its elements
// are not read one by one, or its body gives no tuple.

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/passes/loops/loop_match.h"
#include "tessera/target/passes/passes.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

struct Loop {
  InstructionId loop = kNoId;
  InstructionId root = kNoId;                           // of the body
  InstructionId of_body = kNoId, of_condition = kNoId;  // their parameters
  std::vector<bool> needed;                             // by element
};

class Simplifier {
 public:
  explicit Simplifier(DeviceProgram* program) : program_(*program) {}

  void Run() {
    const std::vector<ComputationId> computations = program_.Computations();
    callers_ = CallerCounts(program_);
    for (const ComputationId c : computations) FindLoops(c);
    if (loops_.empty()) return;
    FindNeeded(computations);
    for (const Loop& loop : loops_) {
      if (absl::c_linear_search(loop.needed, false)) Shrink(loop);
    }
  }

 private:
  const hlo::Module& module() const { return program_.module(); }

  void FindLoops(ComputationId c) {
    for (const InstructionId id : module().computation(c).instructions) {
      if (program_.opcode(id) != Opcode::kWhile || program_.IsPinned(id)) continue;
      const auto called = module().called(id);
      const hlo::Computation& body = module().computation(called[0]);
      const hlo::Computation& condition = module().computation(called[1]);
      Loop loop = {id, body.root, body.parameters[0], condition.parameters[0], {}};
      if (!HasOwnBody(program_, callers_, id) || !IsReadByElement(id) || program_.IsRoot(id))
        continue;
      if (!IsReadByElement(loop.of_body) || !IsReadByElement(loop.of_condition)) continue;
      if (program_.opcode(loop.root) != Opcode::kTuple || HasPinned(body)) continue;
      loop.needed.assign(program_.operands(loop.root).size(), false);
      const size_t number = loops_.size();
      for (const InstructionId carrier : {id, loop.of_body, loop.of_condition}) {
        loop_of_[carrier] = number;
      }
      loop_of_[loop.root] = number;
      loops_.push_back(std::move(loop));
    }
  }

  bool IsReadByElement(InstructionId id) const {
    bool is = true;
    program_.ForEachUse(
        id, [&](InstructionId user) { is &= program_.opcode(user) == Opcode::kGetTupleElement; });
    return is;
  }

  bool HasPinned(const hlo::Computation& c) const {
    return absl::c_any_of(c.instructions, [&](InstructionId id) { return program_.IsPinned(id); });
  }

  // --- What is needed ---

  void FindNeeded(const std::vector<ComputationId>& computations) {
    is_needed_.assign(module().num_instructions(), false);
    for (const ComputationId c : computations) {
      const InstructionId root = module().computation(c).root;
      if (!loop_of_.contains(root)) Need(root);
      for (const InstructionId id : module().computation(c).instructions) {
        if (program_.HasSideEffects(id)) Need(id);
      }
    }
    while (!work_.empty()) {
      const InstructionId id = work_.back();
      work_.pop_back();
      NeedWhatItReads(id);
    }
  }

  void Need(InstructionId id) {
    if (is_needed_[id]) return;
    is_needed_[id] = true;
    work_.push_back(id);
  }

  void NeedWhatItReads(InstructionId id) {
    if (program_.opcode(id) == Opcode::kGetTupleElement) {
      const auto found = loop_of_.find(program_.operand(id, 0));
      if (found != loop_of_.end() && program_.opcode(found->first) != Opcode::kTuple) {
        const auto element = static_cast<size_t>(hlo::GetTupleIndex(module(), id));
        return NeedElement(&loops_[found->second], element);
      }
    }
    // Of a loop each element by itself, but for one with side effects: what it starts from.
    if (loop_of_.contains(id) && program_.opcode(id) == Opcode::kWhile) return;
    for (const InstructionId operand : program_.operands(id)) Need(operand);
  }

  void NeedElement(Loop* loop, size_t element) {
    if (loop->needed[element]) return;
    loop->needed[element] = true;
    Need(program_.operand(loop->root, element));
    const InstructionId start = program_.operand(loop->loop, 0);
    Need(program_.opcode(start) == Opcode::kTuple ? program_.operand(start, element) : start);
  }

  // --- Without what is not ---

  void Shrink(const Loop& loop) {
    std::vector<int64_t> places(loop.needed.size(), -1);
    std::vector<layout::Shape> shapes;
    std::vector<InstructionId> kept, dropped, starts;
    for (size_t k = 0; k < loop.needed.size(); ++k) {
      const InstructionId next = program_.operand(loop.root, k);
      if (!loop.needed[k]) {
        dropped.push_back(next);
        continue;
      }
      places[k] = static_cast<int64_t>(kept.size());
      kept.push_back(next);
      shapes.push_back(program_.shape(loop.loop).tuple_elements()[k]);
      starts.push_back(StartOf(loop, k));
    }
    const layout::Shape shape = layout::Shape::Tuple(std::move(shapes));
    ReplaceStart(loop, starts, shape);
    program_.SetOperands(loop.root, kept);
    for (const InstructionId carrier : {loop.loop, loop.root, loop.of_body, loop.of_condition}) {
      program_.SetShape(carrier, shape);
    }
    for (const InstructionId id : dropped) program_.RemoveDead(id);
    for (const InstructionId carrier : {loop.loop, loop.of_body, loop.of_condition}) {
      Renumber(carrier, places);
    }
  }

  InstructionId StartOf(const Loop& loop, size_t element) {
    const InstructionId start = program_.operand(loop.loop, 0);
    if (program_.opcode(start) == Opcode::kTuple) return program_.operand(start, element);
    return program_.AddGetTupleElement(start, static_cast<int64_t>(element));
  }

  void ReplaceStart(const Loop& loop, const std::vector<InstructionId>& starts,
                    const layout::Shape& shape) {
    const InstructionId before = program_.operand(loop.loop, 0);
    const InstructionId start =
        program_.Add(program_.computation(loop.loop), Opcode::kTuple, "tuple", shape, starts);
    program_.SetOperand(loop.loop, 0, start);
    program_.RemoveDead(before);
  }

  void Renumber(InstructionId carrier, const std::vector<int64_t>& places) {
    for (const InstructionId user : program_.Users(carrier)) {
      const auto element = static_cast<size_t>(hlo::GetTupleIndex(module(), user));
      if (places[element] < 0) {
        program_.RemoveDead(user);
      } else if (places[element] != static_cast<int64_t>(element)) {
        program_.SetAttribute(user, hlo::AttributeName::kIndex, absl::StrCat(places[element]));
      }
    }
  }

  DeviceProgram& program_;
  std::vector<int> callers_;  // by ComputationId
  std::vector<Loop> loops_;
  absl::flat_hash_map<InstructionId, size_t> loop_of_;  // loop, root and parameters
  std::vector<bool> is_needed_;
  std::vector<InstructionId> work_;
};

}  // namespace

absl::Status SimplifyWhileLoops(Context& context) {
  // A dead instruction may read an element that nobody needs.
  TESSERA_RETURN_IF_ERROR(RemoveDeadCode(context));
  Simplifier(&context.program).Run();
  return absl::OkStatus();
}

}  // namespace tessera::target
