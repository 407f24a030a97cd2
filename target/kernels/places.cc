#include "tessera/target/kernels/places.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "tessera/target/kernels/products/registers.h"
#include "tessera/target/kernels/roles.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

constexpr int kMaxViews = 16;  // views that are looked through
constexpr double kMovedBytes = 24 << 20;
constexpr double kRoundedWidth = 2;  // bytes

}  // namespace

Places::Places(const hlo::Module& module, const std::vector<InstructionId>& order,
               const LoopValues& loops, double bytes)
    : module_(module), loops_(loops), bytes_(bytes) {
  for (const InstructionId id : order) {
    const bool is_loop = module.instruction(id).opcode == Opcode::kWhile;
    if (module.instruction(id).is_root) Keep(id);
    if (is_loop && !module.operands(id).empty()) Keep(module.operands(id)[0]);
  }
}

// Of the tuple from which a loop starts, or which a computation gives back.
void Places::Keep(InstructionId id) {
  far_.insert(id);
  if (module_.instruction(id).opcode != Opcode::kTuple) return;
  const std::vector<LoopValue>* carried = loops_.Of(id);
  const auto operands = module_.operands(id);
  for (size_t k = 0; k < operands.size(); ++k) {
    const bool is_far = carried == nullptr || k >= carried->size() || (*carried)[k].is_stack;
    if (is_far) far_.insert(operands[k]);
  }
}

bool Places::MayBeNear(InstructionId id) const {
  for (int steps = 0; steps < kMaxViews; ++steps) {
    if (far_.contains(id)) return false;
    if (const LoopValue* value = loops_.Find(id)) {
      const bool is_from_outside = value->is_invariant && value->start != hlo::kNoId;
      return !value->is_stack && (!is_from_outside || MayBeNear(value->start));
    }
    switch (module_.instruction(id).opcode) {
      case Opcode::kParameter:
      case Opcode::kConstant:
      case Opcode::kWhile:
      case Opcode::kTuple:
        return false;
      case Opcode::kGetTupleElement:
        break;
      default:
        if (!IsView(module_.instruction(id).opcode)) return true;
    }
    id = module_.operands(id)[0];
  }
  return true;
}

void Places::Fill(Body* body) const {
  std::vector<BodyNode*> near;
  for (BodyNode& node : body->nodes) {
    const bool is_array = node.is_input || node.is_output;
    if (is_array && MayBeNear(node.id)) near.push_back(&node);
  }
  absl::c_stable_sort(near, [](const BodyNode* a, const BodyNode* b) {
    return a->registers * a->width > b->registers * b->width;
  });
  double room = bytes_;
  for (BodyNode* node : near) {
    const double bytes = node->registers * kElementsOfRegister * node->width;
    node->is_fast = bytes <= room;
    if (node->is_fast) room -= bytes;
  }
  MoveBefore(body, room);
}

// Arguments whose elements a product rounds to bf16, if they are small.
void Places::MoveBefore(Body* body, double room) const {
  const auto has_product = [&](const BodyNode& node) {
    return !node.is_input && RoleOf(module_, node.id) == Role::kProduct;
  };
  if (!absl::c_any_of(body->nodes, has_product)) return;
  for (BodyNode& node : body->nodes) {
    const double bytes = node.registers * kElementsOfRegister * node.width;
    const bool moves = node.is_input && !node.is_fast && node.width > kRoundedWidth &&
                       bytes <= std::min(room, kMovedBytes) && IsArgument(node.id);
    if (!moves) continue;
    node.is_fast = true;
    room -= bytes;
  }
}

bool Places::IsArgument(InstructionId id) const {
  while (IsView(module_.instruction(id).opcode)) id = module_.operands(id)[0];
  const hlo::Instruction& instruction = module_.instruction(id);
  return instruction.opcode == Opcode::kParameter && instruction.computation == module_.entry_id();
}

}  // namespace tessera::target
