#include "tessera/pipeline/report/flow_edges.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
using layout::Shape;

int NumLeaves(const Shape& shape) {
  int count = 0;
  layout::ForEachLeaf(shape, [&](const Shape&) { ++count; });
  return count;
}

class EdgeFinder {
 public:
  EdgeFinder(const hlo::Module& module, const TensorTable& table)
      : module_(module), table_(table) {}

  std::vector<FlowEdge> Find() {
    for (hlo::ComputationId c = 0; c < module_.num_computations(); ++c) {
      if (module_.computation(c).removed) continue;
      for (const InstructionId id : module_.computation(c).instructions) AddReads(id);
    }
    const InstructionId root = module_.entry().root;
    for (int k = 0; k < NumLeaves(module_.shape(root)); ++k) {
      Add(SourceOf(root, k), table_.result_row(k));
    }
    return std::move(edges_);
  }

 private:
  void Add(int from, int to) {
    if (from == kNoRow || to == kNoRow || !seen_.insert({from, to}).second) return;
    edges_.push_back({from, to});
  }

  // The row that makes array `leaf` of an instruction.
  int SourceOf(InstructionId id, int leaf) const {
    for (;;) {
      const hlo::Instruction& instruction = module_.instruction(id);
      const auto operands = module_.operands(id);
      if (instruction.opcode == Opcode::kGetTupleElement && operands.size() == 1) {
        leaf += LeavesBefore(module_.shape(operands[0]), hlo::GetTupleIndex(module_, id));
        id = operands[0];
      } else if (instruction.opcode == Opcode::kTuple) {
        size_t k = 0;
        for (; k < operands.size(); ++k) {
          const int leaves = NumLeaves(module_.shape(operands[k]));
          if (leaf < leaves) break;
          leaf -= leaves;
        }
        if (k == operands.size()) return kNoRow;
        id = operands[k];
      } else {
        return table_.row(id, leaf);
      }
    }
  }

  static int LeavesBefore(const Shape& tuple, int64_t index) {
    int count = 0;
    for (int64_t k = 0; tuple.is_tuple() && k < index; ++k) {
      count += NumLeaves(tuple.tuple_elements()[static_cast<size_t>(k)]);
    }
    return count;
  }

  void AddReads(InstructionId id) {
    switch (module_.instruction(id).opcode) {
      case Opcode::kTuple:
      case Opcode::kGetTupleElement:
        return;
      case Opcode::kWhile:
        return AddCallee(id, module_.called(id)[0], 0, 1), AddCondition(id);
      case Opcode::kCall:
        return AddCallee(id, module_.called(id)[0], 0, module_.operands(id).size());
      case Opcode::kConditional:
        for (size_t b = 0; b < module_.called(id).size(); ++b) {
          AddCallee(id, module_.called(id)[b], b + 1, 1);
        }
        return Read(id, module_.operands(id)[0], 0, /*paired=*/false);
      default:
        return AddOperands(id);
    }
  }

  void AddOperands(InstructionId id) {
    int leaves = 0;
    for (const InstructionId o : module_.operands(id)) leaves += NumLeaves(module_.shape(o));
    const bool paired = leaves == NumLeaves(module_.shape(id));
    int offset = 0;
    for (const InstructionId o : module_.operands(id)) {
      Read(id, o, offset, paired);
      offset += NumLeaves(module_.shape(o));
    }
  }

  // What `id` takes of an operand whose first array is number `offset` of all.
  void Read(InstructionId id, InstructionId operand, int offset, bool paired) {
    const int results = NumLeaves(module_.shape(id));
    for (int k = 0; k < NumLeaves(module_.shape(operand)); ++k) {
      const int from = SourceOf(operand, k);
      for (int r = paired ? offset + k : 0; r < (paired ? offset + k + 1 : results); ++r) {
        Add(from, table_.row(id, r));
      }
    }
  }

  // Operands from number `first` go to the parameters of `callee`, its root to the caller.
  void AddCallee(InstructionId id, hlo::ComputationId callee, size_t first, size_t count) {
    const hlo::Computation& inside = module_.computation(callee);
    for (size_t p = 0; p < count && p < inside.parameters.size(); ++p) {
      PassTo(module_.operands(id)[first + p], inside.parameters[p]);
    }
    for (int k = 0; k < NumLeaves(module_.shape(id)); ++k) {
      Add(SourceOf(inside.root, k), table_.row(id, k));
    }
  }

  void PassTo(InstructionId operand, InstructionId parameter) {
    for (int k = 0; k < NumLeaves(module_.shape(parameter)); ++k) {
      Add(SourceOf(operand, k), table_.row(parameter, k));
    }
  }

  // A loop that runs not at all returns what it starts with.
  void AddCondition(InstructionId loop) {
    const InstructionId start = module_.operands(loop)[0];
    PassTo(start, module_.computation(module_.called(loop)[1]).parameters[0]);
    Read(loop, start, 0, /*paired=*/true);
  }

  const hlo::Module& module_;
  const TensorTable& table_;
  absl::flat_hash_set<std::pair<int, int>> seen_;
  std::vector<FlowEdge> edges_;
};

}  // namespace

std::vector<FlowEdge> FlowEdges(const hlo::Module& module, const TensorTable& table) {
  return EdgeFinder(module, table).Find();
}

}  // namespace tessera::pipeline
