#include "tessera/target/program/device_groups.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/error_at.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

DeviceGroups::Groups PairsOf(const hlo::Module& module, hlo::InstructionId id) {
  DeviceGroups::Groups pairs;
  const auto read = hlo::GetSourceTargetPairs(module, id);
  pairs.reserve(read.size());
  for (const auto& [source, target] : read) pairs.push_back({source, target});
  return pairs;
}

int64_t UniformSize(const DeviceGroups::Groups& groups) {
  const auto size_of = [](const std::vector<int64_t>& g) { return static_cast<int64_t>(g.size()); };
  const int64_t size = groups.empty() ? 0 : size_of(groups[0]);
  return absl::c_all_of(groups, [&](const auto& g) { return size_of(g) == size; }) ? size : 0;
}

}  // namespace

absl::StatusOr<DeviceGroups::Groups> DeviceGroups::Read(const hlo::Module& module,
                                                        hlo::InstructionId id,
                                                        absl::string_view text) const {
  const bool is_permute = module.HasAttribute(id, AttributeName::kSourceTargetPairs);
  Groups groups = is_permute ? PairsOf(module, id) : Groups();
  if (!is_permute && !text.empty()) {
    const auto read = hlo::ParseReplicaGroups(text);
    auto listed = read.has_value() ? read->Expand() : std::nullopt;
    if (!listed.has_value()) {
      return hlo::ErrorAt(module, id, "the groups of this collective cannot be listed");
    }
    groups = *std::move(listed);
  }
  if (!is_permute && groups.empty()) {
    groups.emplace_back(static_cast<size_t>(num_devices_));
    std::iota(groups[0].begin(), groups[0].end(), 0);
  }
  for (const auto& group : groups) {
    for (const int64_t device : group) {
      if (device >= 0 && device < num_devices_) continue;
      return text::ErrorAt(
          module.instruction(id).source.begin,
          absl::StrCat("this collective names device ", device, "; the module has ", num_devices_));
    }
  }
  return groups;
}

absl::StatusOr<GroupsId> DeviceGroups::Of(const hlo::Module& module, hlo::InstructionId id) {
  const auto pairs = module.FindAttribute(id, AttributeName::kSourceTargetPairs);
  const auto groups = module.FindAttribute(id, AttributeName::kReplicaGroups);
  const absl::string_view text = pairs.has_value() ? *pairs : groups.value_or("");
  auto& known = pairs.has_value() ? pairs_by_text_ : groups_by_text_;
  const auto found = known.find(text);
  if (found != known.end()) return found->second;
  TESSERA_ASSIGN_OR_RETURN(Groups list, Read(module, id, text));
  const GroupsId read = Add(std::move(list));
  known.emplace(text, read);
  return read;
}

GroupsId DeviceGroups::Add(Groups groups) {
  const auto [found, is_new] = ids_.try_emplace(std::make_shared<Groups>(std::move(groups)),
                                                static_cast<GroupsId>(lists_.size()));
  if (is_new) {
    sizes_.push_back(UniformSize(*found->first));
    lists_.push_back(found->first);
  }
  return found->second;
}

std::string DeviceGroups::Text(GroupsId id) const {
  const auto group_text = [](std::string* out, const std::vector<int64_t>& group) {
    absl::StrAppend(out, "{", absl::StrJoin(group, ","), "}");
  };
  return absl::StrCat("{", absl::StrJoin(list(id), ",", group_text), "}");
}

}  // namespace tessera::target
