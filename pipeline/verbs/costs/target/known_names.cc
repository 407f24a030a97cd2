#include "tessera/pipeline/verbs/costs/target/known_names.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attribute_name.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape_text.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;

// Empty for what has no op_name, which many alike may lack.
std::string KeyOf(const hlo::Module& module, InstructionId id) {
  const auto metadata = module.FindAttribute(id, hlo::AttributeName::kMetadata);
  if (!metadata.has_value()) return "";
  return absl::StrCat(hlo::OpcodeName(module.instruction(id).opcode), " ",
                      layout::ShapeToString(module.shape(id).WithoutLayout()), " ", *metadata);
}

constexpr InstructionId kSeveral = hlo::kNoId;

// By key, the one instruction that has it.
using Single = absl::flat_hash_map<std::string, InstructionId>;

void AddTo(const std::string& key, InstructionId id, Single* to) {
  if (key.empty()) return;
  const auto [it, is_new] = to->try_emplace(key, id);
  if (!is_new) it->second = kSeveral;
}

// By InstructionId: whether a computation has it.
std::vector<bool> ListedIn(const hlo::Module& module) {
  std::vector<bool> listed(module.num_instructions());
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    for (const InstructionId id : module.computation(c).instructions) listed[id] = true;
  }
  return listed;
}

}  // namespace

KnownNames::KnownNames(const hlo::Module& module) : listed_(ListedIn(module)) {}

void KnownNames::GiveTo(hlo::Module* simplified) const {
  const std::vector<bool> listed = ListedIn(*simplified);
  Single gone, added;
  for (InstructionId id = 0; id < listed.size(); ++id) {
    const bool was_listed = id < listed_.size() && listed_[id];
    if (was_listed != listed[id]) {
      AddTo(KeyOf(*simplified, id), id, listed[id] ? &added : &gone);
    }
  }
  for (const auto& [key, id] : added) {
    const auto old = gone.find(key);
    if (id == kSeveral || old == gone.end() || old->second == kSeveral) continue;
    simplified->SetName(id, std::string(simplified->instruction(old->second).name));
  }
}

}  // namespace tessera::pipeline
