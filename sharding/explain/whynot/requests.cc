#include "tessera/sharding/explain/whynot/requests.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/frontend.h"

namespace tessera::sharding::explain {

Requests::Requests(const EventLog& log) {
  absl::flat_hash_set<hlo::InstructionId> read;
  for (size_t a = 0; a < log.annotations().size(); ++a) {
    const Annotation& annotation = log.annotations()[a];
    read.insert(annotation.instruction);
    const TensorSharding* sharding = log.program().Find(annotation.sharding);
    if (sharding == nullptr || sharding->mesh_id() == kNoMesh) continue;
    const Mesh& mesh = log.program().meshes().mesh(sharding->mesh_id());
    for (int d = 0; d < sharding->rank(); ++d) {
      for (const AxisRef axis : sharding->dim(d).axes) {
        by_axis_[mesh.axis(axis.axis()).name].push_back(
            {annotation.slot, {static_cast<int32_t>(a), d}});
      }
    }
  }
  for (auto& [axis, askers] : by_axis_) {
    absl::c_stable_sort(askers, [](const Asker& a, const Asker& b) { return a.slot < b.slot; });
    const auto same = [](const Asker& a, const Asker& b) { return a.slot == b.slot; };
    askers.erase(std::unique(askers.begin(), askers.end(), same), askers.end());
  }
  const hlo::Module& module = log.program().module();
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    if (read.contains(id)) continue;
    const auto said = hlo::GetFrontendAttribute(module, id, kShardingAttribute);
    if (!said.has_value()) continue;
    const auto text = UnescapeAttribute(*said);
    unread_.emplace_back(id, text.ok() ? *text : *said);
  }
}

std::optional<Request> Requests::Nearest(SlotId slot, const std::string& axis) const {
  const auto found = by_axis_.find(axis);
  if (found == by_axis_.end()) return std::nullopt;
  const std::vector<Asker>& askers = found->second;
  const auto after = std::lower_bound(askers.begin(), askers.end(), slot,
                                       [](const Asker& a, SlotId at) { return a.slot < at; });
  if (after == askers.begin()) return after->request;
  const auto before = after - 1;
  if (after == askers.end()) return before->request;
  const auto key = [slot](const Asker& asker) {
    return std::make_tuple(std::abs(asker.slot - slot), asker.request.annotation,
                           asker.request.dim);
  };
  return key(*before) < key(*after) ? before->request : after->request;
}

hlo::InstructionId Requests::Ignored(absl::string_view axis) const {
  for (const auto& [id, text] : unread_) {
    if (absl::StrContains(text, absl::StrCat("\"", axis, "\""))) return id;
  }
  return hlo::kNoId;
}

}  // namespace tessera::sharding::explain
