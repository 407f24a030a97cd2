#include "tessera/projection/cost/memory_steps.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/attributes.h"
#include "tessera/projection/cost/address.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/projection/signatures/signature_of.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

struct KindRow {
  Opcode opcode;
  BufferKind kind;
};
constexpr KindRow kKinds[] = {
    {Opcode::kAddDependency, BufferKind::kAlias},
    {Opcode::kAllGatherDone, BufferKind::kAlias},
    {Opcode::kAllReduceDone, BufferKind::kAlias},
    {Opcode::kAsyncDone, BufferKind::kAlias},
    {Opcode::kAsyncUpdate, BufferKind::kAlias},
    {Opcode::kBitcast, BufferKind::kAlias},
    {Opcode::kCollectivePermuteDone, BufferKind::kAlias},
    {Opcode::kConstant, BufferKind::kConstant},
    {Opcode::kCopyDone, BufferKind::kAlias},
    {Opcode::kDomain, BufferKind::kAlias},
    {Opcode::kDynamicUpdateSlice, BufferKind::kInPlace},
    {Opcode::kGetTupleElement, BufferKind::kAlias},
    {Opcode::kOptBarrier, BufferKind::kAlias},
    {Opcode::kScatter, BufferKind::kInPlace},
    {Opcode::kTuple, BufferKind::kAlias},
    {Opcode::kWhile, BufferKind::kInPlace},
};

int NumArrays(const layout::Shape& shape) {
  int arrays = 0;
  layout::ForEachLeaf(shape, [&](const layout::Shape& leaf) { arrays += leaf.is_array() ? 1 : 0; });
  return arrays;
}

}  // namespace

BufferKind KindOf(const Module& module, InstructionId id) {
  const Opcode opcode = module.instruction(id).opcode;
  for (const KindRow& row : kKinds) {
    if (row.opcode == opcode) return row.kind;
  }
  const bool moves = opcode == Opcode::kReshape || opcode == Opcode::kTranspose;
  if (moves && KeepsAddresses(module, id)) return BufferKind::kAlias;
  if (IsElementwise(opcode)) return BufferKind::kElementwise;
  if (opcode != Opcode::kFusion) return BufferKind::kNew;
  const Opcode root = module.instruction(module.computation(module.called(id)[0]).root).opcode;
  return root == Opcode::kDynamicUpdateSlice ? BufferKind::kInPlace : BufferKind::kElementwise;
}

int SourceOf(const Module& module, InstructionId id, int leaf) {
  const Opcode opcode = module.instruction(id).opcode;
  if (opcode == Opcode::kGetTupleElement) {
    const layout::Shape& tuple = module.shape(module.operands(id)[0]);
    const int64_t index = hlo::GetTupleIndex(module, id);
    int before = 0;
    for (int64_t e = 0; e < index; ++e)
      before += NumArrays(tuple.tuple_elements()[static_cast<size_t>(e)]);
    return before + leaf;
  }
  const bool takes_result = opcode == Opcode::kAsyncDone || opcode == Opcode::kAllGatherDone ||
                            opcode == Opcode::kCollectivePermuteDone;
  if (takes_result) {  // (operands, results, ..)
    const layout::Shape& started = module.shape(module.operands(id)[0]);
    return NumArrays(started.tuple_elements()[0]) + leaf;
  }
  if (opcode == Opcode::kFusion) {
    const hlo::Computation& body = module.computation(module.called(id)[0]);
    const InstructionId target = module.operands(body.root)[0];
    if (module.instruction(target).opcode == Opcode::kParameter)
      return static_cast<int>(module.instruction(target).parameter_number);
    return 0;
  }
  return leaf;
}

bool IsHandedOn(const Module& module, InstructionId loop, int leaf) {
  if (module.instruction(loop).opcode != Opcode::kWhile) return false;
  const auto element = static_cast<size_t>(leaf);
  const auto& elements = module.shape(loop).tuple_elements();
  if (!std::all_of(elements.begin(), elements.end(), [](const auto& e) { return e.is_array(); }))
    return false;
  for (hlo::ComputationId called : module.called(loop)) {
    const InstructionId root = module.computation(called).root;
    if (module.instruction(root).opcode != Opcode::kTuple) continue;  // the condition
    const InstructionId value = module.operands(root)[element];
    return module.instruction(value).opcode == Opcode::kGetTupleElement &&
           hlo::GetTupleIndex(module, value) == leaf &&
           module.instruction(module.operands(value)[0]).opcode == Opcode::kParameter;
  }
  return false;
}

std::vector<InstructionId> OrderOf(const Module& module, hlo::ComputationId computation) {
  const hlo::Computation& body = module.computation(computation);
  if (module.header().is_scheduled)
    return std::vector<InstructionId>(body.instructions.begin(), body.instructions.end());
  std::vector<InstructionId> order;
  absl::flat_hash_set<InstructionId> seen;
  std::vector<std::pair<InstructionId, size_t>> stack = {{body.root, 0}};
  seen.insert(body.root);
  while (!stack.empty()) {
    auto& [id, next] = stack.back();
    const auto control = module.control_predecessors(id);
    std::vector<InstructionId> before(control.begin(), control.end());
    before.insert(before.end(), module.operands(id).begin(), module.operands(id).end());
    if (next == before.size()) {
      order.push_back(id);
      stack.pop_back();
    } else if (const InstructionId operand = before[next++]; seen.insert(operand).second) {
      stack.push_back({operand, 0});
    }
  }
  return order;
}

}  // namespace tessera::projection
