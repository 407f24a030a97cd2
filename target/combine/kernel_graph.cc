#include "tessera/target/combine/kernel_graph.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "tessera/projection/signatures/opcode_sets.h"

namespace tessera::target {
namespace {

// Beside what is element-wise.
constexpr Opcode kFusible[] = {Opcode::kBitcast,      Opcode::kBitcastConvert,
                               Opcode::kBroadcast,    Opcode::kConcatenate,
                               Opcode::kDynamicSlice, Opcode::kDynamicUpdateSlice,
                               Opcode::kGather,       Opcode::kMap,
                               Opcode::kPad,          Opcode::kReduce,
                               Opcode::kReshape,      Opcode::kReduceWindow,
                               Opcode::kReverse,      Opcode::kSlice,
                               Opcode::kTranspose};

bool IsKernel(const DeviceProgram& program, InstructionId id) {
  const Opcode opcode = program.opcode(id);
  const bool is_fusible =
      projection::IsElementwise(opcode) || absl::c_linear_search(kFusible, opcode);
  return !is_fusible || program.OnlyUser(id) == kNoId;
}

constexpr Kernel kNoKernel = 0xffffffffu;

// What is known of the instructions of a computation, by number from the least one on.
class Table {
 public:
  explicit Table(absl::Span<const InstructionId> instructions) {
    if (instructions.empty()) return;
    const auto [least, most] = std::minmax_element(instructions.begin(), instructions.end());
    base_ = *least;
    rows_.resize(*most - base_ + 1);
  }

  Kernel& KernelOf(InstructionId id) { return rows_[id - base_].kernel; }
  // Whether it is the first time that `reader` sees it.
  bool Sees(Kernel reader, InstructionId id) {
    return std::exchange(rows_[id - base_].seen_by, reader) != reader;
  }

 private:
  struct Row {
    Kernel kernel = kNoKernel;   // that it is the last instruction of
    Kernel seen_by = kNoKernel;  // the last one that saw it
  };
  InstructionId base_ = 0;
  std::vector<Row> rows_;
};

// What is fused into a kernel stands in a row behind it, and what the row reads behind that.
std::vector<Kernel> ReadBy(const DeviceProgram& program, InstructionId id, Table* table) {
  const Kernel reader = table->KernelOf(id);
  std::vector<Kernel> read;
  std::vector<InstructionId> row = {id};
  for (size_t k = 0; k < row.size(); ++k) {
    const Kernel kernel = table->KernelOf(row[k]);
    if (k > 0 && kernel != kNoKernel) {
      read.push_back(kernel);
      continue;
    }
    for (const InstructionId operand : program.operands(row[k])) {
      if (table->Sees(reader, operand)) row.push_back(operand);
    }
  }
  return read;
}

}  // namespace

KernelGraph MakeKernelGraph(const DeviceProgram& program, ComputationId c) {
  KernelGraph graph;
  const auto& instructions = program.module().computation(c).instructions;
  Table table(instructions);
  for (const InstructionId id : instructions) {
    if (program.IsRemoved(id) || !IsKernel(program, id)) continue;
    table.KernelOf(id) = static_cast<Kernel>(graph.instructions.size());
    graph.instructions.push_back(id);
  }
  graph.operands.reserve(graph.instructions.size());
  for (const InstructionId id : graph.instructions) {
    graph.operands.push_back(ReadBy(program, id, &table));
  }
  return graph;
}

std::vector<Kernel> PostOrder(const KernelGraph& graph) {
  std::vector<bool> is_read(graph.operands.size()), visited(graph.operands.size());
  for (const std::vector<Kernel>& operands : graph.operands) {
    for (const Kernel operand : operands) is_read[operand] = true;
  }
  std::vector<Kernel> order;
  std::vector<std::pair<Kernel, bool>> stack;  // and whether its operands are through
  for (Kernel start = 0; start < graph.operands.size(); ++start) {
    if (!is_read[start]) stack.emplace_back(start, false);
    while (!stack.empty()) {
      const auto [top, is_done] = stack.back();
      stack.pop_back();
      if (is_done) order.push_back(top);
      if (is_done || visited[top]) continue;
      visited[top] = true;
      stack.emplace_back(top, true);
      const std::vector<Kernel>& operands = graph.operands[top];
      for (auto it = operands.rbegin(); it != operands.rend(); ++it) stack.emplace_back(*it, false);
    }
  }
  return order;
}

}  // namespace tessera::target
