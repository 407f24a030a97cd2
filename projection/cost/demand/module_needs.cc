// Idea. What an instruction needs on each device depends on its operation with all attributes, the
// shapes, and the shardings of operands and result; names and places do not matter. These are put
// into a key of text; only the first instruction with a key is computed. Constants count as a part
// of the key where they decide which cells are read.
//
// Cost: the key, some hundred nanoseconds, for each instruction; the demand itself for each
// distinct one. The benchmark module_needs_benchmark.cc sets the device-by-device,
// instruction-by-instruction way beside it.
#include "tessera/projection/cost/demand/module_needs.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/projection/core/checked.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/sharding/sharding_table.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;
using sharding::TensorSharding;

bool OnlyHandsOn(Opcode opcode) {
  constexpr Opcode kList[] = {Opcode::kParameter,       Opcode::kConstant, Opcode::kTuple,
                              Opcode::kGetTupleElement, Opcode::kCall,     Opcode::kWhile,
                              Opcode::kConditional,     Opcode::kAfterAll, Opcode::kIota,
                              Opcode::kOptBarrier};
  return std::find(std::begin(kList), std::end(kList), opcode) != std::end(kList);
}

bool RunsComputations(Opcode opcode) {
  return opcode == Opcode::kCall || opcode == Opcode::kWhile || opcode == Opcode::kConditional;
}

// The entry and the computations that it runs, each once.
std::vector<hlo::ComputationId> Running(const Module& module) {
  std::vector<hlo::ComputationId> list = {module.entry_id()};
  std::vector<bool> seen(module.num_computations(), false);
  seen[module.entry_id()] = true;
  for (size_t i = 0; i < list.size(); ++i) {
    for (InstructionId id : module.computation(list[i]).instructions) {
      if (!RunsComputations(module.instruction(id).opcode)) continue;
      for (hlo::ComputationId called : module.called(id)) {
        if (!seen[called]) list.push_back(called);
        seen[called] = true;
      }
    }
  }
  return list;
}

class Pricer {
 public:
  Pricer(const Module& module, const DeviceGrid& grid, const ShardingOf& sharding_of)
      : module_(module), grid_(grid), sharding_of_(sharding_of) {}

  absl::StatusOr<ModuleDemand> Run() {
    out_.missing_bytes.assign(static_cast<size_t>(grid_.num_devices()), 0);
    for (hlo::ComputationId computation : Running(module_)) {
      for (InstructionId id : module_.computation(computation).instructions) {
        if (!OnlyHandsOn(module_.instruction(id).opcode)) TESSERA_RETURN_IF_ERROR(Add(id));
      }
    }
    TESSERA_RETURN_IF_ERROR(AddUp());
    out_.distinct = static_cast<int64_t>(known_.size());
    return std::move(out_);
  }

 private:
  struct Known {
    std::shared_ptr<const ReductionStrategies> forms;
    int64_t uses = 0;
  };

