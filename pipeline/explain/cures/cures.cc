#include "tessera/pipeline/explain/cures/cures.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/explain/cures/uneven_edit.h"
#include "tessera/pipeline/explain/refusals/verdict_text.h"

namespace tessera::pipeline {
namespace {

using sharding::explain::SlotId;
using sharding::explain::Verdict;
using sharding::passes::AnnotationEdit;

constexpr size_t kMaxCures = 5;
constexpr int kMaxFirstEdits = 3;   // of pairs: runs with a recorder
constexpr int kMaxSecondEdits = 3;  // behind each of them

// The second edit of a place stands for both. Of `first`, which has a text for each edit.
CureCandidate Both(const CureCandidate& first, const CureCandidate& second) {
  CureCandidate both = second;
  for (size_t i = 0; i < first.edits.size(); ++i) {
    const AnnotationEdit& edit = first.edits[i];
    const bool is_edited_again = absl::c_any_of(
        second.edits, [&](const AnnotationEdit& other) { return IsSamePlace(edit, other); });
    if (is_edited_again) continue;
    both.edits.insert(both.edits.begin(), edit);
    both.texts.insert(both.texts.begin(), first.texts[i]);
  }
  return both;
}

// False if all edit one place, the tensor itself as a rule: then there may be another way.
bool HaveTwoPlaces(const std::vector<Cure>& found) {
  return absl::c_any_of(found, [&](const Cure& cure) {
    return !IsSamePlace(cure.candidate.edits[0], found[0].candidate.edits[0]);
  });
}

// A new constraint, or an edit where another one was enough.
bool HelpsAlone(const CureCandidate& candidate, const std::vector<Cure>& found) {
  const AnnotationEdit& edit = candidate.edits[0];
  return edit.where == AnnotationEdit::Where::kBehind ||
         absl::c_any_of(found, [&](const Cure& cure) {
           return cure.candidate.edits.size() == 1 && IsSamePlace(cure.candidate.edits[0], edit);
         });
}

// The second edit of a pair may be enough, and found before.
void Keep(Cure cure, std::vector<Cure>* found) {
  const bool is_known = absl::c_any_of(
      *found, [&](const Cure& other) { return HaveSameEdits(other.candidate, cure.candidate); });
  if (!is_known) found->push_back(std::move(cure));
}

void AddPairs(const CureTrial& trial, const std::vector<CureCandidate>& in_vain, Cures* cures) {
  const size_t tried = std::min<size_t>(in_vain.size(), kMaxFirstEdits);
  for (size_t i = 0; i < tried; ++i) {
    if (in_vain[i].texts.size() < in_vain[i].edits.size()) continue;
    const std::optional<CureObstacle> left = trial.Obstacle(in_vain[i].edits);
    if (!left.has_value()) continue;
    const Labels labels(left->explained);
    int second_edits = 0;
    for (const CureCandidate& second :
         CandidatesFor(left->explained, labels, left->slot, left->verdict)) {
      const CureCandidate both = Both(in_vain[i], second);
      if (both.edits.size() < 2 || HelpsAlone(second, cures->found)) continue;
      if (++second_edits > kMaxSecondEdits) break;
      const std::optional<CureEffect> changed = trial.Try(both.edits);
      if (!changed.has_value()) continue;
      const std::optional<CureEffect> alone = trial.Try(second.edits);
      Keep(alone.has_value() ? Cure{second, *alone, std::nullopt}
                             : Cure{both, *changed, std::nullopt},
           &cures->found);
    }
  }
}

// The edit, and why it cannot stand if that is known.
std::string InVainText(const Explained& e, const CureCandidate& candidate, const Verdict& verdict) {
  const std::string uneven = UnevenText(e, candidate.slot, candidate.edits[0], verdict.axis);
  return absl::StrCat(absl::StrJoin(candidate.texts, " and "), uneven.empty() ? "" : ": ", uneven);
}

// Final bytes, then annotations, other tensors, and bytes of the partitioner.
std::tuple<int64_t, size_t, int, int64_t> RankOf(const Cure& cure, bool is_final) {
  const int64_t sent = cure.sent_added.value_or(std::numeric_limits<int64_t>::max());
  return {is_final ? sent : 0, cure.candidate.texts.size(), cure.effect.tensors_changed, sent};
}

void SortByRank(Cures* cures) {
  const bool is_final = !cures->target.empty();
  absl::c_stable_sort(cures->found, [&](const Cure& a, const Cure& b) {
    return RankOf(a, is_final) < RankOf(b, is_final);
  });
}

void AddSentBytes(const Explained& e, const CureTrial& trial, const SentBytes& sent_bytes,
                  std::vector<Cure>* found) {
  if (sent_bytes.of == nullptr || found->empty()) return;
  const auto before = sent_bytes.of(e.sharded->module, trial.OptionsWith(e.options.edits));
  if (!before.has_value()) return;
  for (Cure& cure : *found) {
    const auto after = sent_bytes.of(e.sharded->module, trial.OptionsWith(cure.candidate.edits));
    if (after.has_value()) cure.sent_added = *after - *before;
  }
}

std::string SentText(const std::optional<int64_t>& added) {
  if (!added.has_value()) return "";
  if (*added == 0) return "; same bytes sent";
  return absl::StrCat("; each device sends ", layout::FormatBytes(std::abs(*added)),
                      *added > 0 ? " more" : " less");
}

// What the bytes of the list are; "" where it has none.
std::string MeaningOfSent(const Cures& cures) {
  const bool has_bytes = absl::c_any_of(
      cures.found, [](const Cure& cure) { return cure.sent_added.value_or(0) != 0; });
  if (!has_bytes) return "";
  if (!cures.target.empty()) {
    return absl::StrCat("  bytes are of the collectives that finally run on ", cures.target,
                        "; the fewest first\n");
  }
  return "  bytes are of the partitioner's collectives; --target has the final ones\n";
}

// Of edits of arguments as a rule, which may change memory and no byte that is sent.
std::string ArgumentText(int64_t added) {
  if (added == 0) return "";
  return absl::StrCat("; arguments ", layout::FormatBytes(std::abs(added)),
                      added > 0 ? " larger" : " smaller");
}

}  // namespace

Cures FindCures(const Explained& explained, const Labels& labels, SlotId slot,
                const Verdict& verdict, const SentBytes& sent_bytes) {
  Cures cures;
  cures.target = sent_bytes.target;
  const std::vector<CureCandidate> candidates = CandidatesFor(explained, labels, slot, verdict);
  if (candidates.empty()) return cures;
  const CureTrial trial(explained, slot, verdict);
  std::vector<CureCandidate> in_vain;
  for (const CureCandidate& candidate : candidates) {
    const std::optional<CureEffect> changed = trial.Try(candidate.edits);
    if (changed.has_value()) {
      cures.found.push_back({candidate, *changed, std::nullopt});
    } else {
      in_vain.push_back(candidate);
      cures.not_enough.push_back(InVainText(explained, candidate, verdict));
    }
  }
  if (!HaveTwoPlaces(cures.found)) AddPairs(trial, in_vain, &cures);
  SortByRank(&cures);
  if (cures.found.size() > kMaxCures) cures.found.resize(kMaxCures);
  AddSentBytes(explained, trial, sent_bytes, &cures.found);
  SortByRank(&cures);
  return cures;
}

std::string CuresText(const Verdict& verdict, const Cures& cures) {
  if (cures.found.empty() && cures.not_enough.empty()) return "";
  std::string text;
  if (!cures.found.empty()) {
    absl::StrAppend(&text, "To get ", AskedAxisText(verdict.axis), " on dim ", verdict.dim,
                    " (each tried):\n");
  }
  int number = 0;
  for (const Cure& cure : cures.found) {
    const std::string edits = absl::StrJoin(cure.candidate.texts, " and ");
    absl::StrAppend(&text, "  ", ++number, ". ", edits, "   ", cure.candidate.edits.size(),
                    cure.candidate.edits.size() == 1 ? " annotation; " : " annotations; ",
                    cure.effect.tensors_changed, " other ",
                    cure.effect.tensors_changed == 1 ? "tensor changes" : "tensors change",
                    SentText(cure.sent_added), ArgumentText(cure.effect.argument_bytes), "\n");
  }
  text += MeaningOfSent(cures);
  for (const std::string& tried : cures.not_enough) {
    absl::StrAppend(&text, "  not enough: ", tried, "\n");
  }
  return text;
}

}  // namespace tessera::pipeline
