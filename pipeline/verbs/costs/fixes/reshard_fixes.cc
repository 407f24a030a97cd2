#include "tessera/pipeline/verbs/costs/fixes/reshard_fixes.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/fixes/fix_candidates.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/pipeline/verbs/costs/input/moved_sharding.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;
using sharding::AxisRef;
using sharding::TensorSharding;
using sharding::explain::SlotId;

constexpr size_t kMaxCandidatesOfReshard = 6;  // of one reshard
constexpr size_t kMaxAlike = 64;               // annotated at once

// The candidates for one reshard, cheapest first.
class ReshardCandidates {
 public:
  ReshardCandidates(const Explained& explained, const Labels& labels, const Reshard& reshard)
      : e_(explained), labels_(labels), reshard_(reshard) {}

  std::vector<FixCandidate> Make() {
    if (reshard_.kind == ReshardKind::kResult) {
      LieAsMade();
    } else {
      LieAsNeeded();
    }
    if (reshard_.rematerialized > 0) GoInTwoSteps();
    if (reshard_.kind == ReshardKind::kExplicit) TakeBack();
    KeepAxes();
    KeepOneOfEach();
    if (candidates_.size() > kMaxCandidatesOfReshard) candidates_.resize(kMaxCandidatesOfReshard);
    return std::move(candidates_);
  }

 private:
  std::optional<SlotId> SlotOf(InstructionId id) const { return pipeline::SlotOf(e_, id); }

  const TensorSharding* FinalOf(std::optional<SlotId> slot) const {
    return slot.has_value() ? e_.Final(*slot) : nullptr;
  }

  const sharding::Mesh& MeshOf(const TensorSharding& sharding) const {
    return e_.sharded->program->meshes().mesh(sharding.mesh_id());
  }

  // Two axes that a reshard takes away may ask for the same edit.
  void KeepOneOfEach() {
    std::vector<FixCandidate> kept;
    for (FixCandidate& one : candidates_) {
      const auto is_same = [&](const FixCandidate& other) { return other.texts == one.texts; };
      if (absl::c_none_of(kept, is_same)) kept.push_back(std::move(one));
    }
    candidates_ = std::move(kept);
  }

  // One edit for each of those that look alike; nothing if some cannot be edited.
  template <typename Wanted>
  void AddForAll(InstructionId ReshardEnds::*end, Wanted&& wanted_of) {
    FixCandidate all;
    for (const ReshardEnds& ends : reshard_.ends) {
      const std::optional<SlotId> slot = SlotOf(ends.*end);
      const std::optional<TensorSharding> wanted = wanted_of(ends);
      if (!slot.has_value() || !wanted.has_value() || all.edits.size() >= kMaxAlike) return;
      const auto one = CandidatesToHave(e_, labels_, *slot, *wanted);
      if (one.empty()) return;
      // One value may have several consumers.
      if (absl::c_linear_search(all.texts, one.front().texts.front())) continue;
      all.edits.push_back(one.front().edits.front());
      all.texts.push_back(one.front().texts.front());
    }
    if (!all.edits.empty()) candidates_.push_back(std::move(all));
  }

  void LieAsNeeded() {
    AddForAll(
        &ReshardEnds::producer, [&](const ReshardEnds& ends) -> std::optional<TensorSharding> {
          const TensorSharding* lies = FinalOf(SlotOf(ends.producer));
          if (lies == nullptr) return std::nullopt;
          const TensorSharding* target = FinalOf(SlotOf(ends.consumer));
          const bool is_copy = reshard_.kind == ReshardKind::kExplicit && target != nullptr &&
                               target->rank() == lies->rank();
          return is_copy ? *target : MovedSharding(*lies, MeshOf(*lies), reshard_.collectives);
        });
  }

  // Of what an operation makes otherwise first.
  void LieAsMade() {
    AddForAll(&ReshardEnds::consumer,
              [&](const ReshardEnds& ends) -> std::optional<TensorSharding> {
                const TensorSharding* lies = FinalOf(SlotOf(ends.consumer));
                if (lies == nullptr) return std::nullopt;
                return BeforeMoves(*lies, e_.sharded->module.shape(ends.consumer), MeshOf(*lies),
                                   reshard_.collectives);
              });
  }

