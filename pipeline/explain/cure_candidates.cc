#include "tessera/pipeline/explain/cure_candidates.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/pipeline/spec_text.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/explain/chain.h"

namespace tessera::pipeline {
namespace {

using sharding::AxisList;
using sharding::AxisRef;
using sharding::Mesh;
using sharding::TensorSharding;
using sharding::explain::Annotation;
using sharding::explain::AnnotationKind;
using sharding::explain::Endpoint;
using sharding::explain::Refusal;
using sharding::explain::RefusalKind;
using sharding::explain::SlotId;
using sharding::explain::Verdict;
using sharding::graph::AnnotationEdit;
using Where = AnnotationEdit::Where;

class CandidateMaker {
 public:
  CandidateMaker(const Explained& explained, const Labels& labels, SlotId slot,
                 const Verdict& verdict)
      : e_(explained),
        labels_(labels),
        slot_(slot),
        verdict_(verdict),
        refusal_(verdict.headline.inner == nullptr ? verdict.headline : *verdict.headline.inner) {}

  std::vector<CureCandidate> Make() {
    for (const Row& row : kRows) {
      if (row.kind != refusal_.kind) continue;
      for (const Maker maker : row.makers) {
        if (maker != nullptr) (this->*maker)();
      }
      break;
    }
    return std::move(candidates_);
  }

  std::vector<CureCandidate> MakeToHave(TensorSharding wanted) {
    Constrain(std::move(wanted));
    return std::move(candidates_);
  }

 private:
  using Maker = void (CandidateMaker::*)();
  struct Row {
    RefusalKind kind;
    Maker makers[4];
  };
  static const Row kRows[24];

  const sharding::MeshTable& meshes() const { return e_.sharded->graph->meshes(); }
  const sharding::explain::EventLog& log() const { return *e_.log; }

  // What was asked for, as an axis of that mesh.
  std::optional<AxisRef> Asked(const Mesh& mesh) const {
    const std::optional<int> axis = mesh.FindAxis(verdict_.axis.name);
    if (!axis.has_value()) return std::nullopt;
    if (verdict_.axis.size == 0) return AxisRef::Full(*axis);
    return AxisRef::Sub(*axis, verdict_.axis.pre, verdict_.axis.size);
  }

  // --- edits of what is written ------------------------------------------------------------------

