#include "tessera/pipeline/verbs/costs/fixes/memory_fixes.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/fixes/fix_candidates.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/pipeline/explain/neighbour_offers.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using cost::DeviceBuffer;
using hlo::InstructionId;
using sharding::AxisRef;
using sharding::Mesh;
using sharding::TensorSharding;
using sharding::explain::SlotId;

constexpr int kMaxGroups = 4;                // of buffers that look alike: arguments, and others
constexpr size_t kMaxCandidatesOfGroup = 4;  // of one group
constexpr size_t kMaxAlikeOfGroup = 64;      // annotated at once

// Buffers that one annotation each would treat alike; the first is the largest.
struct Group {
  size_t first = 0;  // a place in the list of buffers
  std::vector<SlotId> slots;
};

std::vector<Group> GroupsOf(const PartitionerInput& input, const Explained& e,
                            absl::Span<const DeviceBuffer> buffers) {
  const hlo::Module& module = input.sharded->module;
  using Looks = std::tuple<std::string, bool, int64_t, sharding::ShardingId, std::string>;
  std::map<Looks, size_t> known;
  std::vector<Group> groups;
  int count[2] = {0, 0};  // of others, and of arguments
  for (size_t k = 0; k < buffers.size(); ++k) {
    if (buffers[k].source == hlo::kNoId) continue;
    const InstructionId source = input.sources[buffers[k].source];
    const std::optional<SlotId> slot = SlotOf(e, source, static_cast<int>(buffers[k].leaf));
    if (!slot.has_value()) continue;
    const bool is_argument = module.instruction(source).opcode == hlo::Opcode::kParameter;
    const Looks looks = {buffers[k].shape, is_argument, buffers[k].bytes, e.FinalId(*slot),
                         is_argument ? "" : hlo::GetOpName(module, source)};
    const auto [at, is_new] = known.try_emplace(looks, groups.size());
    if (is_new) {
      if (++count[is_argument ? 1 : 0] > kMaxGroups) {
        known.erase(at);
        if (std::min(count[0], count[1]) > kMaxGroups) break;
        continue;
      }
      groups.push_back({k, {}});
    }
    Group& group = groups[at->second];
    if (group.slots.size() < kMaxAlikeOfGroup && !absl::c_linear_search(group.slots, *slot)) {
      group.slots.push_back(*slot);
    }
  }
  return groups;
}

// Where an axis that a buffer does not use might cut it.
struct Cut {
  AxisRef axis;
  int dim = 0;
  bool is_offered = false;  // by a neighbour
  int64_t tile = 0;         // of the dimension, before

  // The better one first.
  friend bool operator<(const Cut& a, const Cut& b) {
    return std::tie(b.is_offered, b.tile) < std::tie(a.is_offered, a.tile);
  }
};

class MemoryCandidates {
 public:
  MemoryCandidates(const Explained& explained, const Labels& labels)
      : e_(explained), labels_(labels) {}

  std::vector<FixCandidate> For(const Group& group) const {
    const std::optional<TensorSharding> lies = ClosedOf(group.slots.front());
    std::vector<FixCandidate> candidates;
    if (!lies.has_value()) return candidates;
    for (const Cut& cut : CutsOf(group.slots.front(), *lies)) {
      FixCandidate one = Apply(cut, *lies, group);
      if (!one.edits.empty()) candidates.push_back(std::move(one));
      if (candidates.size() == kMaxCandidatesOfGroup) break;
    }
    return candidates;
  }

 private:
  const Mesh& MeshOf(const TensorSharding& s) const {
    return e_.sharded->program->meshes().mesh(s.mesh_id());
  }

  const layout::Shape& ShapeOf(SlotId slot) const { return e_.log->numbered().value(slot).shape(); }

