#include "tessera/cost/step/opaque_calls.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/cost/step/shard_shape.h"
#include "tessera/hlo/attributes.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using hlo::AttributeName;
using hlo::InstructionId;
using hlo::Opcode;

constexpr char kDecidedByCallback[] = "CustomSPMDPartitioning";

bool IsOpaque(const hlo::Module& module, InstructionId id) {
  return module.instruction(id).opcode == Opcode::kCustomCall &&
         hlo::GetCustomCallTarget(module, id) == kDecidedByCallback;
}

// `{manual}`, or one for each leaf.
std::string ManualText(const layout::Shape& shape) {
  if (!shape.is_tuple()) return "{manual}";
  std::vector<std::string> leaves;
  layout::ForEachLeaf(shape, [&](const layout::Shape&) { leaves.push_back("{manual}"); });
  return absl::StrCat("{", absl::StrJoin(leaves, ", "), "}");
}

// The arrays of an instruction on one device.
using DeviceShapes = absl::flat_hash_map<InstructionId, layout::Shape>;

// Of the calls that are rewritten, their operands and their elements.
absl::StatusOr<DeviceShapes> ShapesAround(const hlo::Module& module) {
  DeviceShapes shapes;
  const auto add = [&](InstructionId id) -> absl::Status {
    const auto [it, is_new] = shapes.try_emplace(id);
    if (!is_new) return absl::OkStatus();
    TESSERA_ASSIGN_OR_RETURN(it->second, ShardShapeOf(module, id));
    return absl::OkStatus();
  };
  for (InstructionId id = 0; id < module.num_instructions(); ++id) {
    const auto operands = module.operands(id);
    if (IsOpaque(module, id)) {
      TESSERA_RETURN_IF_ERROR(add(id));
      for (const InstructionId operand : operands) TESSERA_RETURN_IF_ERROR(add(operand));
    }
    const bool is_element = module.instruction(id).opcode == Opcode::kGetTupleElement;
    if (is_element && IsOpaque(module, operands[0])) TESSERA_RETURN_IF_ERROR(add(id));
  }
  return shapes;
}

// Rewrites the calls of one computation, whose list of instructions it makes anew.
class Rewriter {
 public:
  Rewriter(hlo::Module* module, const DeviceShapes& device) : module_(*module), device_(device) {}

  int64_t Rewrite(hlo::ComputationId computation) {
    computation_ = computation;
    const std::vector<InstructionId> old = module_.computation(computation).instructions;
    FindReaders(old);
    int64_t count = 0;
    for (const InstructionId id : old) {
      if (IsOpaque(module_, id) && CanRewrite(id)) {
        RewriteCall(id);
        ++count;
      } else if (!taken_.contains(id)) {
        list_.push_back(id);
      }
    }
    module_.mutable_computation(computation).instructions = std::move(list_);
    list_.clear();
    return count;
  }

 private:
  void FindReaders(const std::vector<InstructionId>& instructions) {
    readers_.clear();
    taken_.clear();
    for (const InstructionId id : instructions) {
      for (const InstructionId operand : module_.operands(id)) {
        if (IsOpaque(module_, operand)) readers_[operand].push_back(id);
      }
    }
  }

  bool CanRewrite(InstructionId call) const {
    if (!module_.shape(call).is_tuple()) return true;
    if (module_.instruction(call).is_root) return false;
    const auto readers = readers_.find(call);
    return readers == readers_.end() ||
           absl::c_all_of(readers->second, [this](InstructionId reader) {
             return module_.instruction(reader).opcode == Opcode::kGetTupleElement;
           });
  }

  void RewriteCall(InstructionId call) {
    const std::vector<InstructionId> operands(module_.operands(call).begin(),
                                              module_.operands(call).end());
    std::vector<InstructionId> inside;
    for (const InstructionId operand : operands) {
      inside.push_back(Add(call, ".in", Opcode::kCustomCall, device_.at(operand), {operand}));
      SetTarget(inside.back(), "SPMDFullToShardShape");
    }
    const InstructionId own = Add(call, ".own", Opcode::kCustomCall, device_.at(call), inside);
    SetTarget(own, "decided_by_callback");
    if (!module_.shape(call).is_tuple()) return LeaveManual(call, own);
    for (const InstructionId reader : readers_[call]) {
      const InstructionId element =
          Add(reader, ".own", Opcode::kGetTupleElement, device_.at(reader), {own});
      module_.SetAttribute(element, AttributeName::kIndex,
                           *module_.FindAttribute(reader, AttributeName::kIndex));
      module_.RemoveAttribute(reader, AttributeName::kIndex);
      LeaveManual(reader, element);
      taken_.insert(reader);
    }
  }

  // `id`, under its name and with its sharding, becomes the border after `inside`.
  void LeaveManual(InstructionId id, InstructionId inside) {
    module_.mutable_instruction(id).opcode = Opcode::kCustomCall;
    module_.SetOperands(id, {inside});
    SetTarget(id, "SPMDShardToFullShape");
    list_.push_back(id);
  }

  InstructionId Add(InstructionId like, absl::string_view suffix, Opcode opcode,
                    const layout::Shape& shape, const std::vector<InstructionId>& operands) {
    hlo::Instruction instruction;
    instruction.opcode = opcode;
    instruction.name = module_.Keep(absl::StrCat(module_.instruction(like).name, suffix));
    instruction.shape = module_.InternShape(shape);
    instruction.computation = computation_;
    const InstructionId id = module_.AddDetached(std::move(instruction));
    module_.SetOperands(id, operands);
    module_.SetAttribute(id, AttributeName::kSharding, ManualText(shape));
    list_.push_back(id);
    return id;
  }

  void SetTarget(InstructionId id, absl::string_view target) {
    module_.SetAttribute(id, AttributeName::kCustomCallTarget, absl::StrCat("\"", target, "\""));
  }

  hlo::Module& module_;
  const DeviceShapes& device_;
  hlo::ComputationId computation_ = hlo::kNoId;
  absl::flat_hash_map<InstructionId, std::vector<InstructionId>> readers_;  // of opaque calls
  absl::flat_hash_set<InstructionId> taken_;  // readers that have their place already
  std::vector<InstructionId> list_;
};

}  // namespace

absl::StatusOr<int64_t> LetCallsDecide(hlo::Module* module) {
  std::set<hlo::ComputationId> computations;  // with such calls
  for (InstructionId id = 0; id < module->num_instructions(); ++id) {
    const hlo::ComputationId computation = module->instruction(id).computation;
    if (computation != hlo::kNoId && IsOpaque(*module, id)) computations.insert(computation);
  }
  if (computations.empty()) return 0;
  TESSERA_ASSIGN_OR_RETURN(const DeviceShapes device, ShapesAround(*module));
  Rewriter rewriter(module, device);
  int64_t count = 0;
  for (const hlo::ComputationId c : computations) {
    if (!module->computation(c).removed) count += rewriter.Rewrite(c);
  }
  return count;
}

}  // namespace tessera::cost
