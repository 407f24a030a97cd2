#include "tessera/projection/cost/memory/memory_steps.h"

#include <array>

#include "tessera/hlo/attributes.h"
#include "tessera/projection/cost/demand/address.h"
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

// By opcode; of reshapes, transposes, copies and fusions the instruction decides.
std::array<BufferKind, hlo::kNumOpcodes> MakeKinds() {
  std::array<BufferKind, hlo::kNumOpcodes> kinds;
  for (size_t k = 0; k < kinds.size(); ++k) {
    kinds[k] = IsElementwise(static_cast<Opcode>(k)) ? BufferKind::kElementwise : BufferKind::kNew;
  }
  for (const KindRow& row : kKinds) kinds[static_cast<size_t>(row.opcode)] = row.kind;
  return kinds;
}

}  // namespace

BufferKind KindOf(const Module& module, InstructionId id) {
  static const std::array<BufferKind, hlo::kNumOpcodes> kinds = MakeKinds();
  const Opcode opcode = module.instruction(id).opcode;
  const bool moves = opcode == Opcode::kReshape || opcode == Opcode::kTranspose;
  if (moves && KeepsAddresses(module, id)) return BufferKind::kAlias;
  // XLA's simplifier takes out what copies nothing; a schedule has the copies that are made.
  if (opcode == Opcode::kCopy) {
    const bool is_same = module.shape_id(id) == module.shape_id(module.operands(id)[0]);
    return is_same && !module.header().is_scheduled ? BufferKind::kAlias : BufferKind::kNew;
  }
  if (opcode != Opcode::kFusion) return kinds[static_cast<size_t>(opcode)];
  const Opcode root = module.instruction(module.computation(module.called(id)[0]).root).opcode;
  return root == Opcode::kDynamicUpdateSlice ? BufferKind::kInPlace : BufferKind::kElementwise;
}

int LeafStarts::StartOf(InstructionId tuple, int64_t element) {
  std::vector<int>& starts = starts_[module_.shape_id(tuple)];
  if (starts.empty()) starts = ArrayStarts(module_.shape(tuple));
  return starts[static_cast<size_t>(element)];
}

namespace {

// The array that the first array of the result stands on.
int FirstSource(const Module& module, InstructionId id, LeafStarts* starts) {
  const Opcode opcode = module.instruction(id).opcode;
  if (opcode == Opcode::kGetTupleElement)
    return starts->StartOf(module.operands(id)[0], hlo::GetTupleIndex(module, id));
  const bool takes_result = opcode == Opcode::kAsyncDone || opcode == Opcode::kAllGatherDone ||
                            opcode == Opcode::kCollectivePermuteDone;
  if (takes_result) return starts->StartOf(module.operands(id)[0], 1);  // (operands, results, ..)
  if (opcode != Opcode::kFusion || KindOf(module, id) != BufferKind::kInPlace) return 0;
  const hlo::Computation& body = module.computation(module.called(id)[0]);
  const hlo::Instruction& updated = module.instruction(module.operands(body.root)[0]);
  if (updated.opcode != Opcode::kParameter) return 0;
  int before = 0;
  for (uint32_t p = 0; p < updated.parameter_number; ++p)
    before += static_cast<int>(ArrayLeaves(module.shape(module.operands(id)[p])).size());
  return before;
}

// Pass-through elements of the carry alias the init operand.
void MarkPassThroughCarries(const Module& module, InstructionId loop,
                            std::vector<LeafPlace>* places) {
  const layout::Shape& shape = module.shape(loop);
  if (!shape.is_tuple() || places->size() != shape.tuple_elements().size())
    return;  // an array is no element, or an element no array
  for (hlo::ComputationId called : module.called(loop)) {
    const InstructionId root = module.computation(called).root;
    if (module.instruction(root).opcode != Opcode::kTuple) continue;  // the condition
    const auto values = module.operands(root);
    for (size_t leaf = 0; leaf < places->size(); ++leaf) {
      const bool is_same =
          module.instruction(values[leaf]).opcode == Opcode::kGetTupleElement &&
          hlo::GetTupleIndex(module, values[leaf]) == static_cast<int64_t>(leaf) &&
          module.instruction(module.operands(values[leaf])[0]).opcode == Opcode::kParameter;
      if (is_same) (*places)[leaf].kind = BufferKind::kAlias;
    }
    return;
  }
}

}  // namespace

std::vector<LeafPlace> PlacesOf(const Module& module, InstructionId id, size_t leaves,
                                LeafStarts* starts) {
  const int first = FirstSource(module, id, starts);
  std::vector<LeafPlace> places(leaves, {KindOf(module, id), first});
  for (size_t leaf = 0; leaf < places.size(); ++leaf) places[leaf].source += static_cast<int>(leaf);
  if (module.instruction(id).opcode == Opcode::kWhile) MarkPassThroughCarries(module, id, &places);
  return places;
}

std::vector<InstructionId> ExecutionOrder::Of(hlo::ComputationId computation) {
  const hlo::Computation& body = module_.computation(computation);
  if (module_.header().is_scheduled) {
    return std::vector<InstructionId>(body.instructions.begin(), body.instructions.end());
  }
  const std::vector<InstructionId>& all = walk_.Of(computation);
  is_alive_[body.root] = true;
  for (auto id = all.rbegin(); id != all.rend(); ++id) {
    if (!is_alive_[*id] && !effects_.Of(*id)) continue;
    is_alive_[*id] = true;
    for (const InstructionId operand : module_.operands(*id)) is_alive_[operand] = true;
    for (const InstructionId before : module_.control_predecessors(*id)) is_alive_[before] = true;
  }
  std::vector<InstructionId> alive;
  alive.reserve(all.size());
  for (const InstructionId id : all) {
    if (is_alive_[id]) alive.push_back(id);
  }
  return alive;
}

}  // namespace tessera::projection
