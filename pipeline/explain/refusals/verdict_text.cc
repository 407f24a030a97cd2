#include "tessera/pipeline/explain/refusals/verdict_text.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "tessera/pipeline/explain/refusals/refusal_text.h"
#include "tessera/pipeline/explain/refusals/refusal_words.h"

namespace tessera::pipeline {
namespace {

using sharding::explain::AskedAxis;
using sharding::explain::Endpoint;
using sharding::explain::KindWord;
using sharding::explain::Refusal;
using sharding::explain::RefusalKind;
using sharding::explain::Verdict;

constexpr size_t kMaxAlso = 4;  // refusals at the same distance; the JSON has them all

// Where the axis stands and the op that did not bring it: " from x dim 0 by y (..)->(..) factor i".
std::string MissedUpdateText(const Explained& e, const Labels& labels, const Refusal& r) {
  if (r.factor < 0 || r.from.slot < 0) return "";
  const RefusalWords words(e, labels, r);
  const std::string place = labels.Place(labels.InstructionOfOp(r.actor.op));
  return absl::StrCat(
      " from ", words.At(r.from), " by ", words.OpWithRule(),
      words.Rule() == nullptr ? "" : absl::StrCat(" factor ", Labels::Factor(r.factor)),
      place.empty() ? "" : "  ", place);
}

// x dim 0 | s dim 0 -> k dim 0 -> y dim 0
std::string PathText(const Labels& labels, const Verdict& verdict) {
  constexpr size_t kMaxShown = 6;
  std::string text;
  const size_t size = verdict.path.size();
  for (size_t i = 0; i < size; ++i) {
    const bool is_left_out = size > kMaxShown && i >= kMaxShown / 2 && i + kMaxShown / 2 < size;
    if (is_left_out) {
      if (i == kMaxShown / 2) absl::StrAppend(&text, " -> ..");
      continue;
    }
    absl::StrAppend(&text,
                    i == 0   ? ""
                    : i == 1 ? " | "
                             : " -> ",
                    labels.At(verdict.path[i]), " dim ", verdict.path[i].dim);
  }
  return text;
}

bool IsSame(const Endpoint& a, const Endpoint& b) { return a.slot == b.slot && a.dim == b.dim; }

// Where the axis is, if the words have not said so.
std::string WayText(const Labels& labels, const Verdict& verdict) {
  if (verdict.path.size() < 2) return "";
  if (verdict.headline.kind != RefusalKind::kNoSharedFactor) {
    if (verdict.path.size() < 3) return "";
    return absl::StrCat("  the nearest way, ", verdict.distance,
                        " steps: ", PathText(labels, verdict), "\n");
  }
  const Endpoint& nearest = verdict.path.front();
  if (IsSame(nearest, verdict.headline.from) || IsSame(nearest, verdict.headline.to)) return "";
  return absl::StrCat("  nearest with ", AskedAxisText(verdict.axis), ": ", labels.At(nearest),
                      " dim ", nearest.dim, ", ", verdict.distance, " steps away\n");
}

// All after "'a' is not on dim 0".
std::string WordsOf(const Explained& e, const Labels& labels, const Verdict& verdict) {
  const Refusal& headline = verdict.headline;
  const std::string missed = MissedUpdateText(e, labels, headline);
  std::string text =
      absl::StrCat(" (", KindWord(headline.kind), ")",
                   missed.empty() ? ": " : absl::StrCat(": it did not come", missed, "\n  "),
                   RefusalMessage(e, labels, headline), "\n", WayText(labels, verdict));
  for (const Refusal& also : absl::MakeConstSpan(verdict.also).subspan(0, kMaxAlso)) {
    absl::StrAppend(&text, "  also (", KindWord(also.kind), "): not",
                    MissedUpdateText(e, labels, also), "\n    ", RefusalMessage(e, labels, also),
                    "\n");
  }
  if (verdict.also.size() > kMaxAlso) {
    absl::StrAppend(&text, "  and at ", verdict.also.size() - kMaxAlso, " more operations\n");
  }
  return text;
}

}  // namespace

std::string AskedAxisText(const AskedAxis& axis) {
  if (axis.size == 0) return absl::StrCat("'", axis.name, "'");
  return absl::StrCat("'", axis.name, "':(", axis.pre, ")", axis.size);
}

bool NeedsNoFix(const Verdict& verdict) {
  return verdict.headline.kind == RefusalKind::kNeverRequested ||
         verdict.headline.kind == RefusalKind::kSizeOneAxis;
}

std::vector<std::string> VerdictTexts(const Explained& e, const Labels& labels,
                                      const std::vector<Verdict>& verdicts) {
  // The sentences, in the order in which they come first, and the axes of each.
  std::vector<std::pair<std::string, std::vector<std::string>>> said;
  for (const Verdict& verdict : verdicts) {
    std::string words = WordsOf(e, labels, verdict);
    const auto known =
        absl::c_find_if(said, [&](const auto& other) { return other.first == words; });
    if (known != said.end()) {
      known->second.push_back(AskedAxisText(verdict.axis));
    } else {
      said.push_back({std::move(words), {AskedAxisText(verdict.axis)}});
    }
  }
  std::vector<std::string> texts;
  for (const auto& [words, axes] : said) {
    texts.push_back(absl::StrCat(absl::StrJoin(axes, ", "), axes.size() == 1 ? " is" : " are",
                                 " not on dim ", verdicts.front().dim, words));
  }
  return texts;
}

}  // namespace tessera::pipeline
