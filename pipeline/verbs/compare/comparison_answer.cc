#include "tessera/pipeline/verbs/compare/comparison_answer.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/format_seconds.h"
#include "tessera/pipeline/schema/compiled_comparison_answer.pb.h"
#include "tessera/pipeline/verbs/costs/collectives_answer.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

using layout::FormatBytes;

// --- text ----------------------------------------------------------------------------------------

std::string TotalsText(const answers::CallTotals& totals, absl::string_view name) {
  return absl::StrFormat("%-20s %9d %12s %9d %12s\n", name, totals.predicted_calls(),
                         FormatBytes(totals.predicted_sent()), totals.compiled_calls(),
                         FormatBytes(totals.compiled_sent()));
}

std::string TableText(const CompiledComparison& all) {
  std::string out = absl::StrFormat("%-20s %9s %12s %9s %12s\n", "a device sends", "predicted", "",
                                    "compiled", "");
  for (const answers::CallTotals& totals : all.by_op)
    absl::StrAppend(&out, TotalsText(totals, totals.op()));
  return absl::StrCat(out, TotalsText(all.total, "in all"));
}

std::string AmountText(const answers::MeasureRow& row, double amount) {
  return row.unit() == "bytes" ? FormatBytes(static_cast<int64_t>(amount)) : FormatSeconds(amount);
}

std::string LabelOf(const answers::MeasureRow& row) {
  constexpr struct {
    const char* name;
    const char* label;
  } kLabels[] = {{"aliased", "results in arguments"},
                 {"temporaries", "beside arguments"},
                 {"kernels", "all kernels"},
                 {"exposed", "waits for links"}};
  for (const auto& one : kLabels) {
    if (row.name() == one.name) return one.label;
  }
  return row.name();
}

// " +31.4 %": how far the prediction is off; empty below a twentieth of a percent.
std::string ErrorText(const answers::MeasureRow& row) {
  const double off = row.compiled() > 0 ? 100 * (row.predicted() / row.compiled() - 1) : 0;
  return std::abs(off) >= 0.05 ? absl::StrFormat(" %+.1f %%", off) : "";
}

// Where one side has nothing, no percent says so.
std::string NothingText(const answers::MeasureRow& row) {
  if (row.name() != "aliased" || (row.predicted() == 0) == (row.compiled() == 0)) return "";
  return absl::StrCat(" differ: ", row.compiled() == 0 ? "the compiled program donates nothing"
                                                       : "no donation was predicted");
}

std::string RowText(const answers::MeasureRow& row) {
  return absl::StrFormat("%-20s %12s %12s%s%s", LabelOf(row), AmountText(row, row.predicted()),
                         AmountText(row, row.compiled()), ErrorText(row), NothingText(row));
}

// "memory and time are estimates: peak -0.7 %, waits for links +50.1 %": what is off.
std::string EstimatesText(const std::vector<answers::MeasureRow>& rows) {
  std::vector<std::string> off;
  for (const answers::MeasureRow& row : rows) {
    const std::string error = ErrorText(row);
    if (!error.empty()) off.push_back(absl::StrCat(LabelOf(row), error));
  }
  return off.empty()
             ? ""
             : absl::StrCat("memory and time are estimates: ", absl::StrJoin(off, ", "), "\n");
}

std::string HeadOf(const answers::MeasureRow& row) {
  const bool is_memory = row.unit() == "bytes";
  std::string by = "by the same model";
  if (row.compiled_by() == "compiler")
    by = is_memory ? "by the compiler's report" : "by the compiler's estimates";
  if (row.compiled_by() == "module") by = "counted in the module";
  return absl::StrFormat("\n%-20s %12s %12s %s\n", is_memory ? "a device holds" : "a step takes",
                         "predicted", "compiled", by);
}

std::string MeasuresText(const std::vector<answers::MeasureRow>& rows) {
  std::string out;
  const answers::MeasureRow* last = nullptr;
  for (const answers::MeasureRow& row : rows) {
    if (last == nullptr || row.unit() != last->unit()) out += HeadOf(row);
    absl::StrAppend(&out, RowText(row), "\n");
    last = &row;
  }
  return out;
}

std::string SummaryText(const CompiledComparison& all) {
  constexpr struct {
    CallVerdict verdict;
    const char* words;
  } kCounts[] = {{CallVerdict::kAgrees, "agree"},
                 {CallVerdict::kOtherCalls, "in other calls"},
                 {CallVerdict::kDiffers, "differ"},
                 {CallVerdict::kOnlyPredicted, "only predicted"},
                 {CallVerdict::kOnlyCompiled, "only compiled"}};
  std::vector<std::string> parts;
  for (const auto& count : kCounts) {
    const int64_t n = all.Count(count.verdict);
    if (n > 0 || count.verdict == CallVerdict::kAgrees) {
      parts.push_back(absl::StrCat(n, " ", count.words));
    }
  }
  return absl::StrCat("collectives: ", absl::StrJoin(parts, ", "), "\n");
}

std::string BorderText(absl::string_view plural, absl::string_view singular,
                       const answers::BorderComparison& border) {
  std::string out = absl::StrCat(plural, ": ", border.same(), " as predicted");
  if (!border.differ().empty()) absl::StrAppend(&out, ", ", border.differ_size(), " not");
  out += "\n";
  for (const answers::BorderArray& array : border.differ()) {
    const auto text = [](const std::string& shape) { return shape.empty() ? "none" : shape; };
    absl::StrAppend(&out, "  ", singular, " ", array.number(),
                    array.name().empty() ? "" : absl::StrCat(" ", array.name()), ": predicted ",
                    text(array.predicted()), ", compiled ", text(array.compiled()), "\n");
  }
  return out;
}

