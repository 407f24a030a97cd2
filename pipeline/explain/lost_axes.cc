#include "tessera/pipeline/explain/lost_axes.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/explain/whynot/holder_paths.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::pipeline {
namespace {

using sharding::Mesh;
using sharding::TensorSharding;
using sharding::explain::HolderPaths;
using sharding::explain::RefusalKind;
using sharding::explain::SlotId;

constexpr size_t kMostCauses = 64;

// Something wanted to bring the axis, and something else came first.
bool IsConflict(RefusalKind kind) {
  static constexpr RefusalKind kConflicts[] = {
      RefusalKind::kAxisInUse,          RefusalKind::kLostConflict,
      RefusalKind::kConflictingSources, RefusalKind::kBehindRefusedAxis,
      RefusalKind::kLaterUserPriority,  RefusalKind::kEarlierLevel,
      RefusalKind::kOverwritten};
  return absl::c_linear_search(kConflicts, kind);
}

// A dimension of an array.
using Place = std::pair<SlotId, int>;

// The last places without the axis on the ways to it. All ways are one tree, so that each place is
// passed once.
class EndsOfWays {
 public:
  // None where no way leads to the axis.
  std::optional<Place> Of(HolderPaths* ways, const Place& from) {
    std::vector<Place> passed;
    std::optional<Place> end;
    for (Place at = from;;) {
      if (const auto known = known_.find({ways, at}); known != known_.end()) {
        end = known->second;
        break;
      }
      passed.push_back(at);
      const std::optional<HolderPaths::Step> step = ways->Next(at.first, at.second);
      if (!step.has_value()) break;
      if (step->is_holder) {
        end = at;
        break;
      }
      at = {step->at.slot, step->at.dim};
    }
    for (const Place& place : passed) known_.emplace(std::make_pair(ways, place), end);
    return end;
  }

 private:
  absl::flat_hash_map<std::pair<HolderPaths*, Place>, std::optional<Place>> known_;
};

class Finder {
 public:
  explicit Finder(const Explained& e) : e_(e) {}

  void Ask(const SizedSlot& slot) {
    const TensorSharding* own = e_.Final(slot.first);
    if (own == nullptr || e_.log->IsOutput(slot.first)) return;
    const Mesh& mesh = e_.log->MeshOf(e_.FinalId(slot.first));
    for (int axis = 0; axis < mesh.num_axes(); ++axis) {
      const bool could_split = mesh.axis(axis).size > 1 && !own->UsesAxis(axis);
      if (could_split) AskFor(slot, *own, mesh, axis);
    }
  }

  std::vector<Surprise> Found() {
    std::vector<Surprise> found;
    for (auto& [cause, surprise] : by_cause_) {
      if (surprise.has_value()) found.push_back(*std::move(surprise));
    }
    return found;
  }

 private:
  // The axis, and the place that refused it.
  using Cause = std::pair<std::string, Place>;

  // The first dimension that a conflict kept the axis from.
  void AskFor(const SizedSlot& slot, const TensorSharding& own, const Mesh& mesh, int axis) {
    const auto dims = e_.log->numbered().value(slot.first).shape().dims();
    const int64_t size = mesh.axis(axis).size;
    for (int dim = 0; dim < own.rank(); ++dim) {
      const int64_t ways = ShardedSize(own.dim(dim).axes, mesh) * size;
      if (dims[static_cast<size_t>(dim)] % ways != 0) continue;
      if (Add(slot, dim, mesh.axis(axis))) return;
    }
  }

  // False where no way leads to the axis, or no conflict ends it.
  bool Add(const SizedSlot& slot, int dim, const sharding::MeshAxis& axis) {
    HolderPaths* const ways = e_.why_not->WaysOf(slot.first, dim, {axis.name});
    const auto end = ways == nullptr ? std::nullopt : ends_.Of(ways, {slot.first, dim});
    if (!end.has_value()) return false;
    const Cause cause = {axis.name, *end};
    const auto known = by_cause_.find(cause);
    if (known == by_cause_.end()) return AddCause(cause, slot, dim, axis);
    if (known->second.has_value()) ++known->second->alike;
    return known->second.has_value();
  }

  bool AddCause(const Cause& cause, const SizedSlot& slot, int dim,
                const sharding::MeshAxis& axis) {
    if (by_cause_.size() == kMostCauses) return false;
    std::optional<Surprise>& surprise = by_cause_[cause];
    if (!IsConflictAt(cause.second, axis.name)) return false;
    surprise.emplace();
    surprise->kind = SurpriseKind::kConflict;
    surprise->slot = slot.first;
    surprise->bytes = slot.second - slot.second / axis.size;
    surprise->axis = axis.name;
    surprise->dim = dim;
    return true;
  }

  // The axis is one step away: the search ends with the neighbours.
  bool IsConflictAt(const Place& place, const std::string& axis) const {
    const auto verdicts = e_.why_not->Ask(place.first, place.second, {{axis}});
    return !verdicts.empty() && IsConflict(verdicts[0].headline.kind);
  }

  const Explained& e_;
  EndsOfWays ends_;
  std::map<Cause, std::optional<Surprise>> by_cause_;  // none: no conflict
};

}  // namespace

std::vector<Surprise> LostAxes(const Explained& explained, std::vector<SizedSlot> slots) {
  absl::c_stable_sort(slots,
                      [](const SizedSlot& a, const SizedSlot& b) { return a.second > b.second; });
  Finder finder(explained);
  for (const SizedSlot& slot : slots) finder.Ask(slot);
  return finder.Found();
}

}  // namespace tessera::pipeline
