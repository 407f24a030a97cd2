// A value is the same on all devices if nothing that it is made of may differ. What may differ:
// parameters of the entry, the number of the device, random numbers, collectives, conditionals. An
// element of a loop's tuple is what it starts as and what the body leaves; the condition counts, too.
//
//   i = get-tuple-element(p), index=0        -> starts as 0, next is i + 1: the same
//   row = dynamic-slice(table, i)            -> table starts as a constant, and stays: the same
//   part = multiply(partition-id(), n)       -> differs
//
// The search goes from readers to what they read, and takes a value that it has met as the same: only
// what may differ ends it. Linear in the instructions that it meets.

#include "tessera/target/passes/loops/replication.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/attributes.h"
#include "tessera/projection/signatures/opcode_sets.h"

namespace tessera::target {
namespace {

// Besides elementwise operations, those that give equal results for equal operands.
constexpr Opcode kPure[] = {
    Opcode::kAllGather,    Opcode::kAllReduce, Opcode::kBitcast,      Opcode::kBroadcast,
    Opcode::kConcatenate,  Opcode::kConstant,  Opcode::kCopy,         Opcode::kConvolution,
    Opcode::kDot,          Opcode::kGather,    Opcode::kDynamicSlice, Opcode::kDynamicUpdateSlice,
    Opcode::kIota,         Opcode::kPad,       Opcode::kReduce,       Opcode::kReplicaId,
    Opcode::kReduceWindow, Opcode::kReshape,   Opcode::kReverse,      Opcode::kScatter,
    Opcode::kSlice,        Opcode::kTranspose,
};

bool IsPure(Opcode opcode) {
  return projection::IsElementwise(opcode) || absl::c_linear_search(kPure, opcode);
}

}  // namespace

class ReplicationSearch {
 public:
  explicit ReplicationSearch(const Replication& replication)
      : program_(replication.program_), loops_(replication.loops_) {}

  bool MeetsNoDifference(InstructionId id) {
    Meet(id);
    while (!work_.empty()) {
      const InstructionId next = work_.back();
      work_.pop_back();
      if (!Expand(next)) return false;
    }
    return true;
  }

 private:
  void Meet(InstructionId id) {
    if (met_.insert(id).second) work_.push_back(id);
  }

  // Meets what `id` is made of. False if `id` may differ.
  bool Expand(InstructionId id) {
    if (program_.opcode(id) == Opcode::kGetTupleElement) {
      return MeetElement(program_.operand(id, 0),
                         static_cast<size_t>(hlo::GetTupleIndex(program_.module(), id)));
    }
    if (!IsPure(program_.opcode(id))) return false;
    for (const InstructionId operand : program_.operands(id)) Meet(operand);
    return true;
  }

  bool MeetElement(InstructionId tuple, size_t element) {
    switch (program_.opcode(tuple)) {
      case Opcode::kTuple:
        Meet(program_.operand(tuple, element));
        return true;
      case Opcode::kParameter: {
        const auto loop = loops_.find(program_.computation(tuple));
        return loop != loops_.end() && MeetElement(loop->second, element);
      }
      case Opcode::kWhile:
        return MeetLoop(tuple, element);
      default:
        return false;
    }
  }

  bool MeetLoop(InstructionId loop, size_t element) {
    if (!elements_.insert({loop, element}).second) return true;
    const hlo::Module& module = program_.module();
    const auto called = module.called(loop);
    Meet(module.computation(called[1]).root);
    return MeetElement(program_.operand(loop, 0), element) &&
           MeetElement(module.computation(called[0]).root, element);
  }

  const DeviceProgram& program_;
  const absl::flat_hash_map<ComputationId, InstructionId>& loops_;
  absl::flat_hash_set<InstructionId> met_;
  absl::flat_hash_set<std::pair<InstructionId, size_t>> elements_;  // of loops
  std::vector<InstructionId> work_;
};

Replication::Replication(const DeviceProgram& program) : program_(program) {
  const auto end = static_cast<InstructionId>(program.module().num_instructions());
  for (InstructionId id = 0; id < end; ++id) {
    if (program.IsRemoved(id) || program.opcode(id) != Opcode::kWhile) continue;
    for (const ComputationId called : program.module().called(id)) loops_[called] = id;
  }
}

bool Replication::IsTheSame(InstructionId id) const {
  return ReplicationSearch(*this).MeetsNoDifference(id);
}

}  // namespace tessera::target
