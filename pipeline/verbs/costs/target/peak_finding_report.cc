#include "tessera/pipeline/verbs/costs/target/peak_finding_report.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/input/argument_path.h"
#include "tessera/pipeline/verbs/costs/memory/buffer_rows.h"

namespace tessera::pipeline {
namespace {

using cost::PeakFinding;
using layout::FormatBytes;

constexpr char kWithOthers[] = "  `tessera suggest` with this --target tries other shardings\n";

bool IsDonation(const PeakFinding& finding) { return finding.kind == PeakFinding::Kind::kDonate; }

std::string NameOf(const PeakFinding::Array& array, const TargetMemoryReport& report) {
  const hlo::Instruction& i = report.module->instruction(array.instruction);
  return std::string(i.name);
}

// An argument's op_name is its path in the user's program.
std::string Called(const PeakFinding& finding, const std::vector<BufferOrigin>& origins,
                   const TargetMemoryReport& report) {
  const std::string name = NameOf(finding.arrays[0], report);
  if (IsDonation(finding)) return origins[0].op_name.empty() ? name : origins[0].op_name;
  return absl::StrCat(finding.shape, " of ", name);
}

// Several arrays by the arguments of the function that they are of: "m, p (donate_argnames): 14 arrays, such
// as m['w']". One without a path has its own name.
std::string DonatedArguments(const std::string& largest, const std::vector<BufferOrigin>& origins) {
  std::vector<absl::string_view> arguments;
  for (const BufferOrigin& origin : origins) {
    const absl::string_view argument = ArgumentOfPath(origin.op_name);
    if (argument.empty()) return absl::StrCat(largest, " and ", origins.size() - 1, " more");
    if (!absl::c_linear_search(arguments, argument)) arguments.push_back(argument);
  }
  return absl::StrCat(absl::StrJoin(arguments, ", "), " (donate_argnames): ", origins.size(),
                      " arrays, such as ", largest);
}

bool BringsBelowLimit(const PeakFinding& finding, const TargetMemoryReport& report) {
  return finding.peak <= report.usable && report.memory.peak > report.usable;
}

std::string LineOf(const PeakFinding& finding, const std::vector<BufferOrigin>& origins,
                   const TargetMemoryReport& report) {
  const size_t more = finding.arrays.size() - 1;
  const bool donates = IsDonation(finding);
  const std::string called = Called(finding, origins, report);
  std::string out = absl::StrFormat(
      "%12s  %s %s", FormatBytes(finding.bytes), donates ? "donate" : "recompute (jax.checkpoint)",
      donates && more > 0 ? DonatedArguments(called, origins) : called);
  if (more > 0 && !donates) absl::StrAppend(&out, " and ", more, " more");
  if (!donates && !origins[0].op_name.empty()) absl::StrAppend(&out, ", ", origins[0].op_name);
  if (!origins[0].location.empty()) absl::StrAppend(&out, "  # ", origins[0].location);
  absl::StrAppend(&out, "\n", kBelowRow, "the peak ", FormatBytes(report.memory.peak), " -> ",
                  FormatBytes(finding.peak), donates ? "" : " at best");
  if (BringsBelowLimit(finding, report)) {
    absl::StrAppend(&out, ", below the limit of ", FormatBytes(report.usable));
  }
  return out + "\n";
}

}  // namespace

std::string PeakFindingsText(const TargetMemoryReport& report) {
  const auto& findings = report.memory.findings;
  if (findings.empty()) return "";
  std::string out = "\nwhat would lower the peak, without another sharding\n";
  for (size_t k = 0; k < findings.size(); ++k)
    absl::StrAppend(&out, LineOf(findings[k], report.findings[k], report));
  return out + kWithOthers;
}

void FillPeakFindings(const TargetMemoryReport& report, answers::MemoryAnswer* answer) {
  const auto& findings = report.memory.findings;
  for (size_t k = 0; k < findings.size(); ++k) {
    answers::PeakFinding* finding = answer->add_findings();
    finding->set_kind(IsDonation(findings[k]) ? "donate" : "recompute");
    for (size_t a = 0; a < findings[k].arrays.size(); ++a) {
      answers::PeakArray* array = finding->add_arrays();
      array->set_name(NameOf(findings[k].arrays[a], report));
      array->set_op_name(report.findings[k][a].op_name);
      array->set_location(report.findings[k][a].location);
    }
    finding->set_shape(findings[k].shape);
    finding->set_bytes(findings[k].bytes);
    finding->set_peak(findings[k].peak);
  }
}

}  // namespace tessera::pipeline
