#include "tessera/pipeline/explain/lost_axes.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "absl/algorithm/container.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::pipeline {
namespace {

using sharding::Mesh;
using sharding::TensorSharding;
using sharding::explain::RefusalKind;
using sharding::explain::Verdict;

constexpr size_t kMostAsked = 64;
constexpr size_t kMostSlots = 4096;

// Something wanted to bring the axis, and something else came first.
bool IsConflict(RefusalKind kind) {
  static constexpr RefusalKind kConflicts[] = {
      RefusalKind::kAxisInUse,          RefusalKind::kLostConflict,
      RefusalKind::kConflictingSources, RefusalKind::kBehindRefusedAxis,
      RefusalKind::kLaterUserPriority,  RefusalKind::kEarlierLevel};
  return absl::c_linear_search(kConflicts, kind);
}

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
    for (auto& [cause, surprise] : by_cause_) found.push_back(std::move(surprise));
    return found;
  }

 private:
  // The refusal: its kind, the array that refused, and the axis.
  using Cause = std::tuple<RefusalKind, sharding::explain::SlotId, int, std::string>;

  void AskFor(const SizedSlot& slot, const TensorSharding& own, const Mesh& mesh, int axis) {
    const auto dims = e_.log->numbered().value(slot.first).shape().dims();
    const int64_t size = mesh.axis(axis).size;
    for (int dim = 0; dim < own.rank(); ++dim) {
      const int64_t ways = ShardedSize(own.dim(dim).axes, mesh) * size;
      if (dims[static_cast<size_t>(dim)] % ways != 0) continue;
      auto verdicts = e_.why_not->Ask(slot.first, dim, {{mesh.axis(axis).name}});
      if (verdicts.empty() || !IsConflict(verdicts[0].headline.kind)) continue;
      return Add(slot, size, std::move(verdicts[0]));
    }
  }

  void Add(const SizedSlot& slot, int64_t size, Verdict verdict) {
    Surprise surprise;
    surprise.kind = SurpriseKind::kConflict;
    surprise.slot = slot.first;
    surprise.bytes = slot.second - slot.second / size;
    surprise.axis = verdict.axis.name;
    surprise.dim = verdict.dim;
    const sharding::explain::Endpoint& to = verdict.headline.to;
    const Cause cause = {verdict.headline.kind, to.slot, to.dim, verdict.axis.name};
    surprise.verdict = std::move(verdict);
    const auto [it, is_new] = by_cause_.try_emplace(cause, std::move(surprise));
    if (!is_new) ++it->second.alike;
  }

  const Explained& e_;
  std::map<Cause, Surprise> by_cause_;
};

}  // namespace

std::vector<Surprise> LostAxes(const Explained& explained, std::vector<SizedSlot> slots) {
  if (slots.size() > kMostSlots) return {};
  absl::c_stable_sort(slots,
                      [](const SizedSlot& a, const SizedSlot& b) { return a.second > b.second; });
  if (slots.size() > kMostAsked) slots.resize(kMostAsked);
  Finder finder(explained);
  for (const SizedSlot& slot : slots) finder.Ask(slot);
  return finder.Found();
}

}  // namespace tessera::pipeline