  absl::Status Add(InstructionId id) {
    const int leaves = static_cast<int>(ArrayLeaves(module_.shape(id)).size());
    // Results of a variadic reduction or a sort are computed together, from the same cells.
    const bool together = module_.instruction(id).opcode == Opcode::kReduce ||
                          module_.instruction(id).opcode == Opcode::kSort;
    for (int leaf = 0; leaf < (together ? std::min(leaves, 1) : leaves); ++leaf) {
      TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<const ReductionStrategies> forms,
                               FormsFor(id, leaf));
      out_.instructions.push_back({id, leaf, std::move(forms)});
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::shared_ptr<const ReductionStrategies>> FormsFor(InstructionId id, int leaf) {
    std::vector<const TensorSharding*> operands;
    for (InstructionId operand : module_.operands(id)) {
      const int leaves = static_cast<int>(ArrayLeaves(module_.shape(operand)).size());
      for (int l = 0; l < leaves; ++l) operands.push_back(sharding_of_(operand, l));
    }
    const TensorSharding* result = sharding_of_(id, leaf);
    const auto [at, is_new] = known_.try_emplace(KeyOf(id, leaf, operands, result));
    if (is_new) {
      TESSERA_ASSIGN_OR_RETURN(ReductionStrategies forms,
                               FormsOf(module_, id, leaf, grid_, operands, result));
      at->second.forms = std::make_shared<const ReductionStrategies>(std::move(forms));
    }
    ++at->second.uses;
    return at->second.forms;
  }

  // Where the values of an array come from, through whatever has one operand.
  InstructionId OriginOf(InstructionId id) {
    std::vector<InstructionId> passed;
    while (module_.operands(id).size() == 1) {
      if (const auto known = origins_.find(id); known != origins_.end()) {
        id = known->second;
        break;
      }
      passed.push_back(id);
      id = module_.operands(id)[0];
    }
    for (InstructionId p : passed) origins_[p] = id;
    return id;
  }

  // Which cells a slice or a gather reads may be written in a constant, or in a copy of one. Long
  // ones count as different from all others.
  void AppendConstant(InstructionId operand, std::string* key) {
    constexpr size_t kLong = 4096;
    const InstructionId id = OriginOf(operand);
    if (module_.instruction(id).opcode != Opcode::kConstant) return;
    const absl::string_view text = module_.LiteralText(id);
    if (text.size() < kLong) {
      absl::StrAppend(key, "=", text);
    } else {
      absl::StrAppend(key, "=@", id);
    }
  }

  std::string KeyOf(InstructionId id, int leaf, const std::vector<const TensorSharding*>& operands,
                    const TensorSharding* result) {
    std::string key = absl::StrCat(static_cast<int>(module_.instruction(id).opcode), "#", leaf, ":",
                                   module_.shape_id(id));
    for (InstructionId operand : module_.operands(id)) {
      absl::StrAppend(&key, ",", module_.shape_id(operand));
      AppendConstant(operand, &key);
    }
    for (const hlo::Attribute& a : module_.attributes(id)) {
      if (!hlo::IsCommonAttribute(a.name()))
        absl::StrAppend(&key, ";", static_cast<int>(a.name()), "=", a.value());
    }
    for (hlo::ComputationId called : module_.called(id)) absl::StrAppend(&key, ";@", called);
    for (const TensorSharding* s : operands) absl::StrAppend(&key, "|", IdOf(s));
    return absl::StrCat(key, "|", IdOf(result));
  }

  int64_t IdOf(const TensorSharding* s) {
    return s == nullptr ? -1 : static_cast<int64_t>(table_.Intern(*s));
  }

  absl::Status AddUp() {
    Checked total = 0;
    for (const auto& [key, known] : known_) {
      total += Checked(known.forms->bytes()) * known.uses;
      const OpDemand& demand =
          known.forms->partial.has_value() ? known.forms->partial->demand : known.forms->gather;
      for (const ClassDemand& one : demand.classes) {
        Checked bytes = 0;
        for (const OperandDemand& operand : one.operands) bytes += operand.bytes;
        bytes *= known.uses;
        for (int64_t position : one.devices.positions) {
          int64_t& missing = out_.missing_bytes[static_cast<size_t>(position)];
          const Checked sum = bytes + missing;
          if (!sum.ok()) return OverflowError("the bytes that a device lacks");
          missing = sum.value();
        }
      }
    }
    if (!total.ok()) return OverflowError("the bytes of a module");
    out_.total_bytes = total.value();
    return absl::OkStatus();
  }

  const Module& module_;
  const DeviceGrid& grid_;
  const ShardingOf& sharding_of_;
  sharding::ShardingTable table_;
  absl::flat_hash_map<std::string, Known> known_;
  absl::flat_hash_map<InstructionId, InstructionId> origins_;
  ModuleDemand out_;
};

}  // namespace

absl::StatusOr<ModuleDemand> DemandOfModule(const Module& module, const DeviceGrid& grid,
                                            const ShardingOf& sharding_of) {
  return Pricer(module, grid, sharding_of).Run();
}

}  // namespace tessera::projection
