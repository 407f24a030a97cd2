#include "tessera/pipeline/verbs/costs/target/target_memory_report.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/schema/memory_answer.pb.h"
#include "tessera/pipeline/verbs/costs/target/memory_picture.h"
#include "tessera/pipeline/verbs/costs/target/peak_finding_report.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

using layout::FormatBytes;

constexpr char kNotModelledOfTarget[] =
    "not modelled: the compiler's own scratch and code, gaps between buffers, rematerialization "
    "near the limit,\nlayouts that products and convolutions ask for";

std::string TemporariesRow(const cost::TargetMemory& m) {
  const std::string where =
      m.counts_vmem()
          ? absl::StrCat(": those in VMEM, as the compiler reports the larger; HBM has ",
                         FormatBytes(m.in_hbm))
          : "";
  return SizeRow(m.temporaries(), absl::StrCat("temporaries at the peak, as predicted", where));
}

std::string VmemText(const TargetMemoryReport& report, int64_t top) {
  const int64_t copied = report.memory.copied_to_vmem;
  return absl::StrCat(
      copied == 0 ? "" : SizeRow(copied, "arguments, copied ahead of the kernels that read them"),
      BufferRowsText(report.in_vmem, top));
}

std::string PathText(const TargetMemoryReport& report) {
  return absl::StrJoin(report.memory.peak_at, " > ", [&](std::string* out, hlo::InstructionId id) {
    absl::StrAppend(out, report.module->instruction(id).name);
  });
}

std::string BandText(const TargetMemoryReport& report) {
  const cost::PeakBand& band = report.band;
  std::string out =
      absl::StrFormat("%14sthe compiler's peak lies between %s and %s", "",
                      FormatBytes(report.range().low), FormatBytes(report.range().high));
  if (band.patterns.empty()) {
    absl::StrAppend(&out, " (this band held in ", band.within, " of ", band.programs,
                    " comparisons", target::NotComparedText(*report.target.chip), ")\n");
    return out;
  }
  absl::StrAppend(&out, ": the program has\n");
  for (const std::string& pattern : band.patterns)
    absl::StrAppendFormat(&out, "%16s%s\n", "", pattern);
  return out;
}

std::string VerdictText(const TargetMemoryReport& report) {
  if (report.usable == 0)
    return absl::StrCat("how much memory ", report.limit, " has is not known\n");
  const int64_t rest = report.usable - report.memory.peak;
  const bool is_of_chip = report.limit == report.target.chip->name;
  const std::string limit = absl::StrCat(FormatBytes(report.usable),
                                         is_of_chip ? absl::StrCat(" of ", report.limit) : "");
  switch (report.verdict()) {
    case cost::FitVerdict::kFits:
      return absl::StrCat("fits: of ", limit, ", ", FormatBytes(rest), " stay free\n");
    case cost::FitVerdict::kDoesNotFit:
      return absl::StrCat("does not fit: ", FormatBytes(-rest), " more than ", limit, "\n");
    default:
      return absl::StrCat("too close to say: the limit, ", limit, ", lies within the band\n");
  }
}

}  // namespace

cost::FitVerdict TargetMemoryReport::verdict() const {
  const int64_t limit = usable == 0 ? std::numeric_limits<int64_t>::max() : usable;
  return range().VerdictOn(limit);
}

std::string TargetMemoryText(const TargetMemoryReport& report, int64_t top) {
  const cost::TargetMemory& m = report.memory;
  std::string out = absl::StrCat("per device on ", report.target.ToString(), "\n");
  absl::StrAppend(&out, SizeRow(m.arguments, "arguments"), SizeRow(m.results, "results"));
  if (m.aliased > 0)
    absl::StrAppend(&out, SizeRow(-m.aliased, "results in the memory of arguments"));
  absl::StrAppend(&out, TemporariesRow(m), SizeRow(m.peak, "in all, the peak"), BandText(report),
                  VerdictText(report));
  const std::string picture = MemoryPicture(m.curve);
  if (!picture.empty())
    absl::StrAppend(&out, "\nmemory over the step", m.counts_vmem() ? ", in HBM" : "", "\n",
                    picture);
  if (!report.at_peak.empty()) {
    absl::StrAppend(&out, "\nat the peak", m.counts_vmem() ? " in HBM" : "",
                    m.peak_at.empty() ? "" : absl::StrCat(", in ", PathText(report)),
                    report.peak_location.empty() ? "" : absl::StrCat("  # ", report.peak_location),
                    "\n", BufferRowsText(report.at_peak, top));
  }
  if (m.counts_vmem()) absl::StrAppend(&out, "\nin VMEM, at its peak\n", VmemText(report, top));
  return absl::StrCat(out, "\narguments\n", BufferRowsText(report.arguments, top),
                      PeakFindingsText(report), "\n", kNotModelledOfTarget, "\n");
}

std::string TargetMemoryJson(const TargetMemoryReport& report, int64_t top) {
  const cost::TargetMemory& m = report.memory;
  answers::MemoryAnswer answer;
  answer.set_arguments(m.arguments);
  answer.set_results(m.results);
  answer.set_aliased(m.aliased);
  answer.set_constants(0);
  answer.set_temporaries(m.temporaries());
  if (m.counts_vmem()) answer.set_temporaries_in_hbm(m.in_hbm);
  answer.set_total(m.peak);
  answer.set_peak(m.peak);
  answer.mutable_band()->set_low(report.range().low);
  answer.mutable_band()->set_high(report.range().high);
  answer.mutable_band()->set_programs(report.band.programs);
  answer.mutable_band()->set_within(report.band.within);
  if (report.usable > 0) {
    answer.set_limit(report.usable);
    answer.set_verdict(std::string(cost::VerdictName(report.verdict())));
  }
  *answer.mutable_wider_for() = {report.band.patterns.begin(), report.band.patterns.end()};
  if (!m.peak_at.empty()) answer.set_peak_at(PathText(report));
  FillBufferRows(report.at_peak, top, answer.mutable_at_peak());
  FillBufferRows(report.in_vmem, top, answer.mutable_in_vmem());
  if (m.copied_to_vmem > 0) answer.set_copied_to_vmem(m.copied_to_vmem);
  FillBufferRows(report.arguments, top, answer.mutable_argument_list());
  for (const cost::MemoryPoint& point : m.curve) {
    answers::MemoryPoint* one = answer.add_curve();
    one->set_name(std::string(report.module->instruction(point.instruction).name));
    one->set_bytes(point.bytes);
    one->set_kernels(point.kernels);
  }
  FillPeakFindings(report, &answer);
  return text::JsonOf(answer) + "\n";
}

}  // namespace tessera::pipeline
