#include "tessera/pipeline/verbs/search/suggest/suggest_report.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/schema/suggest_answer.pb.h"
#include "tessera/pipeline/verbs/search/suggest/tied_results.h"
#include "tessera/pipeline/verbs/search/variants/variant_text.h"
#include "tessera/sharding/mesh_sizes.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

using layout::FormatBytes;

constexpr size_t kMaxOfFront = 8;  // in text; the JSON has them all
constexpr absl::string_view kAsTheModuleSays = "as the module says";
constexpr absl::string_view kTied = ", donated results in the shardings of their arguments";

std::string Row(const MaybeCost& cost, const std::optional<int64_t>& limit,
                absl::string_view what) {
  if (!cost.ok()) return absl::StrCat("  ", what, ": refused: ", cost.status().message(), "\n");
  return absl::StrFormat("%10s %12s %12s  %s%s\n", TimeText(*cost), FormatBytes(cost->memory),
                         FormatBytes(cost->sent), what, FitText(*cost, limit.value_or(0)));
}

std::string NowText(const SearchGroup& group) {
  return group.is_new() ? absl::StrCat("what ", group.made_by, " makes, now without a constraint")
                        : absl::StrCat("now ", group.own.ToString());
}

// "3 constraints of 96 MiB, model.py:57, now P('data', None)"
std::string TensorsText(const SuggestedAnnotation& one) {
  const SearchGroup& group = one.group;
  const char* const what = group.is_new()        ? "tensor"
                           : group.is_constraint ? "constraint"
                                                 : "argument";
  std::string out = absl::StrCat(group.count, " ", what, group.count == 1 ? "" : "s", " of ",
                                 FormatBytes(group.bytes), group.count == 1 ? "" : " together");
  if (!one.place.empty()) absl::StrAppend(&out, ", ", one.place);
  if (group.is_constraint) absl::StrAppend(&out, ", ", NowText(group));
  return out;
}

std::string WhyText(const SuggestedAnnotation& one) {
  return absl::StrCat(TensorsText(one), "; without it ", FiguresText(one.without));
}

// Of all that was tried: the best trade-offs have it.
int64_t LeastMemory(const Suggestion& suggestion) {
  int64_t least = suggestion.found->memory;
  for (const SuggestedVariant& one : suggestion.front) {
    least = std::min(least, one.cost.memory);
  }
  return least;
}

std::string Unpriced(const MaybeCost& cost) { return cost.ok() ? UnpricedText(*cost) : ""; }

// What JAX's out_shardings have to say, and what the step costs otherwise.
std::string OutShardingsText(const Suggestion& suggestion) {
  if (suggestion.results.empty()) return "";
  const std::string results = TiedText(suggestion.results);
  const std::string without = FiguresText(suggestion.untied);
  if (without == FiguresText(suggestion.found)) {
    return absl::StrCat("For the next step, give out_shardings: ", results,
                        "; this step costs the same without them\n");
  }
  return absl::StrCat(suggestion.annotations.empty() ? "The gain is in" : "These figures need",
                      " out_shardings: ", results, "; without them ", without, "\n");
}

void FillAnnotation(const SuggestedAnnotation& one, answers::SuggestedAnnotation* to) {
  const SearchGroup& group = one.group;
  to->set_annotate(AnnotationText(one.annotation));
  to->set_arguments(group.is_constraint ? 0 : group.count);
  to->set_bytes(group.bytes);
  FillOutcome(one.without, /*timed=*/true, to->mutable_without());
  if (!group.is_constraint) return;
  to->set_constraints(group.count);
  to->set_place(one.place);
  if (group.is_new()) {
    to->set_made_by(group.made_by);
  } else {
    to->set_now(group.own.ToString());
  }
}

void FillVariant(const SuggestedVariant& variant, answers::SuggestedVariant* to) {
  for (const PatternAnnotation& one : variant.annotations) to->add_annotate(AnnotationText(one));
  FillOutcome(variant.cost, /*timed=*/true, to->mutable_cost());
  to->set_ties_donated(variant.ties_donated);
}

// A spec that says all of an array, or of no dimension anything.
std::string SpecPython(const sharding::PartitionSpec& spec) {
  const bool is_open =
      absl::c_any_of(spec.entries, [](const auto& entry) { return entry.is_open; });
  if (!is_open) return spec.ToString();
  const std::vector<std::string> entries(spec.entries.size(), "P.UNCONSTRAINED");
  return absl::StrCat("P(", absl::StrJoin(entries, ", "), ")");
}

// A constraint is an expression in a line of the program, so that the text is a comment.
std::string ConstraintPython(const SuggestedAnnotation& one) {
  return absl::StrCat("# ", one.place, ", ", NowText(one.group),
                      "\n#     x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, ",
                      SpecPython(one.annotation.spec), "))\n");
}

// Of a gain that predictions are not good enough for.
std::string SmallGainText(const Suggestion& suggestion, const SuggestRequest& request) {
  if (request.confirmed.has_value() || !suggestion.own.ok()) return "";
  const double gain = 1 - suggestion.found->seconds() / suggestion.own->seconds();
  if (gain <= 0 || gain >= request.error) return "";
  return absl::StrFormat(
      "the gain of %.1f %% is within the error of predicted times (%.0f %%): --confirm=1 compiles "
      "both\n",
      100 * gain, 100 * request.error);
}

