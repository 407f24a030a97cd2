#include "tessera/pipeline/verbs/costs/target/known_names.h"

#include "absl/container/flat_hash_set.h"
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

// By key, the one name or instruction that has it.
template <typename T>
using Single = absl::flat_hash_map<std::string, T>;

template <typename T>
void AddTo(const std::string& key, const T& one, const T& several, Single<T>* to) {
  if (key.empty()) return;
  const auto [it, is_new] = to->try_emplace(key, one);
  if (!is_new) it->second = several;
}

// Calls visit(id) for each instruction that is in a list.
template <typename Visit>
void ForEach(const hlo::Module& module, const Visit& visit) {
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    for (const InstructionId id : module.computation(c).instructions) visit(id);
  }
}

}  // namespace

KnownNames::KnownNames(const hlo::Module& module) {
  ForEach(module, [&](InstructionId id) {
    keys_.try_emplace(std::string(module.instruction(id).name), KeyOf(module, id));
  });
}

void KnownNames::GiveTo(hlo::Module* simplified) const {
  absl::flat_hash_set<std::string> kept;
  Single<InstructionId> added;
  ForEach(*simplified, [&](InstructionId id) {
    std::string name(simplified->instruction(id).name);
    if (!keys_.contains(name)) AddTo(KeyOf(*simplified, id), id, kSeveral, &added);
    kept.insert(std::move(name));
  });
  if (added.empty()) return;
  Single<std::string> gone;
  for (const auto& [name, key] : keys_) {
    if (!kept.contains(name)) AddTo(key, name, std::string(), &gone);
  }
  for (const auto& [key, id] : added) {
    const auto old = gone.find(key);
    if (id != kSeveral && old != gone.end() && !old->second.empty()) {
      simplified->SetName(id, old->second);
    }
  }
}

}  // namespace tessera::pipeline