  // None for an annotation that has no place of its own in the program.
  static std::optional<AnnotationEdit> EditOf(const Annotation& a, TensorSharding sharding) {
    AnnotationEdit edit;
    edit.number = a.number;
    edit.instruction = a.instruction;
    edit.sharding = std::move(sharding);
    switch (a.kind) {
      case AnnotationKind::kParameter:
        edit.where = Where::kParameter;
        return edit;
      case AnnotationKind::kResult:
        edit.where = Where::kResult;
        return edit;
      case AnnotationKind::kConstraint:
        edit.where = Where::kConstraint;
        if (a.instruction != hlo::kNoId) return edit;
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

  // Two makers may think of the same.
  void Keep(AnnotationEdit edit, const std::string& text) {
    const bool is_known = absl::c_any_of(candidates_, [&](const CureCandidate& other) {
      const AnnotationEdit& o = other.edits.front();
      return o.where == edit.where && o.number == edit.number &&
             o.instruction == edit.instruction && o.leaf == edit.leaf &&
             o.sharding == edit.sharding;
    });
    if (!is_known) candidates_.push_back({{std::move(edit)}, {text}});
  }

  std::string NameOf(const Annotation& a) const {
    return a.kind == AnnotationKind::kConstraint ? absl::StrCat("constraint ", labels_.Slot(a.slot))
                                                 : labels_.Slot(a.slot);
  }

  // "drop 'a' from w: P(None, 'a') -> P(None, None)"
  void Add(const std::string& what, int32_t number, TensorSharding sharding) {
    if (number < 0) return;
    const Annotation& a = log().annotations()[static_cast<size_t>(number)];
    const std::string text = absl::StrCat(what, NameOf(a), ": ", labels_.Spec(a.sharding), " -> ",
                                          SpecText(sharding, meshes()));
    AddEdit(a, text, std::move(sharding));
  }

  void AddEdit(const Annotation& a, const std::string& text, TensorSharding sharding) {
    auto edit = EditOf(a, std::move(sharding));
    if (edit.has_value()) Keep(*std::move(edit), text);
  }

  // Null without an annotation.
  const TensorSharding* Said(int32_t number) const {
    return number < 0 ? nullptr
                      : e_.sharded->graph->Find(
                            log().annotations()[static_cast<size_t>(number)].sharding);
  }

  void OpenSayer() {
    const TensorSharding* said = Said(refusal_.annotation);
    if (said == nullptr || refusal_.holder.dim >= said->rank()) return;
    TensorSharding opened = *said;
    opened.dim(refusal_.holder.dim).is_closed = false;
    Add("open ", refusal_.annotation, std::move(opened));
  }

  void PutAtSayer() {
    const TensorSharding* said = Said(refusal_.annotation);
    if (said == nullptr || refusal_.holder.dim >= said->rank()) return;
    const std::optional<AxisRef> axis = Asked(meshes().mesh(said->mesh_id()));
    if (!axis.has_value() || IsAnywhere(*said, *axis)) return;
    TensorSharding more = *said;
    AddOrMerge(more.dim(refusal_.holder.dim).axes, *axis, meshes().mesh(said->mesh_id()));
    Add("say it at ", refusal_.annotation, std::move(more));
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
    Add("do not keep it away from ", refusal_.annotation, std::move(less));
  }

  // --- who is in the way -------------------------------------------------------------------------

  struct Rival {
    int32_t annotation = sharding::explain::kNoIndex;
    AxisRef axis;
  };

  // The annotation that asked for what is in the way.
  std::optional<Rival> FindRival() const {
    if (refusal_.held.has_value()) return RivalAt(refusal_.holder, *refusal_.held);
    for (const Endpoint& at : {refusal_.holder, refusal_.other}) {
      const TensorSharding* sharding = at.slot < 0 ? nullptr : log().Propagated(at.slot);
      if (sharding == nullptr || sharding->dim(at.dim).axes.empty()) continue;
      const AxisList& axes = sharding->dim(at.dim).axes;
      const std::optional<AxisRef> asked = Asked(meshes().mesh(sharding->mesh_id()));
      if (asked.has_value() && OverlapsAny(*asked, axes)) continue;
      const size_t place = static_cast<size_t>(refusal_.position);
      return RivalAt(at, place < axes.size() ? axes[place] : axes.back());
    }
    return std::nullopt;
  }

  std::optional<Rival> RivalAt(const Endpoint& at, AxisRef axis) const {
    const auto chains = Why(log(), at.slot, at.dim, axis);
    if (chains.empty() || chains.front().annotation < 0) return std::nullopt;
    return Rival{chains.front().annotation, axis};
  }

  void LowerRival() {
    const std::optional<Rival> rival = FindRival();
    if (!rival.has_value()) return;
    TensorSharding later = *Said(rival->annotation);
    for (sharding::DimensionSharding& dim : later.mutable_dims()) {
      if (!dim.has_priority() && (!dim.axes.empty() || !dim.is_closed)) dim.priority = 1;
    }
    const Annotation& a = log().annotations()[static_cast<size_t>(rival->annotation)];
    AddEdit(a, absl::StrCat("priority 1 on ", NameOf(a), ": ", labels_.Spec(a.sharding), " waits"),
            std::move(later));
  }

  void DropRival() {
    const std::optional<Rival> rival = FindRival();
    if (!rival.has_value()) return;
    TensorSharding less = *Said(rival->annotation);
    const Mesh& mesh = meshes().mesh(less.mesh_id());
    for (sharding::DimensionSharding& dim : less.mutable_dims()) {
      dim.axes = SetDifference(dim.axes, {rival->axis}, mesh);
    }
    Add(absl::StrCat("drop ", Labels::Axis(rival->axis, mesh), " from "), rival->annotation,
        std::move(less));
  }

  // --- the tensor itself -------------------------------------------------------------------------

  // Its own sharding, closed, with the axis behind the axes of the dimension, or in their place.
  std::optional<TensorSharding> OwnWithAxis(bool in_place) const {
    const TensorSharding* own = log().Propagated(slot_);
    sharding::MeshId mesh_id = own == nullptr ? sharding::kNoMesh : own->mesh_id();
    for (sharding::MeshId id = 0; id < meshes().size() && mesh_id == sharding::kNoMesh; ++id) {
      if (meshes().mesh(id).FindAxis(verdict_.axis.name).has_value()) mesh_id = id;
    }
    if (mesh_id == sharding::kNoMesh) return std::nullopt;
    const Mesh& mesh = meshes().mesh(mesh_id);
    const std::optional<AxisRef> axis = Asked(mesh);
    if (!axis.has_value()) return std::nullopt;
    TensorSharding wanted = TensorSharding::FullyClosed(mesh_id, Rank());
    for (int d = 0; own != nullptr && d < own->rank(); ++d) {
      if (d == verdict_.dim && in_place) continue;
      wanted.dim(d).axes = SetDifference(own->dim(d).axes, {*axis}, mesh);
    }
    AddOrMerge(wanted.dim(verdict_.dim).axes, *axis, mesh);
    return wanted;
  }

  int Rank() const {
    const auto& program = log().program();
    return program.rank(log().IsOutput(slot_)
                            ? program.outputs()[static_cast<size_t>(log().OutputOf(slot_))].value
                            : slot_);
  }

  void ConstrainSelf() {
    const std::optional<TensorSharding> behind = OwnWithAxis(/*in_place=*/false);
    const std::optional<TensorSharding> in_place = OwnWithAxis(/*in_place=*/true);
    if (!behind.has_value()) return;
    Constrain(*behind);
    if (*in_place != *behind) Constrain(*in_place);
  }

  void Constrain(TensorSharding wanted) {
    for (size_t a = 0; a < log().annotations().size(); ++a) {
      const Annotation& annotation = log().annotations()[a];
      const bool is_editable = EditOf(annotation, {}).has_value();
      if (annotation.slot != slot_ || !is_editable) continue;
      return Add("annotate ", static_cast<int32_t>(a), std::move(wanted));
    }
    const std::string text =
        absl::StrCat("constrain ", labels_.Slot(slot_), ": ", SpecText(wanted, meshes()));
    AnnotationEdit edit;
    edit.sharding = std::move(wanted);
    if (log().IsOutput(slot_)) {
      edit.where = Where::kResult;
      edit.number = log().OutputOf(slot_);
    } else {
      const sharding::explain::ValueName& name = e_.names->Of(slot_);
      if (name.instruction == hlo::kNoId) return;
      const sharding::graph::Block* entry = e_.sharded->graph->entry()->body;
      const auto* value = log().run().frozen().values[static_cast<size_t>(slot_)];
      edit.where = value->owner() == entry ? Where::kParameter : Where::kBehind;
      edit.number = value->index();
      edit.instruction = name.instruction;
      edit.leaf = name.leaf;
    }
    Keep(std::move(edit), text);
  }

  const Explained& e_;
  const Labels& labels_;
  const SlotId slot_;
  const Verdict& verdict_;
  const Refusal& refusal_;  // the inner one, of an axis behind another
  std::vector<CureCandidate> candidates_;
};

using M = CandidateMaker;
const M::Row M::kRows[] = {
    {RefusalKind::kClosedDimension, {&M::OpenSayer, &M::PutAtSayer, &M::ConstrainSelf}},
    {RefusalKind::kExplicitlyReplicated, {&M::TakeFromLists, &M::ConstrainSelf}},
    {RefusalKind::kUnreduced, {&M::TakeFromLists, &M::ConstrainSelf}},
    {RefusalKind::kLostConflict, {&M::LowerRival, &M::ConstrainSelf, &M::DropRival}},
    {RefusalKind::kEarlierLevel, {&M::LowerRival, &M::ConstrainSelf, &M::DropRival}},
    {RefusalKind::kAxisInUse, {&M::LowerRival, &M::ConstrainSelf, &M::DropRival}},
    {RefusalKind::kConflictingSources, {&M::LowerRival, &M::ConstrainSelf, &M::DropRival}},
    {RefusalKind::kLaterUserPriority, {&M::LowerRival, &M::ConstrainSelf, &M::DropRival}},
    {RefusalKind::kGroupConflict, {&M::ConstrainSelf}},
    {RefusalKind::kBarrier, {&M::ConstrainSelf}},
    {RefusalKind::kBlockedFactor, {&M::ConstrainSelf}},
    {RefusalKind::kOverflow, {&M::ConstrainSelf}},
    {RefusalKind::kNotDivisible, {&M::ConstrainSelf}},
    {RefusalKind::kResultCap, {&M::OpenSayer, &M::ConstrainSelf}},
    {RefusalKind::kStridedView, {&M::ConstrainSelf}},
    {RefusalKind::kOverwritten, {&M::ConstrainSelf}},
    {RefusalKind::kNoRule, {&M::ConstrainSelf}},
    {RefusalKind::kPredicateConditional, {&M::ConstrainSelf}},
    {RefusalKind::kNoSharedFactor, {&M::ConstrainSelf}},
    {RefusalKind::kBoundaryNotDivisible, {&M::ConstrainSelf}},
    {RefusalKind::kBoundarySubAxis, {&M::ConstrainSelf}},
    {RefusalKind::kNeverRequested, {&M::ConstrainSelf}},
    {RefusalKind::kAnnotationIgnored, {&M::ConstrainSelf}},
    {RefusalKind::kUnreachable, {&M::ConstrainSelf}},
};

}  // namespace

std::vector<CureCandidate> CandidatesFor(const Explained& explained, const Labels& labels,
                                         SlotId slot, const Verdict& verdict) {
  return CandidateMaker(explained, labels, slot, verdict).Make();
}

std::vector<CureCandidate> CandidatesToHave(const Explained& explained, const Labels& labels,
                                            SlotId slot, TensorSharding wanted) {
  const Verdict none;
  return CandidateMaker(explained, labels, slot, none).MakeToHave(std::move(wanted));
}

}  // namespace tessera::pipeline
