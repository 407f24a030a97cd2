// narrow-loops: what a loop takes as it is, and only products read, is converted to bf16 in front of the loop.
//
//   while: w = f32[1,8,64] dynamic-slice(f32[12,8,64] element 3, i), d = dot(x, w) at default precision
//   ->  n = bf16[12,8,64] convert(start of element 3)      // in front; the loop carries it
//   while: w = bf16[1,8,64] dynamic-slice(element 3, i), d = dot(x, w)
//
// So have weights of float32 that a scan over layers multiplies by, and operands of windowed products. Moves may stand
// between, and choices and padding, whose other operands are converted, too. Loops of one array share the convert.
// Inner loops come first, so an array that an outer loop hands on is converted in front of that one. Found by probes
// with one loop, and in a final module with windowed products. Cost: linear in the instructions of loops. Tested by
// tpu_passes_test.cc.

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/passes/loops/loop_match.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/bf16_reads.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

using layout::ElementType;

class LoopNarrower {
 public:
  LoopNarrower(DeviceProgram* program, const CarriedLoop& loop) : program_(*program), loop_(loop) {}

  void Run() {
    if (program_.OnlyUser(loop_.start) != loop_.loop) return;
    for (size_t k = 0; k < program_.operands(loop_.root).size(); ++k) {
      if (IsWide(k) && IsHandedOn(k) && ReadAsBf16(k)) Narrow(k);
    }
  }

 private:
  bool IsWide(size_t k) const {
    const layout::Shape& shape = program_.shape(program_.operand(loop_.start, k));
    return shape.is_array() && shape.rank() > 0 && shape.element_type() == ElementType::kF32;
  }

  bool IsHandedOn(size_t k) const {
    return ElementRead(program_, loop_, program_.operand(loop_.root, k)) == k &&
           !IsReadByCondition(program_, loop_, k) && ReadsOf(loop_.loop, k).empty();
  }

  // Of an element of this tuple.
  std::vector<InstructionId> ReadsOf(InstructionId tuple, size_t k) const {
    std::vector<InstructionId> reads;
    for (const InstructionId user : program_.Users(tuple)) {
      const bool is_read = program_.opcode(user) == Opcode::kGetTupleElement &&
                           hlo::GetTupleIndex(program_.module(), user) == static_cast<int64_t>(k);
      if (is_read || program_.opcode(user) != Opcode::kGetTupleElement) reads.push_back(user);
    }
    return reads;
  }

  // By a product at least, through moves.
  bool ReadAsBf16(size_t k) {
    bool is_multiplied = false;
    std::vector<InstructionId> work = ReadsOf(loop_.parameter, k);
    absl::flat_hash_set<InstructionId> seen(work.begin(), work.end());
    while (!work.empty()) {
      const InstructionId id = work.back();
      work.pop_back();
      if (program_.opcode(id) == Opcode::kTuple || program_.IsRoot(id)) return false;
      for (const InstructionId user : program_.Users(id)) {
        const bool is_next = user == loop_.root && program_.operand(user, k) == id &&
                             absl::c_count(program_.operands(user), id) == 1;
        if (is_next) continue;
        if (ReadsAsBf16(program_, user)) {
          is_multiplied |= IsProduct(program_.opcode(user));
        } else if (!KeepsPrecision(program_, user, id) || IsCollective(program_.opcode(user))) {
          return false;
        } else if (seen.insert(user).second) {
          work.push_back(user);
        }
      }
    }
    return is_multiplied;
  }

  void Narrow(size_t k) {
    const std::vector<InstructionId> reads = ReadsOf(loop_.parameter, k);
    program_.SetOperand(loop_.start, k, Narrowed(program_.operand(loop_.start, k)));
    Carry(k);
    for (const InstructionId read : reads) Retype(read);
  }

  // In front of the loop; one convert for all loops, and for products beside them.
  InstructionId Narrowed(InstructionId wide) {
    const std::vector<InstructionId> users = program_.Users(wide);
    for (const InstructionId user : users) {
      const bool is_narrow = program_.opcode(user) == Opcode::kConvert &&
                             program_.shape(user).element_type() == ElementType::kBf16;
      if (is_narrow) return user;
    }
    const InstructionId narrow = AddConvert(program_, wide, ElementType::kBf16);
    for (const InstructionId user : users) {
      if (IsProduct(program_.opcode(user)) && ReadsAsBf16(program_, user))
        program_.ReplaceOperand(user, wide, narrow);
    }
    return narrow;
  }

  void Carry(size_t k) {
    const layout::Shape& old = program_.shape(loop_.loop);
    std::vector<layout::Shape> elements(old.tuple_elements().begin(), old.tuple_elements().end());
    elements[k] = program_.shape(program_.operand(loop_.start, k));
    const layout::Shape carried = layout::Shape::Tuple(std::move(elements));
    for (const InstructionId id :
         {loop_.start, loop_.loop, loop_.root, loop_.parameter, loop_.of_condition}) {
      program_.SetShape(id, carried);
    }
  }

  // With all that only moves it.
  void Retype(InstructionId read) {
    std::vector<InstructionId> narrow = {read};
    absl::flat_hash_set<InstructionId> seen = {read};
    for (size_t at = 0; at < narrow.size(); ++at) {
      const InstructionId id = narrow[at];
      program_.SetShape(id, Retyped(program_.shape(id), ElementType::kBf16));
      for (const InstructionId user : program_.Users(id)) {
        if (user == loop_.root || IsProduct(program_.opcode(user))) continue;
        if (program_.opcode(user) == Opcode::kConvert) {
          program_.ReplaceUses(user, id);
        } else if (seen.insert(user).second) {
          narrow.push_back(user);
        }
      }
    }
    for (const InstructionId id : narrow) NarrowOperands(id);
  }

  // What is padded with, or chosen from beside it.
  void NarrowOperands(InstructionId id) {
    for (size_t k = 0; k < program_.operands(id).size(); ++k) {
      const InstructionId operand = program_.operand(id, k);
      if (program_.shape(operand).element_type() != ElementType::kF32) continue;
      program_.SetOperand(id, k, AddConvert(program_, operand, ElementType::kBf16));
    }
  }

  DeviceProgram& program_;
  const CarriedLoop loop_;
};

}  // namespace

absl::Status NarrowLoops(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kWhile || program.IsPinned(id)) continue;
    const std::optional<CarriedLoop> loop = FindLoop(program, id);
    if (loop.has_value()) LoopNarrower(&program, *loop).Run();
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