  void TakeBack() {
    AddForAll(&ReshardEnds::consumer,
              [&](const ReshardEnds& ends) -> std::optional<TensorSharding> {
                const TensorSharding* lies = FinalOf(SlotOf(ends.producer));
                const TensorSharding* target = FinalOf(SlotOf(ends.consumer));
                if (lies == nullptr || target == nullptr || target->rank() != lies->rank()) {
                  return std::nullopt;
                }
                return *lies;
              });
  }

  // One axis first, where all at once have no direct way.
  void GoInTwoSteps() {
    if (reshard_.kind == ReshardKind::kResult) return;
    const ReshardEnds& first = reshard_.ends.front();
    const TensorSharding* lies = FinalOf(SlotOf(first.producer));
    const TensorSharding* target = FinalOf(SlotOf(first.consumer));
    if (lies == nullptr || target == nullptr || lies->rank() != target->rank()) return;
    for (const Moved& moved : MovesBetween(*lies, *target)) {
      AddForAll(&ReshardEnds::producer,
                [&](const ReshardEnds& ends) -> std::optional<TensorSharding> {
                  const TensorSharding* from = FinalOf(SlotOf(ends.producer));
                  if (from == nullptr || from->rank() != lies->rank()) return std::nullopt;
                  return After(moved, *from);
                });
    }
  }

  // What `explain` tries to bring an axis that the reshard takes away to where it is not: in the
  // consumer, or in a result that is made otherwise first.
  void KeepAxes() {
    const ReshardEnds& ends = reshard_.ends.front();
    const std::optional<SlotId> at = SlotOf(ends.consumer);
    const TensorSharding* lies = FinalOf(SlotOf(ends.producer));
    const TensorSharding* target = FinalOf(at);
    if (target == nullptr) return;
    const sharding::Mesh& mesh = MeshOf(*target);
    std::vector<LostAxis> lost;
    if (lies != nullptr && lies->rank() == target->rank()) lost = Difference(*lies, *target);
    for (const CollectiveLine& line : reshard_.collectives) {
      AddGathered(line, ends.consumer, &lost);
    }
    for (size_t k = 0; k < lost.size(); ++k) {
      const auto end = lost.begin() + static_cast<std::ptrdiff_t>(k);
      const bool is_new = std::find(lost.begin(), end, lost[k]) == end;
      if (is_new && !OverlapsAny(lost[k].axis, target->dim(lost[k].dim).axes)) {
        AddFor(*at, lost[k].dim, lost[k].axis, mesh);
      }
    }
  }

  // An axis, and the dimension of the consumer that might have it.
  struct LostAxis {
    int dim;
    AxisRef axis;

    friend bool operator==(const LostAxis& a, const LostAxis& b) {
      return a.dim == b.dim && a.axis == b.axis;
    }
  };

  // An axis that two shardings have at different dimensions; -1: not at all.
  struct Moved {
    AxisRef axis;
    int from = -1, to = -1;
  };

  static int DimensionOf(AxisRef axis, const TensorSharding& sharding) {
    for (int d = 0; d < sharding.rank(); ++d) {
      if (absl::c_linear_search(sharding.dim(d).axes, axis)) return d;
    }
    return -1;
  }

  static std::vector<Moved> MovesBetween(const TensorSharding& lies, const TensorSharding& target) {
    std::vector<Moved> moves;
    for (int d = 0; d < lies.rank(); ++d) {
      for (const AxisRef axis : lies.dim(d).axes) {
        const int to = DimensionOf(axis, target);
        if (to != d) moves.push_back({axis, d, to});
      }
      for (const AxisRef axis : target.dim(d).axes) {
        if (DimensionOf(axis, lies) < 0) moves.push_back({axis, -1, d});
      }
    }
    return moves;
  }

  TensorSharding After(const Moved& moved, TensorSharding sharding) const {
    const sharding::Mesh& mesh = MeshOf(sharding);
    if (moved.from >= 0) {
      sharding::AxisList& axes = sharding.dim(moved.from).axes;
      axes = SetDifference(axes, {moved.axis}, mesh);
    }
    if (moved.to >= 0) AddOrMerge(sharding.dim(moved.to).axes, moved.axis, mesh);
    return sharding;
  }

  static std::vector<LostAxis> Difference(const TensorSharding& lies,
                                          const TensorSharding& target) {
    std::vector<LostAxis> lost;
    for (int d = 0; d < lies.rank(); ++d) {
      for (const AxisRef axis : lies.dim(d).axes) {
        if (!OverlapsAny(axis, target.dim(d).axes)) lost.push_back({d, axis});
      }
    }
    return lost;
  }

