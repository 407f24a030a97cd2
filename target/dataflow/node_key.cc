#include "tessera/target/dataflow/node_key.h"

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using hlo::Opcode;

// Says nothing of what an instruction computes.
bool IsRemark(AttributeName name) {
  return name == AttributeName::kMetadata || name == AttributeName::kChannelId ||
         name == AttributeName::kFrontendAttributes || name == AttributeName::kSharding ||
         name == AttributeName::kToApply || name == AttributeName::kOrigin ||
         name == AttributeName::kStatistics;
}

// Two of them are never one.
bool IsUnique(const Node& node) {
  switch (node.opcode) {
    case Opcode::kParameter:
    case Opcode::kWhile:
    case Opcode::kConditional:
    case Opcode::kOptBarrier:
    case Opcode::kCustomCall:
    case Opcode::kRng:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
      return true;
    default:
      return node.has_side_effects;
  }
}

}  // namespace

size_t InstructionKeys::Of(hlo::InstructionId id) {
  if (keys_.size() <= id) keys_.resize(module_.num_instructions());
  if (keys_[id] == 0) keys_[id] = Make(id) | 1;
  return keys_[id];
}

size_t InstructionKeys::Make(hlo::InstructionId id) {
  const hlo::Instruction& i = module_.instruction(id);
  size_t key =
      absl::HashOf(i.opcode, i.shape, i.opcode == Opcode::kParameter ? i.parameter_number : 0);
  if (i.opcode == Opcode::kAllGather && gathers_ == EqualGathers::kStay)
    key = absl::HashOf(key, id);
  if (i.opcode == Opcode::kConstant) key = absl::HashOf(key, module_.LiteralText(id));
  for (const hlo::Attribute& a : module_.attributes(id)) {
    if (!IsRemark(a.name())) key = absl::HashOf(key, a.name(), a.value());
  }
  for (const hlo::ComputationId c : module_.called(id)) key = absl::HashOf(key, OfComputation(c));
  return key;
}

// Reducers and comparators: a few instructions. The place of an operand in the list stands for it.
size_t InstructionKeys::OfComputation(hlo::ComputationId id) {
  if (computations_.size() <= id) computations_.resize(module_.num_computations());
  if (computations_[id] != 0) return computations_[id];
  size_t key = 1;
  absl::flat_hash_map<hlo::InstructionId, size_t> places;
  for (const hlo::InstructionId i : module_.computation(id).instructions) {
    key = absl::HashOf(key, Of(i), module_.instruction(i).is_root);
    for (const hlo::InstructionId operand : module_.operands(i)) {
      key = absl::HashOf(key, places[operand]);
    }
    places.emplace(i, places.size());
  }
  return computations_[id] = key | 1;
}

NodeId EqualNodes::FindOrAdd(NodeId id) {
  const Node& node = flow_.nodes[id];
  if (IsUnique(node)) return id;
  const size_t key = keys_.Of(node.instruction);
  auto& same = nodes_[absl::HashOf(key, node.operands)];
  for (const NodeId other : same) {
    const Node& o = flow_.nodes[other];
    if (o.opcode == node.opcode && o.operands == node.operands && keys_.Of(o.instruction) == key)
      return other;
  }
  same.push_back(id);
  return id;
}

}  // namespace tessera::target
