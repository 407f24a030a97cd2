// The answer of memory_report.h, as text and as JSON.

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/schema/memory_answer.pb.h"
#include "tessera/pipeline/verbs/costs/memory/memory_report.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

using layout::FormatBytes;

constexpr char kNotModelled[] =
    "sizes in tiles of the hardware, with the module's order of dimensions and the least padding;\n"
    "unknown: the layouts of the compiler\n";

constexpr char kReportedPeak[] =
    "peak_memory_in_bytes, as JAX reports it: what stays in other memories counts";

// Of the best fix of the row, if it has one whose gain shows.
std::string FixTextOf(const BufferRow& row, const MemoryReport& report) {
  if (row.fixes.empty()) return "";
  const CostFix& fix = row.fixes.front();
  if (FormatBytes(report.memory.total()) == FormatBytes(fix.after.memory)) return "";
  return absl::StrCat(kBelowRow, FixText(fix), "\n", kBelowRow, "     in all ",
                      FormatBytes(report.memory.total()), " -> ", FormatBytes(fix.after.memory),
                      ", each device sends ", FormatBytes(report.sent), " -> ",
                      FormatBytes(fix.after.sent), "\n");
}

std::string ListText(const std::vector<BufferRow>& rows, int64_t top, const MemoryReport& report) {
  return BufferRowsText(rows, top, [&](const BufferRow& row) { return FixTextOf(row, report); });
}

std::string LimitText(const MemoryReport& report) {
  if (!report.limit.has_value()) return "";
  const int64_t rest = report.limit->bytes - report.memory.total();
  return absl::StrCat(report.fits() ? "fits " : "does not fit ", report.limit->said, ": ",
                      FormatBytes(rest < 0 ? -rest : rest), rest < 0 ? " too much" : " left",
                      report.is_final
                          ? "\n"
                          : ", by an estimate for no machine in particular (--target names one)\n");
}

const char* TemporariesLabel(const MemoryReport& report) {
  if (!report.is_final) return "temporaries at their peak, an estimate";
  return report.in_no_row > 0 ? "temporaries, with the holes between them"
                              : "temporaries at their peak, by schedule and live ranges";
}

// The parts and their sum.
std::string SumsText(const MemoryReport& report) {
  const cost::DeviceMemory& m = report.memory;
  std::string out = "per device\n";
  absl::StrAppend(&out, SizeRow(m.arguments, "arguments"), SizeRow(m.results, "results"));
  if (m.aliased > 0) {
    absl::StrAppend(&out, SizeRow(-m.aliased, "results in the memory of arguments"));
  }
  if (m.constants > 0) absl::StrAppend(&out, SizeRow(m.constants, "constants"));
  absl::StrAppend(&out, SizeRow(m.temporaries, TemporariesLabel(report)),
                  SizeRow(m.total(), "in all"), LimitText(report));
  for (const cost::OtherMemory& other : report.others) {
    absl::StrAppend(&out, SizeRow(other.bytes, absl::StrCat("in ", other.name, ", an estimate")));
  }
  if (!report.others.empty() && report.reported_peak != m.total()) {
    absl::StrAppend(&out, SizeRow(report.reported_peak, kReportedPeak));
  }
  return out;
}

std::string TemporariesText(const MemoryReport& report, int64_t top) {
  const cost::DeviceMemory& m = report.memory;
  if (m.temporaries == 0) return "";
  return absl::StrCat(
      "\ntemporaries", m.peak_at.empty() ? "" : absl::StrCat(" at ", m.peak_at), "\n",
      ListText(report.at_peak, top, report),
      report.in_no_row > 0 ? SizeRow(report.in_no_row, "holes, and tables of pointers") : "");
}

bool HasFixes(const MemoryReport& report) {
  const auto has = [](const BufferRow& row) { return !row.fixes.empty(); };
  return absl::c_any_of(report.at_peak, has) || absl::c_any_of(report.arguments, has);
}

}  // namespace

std::string MemoryText(const MemoryReport& report, int64_t top) {
  std::string out = absl::StrCat(SumsText(report), TemporariesText(report, top), "\narguments\n",
                                 ListText(report.arguments, top, report));
  if (report.tried > 0 && !HasFixes(report)) {
    absl::StrAppend(&out, "\n", report.tried,
                    " annotations that shard one of the largest further were tried: none lowers "
                    "the sum\n");
  }
  if (report.is_tiled()) absl::StrAppend(&out, "\n", kNotModelled);
  return out;
}

std::string MemoryJson(const MemoryReport& report, int64_t top) {
  const cost::DeviceMemory& m = report.memory;
  answers::MemoryAnswer answer;
  answer.set_arguments(m.arguments);
  answer.set_results(m.results);
  answer.set_aliased(m.aliased);
  answer.set_constants(m.constants);
  answer.set_temporaries(m.temporaries);
  answer.set_total(m.total());
  answer.set_peak_at(m.peak_at);
  FillBufferRows(report.at_peak, top, answer.mutable_at_peak());
  FillBufferRows(report.arguments, top, answer.mutable_argument_list());
  if (report.limit.has_value()) {
    answer.set_limit(report.limit->bytes);
    answer.set_fits(report.fits());
  }
  for (const cost::OtherMemory& other : report.others) {
    answers::OtherMemory* one = answer.add_others();
    one->set_space(other.space);
    one->set_name(other.name);
    one->set_bytes(other.bytes);
    one->set_temporaries(other.temporaries);
    one->set_peak_at(other.peak_at);
  }
  if (report.tried > 0) {
    answer.set_sent(report.sent);
    answer.set_tried(report.tried);
  }
  return text::JsonOf(answer) + "\n";
}

}  // namespace tessera::pipeline
