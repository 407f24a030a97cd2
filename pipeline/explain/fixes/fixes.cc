#include "tessera/pipeline/explain/fixes/fixes.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/explain/fixes/uneven_edit.h"
#include "tessera/pipeline/explain/refusals/verdict_text.h"

namespace tessera::pipeline {
namespace {

using sharding::explain::SlotId;
using sharding::explain::Verdict;
using sharding::passes::AnnotationEdit;

constexpr size_t kMaxFixes = 5;
constexpr int kMaxFirstEdits = 3;   // of pairs: runs with a recorder
constexpr int kMaxSecondEdits = 3;  // after each of them

// The second edit of a place stands for both. Of `first`, which has a text for each edit.
FixCandidate Both(const FixCandidate& first, const FixCandidate& second) {
  FixCandidate both = second;
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
bool HaveTwoPlaces(const std::vector<Fix>& found) {
  return absl::c_any_of(found, [&](const Fix& fix) {
    return !IsSamePlace(fix.candidate.edits[0], found[0].candidate.edits[0]);
  });
}

// A new constraint, or an edit where another one was enough.
bool HelpsAlone(const FixCandidate& candidate, const std::vector<Fix>& found) {
  const AnnotationEdit& edit = candidate.edits[0];
  return edit.where == AnnotationEdit::Where::kAfterValue || absl::c_any_of(found, [&](const Fix& fix) {
           return fix.candidate.edits.size() == 1 && IsSamePlace(fix.candidate.edits[0], edit);
         });
}

// The second edit of a pair may be enough, and found before.
void Keep(Fix fix, std::vector<Fix>* found) {
  const bool is_known = absl::c_any_of(
      *found, [&](const Fix& other) { return HaveSameEdits(other.candidate, fix.candidate); });
  if (!is_known) found->push_back(std::move(fix));
}

void AddPairs(const FixTrial& trial, const std::vector<FixCandidate>& in_vain, Fixes* fixes) {
  const size_t tried = std::min<size_t>(in_vain.size(), kMaxFirstEdits);
  for (size_t i = 0; i < tried; ++i) {
    if (in_vain[i].texts.size() < in_vain[i].edits.size()) continue;
    const std::optional<FixObstacle> left = trial.Obstacle(in_vain[i].edits);
    if (!left.has_value()) continue;
    const Labels labels(left->explained);
    int second_edits = 0;
    for (const FixCandidate& second :
         CandidatesFor(left->explained, labels, left->slot, left->verdict)) {
      const FixCandidate both = Both(in_vain[i], second);
      if (both.edits.size() < 2 || HelpsAlone(second, fixes->found)) continue;
      if (++second_edits > kMaxSecondEdits) break;
      const std::optional<FixEffect> changed = trial.Try(both.edits);
      if (!changed.has_value()) continue;
      const std::optional<FixEffect> alone = trial.Try(second.edits);
      Keep(
          alone.has_value() ? Fix{second, *alone, std::nullopt} : Fix{both, *changed, std::nullopt},
          &fixes->found);
    }
  }
}

// The edit, and why it cannot stand if that is known.
std::string InVainText(const Explained& e, const FixCandidate& candidate, const Verdict& verdict) {
  const std::string uneven = UnevenText(e, candidate.slot, candidate.edits[0], verdict.axis);
  return absl::StrCat(absl::StrJoin(candidate.texts, " and "), uneven.empty() ? "" : ": ", uneven);
}

// Final bytes, then annotations, other tensors, and bytes of the partitioner.
std::tuple<int64_t, size_t, int, int64_t> RankOf(const Fix& fix, bool is_final) {
  const int64_t sent = fix.sent_added.value_or(std::numeric_limits<int64_t>::max());
  return {is_final ? sent : 0, fix.candidate.texts.size(), fix.effect.tensors_changed, sent};
}

void SortByRank(Fixes* fixes) {
  const bool is_final = !fixes->target.empty();
  absl::c_stable_sort(fixes->found, [&](const Fix& a, const Fix& b) {
    return RankOf(a, is_final) < RankOf(b, is_final);
  });
}

void AddSentBytes(const Explained& e, const FixTrial& trial, const SentBytes& sent_bytes,
                  std::vector<Fix>* found) {
  if (sent_bytes.of == nullptr || found->empty()) return;
  const auto before = sent_bytes.of(e.sharded->module, trial.OptionsWith(e.options.edits));
  if (!before.has_value()) return;
  for (Fix& fix : *found) {
    const auto after = sent_bytes.of(e.sharded->module, trial.OptionsWith(fix.candidate.edits));
    if (after.has_value()) fix.sent_added = *after - *before;
  }
}

std::string SentText(const std::optional<int64_t>& added) {
  if (!added.has_value()) return "";
  if (*added == 0) return "; same bytes sent";
  return absl::StrCat("; each device sends ", layout::FormatBytes(std::abs(*added)),
                      *added > 0 ? " more" : " less");
}

// What the bytes of the list are; "" where it has none.
std::string MeaningOfSent(const Fixes& fixes) {
  const bool has_bytes =
      absl::c_any_of(fixes.found, [](const Fix& fix) { return fix.sent_added.value_or(0) != 0; });
  if (!has_bytes) return "";
  if (!fixes.target.empty()) {
    return absl::StrCat("  bytes are of the collectives that finally run on ", fixes.target,
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

Fixes FindFixes(const Explained& explained, const Labels& labels, SlotId slot,
                const Verdict& verdict, const SentBytes& sent_bytes) {
  Fixes fixes;
  fixes.target = sent_bytes.target;
  const std::vector<FixCandidate> candidates = CandidatesFor(explained, labels, slot, verdict);
  if (candidates.empty()) return fixes;
  const FixTrial trial(explained, slot, verdict);
  std::vector<FixCandidate> in_vain;
  for (const FixCandidate& candidate : candidates) {
    const std::optional<FixEffect> changed = trial.Try(candidate.edits);
    if (changed.has_value()) {
      fixes.found.push_back({candidate, *changed, std::nullopt});
    } else {
      in_vain.push_back(candidate);
      fixes.not_enough.push_back(InVainText(explained, candidate, verdict));
    }
  }
  if (!HaveTwoPlaces(fixes.found)) AddPairs(trial, in_vain, &fixes);
  SortByRank(&fixes);
  if (fixes.found.size() > kMaxFixes) fixes.found.resize(kMaxFixes);
  AddSentBytes(explained, trial, sent_bytes, &fixes.found);
  SortByRank(&fixes);
  return fixes;
}

std::string FixesText(const Verdict& verdict, const Fixes& fixes) {
  if (fixes.found.empty() && fixes.not_enough.empty()) return "";
  std::string text;
  if (!fixes.found.empty()) {
    absl::StrAppend(&text, "To get ", AskedAxisText(verdict.axis), " on dim ", verdict.dim,
                    " (each tried):\n");
  }
  int number = 0;
  for (const Fix& fix : fixes.found) {
    const std::string edits = absl::StrJoin(fix.candidate.texts, " and ");
    absl::StrAppend(&text, "  ", ++number, ". ", edits, "   ", fix.candidate.edits.size(),
                    fix.candidate.edits.size() == 1 ? " annotation; " : " annotations; ",
                    fix.effect.tensors_changed, " other ",
                    fix.effect.tensors_changed == 1 ? "tensor changes" : "tensors change",
                    SentText(fix.sent_added), ArgumentText(fix.effect.argument_bytes), "\n");
  }
  text += MeaningOfSent(fixes);
  for (const std::string& tried : fixes.not_enough) {
    absl::StrAppend(&text, "  not enough: ", tried, "\n");
  }
  return text;
}

}  // namespace tessera::pipeline
