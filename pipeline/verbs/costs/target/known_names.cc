#include "tessera/pipeline/verbs/costs/target/known_names.h"

#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attribute_name.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;

// Opcode, number of the shape without layouts, and metadata.
using Key = std::tuple<hlo::Opcode, size_t, absl::string_view>;

class Keys {
 public:
  explicit Keys(const hlo::Module& module) : module_(module) {}

  // Nothing for what has no metadata, which many alike may lack.
  std::optional<Key> Of(InstructionId id) {
    const auto metadata = module_.FindAttribute(id, hlo::AttributeName::kMetadata);
    if (!metadata.has_value()) return std::nullopt;
    return Key(module_.instruction(id).opcode, NumberOf(module_.shape_id(id)), *metadata);
  }

 private:
  size_t NumberOf(hlo::ShapeId id) {
    const auto [known, is_new] = numbers_.try_emplace(id);
    if (is_new) {
      const layout::Shape bare = module_.interned_shape(id).WithoutLayout();
      known->second = shapes_.try_emplace(bare, shapes_.size()).first->second;
    }
    return known->second;
  }

  const hlo::Module& module_;
  absl::flat_hash_map<layout::Shape, size_t> shapes_;
  absl::flat_hash_map<hlo::ShapeId, size_t> numbers_;
};

constexpr InstructionId kSeveral = hlo::kNoId;

// By key, the one instruction that has it.
using Single = absl::flat_hash_map<Key, InstructionId>;

void AddTo(const std::optional<Key>& key, InstructionId id, Single* to) {
  if (!key.has_value()) return;
  const auto [it, is_new] = to->try_emplace(*key, id);
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
  Keys keys(*simplified);
  Single gone, added;
  for (InstructionId id = 0; id < listed.size(); ++id) {
    const bool was_listed = id < listed_.size() && listed_[id];
    if (was_listed != listed[id]) {
      AddTo(keys.Of(id), id, listed[id] ? &added : &gone);
    }
  }
  for (const auto& [key, id] : added) {
    const auto old = gone.find(key);
    if (id == kSeveral || old == gone.end() || old->second == kSeveral) continue;
    simplified->SetName(id, std::string(simplified->instruction(old->second).name));
  }
}

}  // namespace tessera::pipeline
