#include "tessera/pipeline/verbs/costs/work_bill.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/format_seconds.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

constexpr size_t kShown = 10, kUnpricedShown = 3;

std::string FlopsText(double flops) {
  constexpr const char* kUnits[] = {"", "k", "M", "G", "T", "P", "E"};
  size_t unit = 0;
  for (; flops >= 1000 && unit + 1 < sizeof(kUnits) / sizeof(kUnits[0]); ++unit) flops /= 1000;
  return absl::StrCat(absl::StrFormat("%.3g ", flops), kUnits[unit], "flop");
}

std::string BytesText(double bytes) {
  return layout::FormatBytes(static_cast<int64_t>(std::min(bytes, 9e18)));
}

std::string LineText(const WorkLine& line) {
  std::string text =
      absl::StrFormat("%12s x%-4.0f %s: ", FormatSeconds(line.once.seconds), line.runs, line.name);
  absl::StrAppend(&text, line.is_arithmetic
                             ? absl::StrCat(FlopsText(line.once.flops), ", arithmetic")
                             : absl::StrCat(BytesText(line.once.bytes), ", memory"));
  if (!line.op_name.empty()) absl::StrAppend(&text, ", ", line.op_name);
  if (!line.location.empty()) absl::StrAppend(&text, "  # ", line.location);
  return text + "\n";
}

// "" if everything has a cost.
std::string UnpricedText(const WorkBill& bill) {
  if (bill.unpriced.empty()) return "";
  const size_t count = bill.unpriced.size();
  std::string text = absl::StrCat(
      count,
      count == 1 ? " operation has no cost and counts" : " operations have no cost and count",
      " as no time:\n");
  for (size_t k = 0; k < std::min(kUnpricedShown, count); ++k) {
    const UnpricedLine& one = bill.unpriced[k];
    absl::StrAppend(&text, "  ", one.name,
                    one.target.empty() ? "" : absl::StrCat(" (", one.target, ")"), ": ", one.why,
                    "\n");
  }
  if (count > kUnpricedShown) {
    absl::StrAppend(&text, "and ", count - kUnpricedShown, " more: --json\n");
  }
  return text;
}

void FillNumbers(const cost::DeviceWork& work, answers::CommWork* to) {
  to->set_flops(work.flops);
  to->set_bytes(work.bytes);
  to->set_seconds(work.seconds);
}

}  // namespace

absl::StatusOr<WorkBill> MakeWorkBill(const PartitionerInput& input, const hlo::Module& device,
                                      const cost::Machine& machine) {
  const auto work = cost::WorkOfStep(device, machine);
  if (!work.ok()) return LocatedInInput(work.status(), input);
  const SourceLocations locations(device);
  const double hbm = machine.topology.device().hbm_bytes_per_s();
  WorkBill bill;
  for (const cost::InstructionWork& part : work->parts) {
    WorkLine line;
    line.name = std::string(device.instruction(part.id).name);
    line.op_name = hlo::GetOpName(device, part.id);
    line.location = locations.UsersOwn(part.id);
    line.once = part.once;
    line.runs = part.runs;
    line.is_arithmetic = hbm <= 0 || part.once.bytes / hbm < part.once.seconds;
    bill.total.flops += part.once.flops * part.runs;
    bill.total.bytes += part.once.bytes * part.runs;
    bill.total.seconds += line.seconds();
    bill.lines.push_back(std::move(line));
  }
  std::stable_sort(bill.lines.begin(), bill.lines.end(),
                   [](const WorkLine& a, const WorkLine& b) { return a.seconds() > b.seconds(); });
  for (const cost::Unpriced& one : work->unpriced) {
    bill.unpriced.push_back({std::string(device.instruction(one.id).name),
                             hlo::GetCustomCallTarget(device, one.id), one.why});
  }
  return bill;
}

std::string WorkText(const WorkBill& bill) {
  if (bill.lines.empty()) return UnpricedText(bill);
  std::string text =
      absl::StrCat("a device computes ", FlopsText(bill.total.flops), " and moves ",
                   BytesText(bill.total.bytes), " of memory in ", FormatSeconds(bill.total.seconds),
                   " if nothing overlaps; the slowest instructions:\n");
  for (size_t k = 0; k < std::min(kShown, bill.lines.size()); ++k) {
    absl::StrAppend(&text, LineText(bill.lines[k]));
  }
  if (bill.lines.size() > kShown) {
    absl::StrAppend(&text, "and ", bill.lines.size() - kShown, " more: --json\n");
  }
  return text + UnpricedText(bill);
}

void FillWork(const WorkBill& bill, answers::CommAnswer* answer) {
  FillNumbers(bill.total, answer->mutable_work());
  for (const WorkLine& line : bill.lines) {
    answers::CommInstruction* one = answer->add_instructions();
    one->set_name(line.name);
    one->set_op_name(line.op_name);
    one->set_location(line.location);
    FillNumbers(line.once, one->mutable_work_once());
    one->set_runs(line.runs);
    one->set_bound(line.is_arithmetic ? "arithmetic" : "memory");
  }
  for (const UnpricedLine& line : bill.unpriced) {
    answers::CommUnpriced* one = answer->add_unpriced();
    one->set_name(line.name);
    one->set_target(line.target);
    one->set_why(line.why);
  }
}

}  // namespace tessera::pipeline