  // How it lies, with nothing left open; whole on every device of the first mesh with axes where
  // nothing says how.
  std::optional<TensorSharding> ClosedOf(SlotId slot) const {
    if (e_.log->IsOutput(slot) || !ShapeOf(slot).is_array()) return std::nullopt;
    const auto rank = static_cast<int>(ShapeOf(slot).rank());
    if (const TensorSharding* lies = e_.Final(slot)) {
      if (MeshOf(*lies).is_maximal() || lies->rank() != rank) return std::nullopt;
      TensorSharding closed = *lies;
      for (sharding::DimensionSharding& dim : closed.mutable_dims()) dim.is_closed = true;
      return closed;
    }
    const sharding::MeshTable& meshes = e_.sharded->program->meshes();
    for (sharding::MeshId id = 0; id < meshes.size(); ++id) {
      if (meshes.mesh(id).num_axes() > 0) return TensorSharding::FullyClosed(id, rank);
    }
    return std::nullopt;
  }

  std::vector<Cut> CutsOf(SlotId slot, const TensorSharding& lies) const {
    const Mesh& mesh = MeshOf(lies);
    const std::optional<Offer> offer = BestOffer(e_, slot);
    std::vector<Cut> cuts;
    for (int a = 0; a < mesh.num_axes(); ++a) {
      const AxisRef axis = AxisRef::Full(a);
      if (mesh.axis_size(a) == 1 || lies.UsesAxis(a)) continue;
      for (int d = 0; d < lies.rank(); ++d) {
        const int64_t size = ShapeOf(slot).dim(d);
        const int64_t parts = sharding::ShardedSize(lies.dim(d).axes, mesh);
        if (size == 0 || size % (parts * mesh.axis_size(a)) != 0) continue;
        const bool is_offered =
            offer.has_value() && offer->is_shared && offer->axis == axis && offer->dim == d;
        cuts.push_back({axis, d, is_offered, size / parts});
      }
    }
    absl::c_stable_sort(cuts);
    return cuts;
  }

  // Nothing if some of the group cannot be annotated.
  FixCandidate Apply(const Cut& cut, const TensorSharding& lies, const Group& group) const {
    TensorSharding wanted = lies;
    AddOrMerge(wanted.dim(cut.dim).axes, cut.axis, MeshOf(lies));
    FixCandidate all;
    for (const SlotId slot : group.slots) {
      std::vector<FixCandidate> one = CandidatesToHave(e_, labels_, slot, wanted);
      if (one.empty()) return {};
      all.edits.push_back(std::move(one.front().edits.front()));
      all.texts.push_back(std::move(one.front().texts.front()));
    }
    return all;
  }

  const Explained& e_;
  const Labels& labels_;
};

std::vector<Try> TriesFor(const PartitionerInput& input, const Explained& e,
                          absl::Span<const DeviceBuffer> buffers) {
  const Labels labels(e);
  const MemoryCandidates candidates(e, labels);
  std::vector<Try> tries;
  for (const Group& group : GroupsOf(input, e, buffers)) {
    for (FixCandidate& candidate : candidates.For(group)) {
      tries.push_back({group.first, std::move(candidate)});
    }
  }
  return tries;
}

bool NeedsLess(const CostFix& a, const CostFix& b) {
  return std::tie(a.after.memory, a.after.sent) < std::tie(b.after.memory, b.after.sent);
}

}  // namespace

absl::StatusOr<CostFixes> FindMemoryFixes(const PartitionerInput& input,
                                          const sharding::partition::PartitionedModule& device,
                                          const ShardOptions& options,
                                          const layout::TileRules* tiles,
                                          absl::Span<const DeviceBuffer> buffers) {
  CostFixes fixes;
  fixes.of.resize(buffers.size());
  TESSERA_ASSIGN_OR_RETURN(fixes.before,
                           cost::CostOfStep(input.module, device, /*machine=*/nullptr, tiles));
  std::vector<Try> tries;
  {  // The log of the run is a quarter of the memory, and no try reads it.
    TESSERA_ASSIGN_OR_RETURN(const Explained explained, ExplainInput(input, options));
    tries = TriesFor(input, explained, buffers);
  }
  const auto outcome_of = [&](const Try& tried,
                              const PartitionerInput& edited) -> std::optional<TryOutcome> {
    const std::optional<cost::StepCost> after = CostOfInput(edited, tiles);
    if (!after.has_value() || after->memory >= fixes.before.memory) return std::nullopt;
    return TryOutcome{{tried.of}, *after};
  };
  TryAll(input, options, tries, outcome_of, NeedsLess, &fixes);
  return fixes;
}

}  // namespace tessera::pipeline
