#include "tessera/pipeline/report/flow_edges.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/leaves.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

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
    for (int k = 0, end = Leaves(root); k < end; ++k) {
      Add(SourceOf(root, k), table_.result_row(k));
    }
    return std::move(edges_);
  }

 private:
  int Leaves(InstructionId id) const {
    return static_cast<int>(layout::NumLeaves(module_.shape(id)));
  }

  void Add(int from, int to) {
    if (from == kNoRow || to == kNoRow || !seen_.insert({from, to}).second) return;
    edges_.push_back({from, to});
  }

  // The row that makes array `leaf` of an instruction.
  int SourceOf(InstructionId id, int leaf) {
    for (;;) {
      const hlo::Instruction& instruction = module_.instruction(id);
      const auto operands = module_.operands(id);
      if (instruction.opcode == Opcode::kGetTupleElement && operands.size() == 1) {
        const int64_t path[] = {hlo::GetTupleIndex(module_, id)};
        leaf += static_cast<int>(numbers_.Of(module_.shape(operands[0]), path));
        id = operands[0];
      } else if (instruction.opcode == Opcode::kTuple) {
        const auto [k, inside] = numbers_.ElementOf(module_.shape(id), static_cast<size_t>(leaf));
        if (k >= operands.size()) return kNoRow;
        leaf = static_cast<int>(inside);
        id = operands[k];
      } else {
        return table_.row(id, leaf);
      }
    }
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
    for (const InstructionId o : module_.operands(id)) leaves += Leaves(o);
    const bool paired = leaves == Leaves(id);
    int offset = 0;
    for (const InstructionId o : module_.operands(id)) {
      Read(id, o, offset, paired);
      offset += Leaves(o);
    }
  }

  // What `id` takes of an operand whose first array is number `offset` of all.
  void Read(InstructionId id, InstructionId operand, int offset, bool paired) {
    const int results = Leaves(id);
    for (int k = 0, end = Leaves(operand); k < end; ++k) {
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
    for (int k = 0, end = Leaves(id); k < end; ++k) {
      Add(SourceOf(inside.root, k), table_.row(id, k));
    }
  }

  void PassTo(InstructionId operand, InstructionId parameter) {
    for (int k = 0, end = Leaves(parameter); k < end; ++k) {
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
  layout::LeafNumbers numbers_;
  absl::flat_hash_set<std::pair<int, int>> seen_;
  std::vector<FlowEdge> edges_;
};

}  // namespace

std::vector<FlowEdge> FlowEdges(const hlo::Module& module, const TensorTable& table) {
  return EdgeFinder(module, table).Find();
}

}  // namespace tessera::pipeline
