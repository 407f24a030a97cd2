// XLA keeps every property as a single and adds instruction after instruction, so its totals depend
// on the order: first each instruction without users that is not the root and has no control
// successor, in order of the text, each after its operands (depth first, left to right, then
// control predecessors); the root with what is left of its cone last. Called computations are
// totalled the same way and enter as one term.
#include "tessera/testing/projection/xla_cost.h"

#include <algorithm>

#include "tessera/projection/cost/compute/traffic.h"
#include "tessera/projection/cost/compute/work.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

void Add(const XlaCost& part, XlaCost* total) {
  total->flops += part.flops;
  total->transcendentals += part.transcendentals;
  total->bytes_accessed += part.bytes_accessed;
  total->output_bytes += part.output_bytes;
  if (part.operand_bytes.size() > total->operand_bytes.size())
    total->operand_bytes.resize(part.operand_bytes.size());
  for (size_t k = 0; k < part.operand_bytes.size(); ++k)
    total->operand_bytes[k] += part.operand_bytes[k];
}

void TakeMaximum(const XlaCost& part, XlaCost* most) {
  most->flops = std::max(most->flops, part.flops);
  most->transcendentals = std::max(most->transcendentals, part.transcendentals);
  most->bytes_accessed = std::max(most->bytes_accessed, part.bytes_accessed);
  most->output_bytes = std::max(most->output_bytes, part.output_bytes);
  if (part.operand_bytes.size() > most->operand_bytes.size())
    most->operand_bytes.resize(part.operand_bytes.size());
  for (size_t k = 0; k < part.operand_bytes.size(); ++k) {
    most->operand_bytes[k] = std::max(most->operand_bytes[k], part.operand_bytes[k]);
  }
}

XlaCost FromTraffic(const Traffic& t) {
  XlaCost c;
  c.output_bytes = static_cast<float>(t.written);
  for (int64_t bytes : t.read) c.operand_bytes.push_back(static_cast<float>(bytes));
  if (t.total.has_value()) {
    c.bytes_accessed = static_cast<float>(*t.total);
    return c;
  }
  for (int64_t leaf : t.written_leaves) c.bytes_accessed += static_cast<float>(leaf);
  for (float bytes : c.operand_bytes) c.bytes_accessed += bytes;
  return c;
}

// A custom call is -1 in everything.
XlaCost Unknown(size_t operands) {
  XlaCost c;
  c.flops = c.bytes_accessed = c.output_bytes = -1;
  c.operand_bytes.assign(operands, -1);
  return c;
}

absl::StatusOr<XlaCost> CostOfInstruction(const Module& module, InstructionId id) {
  const Opcode opcode = module.instruction(id).opcode;
  TESSERA_ASSIGN_OR_RETURN(Operations work, OperationsOf(module, id, CostMode::kXla));
  if (work.unknown) return Unknown(module.operands(id).size());
  if (opcode == Opcode::kCustomCall) return XlaCost();
  TESSERA_ASSIGN_OR_RETURN(Traffic traffic, TrafficOf(module, id, CostMode::kXla));
  XlaCost cost = FromTraffic(traffic);
  cost.flops = static_cast<float>(work.flops);
  cost.transcendentals = static_cast<float>(work.transcendentals);
  const auto called = module.called(id);
  if (opcode == Opcode::kCall) return XlaCostOf(module, called[0]);
  if (opcode == Opcode::kFusion) {
    TESSERA_ASSIGN_OR_RETURN(XlaCost inside, XlaCostOf(module, called[0]));
    cost.flops = inside.flops;
    cost.transcendentals = inside.transcendentals;
  } else if (opcode == Opcode::kWhile) {
    TESSERA_ASSIGN_OR_RETURN(cost, XlaCostOf(module, called[0]));
    TESSERA_ASSIGN_OR_RETURN(XlaCost condition, XlaCostOf(module, called[1]));
    Add(condition, &cost);
  } else if (opcode == Opcode::kConditional) {
    cost = XlaCost();
    for (hlo::ComputationId branch : called) {
      TESSERA_ASSIGN_OR_RETURN(XlaCost one, XlaCostOf(module, branch));
      TakeMaximum(one, &cost);
    }
  }
  return cost;
}

// The order of visit of one computation.
class Order {
 public:
  Order(const Module& module, const hlo::Computation& computation) : module_(module) {
    visited_.assign(module.num_instructions(), false);
    std::vector<bool> has_users(module.num_instructions(), false);
    for (InstructionId id : computation.instructions) {
      for (InstructionId operand : module.operands(id)) has_users[operand] = true;
      for (InstructionId before : module.control_predecessors(id)) has_users[before] = true;
    }
    for (InstructionId id : computation.instructions) {
      if (!has_users[id] && id != computation.root) Visit(id);
    }
    Visit(computation.root);
  }

  const std::vector<InstructionId>& list() const { return list_; }

 private:
  // Depth first without recursion: an instruction goes to the list when all before it are there.
  void Visit(InstructionId from) {
    std::vector<std::pair<InstructionId, size_t>> stack = {{from, 0}};
    while (!stack.empty()) {
      auto& [id, next] = stack.back();
      const auto operands = module_.operands(id);
      const auto control = module_.control_predecessors(id);
      if (visited_[id]) {
        stack.pop_back();
      } else if (next < operands.size() + control.size()) {
        const size_t at = next++;
        const InstructionId before =
            at < operands.size() ? operands[at] : control[at - operands.size()];
        if (!visited_[before]) stack.push_back({before, 0});
      } else {
        visited_[id] = true;
        list_.push_back(id);
        stack.pop_back();
      }
    }
  }

  const Module& module_;
  std::vector<bool> visited_;
  std::vector<InstructionId> list_;
};

}  // namespace

absl::StatusOr<XlaCost> XlaCostOf(const Module& module, hlo::ComputationId computation) {
  const Order order(module, module.computation(computation));
  XlaCost total;
  for (InstructionId id : order.list()) {
    TESSERA_ASSIGN_OR_RETURN(XlaCost one, CostOfInstruction(module, id));
    Add(one, &total);
  }
  return total;
}

}  // namespace tessera::projection
