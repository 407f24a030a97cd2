#include "tessera/pipeline/explain/fixes/candidate_list.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/answer/spec_text.h"

namespace tessera::pipeline {
namespace {

using sharding::TensorSharding;
using sharding::explain::Annotation;
using sharding::explain::AnnotationKind;
using sharding::explain::SlotId;
using sharding::passes::AnnotationEdit;
using Where = AnnotationEdit::Where;

// None for an annotation that has no place of its own in the program.
std::optional<AnnotationEdit> EditOf(const Annotation& a, TensorSharding sharding) {
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

// None for a value that no instruction of the module is.
std::optional<AnnotationEdit> NewConstraint(const Explained& e, SlotId slot) {
  const sharding::explain::EventLog& log = *e.log;
  AnnotationEdit edit;
  if (log.IsOutput(slot)) {
    edit.where = Where::kResult;
    edit.number = log.OutputOf(slot);
    return edit;
  }
  const sharding::explain::ValueName& name = e.names->Of(slot);
  if (name.instruction == hlo::kNoId) return std::nullopt;
  const sharding::passes::Block* entry = e.sharded->program->entry()->body;
  const auto* value = log.numbered().values()[static_cast<size_t>(slot)];
  edit.where = value->owner() == entry ? Where::kParameter : Where::kAfterValue;
  edit.number = value->index();
  edit.instruction = name.instruction;
  edit.leaf = name.leaf;
  return edit;
}

}  // namespace

bool IsSamePlace(const AnnotationEdit& a, const AnnotationEdit& b) {
  // Constraints are numbered anew by each run.
  return a.where == b.where && (a.where == Where::kConstraint || a.number == b.number) &&
         a.instruction == b.instruction && a.leaf == b.leaf;
}

bool HaveSameEdits(const FixCandidate& a, const FixCandidate& b) {
  return absl::c_equal(a.edits, b.edits, [](const AnnotationEdit& x, const AnnotationEdit& y) {
    return IsSamePlace(x, y) && x.sharding == y.sharding;
  });
}

// Two makers may think of the same.
void CandidateList::Keep(FixCandidate candidate) {
  const bool is_known = absl::c_any_of(
      candidates_, [&](const FixCandidate& other) { return HaveSameEdits(other, candidate); });
  if (!is_known) candidates_.push_back(std::move(candidate));
}

std::string CandidateList::NameOf(const Annotation& a) const {
  return a.kind == AnnotationKind::kConstraint ? absl::StrCat("constraint ", labels_.Slot(a.slot))
                                               : labels_.Slot(a.slot);
}

void CandidateList::Change(const std::string& what, int32_t annotation, TensorSharding sharding) {
  const std::string after = SpecText(sharding, e_.sharded->program->meshes());
  ChangeTo(what, annotation, absl::StrCat(" -> ", after), std::move(sharding));
}

void CandidateList::ChangeTo(const std::string& what, int32_t annotation, const std::string& after,
                             TensorSharding sharding) {
  if (annotation < 0) return;
  const Annotation& a = e_.log->annotations()[static_cast<size_t>(annotation)];
  const bool is_said_already = e_.sharded->program->shardings()[a.sharding] == sharding;
  std::optional<AnnotationEdit> edit = EditOf(a, std::move(sharding));
  if (is_said_already || !edit.has_value()) return;
  const std::string change = absl::StrCat(": ", labels_.Spec(a.sharding), after);
  AddForPlace(what, a, *edit, change);
  Keep({{*std::move(edit)}, {absl::StrCat(what, NameOf(a), change)}, a.slot});
}

void CandidateList::AddForPlace(const std::string& what, const Annotation& a,
                                const AnnotationEdit& edit, const std::string& change) {
  const std::vector<std::string> lines = labels_.LinesOf(a);
  if (lines.empty()) return;
  const auto is_alike = [&](const Annotation& other) {
    return other.instruction != a.instruction && other.sharding == a.sharding &&
           labels_.LinesOf(other) == lines;
  };
  // In the order of the program, so the edit is the same whichever of them is asked for.
  FixCandidate all = {{}, {}, a.slot};
  const Annotation* first = nullptr;
  for (const Annotation& one : e_.log->annotations()) {
    if (&one != &a && !is_alike(one)) continue;
    std::optional<AnnotationEdit> same = EditOf(one, edit.sharding);
    if (!same.has_value()) continue;
    if (first == nullptr) first = &one;
    all.edits.push_back(*std::move(same));
  }
  if (all.edits.size() < 2) return;
  all.texts = {absl::StrCat(what, NameOf(*first), " and ", all.edits.size() - 1, " more of ",
                            labels_.PlaceOf(*first), change)};
  Keep(std::move(all));
}

void CandidateList::Constrain(SlotId slot, TensorSharding wanted) {
  const std::vector<Annotation>& annotations = e_.log->annotations();
  for (size_t a = 0; a < annotations.size(); ++a) {
    if (annotations[a].slot != slot || !EditOf(annotations[a], {}).has_value()) continue;
    return Change("annotate ", static_cast<int32_t>(a), std::move(wanted));
  }
  std::optional<AnnotationEdit> edit = NewConstraint(e_, slot);
  if (!edit.has_value()) return;
  const std::string spec = SpecText(wanted, e_.sharded->program->meshes());
  edit->sharding = std::move(wanted);
  Keep({{*std::move(edit)}, {absl::StrCat("constrain ", labels_.Slot(slot), ": ", spec)}, slot});
}

}  // namespace tessera::pipeline
