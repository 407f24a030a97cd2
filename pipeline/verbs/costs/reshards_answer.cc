#include "tessera/pipeline/verbs/costs/reshards_answer.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/schema/reshards_answer.pb.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

using layout::FormatBytes;

// " x12"; nothing for one run.
std::string TimesText(int64_t runs, bool unknown_runs) {
  if (runs == 1 && !unknown_runs) return "";
  return absl::StrCat(" x", RunsText(runs, unknown_runs));
}

std::string CauseText(const CollectiveLine& line) {
  return absl::StrCat(line.op, " over ", AxesText(line), " to ", line.shape, ", ",
                      FormatBytes(line.sent), TimesText(line.runs, line.unknown_runs));
}

// "all-gather over data to bf16[8,4], 96 KiB x12, one of 4 arrays by all-gather-combiner".
std::string FinalText(const FinalCollective& c) {
  std::string text = absl::StrCat(c.op, " over ", c.axes, " to ", c.shape, ", ",
                                  FormatBytes(c.sent), TimesText(c.runs, c.unknown_runs));
  if (c.alike > 1) absl::StrAppend(&text, ", ", c.alike, " alike");
  if (c.arrays > 1) absl::StrAppend(&text, ", one of ", c.arrays, " arrays");
  if (!c.pass.empty()) absl::StrAppend(&text, " by ", c.pass);
  return text;
}

std::string PlaceText(const Reshard& r) {
  std::string text;
  if (!r.op_name.empty()) absl::StrAppend(&text, ", ", r.op_name);
  if (!r.location.empty()) absl::StrAppend(&text, "  # ", r.location);
  if (!r.library_location.empty()) absl::StrAppend(&text, " > ", r.library_location);
  return text;
}

// "implied by dot.7", "explicit: copy.3".
std::string WhyText(const Reshard& r) {
  const std::string end = r.consumer.empty() ? "the end of a computation" : r.consumer;
  switch (r.kind) {
    case ReshardKind::kExplicit:
      return absl::StrCat("explicit: ", end);
    case ReshardKind::kImplied:
      return absl::StrCat("implied by ", end);
    case ReshardKind::kResult:
      return absl::StrCat("the result of ", end, " needs another sharding");
    case ReshardKind::kBorder:
      break;
  }
  return absl::StrCat("at the boundary: ", end);
}

std::string FromToText(const Reshard& r) {
  if (r.from.empty() && r.to.empty()) return "";
  if (r.to.empty()) return absl::StrCat("  ", r.from, " -> (no PartitionSpec)");
  if (r.from == r.to) return absl::StrCat("  ", r.to, ", on other devices");
  return absl::StrCat("  ", r.from.empty() ? "(no PartitionSpec)" : r.from, " -> ", r.to);
}

constexpr char kIndent[] = "            ";

std::string FixText(const CostFix& fix, const cost::StepCost& before) {
  return absl::StrCat(kIndent, FixText(fix), "\n", kIndent, "     the program sends ",
                      FormatBytes(before.sent), " -> ", FormatBytes(fix.after.sent), ", memory ",
                      FormatBytes(before.memory), " -> ", FormatBytes(fix.after.memory), "\n");
}

std::string RematerializedText(const Reshard& r) {
  return absl::StrCat(kIndent, "no direct way: each device first holds the array, ",
                      FormatBytes(r.rematerialized),
                      " (XLA: Involuntary full rematerialization)\n");
}

std::string OnTargetText(const std::string& target, const ReshardOnTarget& made) {
  const std::string head = absl::StrCat(kIndent, "on ", target, ": ");
  if (made.collectives.empty()) return absl::StrCat(head, "nothing is sent\n");
  std::string text;
  for (const FinalCollective& c : made.collectives) {
    absl::StrAppend(&text, head, FinalText(c), "\n");
  }
  return text;
}

std::string ReshardText(const ReshardReport& report, size_t k) {
  const Reshard& r = report.shown[k];
  std::string text =
      absl::StrFormat("%10s  %s", FormatBytes(TotalOf(r)), r.value.empty() ? "a part" : r.value);
  if (!r.shape.empty()) absl::StrAppend(&text, " ", r.shape);
  if (r.ends.size() > 1) absl::StrAppend(&text, " and ", r.ends.size() - 1, " alike");
  absl::StrAppend(&text, FromToText(r), "\n", kIndent, WhyText(r), PlaceText(r), "\n");
  for (const CollectiveLine& line : r.collectives) {
    absl::StrAppend(&text, kIndent, CauseText(line), "\n");
  }
  if (r.rematerialized > 0) absl::StrAppend(&text, RematerializedText(r));
  if (r.on_target.has_value()) absl::StrAppend(&text, OnTargetText(report.target, *r.on_target));
  if (!report.fixes.has_value()) return text;
  for (const CostFix& fix : report.fixes->of[k]) {
    absl::StrAppend(&text, FixText(fix, report.fixes->before));
  }
  if (report.fixes->of[k].empty()) {
    absl::StrAppend(&text, kIndent, "no tried annotation removes it and sends less\n");
  }
  return text;
}

