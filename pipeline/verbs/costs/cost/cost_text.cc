#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/repeated_field.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/format_seconds.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/pipeline/verbs/costs/cost/cost_answer.h"

namespace tessera::pipeline {
namespace {

constexpr size_t kUnknownShown = 5;

double Share(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string Counted(int64_t count, absl::string_view one, absl::string_view many) {
  return absl::StrCat(count, " ", count == 1 ? one : many);
}

// In front of all, as what follows is of the whole step up to the lists.
std::string ChosenText(const CostChosen& chosen) {
  return absl::StrFormat(
      "--match, --axis and --min-bytes select %s of %s, and %s: %s on links, %s waited, %s sent\n"
      "Only the lists at the end are of these; the sums are of the whole step.\n\n",
      Counted(chosen.num_kernels, "kernel", "kernels"), FormatSeconds(chosen.kernels_s),
      Counted(chosen.num_collectives, "collective", "collectives"), FormatSeconds(chosen.links_s),
      FormatSeconds(chosen.exposed_s), layout::FormatBytes(chosen.sent));
}

// The time of links that kernels hide, as far as it is known.
std::string Hidden(const CostBill& bill) {
  if (!bill.models_overlap) return ": no schedule is known, the step is the upper bound";
  if (bill.num_hidden == 0) return "";
  return absl::StrCat("; ", Counted(bill.num_hidden, "collective runs", "collectives run"),
                      " beside kernels all the time, ", layout::FormatBytes(bill.hidden));
}

std::string FitText(cost::FitVerdict verdict) {
  if (verdict == cost::FitVerdict::kFits) return "";
  return verdict == cost::FitVerdict::kDoesNotFit ? ": does not fit" : ": too close to say";
}

std::string Headline(const CostBill& bill) {
  const cost::TargetStep& step = bill.step;
  const bool is_whole = bill.unknown.empty() && step.without_time == 0;
  std::string out =
      absl::StrCat("a step takes ", is_whole ? "" : "at least ", FormatSeconds(step.total_s()),
                   " on ", bill.target, ": between ", FormatSeconds(step.least_s()),
                   " if all overlaps and ", FormatSeconds(step.most_s()), " if nothing does\n");
  absl::StrAppendFormat(&out, "%12s  the device computes, in %s\n", FormatSeconds(step.device_s),
                        Counted(static_cast<int64_t>(step.kernels.size()), "kernel", "kernels"));
  if (bill.stated.count > 0) {
    absl::StrAppendFormat(
        &out, "%12s  the compiler itself expects of %d of these, which take %s here\n",
        FormatSeconds(bill.stated.stated_s), bill.stated.count, FormatSeconds(bill.stated.ours_s));
  }
  absl::StrAppendFormat(
      &out, "%12s  its links work, in %s, and it sends %s\n", FormatSeconds(step.links_s),
      Counted(bill.num_collectives, "collective", "collectives"), layout::FormatBytes(bill.sent));
  absl::StrAppendFormat(&out, "%12s  it waits for them%s\n", FormatSeconds(step.exposed_s),
                        Hidden(bill));
  if (bill.memory.has_value()) {
    absl::StrAppendFormat(&out, "%12s  memory%s\n", layout::FormatBytes(bill.memory->bytes),
                          bill.memory->of_device.has_value()
                              ? absl::StrCat(" of ", layout::FormatBytes(*bill.memory->of_device),
                                             FitText(bill.memory->verdict))
                              : "");
  }
  return out;
}

std::string Utilisation(const CostBill& bill) {
  const cost::TargetStep& step = bill.step;
  const double total = step.total_s();
  std::string out = absl::StrFormat("matrix units work %.0f %% of the step and memory %.0f %%",
                                    Share(step.products_s, total), Share(step.memory_s, total));
  if (bill.peak_flops > 0) {
    absl::StrAppendFormat(&out, "; products reach %.0f %% of the chip's peak FLOP/s",
                          Share(step.flops, bill.peak_flops * total));
  }
  return out + "\n";
}

std::string Gaps(const CostBill& bill) {
  std::string out;
  if (!bill.unknown.empty()) {
    const size_t shown = std::min(kUnknownShown, bill.unknown.size());
    absl::StrAppend(&out, "no time is known for ",
                    Counted(static_cast<int64_t>(bill.unknown.size()), "kernel", "kernels"), ": ",
                    absl::StrJoin(bill.unknown.begin(),
                                  bill.unknown.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                    shown < bill.unknown.size() ? ", .." : "", "; --kernel-cost gives one\n");
  }
  if (bill.step.without_time > 0) {
    absl::StrAppend(&out, "no time is known for ",
                    Counted(bill.step.without_time, "collective", "collectives"), "\n");
  }
  if (bill.step.loops_counted_once > 0) {
    absl::StrAppend(&out, Counted(bill.step.loops_counted_once, "loop counts", "loops count"),
                    " once: the number of trips is not in the module\n");
  }
  return out;
}

// The line for the entries of a list after the first `top`.
std::string Rest(size_t size, size_t top) {
  return size <= top ? "" : absl::StrCat(std::string(21, ' '), MoreText(size - top));
}

std::string SumsText(absl::string_view heading, const std::vector<answers::CostSum>& sums,
                     double total, size_t top) {
  std::string out = absl::StrFormat("\n%s\n%12s %5s %6s\n", heading, "time", "share", "count");
  for (size_t k = 0; k < std::min(sums.size(), top); ++k) {
    const answers::CostSum& sum = sums[k];
    if (sum.seconds() == 0) return out;  // as all after it
    absl::StrAppendFormat(&out, "%12s %3.0f %% %6d  %s\n", FormatSeconds(sum.seconds()),
                          Share(sum.seconds(), total), sum.count(), Shortened(sum.name()));
  }
  return out + Rest(sums.size(), top);
}

std::string AxesTable(const CostBill& bill) {
  if (bill.by_axis.empty()) return "";
  std::string out =
      absl::StrFormat("\nby mesh axis\n%12s %10s %10s %6s\n", "on links", "waits", "sent", "count");
  for (const answers::CostAxis& sum : bill.by_axis) {
    absl::StrAppendFormat(&out, "%12s %10s %10s %6d  %s\n", FormatSeconds(sum.links_s()),
                          FormatSeconds(sum.exposed_s()), layout::FormatBytes(sum.sent()),
                          sum.count(), Shortened(sum.name()));
  }
  return out;
}

std::string CollectiveText(const CostCollective& one) {
  const CollectiveLine& line = one.line;
  std::string out =
      absl::StrFormat("%12s %10s %10s %5s  %s %s over %s",
                      one.once.seconds.has_value() ? FormatSeconds(one.links_s()) : "?",
                      FormatSeconds(one.exposed_s()), layout::FormatBytes(line.total()),
                      RunsText(line), line.op, Shortened(line.shape), Shortened(AxesText(line)));
  if (line.target.has_value()) absl::StrAppend(&out, ": ", MadeText(*line.target));
  if (!line.reader.empty()) absl::StrAppend(&out, " for ", line.reader);
  if (!line.op_name.empty()) absl::StrAppend(&out, ", ", line.op_name);
  if (!line.location.empty()) absl::StrAppend(&out, "  # ", line.location);
  return out + "\n";
}

// In place of a list without entries.
std::string NoneText(const CostBill& bill, absl::string_view what) {
  if (!bill.chosen.has_value()) return "";
  return absl::StrCat("\nno ", what, " matches --match, --axis and --min-bytes\n");
}

std::string CollectivesTable(const CostBill& bill, size_t top) {
  if (bill.collectives.empty()) return NoneText(bill, "collective");
  std::string out =
      absl::StrFormat("\neach collective, all its runs together\n%12s %10s %10s %5s\n", "on links",
                      "waits", "sent", "runs");
  const size_t shown = std::min(bill.collectives.size(), top);
  for (size_t k = 0; k < shown; ++k) out += CollectiveText(bill.collectives[k]);
  return out + Rest(bill.collectives.size(), top);
}

// In a column beside ours; empty where the compiler says nothing of this one.
std::string StatedText(const cost::KernelPart& part) {
  return absl::StrFormat(
      "%10s ", part.stated_s.has_value() ? FormatSeconds(*part.stated_s * part.runs) : "");
}

std::string KernelsTable(const CostBill& bill, size_t top) {
  if (bill.kernels.empty()) return NoneText(bill, "kernel");
  const bool are_stated = bill.stated.count > 0;
  std::string out = absl::StrFormat("\neach kernel, all its runs together\n%12s %s%5s %5s\n",
                                    "time", are_stated ? "  compiler " : "", "share", "runs");
  const double total = bill.step.total_s();
  const size_t shown = std::min(bill.kernels.size(), top);
  for (size_t k = 0; k < shown; ++k) {
    const CostKernel& kernel = bill.kernels[k];
    absl::StrAppendFormat(
        &out, "%12s %s%3.0f %% %5.0f  %s: %s, %s", FormatSeconds(kernel.part.seconds()),
        are_stated ? StatedText(kernel.part) : "", Share(kernel.part.seconds(), total),
        kernel.part.runs, kernel.name, kernel.kind, kernel.bound);
    if (!kernel.op_name.empty()) absl::StrAppend(&out, ", ", kernel.op_name);
    if (!kernel.location.empty()) absl::StrAppend(&out, "  # ", kernel.location);
    out += "\n";
  }
  return out + Rest(bill.kernels.size(), top);
}

std::string MeasuredTable(absl::string_view heading,
                          const google::protobuf::RepeatedPtrField<answers::CostMeasured>& parts,
                          size_t top) {
  std::string out =
      absl::StrFormat("\n%s\n%12s %10s %7s\n", heading, "predicted", "measured", "factor");
  const size_t size = static_cast<size_t>(parts.size());
  for (size_t k = 0; k < std::min(size, top); ++k) {
    const answers::CostMeasured& part = parts[static_cast<int>(k)];
    absl::StrAppendFormat(&out, "%12s %10s %7.2f %6d  %s\n", FormatSeconds(part.predicted_s()),
                          FormatSeconds(part.measured_s()), part.predicted_s() / part.measured_s(),
                          part.count(), Shortened(part.name()));
  }
  return out + Rest(size, top);
}

std::string AgainstText(const answers::CostAgainst& against, size_t top) {
  std::string out = absl::StrFormat(
      "\nthe profile has %.0f runs: %s predicted, %s measured; a kernel is wrong by a factor of "
      "%.2f\n",
      against.runs(), FormatSeconds(against.predicted_s()), FormatSeconds(against.measured_s()),
      against.factor());
  if (against.not_measured() > 0) {
    absl::StrAppend(
        &out, "not in the profile: ",
        Counted(against.not_measured(), "kernel or collective", "kernels and collectives"),
        ", predicted ", FormatSeconds(against.not_measured_s()), "\n");
  }
  return absl::StrCat(out, MeasuredTable("by line", against.by_line(), top),
                      MeasuredTable("each kernel and collective", against.each(), top));
}

}  // namespace

std::string CostText(const CostBill& bill, const std::optional<answers::CostAgainst>& against,
                     size_t top) {
  const double total = bill.step.total_s();
  const std::string head = absl::StrCat(bill.chosen.has_value() ? ChosenText(*bill.chosen) : "",
                                        Headline(bill), Utilisation(bill), Gaps(bill));
  if (against.has_value()) return head + AgainstText(*against, top);
  return absl::StrCat(head, SumsText("by what bounds it", bill.by_bound, total, top),
                      SumsText("by operation", bill.by_op, total, top),
                      SumsText("by line", bill.by_line, total, top), AxesTable(bill),
                      CollectivesTable(bill, top), KernelsTable(bill, top));
}

}  // namespace tessera::pipeline
