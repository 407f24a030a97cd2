#include "tessera/pipeline/explain/fixes/fix_candidates.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/pipeline/explain/fixes/rival.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/axis_text.h"
#include "tessera/sharding/explain/gains.h"

namespace tessera::pipeline {
namespace {

using sharding::AxisList;
using sharding::AxisRef;
using sharding::Mesh;
using sharding::TensorSharding;
using sharding::explain::Refusal;
using sharding::explain::RefusalKind;
using sharding::explain::SlotId;
using sharding::explain::Verdict;

class CandidateMaker {
 public:
  CandidateMaker(const Explained& explained, const Labels& labels, SlotId slot,
                 const Verdict& verdict)
      : e_(explained),
        labels_(labels),
        list_(explained, labels),
        slot_(slot),
        verdict_(verdict),
        refusal_(verdict.headline.inner == nullptr ? verdict.headline : *verdict.headline.inner) {}

  std::vector<FixCandidate> Make() {
    for (const Row& row : kRows) {
      if (row.kind != refusal_.kind) continue;
      for (const Maker maker : row.makers) {
        if (maker != nullptr) (this->*maker)();
      }
      break;
    }
    return list_.Take();
  }

  std::vector<FixCandidate> MakeToHave(TensorSharding wanted) {
    list_.Constrain(slot_, std::move(wanted));
    return list_.Take();
  }

 private:
  using Maker = void (CandidateMaker::*)();
  struct Row {
    RefusalKind kind;
    Maker makers[4];  // cheapest first
  };
  static const Row kRows[24];

  const sharding::MeshTable& meshes() const { return e_.sharded->program->meshes(); }
  const sharding::explain::EventLog& log() const { return *e_.log; }
  std::optional<AxisRef> Asked(const Mesh& mesh) const { return AxisAsked(verdict_.axis, mesh); }

  // --- edits of what is written ------------------------------------------------------------------

  // Null without an annotation.
  const TensorSharding* Said(int32_t number) const {
    return number < 0 ? nullptr
                      : e_.sharded->program->Find(
                            log().annotations()[static_cast<size_t>(number)].sharding);
  }

  void OpenSayer() {
    const TensorSharding* said = Said(refusal_.annotation);
    if (said == nullptr || refusal_.holder.dim >= said->rank()) return;
    TensorSharding opened = *said;
    opened.dim(refusal_.holder.dim).is_closed = false;
    list_.Change("open ", refusal_.annotation, std::move(opened));
  }

  void PutAtSayer() {
    const TensorSharding* said = Said(refusal_.annotation);
    if (said == nullptr || refusal_.holder.dim >= said->rank()) return;
    const std::optional<AxisRef> axis = Asked(meshes().mesh(said->mesh_id()));
    if (!axis.has_value() || IsAnywhere(*said, *axis)) return;
    TensorSharding more = *said;
    AddOrMerge(more.dim(refusal_.holder.dim).axes, *axis, meshes().mesh(said->mesh_id()));
    list_.Change("add the axis to ", refusal_.annotation, std::move(more));
  }

  // All that the tensor has on whose side the axis stopped.
  void PutNeighboursAxesAtSayer() {
    const TensorSharding* said = Said(refusal_.annotation);
    const TensorSharding* neighbour =
        refusal_.from.slot < 0 ? nullptr : log().Propagated(refusal_.from.slot);
    if (said == nullptr || refusal_.holder.dim >= said->rank() || neighbour == nullptr) return;
    const auto axes = sharding::explain::AxesAt(neighbour, refusal_.from.dim);
    if (axes.size() < 2 || neighbour->mesh_id() != said->mesh_id()) return;
    TensorSharding more = *said;
    more.dim(refusal_.holder.dim).axes = {};
    for (const AxisRef axis : axes) {
      if (IsAnywhere(more, axis)) return;
      more.dim(refusal_.holder.dim).axes.push_back(axis);
    }
    list_.Change(absl::StrCat("add the axes of ", labels_.Slot(refusal_.from.slot), " to "),
                 refusal_.annotation, std::move(more));
  }

  static bool IsAnywhere(const TensorSharding& sharding, AxisRef axis) {
    bool any = false;
    sharding.ForEachAxis([&](AxisRef other) { any |= Overlaps(axis, other); });
    return any;
  }