// Who lists the other collectives.
std::string PointerText(const ReshardReport& report) {
  if (!report.can_list) return "";
  return absl::StrCat(" (tessera collectives",
                      report.target.empty() ? "" : " --target=", report.target, ")");
}

// The other bytes that are sent.
std::string OthersText(const ReshardReport& report) {
  if (!report.target.empty()) {
    return absl::StrCat(", on ", report.target, " finally ", FormatBytes(report.final_sent), " of ",
                        FormatBytes(report.final_all), PointerText(report));
  }
  if (report.all.others == 0) return "";
  return absl::StrCat("; beside ", report.all.others,
                      report.all.others == 1 ? " other collective, " : " other collectives, ",
                      FormatBytes(report.all.others_sent), PointerText(report));
}

// --- JSON ----------------------------------------------------------------------------------------

void FillCost(const cost::StepCost& cost, answers::ReshardCost* to) {
  to->set_sent(cost.sent);
  to->set_memory(cost.memory);
}

void FillFixes(const std::vector<CostFix>& fixes, answers::Reshard* entry) {
  for (const CostFix& fix : fixes) {
    answers::ReshardFix* one = entry->add_fixes();
    *one->mutable_annotations() = {fix.annotations.begin(), fix.annotations.end()};
    FillCost(fix.after, one->mutable_after());
  }
}

void FillCollectives(const std::vector<CollectiveLine>& lines, answers::Reshard* entry) {
  for (const CollectiveLine& line : lines) {
    answers::ReshardCollective* one = entry->add_collectives();
    FillCall(line, one);
    one->set_runs(line.runs);
  }
}

void FillFinal(const ReshardOnTarget& made, answers::Reshard* entry) {
  entry->set_final_total(made.total);
  for (const FinalCollective& c : made.collectives) {
    answers::FinalReshardCollective* one = entry->add_final_collectives();
    one->set_op(c.op);
    one->set_shape(c.shape);
    one->set_axes(c.axes);
    one->set_sent(c.sent);
    one->set_runs(c.runs);
    one->set_alike(c.alike);
    one->set_arrays(c.arrays);
    one->set_made_by(c.pass);
  }
}

void FillReshard(const Reshard& r, answers::Reshard* entry) {
  entry->set_kind(std::string(KindText(r.kind)));
  entry->set_value(r.value);
  entry->set_shape(r.shape);
  entry->set_from(r.from);
  entry->set_to(r.to);
  entry->set_consumer(r.consumer);
  entry->set_op_name(r.op_name);
  entry->set_location(r.location);
  entry->set_library_location(r.library_location);
  entry->set_sent(r.sent);
  entry->set_total(r.total);
  entry->set_alike(static_cast<int64_t>(r.ends.size()));
  entry->set_unknown_runs(r.unknown_runs);
  entry->set_rematerialized(r.rematerialized);
  FillCollectives(r.collectives, entry);
  if (r.on_target.has_value()) FillFinal(*r.on_target, entry);
}

}  // namespace

std::string ReshardsText(const ReshardReport& report) {
  const size_t count = report.all.list.size();
  std::string out =
      absl::StrCat(count, count == 1 ? " reshard" : " reshards", ", each device sends ",
                   FormatBytes(report.all.sent), OthersText(report), "\n");
  for (size_t k = 0; k < report.shown.size(); ++k) {
    absl::StrAppend(&out, "\n", ReshardText(report, k));
  }
  const int64_t left = report.passed - static_cast<int64_t>(report.shown.size());
  return absl::StrCat(out, left > 0 ? "\n" : "", MoreText(static_cast<size_t>(left)));
}

std::string ReshardsJson(const ReshardReport& report) {
  answers::ReshardsAnswer answer;
  for (size_t k = 0; k < report.shown.size(); ++k) {
    answers::Reshard* entry = answer.add_reshards();
    FillReshard(report.shown[k], entry);
    if (report.fixes.has_value()) FillFixes(report.fixes->of[k], entry);
  }
  answer.set_count(static_cast<int64_t>(report.all.list.size()));
  answer.set_sent(report.all.sent);
  answer.set_other_collectives(report.all.others);
  answer.set_other_sent(report.all.others_sent);
  if (!report.target.empty()) {
    answer.set_target(report.target);
    answer.set_final_sent(report.final_sent);
    answer.set_final_all(report.final_all);
  }
  if (report.fixes.has_value()) FillCost(report.fixes->before, answer.mutable_before());
  return text::JsonOf(answer) + "\n";
}

}  // namespace tessera::pipeline