  // The dimensions that an all-gather joins belong to the dimensions of the consumer that are as
  // long.
  void AddGathered(const CollectiveLine& line, InstructionId consumer,
                   std::vector<LostAxis>* lost) const {
    const layout::Shape& whole = line.made.shape;
    const layout::Shape& result = e_.sharded->module.shape(consumer);
    if (line.made.opcode != hlo::Opcode::kAllGather || !line.over->axes.has_value()) return;
    if (!whole.is_array() || !result.is_array()) return;
    for (const int64_t gathered : line.dimensions) {
      for (int64_t d = 0; d < result.rank(); ++d) {
        if (result.dim(d) != whole.dim(gathered)) continue;
        for (const AxisRef axis : *line.over->axes) lost->push_back({static_cast<int>(d), axis});
      }
    }
  }

  void AddFor(SlotId slot, int dim, AxisRef axis, const sharding::Mesh& mesh) {
    const sharding::explain::AskedAxis asked = {mesh.axis(axis.axis()).name, axis.pre_size(),
                                                axis.is_full() ? 0 : axis.sub_size()};
    for (const auto& verdict : e_.why_not->Ask(slot, dim, {asked})) {
      for (FixCandidate& candidate : CandidatesFor(e_, labels_, slot, verdict)) {
        candidates_.push_back(std::move(candidate));
      }
    }
  }

  const Explained& e_;
  const Labels& labels_;
  const Reshard& reshard_;
  std::vector<FixCandidate> candidates_;
};

// One that rematerializes counts as gone where it goes a direct way.
bool IsThere(const Reshard& reshard, const Reshards& left) {
  return absl::c_any_of(left.list, [&](const Reshard& other) {
    if (other.kind != reshard.kind) return false;
    if (reshard.rematerialized > 0 && other.rematerialized == 0) return false;
    return absl::c_any_of(other.ends, [&](const ReshardEnds& ends) {
      return absl::c_linear_search(reshard.ends, ends);
    });
  });
}

// The reshards that are gone; none if there are none, or no less is sent than before.
std::optional<TryOutcome> OutcomeFor(absl::Span<const Reshard> reshards,
                                     const PartitionerInput& edited, const cost::StepCost& before) {
  auto lines = ListCollectives(edited);
  if (!lines.ok()) return std::nullopt;
  const Reshards left = ListReshards(edited, *std::move(lines));
  TryOutcome outcome;
  for (size_t k = 0; k < reshards.size(); ++k) {
    if (!IsThere(reshards[k], left)) outcome.fixed.push_back(k);
  }
  if (outcome.fixed.empty()) return std::nullopt;
  const std::optional<cost::StepCost> after = CostOfInput(edited);
  if (!after.has_value() || after->sent >= before.sent) return std::nullopt;
  outcome.after = *after;
  return outcome;
}

std::vector<Try> TriesFor(const Explained& explained, absl::Span<const Reshard> reshards) {
  const Labels labels(explained);
  std::vector<Try> tries;
  for (size_t k = 0; k < reshards.size(); ++k) {
    for (FixCandidate& candidate : ReshardCandidates(explained, labels, reshards[k]).Make()) {
      tries.push_back({k, std::move(candidate)});
    }
  }
  return tries;
}

bool IsSmaller(const CostFix& a, const CostFix& b) {
  if (a.annotations.size() != b.annotations.size()) {
    return a.annotations.size() < b.annotations.size();
  }
  return a.after.sent < b.after.sent;
}

}  // namespace

absl::StatusOr<CostFixes> FindReshardFixes(const PartitionerInput& input,
                                           const sharding::partition::PartitionedModule& device,
                                           const ShardOptions& options,
                                           absl::Span<const Reshard> reshards) {
  CostFixes fixes;
  fixes.of.resize(reshards.size());
  TESSERA_ASSIGN_OR_RETURN(fixes.before,
                           cost::CostOfStep(input.module, device, /*machine=*/nullptr));
  std::vector<Try> tries;
  {  // The log of the run is a quarter of the memory, and no try reads it.
    TESSERA_ASSIGN_OR_RETURN(const Explained explained, ExplainInput(input, options));
    tries = TriesFor(explained, reshards);
  }
  const auto outcome_of = [&](const Try&, const PartitionerInput& edited) {
    return OutcomeFor(reshards, edited, fixes.before);
  };
  TryAll(input, options, tries, outcome_of, IsSmaller, &fixes);
  return fixes;
}

}  // namespace tessera::pipeline