  void TakeFromLists() {
    const TensorSharding* said = Said(refusal_.annotation);
    if (said == nullptr) return;
    const Mesh& mesh = meshes().mesh(said->mesh_id());
    const std::optional<AxisRef> axis = Asked(mesh);
    if (!axis.has_value()) return;
    TensorSharding less = *said;
    for (AxisList* list : {&less.mutable_replicated_axes(), &less.mutable_unreduced_axes()}) {
      *list = SetDifference(*list, {AxisRef::Full(axis->axis())}, mesh);
    }
    list_.Change("do not keep it away from ", refusal_.annotation, std::move(less));
  }

  // --- who is in the way -------------------------------------------------------------------------

  // It comes in no later round than what is in its way.
  void RaiseOwn() {
    const std::optional<Rival> own = FindOwn(log(), refusal_);
    if (!own.has_value() || !refusal_.came.has_value()) return;
    const int64_t round = refusal_.came->round;
    TensorSharding sooner = *Said(own->annotation);
    for (sharding::DimensionSharding& dim : sooner.mutable_dims()) {
      if (dim.effective_priority() <= round) continue;
      dim.priority = round == 0 ? sharding::kNoPriority : round;
    }
    list_.Change("raise the priority of ", own->annotation, std::move(sooner));
  }

  // What is in the way comes in a later round.
  void LowerRival() {
    const std::optional<Rival> rival = FindRival(log(), refusal_, verdict_.axis);
    if (!rival.has_value()) return;
    const int64_t round = refusal_.refused.has_value() ? refusal_.refused->round : 0;
    TensorSharding later = *Said(rival->annotation);
    for (sharding::DimensionSharding& dim : later.mutable_dims()) {
      const bool is_late = dim.effective_priority() > round;
      if (!is_late && (!dim.axes.empty() || !dim.is_closed)) dim.priority = round + 1;
    }
    list_.ChangeTo(absl::StrCat("priority ", round + 1, " on "), rival->annotation, " waits",
                   std::move(later));
  }

  void DropRival() {
    const std::optional<Rival> rival = FindRival(log(), refusal_, verdict_.axis);
    if (!rival.has_value()) return;
    TensorSharding less = *Said(rival->annotation);
    const Mesh& mesh = meshes().mesh(less.mesh_id());
    for (sharding::DimensionSharding& dim : less.mutable_dims()) {
      dim.axes = SetDifference(dim.axes, {rival->axis}, mesh);
    }
    list_.Change(absl::StrCat("drop ", sharding::QuotedAxisText(rival->axis, mesh), " from "),
                 rival->annotation, std::move(less));
  }

  // --- the tensor itself, or one on the way ------------------------------------------------------

  // Its sharding, closed, with the axis after the axes of the dimension, or in their place.
  std::optional<TensorSharding> WithAxis(SlotId slot, int at_dim, bool in_place) const {
    const TensorSharding* own = log().Propagated(slot);
    sharding::MeshId mesh_id = own == nullptr ? sharding::kNoMesh : own->mesh_id();
    for (sharding::MeshId id = 0; id < meshes().size() && mesh_id == sharding::kNoMesh; ++id) {
      if (meshes().mesh(id).FindAxis(verdict_.axis.name).has_value()) mesh_id = id;
    }
    if (mesh_id == sharding::kNoMesh) return std::nullopt;
    const Mesh& mesh = meshes().mesh(mesh_id);
    const std::optional<AxisRef> axis = Asked(mesh);
    if (!axis.has_value()) return std::nullopt;
    TensorSharding wanted = TensorSharding::FullyClosed(mesh_id, Rank(slot));
    for (int d = 0; own != nullptr && d < own->rank(); ++d) {
      if (d == at_dim && in_place) continue;
      wanted.dim(d).axes = SetDifference(own->dim(d).axes, {*axis}, mesh);
    }
    AddOrMerge(wanted.dim(at_dim).axes, *axis, mesh);
    return wanted;
  }

  int Rank(SlotId slot) const {
    const auto& numbered = log().numbered();
    return numbered.rank(log().IsOutput(slot)
                             ? numbered.outputs()[static_cast<size_t>(log().OutputOf(slot))].value
                             : slot);
  }