// Where nothing that was tried fits the memory.
std::string TightText(const Suggestion& suggestion, const SuggestRequest& request) {
  if (Fits(suggestion, request)) return "";
  return absl::StrCat("\nnone of ", suggestion.tries, " variants fits ",
                      FormatBytes(*request.limit), "; the smallest needs ",
                      FormatBytes(LeastMemory(suggestion)), "\n");
}

using Texts = std::vector<std::string>;

// The annotations of a report, each with a number: first those that were found, then further ones of the front.
class NumberedAnnotations {
 public:
  explicit NumberedAnnotations(const Suggestion& suggestion) {
    for (const SuggestedAnnotation& one : suggestion.annotations) {
      texts_.push_back(AnnotationText(one.annotation));
    }
    found_ = texts_.size();
  }

  // "without 2, 5; with 10": beside the ones that were found.
  std::string RowText(const SuggestedVariant& variant) {
    Texts of_variant;
    std::vector<size_t> added, missing;
    for (const PatternAnnotation& one : variant.annotations) {
      of_variant.push_back(AnnotationText(one));
      const size_t number = NumberOf(of_variant.back());
      if (number > found_) added.push_back(number);
    }
    for (size_t k = 0; k < found_; ++k) {
      if (!absl::c_linear_search(of_variant, texts_[k])) missing.push_back(k + 1);
    }
    absl::c_sort(added);
    Texts parts;
    if (!missing.empty()) parts.push_back("without " + absl::StrJoin(missing, ", "));
    if (!added.empty()) parts.push_back("with " + absl::StrJoin(added, ", "));
    return absl::StrJoin(parts, "; ");
  }

  // A line for each further one.
  std::string FurtherText() const {
    std::string out;
    for (size_t k = found_; k < texts_.size(); ++k) {
      absl::StrAppend(&out, "    ", k + 1, ": ", texts_[k], "\n");
    }
    return out;
  }

 private:
  size_t NumberOf(const std::string& text) {
    const auto known = absl::c_find(texts_, text);
    const size_t place = static_cast<size_t>(known - texts_.begin());
    if (known == texts_.end()) texts_.push_back(text);
    return place + 1;
  }

  Texts texts_;
  size_t found_ = 0;
};

std::string FoundText(const Suggestion& suggestion) {
  if (!suggestion.annotations.empty()) return "with the annotations above";
  return absl::StrCat(kAsTheModuleSays, suggestion.results.empty() ? "" : kTied);
}

// One row of those that look equal; rows name annotations by their numbers.
std::string FrontRows(const Suggestion& suggestion, const std::optional<int64_t>& limit) {
  NumberedAnnotations annotations(suggestion);
  const auto row_of = [&](const SuggestedVariant& one, const std::string& figures) {
    if (figures == FiguresText(suggestion.found)) {
      return Row(suggestion.found, limit, FoundText(suggestion));
    }
    return Row(one.cost, limit,
               one.annotations.empty() ? FrontText(one) : annotations.RowText(one));
  };
  std::string out, figures;
  size_t rows = 0, left = 0;
  for (const SuggestedVariant& one : suggestion.front) {
    const std::string of_this = FiguresText(one.cost);
    if (std::exchange(figures, of_this) == of_this) continue;
    if (++rows > kMaxOfFront) {
      ++left;
      continue;
    }
    out += row_of(one, figures);
  }
  if (left > 0) absl::StrAppend(&out, "and ", left, " more\n");
  return absl::StrCat(annotations.FurtherText(), out);
}

std::string NothingFasterText(const Suggestion& suggestion, const SuggestRequest& request) {
  if (suggestion.front.size() < 2) return "\nno better annotations were found on this mesh\n";
  return absl::StrCat("\nno faster annotations were found on this mesh; these need less memory\n",
                      FrontRows(suggestion, request.limit));
}

}  // namespace

bool Fits(const Suggestion& suggestion, const SuggestRequest& request) {
  return !suggestion.found.ok() || cost::VerdictOf(*suggestion.found, request.limit.value_or(0)) !=
                                       cost::FitVerdict::kDoesNotFit;
}

std::string FrontText(const SuggestedVariant& variant) {
  if (variant.annotations.empty()) {
    return absl::StrCat(kAsTheModuleSays, variant.ties_donated ? kTied : "");
  }
  return absl::StrJoin(variant.annotations, " ", [](std::string* out, const auto& one) {
    absl::StrAppend(out, AnnotationText(one));
  });
}

