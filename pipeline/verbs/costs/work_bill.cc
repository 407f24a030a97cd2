#include "tessera/pipeline/verbs/costs/work_bill.h"

#include <algorithm>
#include <cstdint>

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

constexpr int kShown = 10, kUnpricedShown = 3;
constexpr char kArithmetic[] = "arithmetic", kMemory[] = "memory";

std::string FlopsText(double flops) {
  constexpr const char* kUnits[] = {"", "k", "M", "G", "T", "P", "E"};
  size_t unit = 0;
  for (; flops >= 1000 && unit + 1 < sizeof(kUnits) / sizeof(kUnits[0]); ++unit) flops /= 1000;
  return absl::StrCat(absl::StrFormat("%.3g ", flops), kUnits[unit], "flop");
}

std::string BytesText(double bytes) {
  return layout::FormatBytes(static_cast<int64_t>(std::min(bytes, 9e18)));
}

std::string LineText(const answers::CommInstruction& line) {
  const answers::CommWork& once = line.work_once();
  std::string text =
      absl::StrFormat("%12s x%-4.0f %s: ", FormatSeconds(once.seconds()), line.runs(), line.name());
  absl::StrAppend(&text,
                  line.bound() == kArithmetic ? FlopsText(once.flops()) : BytesText(once.bytes()),
                  ", ", line.bound());
  if (!line.op_name().empty()) absl::StrAppend(&text, ", ", line.op_name());
  if (!line.location().empty()) absl::StrAppend(&text, "  # ", line.location());
  return text + "\n";
}

// "" if everything has a cost.
std::string UnpricedText(const answers::CommAnswer& bill) {
  const int count = bill.unpriced_size();
  if (count == 0) return "";
  std::string text = absl::StrCat(
      count,
      count == 1 ? " operation has no cost and counts" : " operations have no cost and count",
      " as no time:\n");
  for (int k = 0; k < std::min(kUnpricedShown, count); ++k) {
    const answers::CommUnpriced& one = bill.unpriced(k);
    absl::StrAppend(&text, "  ", one.name(),
                    one.target().empty() ? "" : absl::StrCat(" (", one.target(), ")"), ": ",
                    one.why(), "\n");
  }
  if (count > kUnpricedShown) {
    absl::StrAppend(&text, "and ", count - kUnpricedShown, " more: --json\n");
  }
  return text;
}

// `runs` times `once` to the sum.
void Add(const cost::DeviceWork& once, double runs, answers::CommWork* sum) {
  sum->set_flops(sum->flops() + once.flops * runs);
  sum->set_bytes(sum->bytes() + once.bytes * runs);
  sum->set_seconds(sum->seconds() + once.seconds * runs);
}

double Seconds(const answers::CommInstruction& line) {
  return line.work_once().seconds() * line.runs();
}

}  // namespace

absl::Status FillWork(const PartitionerInput& input, const hlo::Module& device,
                      const cost::Machine& machine, answers::CommAnswer* bill) {
  const auto work = cost::WorkOfStep(device, machine);
  if (!work.ok()) return LocatedInInput(work.status(), input);
  const SourceLocations locations(device);
  const double hbm = machine.topology.device().hbm_bytes_per_s();
  Add({}, 1, bill->mutable_work());
  for (const cost::InstructionWork& part : work->parts) {
    answers::CommInstruction* line = bill->add_instructions();
    line->set_name(std::string(device.instruction(part.id).name));
    line->set_op_name(hlo::GetOpName(device, part.id));
    line->set_location(locations.UsersOwn(part.id));
    Add(part.once, 1, line->mutable_work_once());
    line->set_runs(part.runs);
    const bool is_arithmetic = hbm <= 0 || part.once.bytes / hbm < part.once.seconds;
    line->set_bound(is_arithmetic ? kArithmetic : kMemory);
    Add(part.once, part.runs, bill->mutable_work());
  }
  std::stable_sort(bill->mutable_instructions()->begin(), bill->mutable_instructions()->end(),
                   [](const auto& a, const auto& b) { return Seconds(a) > Seconds(b); });
  for (const cost::Unpriced& one : work->unpriced) {
    answers::CommUnpriced* line = bill->add_unpriced();
    line->set_name(std::string(device.instruction(one.id).name));
    line->set_target(hlo::GetCustomCallTarget(device, one.id));
    line->set_why(one.why);
  }
  return absl::OkStatus();
}

std::string WorkText(const answers::CommAnswer& bill) {
  if (bill.instructions().empty()) return UnpricedText(bill);
  const answers::CommWork& work = bill.work();
  std::string text =
      absl::StrCat("a device computes ", FlopsText(work.flops()), " and moves ",
                   BytesText(work.bytes()), " of memory in ", FormatSeconds(work.seconds()),
                   " if nothing overlaps; the slowest instructions:\n");
  const int count = bill.instructions_size();
  for (int k = 0; k < std::min(kShown, count); ++k) {
    absl::StrAppend(&text, LineText(bill.instructions(k)));
  }
  if (count > kShown) absl::StrAppend(&text, "and ", count - kShown, " more: --json\n");
  return text + UnpricedText(bill);
}

}  // namespace tessera::pipeline