  void ConstrainSelf() {
    const auto after = WithAxis(slot_, verdict_.dim, /*in_place=*/false);
    const auto in_place = WithAxis(slot_, verdict_.dim, /*in_place=*/true);
    if (!after.has_value()) return;
    list_.Constrain(slot_, *after);
    if (*in_place != *after) list_.Constrain(slot_, *in_place);
  }

  // The tensor at which the axis was stopped: what lies between gets it too.
  void ConstrainWhereItStopped() {
    const sharding::explain::Endpoint& at = refusal_.to;
    if (at.slot < 0 || at.slot == slot_ || at.dim >= Rank(at.slot)) return;
    const auto wanted = WithAxis(at.slot, at.dim, /*in_place=*/false);
    if (wanted.has_value()) list_.Constrain(at.slot, *wanted);
  }

  const Explained& e_;
  const Labels& labels_;
  CandidateList list_;
  const SlotId slot_;
  const Verdict& verdict_;
  const Refusal& refusal_;  // the inner one, of an axis after another
};

using M = CandidateMaker;
const M::Row M::kRows[] = {
    {RefusalKind::kClosedDimension,
     {&M::OpenSayer, &M::PutAtSayer, &M::PutNeighboursAxesAtSayer, &M::ConstrainSelf}},
    {RefusalKind::kExplicitlyReplicated, {&M::TakeFromLists, &M::ConstrainSelf}},
    {RefusalKind::kUnreduced, {&M::TakeFromLists, &M::ConstrainSelf}},
    {RefusalKind::kLostConflict, {&M::LowerRival, &M::ConstrainSelf, &M::DropRival}},
    {RefusalKind::kEarlierLevel, {&M::LowerRival, &M::ConstrainSelf, &M::DropRival}},
    {RefusalKind::kAxisInUse, {&M::LowerRival, &M::ConstrainSelf, &M::DropRival}},
    {RefusalKind::kConflictingSources, {&M::LowerRival, &M::ConstrainSelf, &M::DropRival}},
    {RefusalKind::kLaterUserPriority,
     {&M::RaiseOwn, &M::LowerRival, &M::ConstrainSelf, &M::DropRival}},
    {RefusalKind::kGroupConflict, {&M::ConstrainSelf}},
    {RefusalKind::kBarrier, {&M::ConstrainWhereItStopped, &M::ConstrainSelf}},
    {RefusalKind::kBlockedFactor, {&M::ConstrainWhereItStopped, &M::ConstrainSelf}},
    {RefusalKind::kOverflow, {&M::ConstrainWhereItStopped, &M::ConstrainSelf}},
    {RefusalKind::kNotDivisible, {&M::ConstrainWhereItStopped, &M::ConstrainSelf}},
    {RefusalKind::kResultCap, {&M::OpenSayer, &M::ConstrainSelf}},
    {RefusalKind::kStridedView, {&M::ConstrainWhereItStopped, &M::ConstrainSelf}},
    {RefusalKind::kOverwritten, {&M::ConstrainSelf}},
    {RefusalKind::kNoRule, {&M::ConstrainWhereItStopped, &M::ConstrainSelf}},
    {RefusalKind::kPredicateConditional, {&M::ConstrainWhereItStopped, &M::ConstrainSelf}},
    {RefusalKind::kNoSharedFactor, {&M::ConstrainWhereItStopped, &M::ConstrainSelf}},
    {RefusalKind::kBoundaryNotDivisible, {&M::ConstrainSelf}},
    {RefusalKind::kBoundarySubAxis, {&M::ConstrainSelf}},
    {RefusalKind::kNeverRequested, {&M::ConstrainSelf}},
    {RefusalKind::kAnnotationIgnored, {&M::ConstrainSelf}},
    {RefusalKind::kUnreachable, {&M::ConstrainSelf}},
};

}  // namespace

std::vector<FixCandidate> CandidatesFor(const Explained& explained, const Labels& labels,
                                        SlotId slot, const Verdict& verdict) {
  return CandidateMaker(explained, labels, slot, verdict).Make();
}

std::vector<FixCandidate> CandidatesToHave(const Explained& explained, const Labels& labels,
                                           SlotId slot, TensorSharding wanted) {
  const Verdict none;
  return CandidateMaker(explained, labels, slot, none).MakeToHave(std::move(wanted));
}

}  // namespace tessera::pipeline