std::string SideText(const char* side, const std::vector<size_t>& numbers,
                     const std::vector<CollectiveLine>& lines) {
  std::string out;
  for (const size_t n : numbers) absl::StrAppend(&out, "  ", side, " ", CollectiveText(lines[n]));
  return out;
}

// Calls that send the same bytes in all send other bytes each: that is not said again.
std::string HeadOf(const CallMatch& match) {
  const char* why = "the same bytes in all, in other calls";
  std::vector<absl::string_view> differs(match.differs.begin(), match.differs.end());
  if (match.verdict == CallVerdict::kDiffers) {
    why = match.is_sole ? "the only ones left of one operation" : "from the same place";
  } else {
    const auto is_said = [](absl::string_view what) { return what == "bytes" || what == "calls"; };
    differs.erase(std::remove_if(differs.begin(), differs.end(), is_said), differs.end());
  }
  return absl::StrCat(why, differs.empty() ? "" : "; other ", absl::StrJoin(differs, ", "), "\n");
}

// All matches of a verdict under one head.
std::string ListText(const CompiledComparison& all, CallVerdict verdict, const char* head) {
  std::string out;
  for (const CallMatch& match : all.matches) {
    if (match.verdict != verdict) continue;
    for (const size_t n : match.predicted) {
      if (match.compiled.empty()) absl::StrAppend(&out, CollectiveText(all.predicted[n]));
    }
    for (const size_t n : match.compiled) absl::StrAppend(&out, CollectiveText(all.compiled[n]));
  }
  return out.empty() ? "" : absl::StrCat("\n", head, "\n", out);
}

std::string MatchesText(const CompiledComparison& all) {
  std::string out;
  for (const CallMatch& match : all.matches) {
    if (match.verdict != CallVerdict::kDiffers && match.verdict != CallVerdict::kOtherCalls) {
      continue;
    }
    absl::StrAppend(&out, "\n", HeadOf(match),
                    SideText("predicted", match.predicted, all.predicted),
                    SideText("compiled ", match.compiled, all.compiled));
  }
  return absl::StrCat(out, ListText(all, CallVerdict::kOnlyPredicted, "only predicted"),
                      ListText(all, CallVerdict::kOnlyCompiled, "only compiled"),
                      ListText(all, CallVerdict::kAgrees,
                               "the collectives that agree, as the compiled program has them"));
}

// --- JSON ----------------------------------------------------------------------------------------

void FillMatch(const CompiledComparison& all, const CallMatch& match,
               answers::CollectiveMatch* to) {
  to->set_verdict(VerdictName(match.verdict));
  *to->mutable_differs() = {match.differs.begin(), match.differs.end()};
  for (const size_t n : match.predicted) FillCollective(all.predicted[n], to->add_predicted());
  for (const size_t n : match.compiled) FillCollective(all.compiled[n], to->add_compiled());
}

// "collectives, and shapes of results, for h100:8 differ from the compiled program", of what differs.
std::string HeadText(const CompiledComparison& all) {
  const bool is_equal = all.IsEqual();
  const bool has_calls = all.Count(CallVerdict::kAgrees) < static_cast<int64_t>(all.matches.size());
  std::vector<absl::string_view> borders, parts;
  if (is_equal || !all.arguments.differ().empty()) borders.push_back("arguments");
  if (is_equal || !all.results.differ().empty()) borders.push_back("results");
  if (is_equal || has_calls) parts.push_back("collectives");
  const std::string shapes = absl::StrCat("shapes of ", absl::StrJoin(borders, " and "));
  if (!borders.empty()) parts.push_back(shapes);
  return absl::StrCat(absl::StrJoin(parts, ", and "), parts.size() > 1 ? "," : "", " for ",
                      all.target, is_equal ? " agree with" : " differ from",
                      " the compiled program\n");
}

}  // namespace

std::string ComparisonText(const CompiledComparison& all) {
  return absl::StrCat(HeadText(all), EstimatesText(all.measures), "\n", TableText(all),
                      MeasuresText(all.measures), "\n", SummaryText(all),
                      BorderText("arguments", "argument", all.arguments),
                      BorderText("results", "result", all.results), MatchesText(all));
}

std::string ComparisonJson(const CompiledComparison& all) {
  answers::CompiledComparisonAnswer answer;
  answer.set_target(all.target);
  answer.set_equal(all.IsEqual());
  *answer.mutable_total() = all.total;
  *answer.mutable_by_op() = {all.by_op.begin(), all.by_op.end()};
  *answer.mutable_arguments() = all.arguments;
  *answer.mutable_results() = all.results;
  *answer.mutable_measures() = {all.measures.begin(), all.measures.end()};
  for (const CallMatch& match : all.matches) FillMatch(all, match, answer.add_matches());
  return text::JsonOf(answer) + "\n";
}

VerbResult ComparisonResult(const Arguments& arguments, const CompiledComparison& all) {
  VerbResult result = InBothForms(
      arguments, [&] { return ComparisonJson(all); }, [&] { return ComparisonText(all); },
      all.notes);
  if (!all.IsEqual()) result.exit = Exit::kFinding;
  return result;
}

}  // namespace tessera::pipeline