std::string SuggestionPython(const Suggestion& suggestion, const hlo::Module& module) {
  std::vector<PatternAnnotation> of_arguments;
  std::string constraints;
  for (const SuggestedAnnotation& one : suggestion.annotations) {
    if (one.group.is_constraint) {
      constraints += ConstraintPython(one);
    } else {
      of_arguments.push_back(one.annotation);
    }
  }
  std::string out =
      absl::StrCat("from jax.sharding import ", constraints.empty() ? "" : "NamedSharding, ",
                   "PartitionSpec as P\n\n# mesh ", sharding::PrintMeshSizes(suggestion.mesh),
                   "\nshardings = {\n");
  const auto annotated = FindAnnotated(module, of_arguments);
  if (annotated.ok()) {
    for (const sharding::passes::UserAnnotation& one : *annotated) {
      absl::StrAppend(&out, "    ", Quoted(ArgumentName(module, one.instruction)), ": ",
                      one.spec.ToString(), ",\n");
    }
  }
  return absl::StrCat(out, "}\n", TiedPython(suggestion.results), constraints);
}

std::string SuggestionText(const Suggestion& suggestion, const SuggestRequest& request) {
  std::string out = absl::StrFormat("mesh %s on %s, %d variants tried\n%10s %12s %12s\n",
                                    sharding::PrintMeshSizes(suggestion.mesh), request.topology,
                                    suggestion.tries, "time", "memory", "sent");
  const std::optional<OwnMesh>& own = request.own_mesh;
  if (own.has_value()) {
    out +=
        Row(own->cost, request.limit,
            absl::StrCat(kAsTheModuleSays, ", on its mesh ", sharding::PrintMeshSizes(own->mesh)));
  }
  const absl::string_view of_module =
      own.has_value() ? "the module's annotations on this mesh" : kAsTheModuleSays;
  out += Row(suggestion.own, request.limit, of_module);
  if (suggestion.tied.has_value()) {
    out += Row(*suggestion.tied, request.limit, absl::StrCat(of_module, kTied));
  }
  const std::string tight = TightText(suggestion, request);
  const bool is_own = suggestion.annotations.empty() && suggestion.results.empty();
  if (is_own && !tight.empty()) {
    return absl::StrCat(out, tight, Unpriced(suggestion.own));
  }
  if (is_own)
    return absl::StrCat(out, NothingFasterText(suggestion, request), Unpriced(suggestion.own));
  if (!suggestion.annotations.empty()) {
    out += Row(suggestion.found, request.limit, "with the annotations below");
  }
  absl::StrAppend(&out, SmallGainText(suggestion, request), "\n");
  for (size_t k = 0; k < suggestion.annotations.size(); ++k) {
    const SuggestedAnnotation& one = suggestion.annotations[k];
    absl::StrAppend(&out, "--annotate=\"", AnnotationText(one.annotation), "\"\n    ", k + 1, ": ",
                    WhyText(one), "\n");
  }
  absl::StrAppend(&out, tight, OutShardingsText(suggestion));
  absl::StrAppend(
      &out,
      "\nbest trade-offs of time and memory (annotations that gain less than a thousandth of the "
      "time and a hundredth of the memory are left out); numbers are those of the annotations\n");
  absl::StrAppend(&out, FrontRows(suggestion, request.limit));
  if (request.confirmed.has_value()) out += ConfirmedText(*request.confirmed);
  return out + Unpriced(suggestion.found);
}

std::string MeshesJson(const std::vector<std::string>& meshes) {
  answers::SuggestAnswer answer;
  *answer.mutable_meshes() = {meshes.begin(), meshes.end()};
  return text::JsonOf(answer) + "\n";
}

std::string SuggestionJson(const Suggestion& suggestion, const SuggestRequest& request) {
  answers::SuggestAnswer answer;
  answer.set_topology(request.topology);
  if (request.limit.has_value()) answer.set_limit(*request.limit);
  answer.set_mesh(sharding::PrintMeshSizes(suggestion.mesh));
  answer.set_tries(static_cast<int64_t>(suggestion.tries));
  answer.set_donated(static_cast<int64_t>(suggestion.results.size()));
  if (request.own_mesh.has_value()) {
    answer.set_own_mesh(sharding::PrintMeshSizes(request.own_mesh->mesh));
    FillOutcome(request.own_mesh->cost, /*timed=*/true, answer.mutable_on_own_mesh());
  }
  FillOutcome(suggestion.own, /*timed=*/true, answer.mutable_own());
  if (suggestion.tied.has_value()) {
    FillOutcome(*suggestion.tied, /*timed=*/true, answer.mutable_tied());
  }
  for (const TiedResult& one : suggestion.results) {
    answers::TiedResult* const result = answer.add_out_shardings();
    result->set_result(one.result);
    result->set_argument(one.argument);
  }
  if (!suggestion.results.empty()) {
    FillOutcome(suggestion.untied, /*timed=*/true, answer.mutable_untied());
  }
  FillOutcome(suggestion.found, /*timed=*/true, answer.mutable_found());
  for (const SuggestedAnnotation& one : suggestion.annotations) {
    FillAnnotation(one, answer.add_annotations());
  }
  for (const SuggestedVariant& variant : suggestion.front) FillVariant(variant, answer.add_front());
  answer.set_python(request.python);
  if (request.diff.ok()) answer.set_diff(*request.diff);
  if (request.confirmed.has_value()) FillConfirmed(*request.confirmed, &answer);
  return text::JsonOf(answer) + "\n";
}

}  // namespace tessera::pipeline
