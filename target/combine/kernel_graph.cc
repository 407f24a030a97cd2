#include "tessera/target/combine/kernel_graph.h"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/target/program/add_once.h"

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

using Opcodes = std::bitset<hlo::kNumOpcodes>;

Opcodes FusibleOpcodes() {
  Opcodes fusible;
  for (size_t k = 0; k < fusible.size(); ++k) {
    fusible[k] = projection::IsElementwise(static_cast<Opcode>(k));
  }
  for (const Opcode opcode : kFusible) fusible.set(static_cast<size_t>(opcode));
  return fusible;
}

bool IsScalar(const layout::Shape& shape) { return shape.is_array() && shape.rank() == 0; }

bool IsKernel(const DeviceProgram& program, InstructionId id) {
  static const Opcodes fusible = FusibleOpcodes();
  return IsScalar(program.shape(id)) || !fusible[static_cast<size_t>(program.opcode(id))] ||
         program.OnlyUser(id) == kNoId;
}

// The kernels of a computation by their instructions, whose ids mostly stand near each other: then in a list.
class KernelsById {
 public:
  explicit KernelsById(const std::vector<InstructionId>& instructions) {
    if (instructions.empty()) return;
    const auto [least, most] = absl::c_minmax_element(instructions);
    const size_t spread = *most - *least + 1;
    if (spread > kMostSpread * instructions.size()) return;
    first_ = *least;
    kernels_.resize(spread, kNoKernel);
  }

  static constexpr KernelId kNoKernel = 0xffffffffu;

  void Set(InstructionId id, KernelId kernel) {
    (kernels_.empty() ? apart_[id] : kernels_[id - first_]) = kernel;
  }
  KernelId operator[](InstructionId id) const {
    if (!kernels_.empty()) return kernels_[id - first_];
    const auto found = apart_.find(id);
    return found == apart_.end() ? kNoKernel : found->second;
  }

 private:
  static constexpr size_t kMostSpread = 8;

  InstructionId first_ = 0;
  std::vector<KernelId> kernels_;
  absl::flat_hash_map<InstructionId, KernelId> apart_;
};

// What is fused into a kernel stands in a row after it, and what the row reads after that.
std::vector<KernelId> ReadBy(const DeviceProgram& program, InstructionId id,
                             const KernelsById& kernels) {
  std::vector<KernelId> read;
  absl::InlinedVector<InstructionId, 16> row = {id};
  absl::flat_hash_set<InstructionId> seen;
  for (size_t k = 0; k < row.size(); ++k) {
    const KernelId kernel = kernels[row[k]];
    if (k > 0 && kernel != KernelsById::kNoKernel) {
      read.push_back(kernel);
      continue;
    }
    for (const InstructionId operand : program.operands(row[k])) AddOnce(operand, &row, &seen);
  }
  return read;
}

}  // namespace

KernelGraph MakeKernelGraph(const DeviceProgram& program, ComputationId c, bool fuses) {
  KernelGraph graph;
  const auto& instructions = program.module().computation(c).instructions;
  KernelsById kernels(instructions);
  for (const InstructionId id : instructions) {
    if (program.IsRemoved(id) || (fuses && !IsKernel(program, id))) continue;
    kernels.Set(id, static_cast<KernelId>(graph.instructions.size()));
    graph.instructions.push_back(id);
  }
  graph.operands.reserve(graph.instructions.size());
  for (const InstructionId id : graph.instructions) {
    graph.operands.push_back(ReadBy(program, id, kernels));
  }
  return graph;
}

void Merge(const std::vector<MergedKernels>& merged, KernelGraph* graph) {
  std::vector<KernelId> becomes;
  for (KernelId k = 0; k < graph->operands.size(); ++k) becomes.push_back(k);
  for (const auto& [members, one] : merged) {
    std::vector<KernelId> read;
    for (const KernelId member : members) {
      becomes[member] = static_cast<KernelId>(graph->operands.size());
      absl::c_move(graph->operands[member], std::back_inserter(read));
      graph->operands[member].clear();
    }
    graph->instructions.push_back(one);
    graph->operands.push_back(std::move(read));
    becomes.push_back(static_cast<KernelId>(becomes.size()));
  }
  for (std::vector<KernelId>& operands : graph->operands) {
    for (KernelId& operand : operands) operand = becomes[operand];
  }
}

std::vector<KernelId> PostOrder(const KernelGraph& graph) {
  std::vector<bool> is_read(graph.operands.size()), visited(graph.operands.size());
  for (const std::vector<KernelId>& operands : graph.operands) {
    for (const KernelId operand : operands) is_read[operand] = true;
  }
  std::vector<KernelId> order;
  std::vector<std::pair<KernelId, bool>> stack;  // and whether its operands are through
  for (KernelId start = 0; start < graph.operands.size(); ++start) {
    if (!is_read[start]) stack.emplace_back(start, false);
    while (!stack.empty()) {
      const auto [top, is_done] = stack.back();
      stack.pop_back();
      if (is_done) order.push_back(top);
      if (is_done || visited[top]) continue;
      visited[top] = true;
      stack.emplace_back(top, true);
      const std::vector<KernelId>& operands = graph.operands[top];
      for (auto it = operands.rbegin(); it != operands.rend(); ++it) stack.emplace_back(*it, false);
    }
  }
  return order;
}

}  // namespace tessera::target
