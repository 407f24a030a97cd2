#include "tessera/target/kernels/places.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "tessera/target/kernels/products/registers.h"
#include "tessera/target/kernels/roles.h"
#include "tessera/target/kernels/row_updates.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

constexpr int kMaxViews = 16;  // views that are looked through
constexpr double kMovedBytes = 24 << 20;
constexpr double kLargestNear = 64 << 20;
constexpr double kRoundedWidth = 2;  // bytes

double BytesOf(const layout::Shape& array) { return Elements(array) * ElementWidth(array); }

}  // namespace

NearMemory NearMemoryOf(const Chip* chip) {
  if (chip == nullptr || chip->platform != Platform::kTpu) return {};
  return {static_cast<double>(chip->fast_bytes), chip->cores == 1};
}

Places::Places(const hlo::Module& module, const std::vector<InstructionId>& order,
               const LoopValues& loops, const NearMemory& memory)
    : module_(module), loops_(loops), memory_(memory) {
  // Arrays that a loop keeps for a later one lie in its stacks.
  const bool is_entry =
      !order.empty() && module.instruction(order[0]).computation == module.entry_id();
  if (is_entry) {
    CountWritten(order);
    AddResults(module.computation(module.entry_id()).root);
  }
  for (const InstructionId id : order) {
    const bool is_loop = module.instruction(id).opcode == Opcode::kWhile;
    if (module.instruction(id).is_root) Keep(id);
    if (is_loop && !module.operands(id).empty()) Keep(module.operands(id)[0]);
  }
}

void Places::AddResults(InstructionId root) {
  results_.insert(root);
  if (module_.instruction(root).opcode != Opcode::kTuple) return;
  const auto operands = module_.operands(root);
  results_.insert(operands.begin(), operands.end());
}

void Places::CountWritten(const std::vector<InstructionId>& order) {
  double written = 0;
  for (const InstructionId id : order) {
    if (RoleOf(module_, id) == Role::kProduct) written += BytesOf(module_.shape(id));
    spans_[id] = {written, written};
    ExtendTo(written, id);
  }
}

// A view is the array that it is a view of.
void Places::ExtendTo(double written, InstructionId reader) {
  for (InstructionId id : module_.operands(reader)) {
    for (int steps = 0; steps < kMaxViews; ++steps) {
      spans_[id].last = std::max(spans_[id].last, written);
      if (!IsView(module_.instruction(id).opcode)) break;
      id = module_.operands(id)[0];
    }
  }
}

bool Places::WaitsLong(InstructionId id) const {
  const auto found = spans_.find(id);
  return found != spans_.end() && found->second.last - found->second.first > memory_.bytes;
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
    if (far_.contains(id) || WaitsLong(id) || IsLeftFar(id)) return false;
    if (IsRenewedFar(id)) return false;
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
  const bool writes_near = memory_.takes_products || !HasProduct(*body);
  std::vector<BodyNode*> near;
  for (BodyNode& node : body->nodes) {
    const bool is_array = node.is_input || (node.is_output && writes_near);
    if (is_array && MayBeNear(node.id)) near.push_back(&node);
  }
  absl::c_stable_sort(near, [](const BodyNode* a, const BodyNode* b) {
    return a->registers * a->width > b->registers * b->width;
  });
  double room = memory_.bytes;
  for (BodyNode* node : near) {
    const double bytes = node->registers * kElementsOfRegister * node->width;
    const double most = IsWrittenSlice(module_, node->id) ? room : std::min(room, kLargestNear);
    node->is_fast = bytes <= most;
    if (node->is_fast) room -= bytes;
  }
  MoveBefore(body, room);
}

// What the kernel of a product wrote to the main memory.
bool Places::IsLeftFar(InstructionId id) const {
  return !memory_.takes_products && of_products_.contains(id);
}

// What a loop carries and the kernel of a product writes anew in each trip.
bool Places::IsRenewedFar(InstructionId id) const {
  const LoopValue* value = loops_.Find(id);
  return value != nullptr && value->next != hlo::kNoId && IsLeftFar(SourceOf(value->next));
}

bool Places::HasProduct(const Body& body) const {
  return absl::c_any_of(body.nodes, [&](const BodyNode& node) {
    return !node.is_input && RoleOf(module_, node.id) == Role::kProduct;
  });
}

// Arguments whose elements a product rounds to bf16, and what waited for it or a product wrote, if they are small.
void Places::MoveBefore(Body* body, double room) const {
  if (!HasProduct(*body)) return;
  for (BodyNode& node : body->nodes) {
    const double bytes = node.registers * kElementsOfRegister * node.width;
    const bool is_far = (node.width > kRoundedWidth && IsArgument(node.id)) || WaitsLong(node.id) ||
                        IsLeftFar(SourceOf(node.id));
    const bool moves =
        node.is_input && !node.is_fast && bytes <= std::min(room, kMovedBytes) && is_far;
    if (!moves) continue;
    node.is_fast = true;
    room -= bytes;
  }
}

// The array of a view.
InstructionId Places::SourceOf(InstructionId id) const {
  while (IsView(module_.instruction(id).opcode)) id = module_.operands(id)[0];
  return id;
}

bool Places::IsArgument(InstructionId id) const {
  const hlo::Instruction& instruction = module_.instruction(SourceOf(id));
  return instruction.opcode == Opcode::kParameter && instruction.computation == module_.entry_id();
}

}  // namespace tessera::target
