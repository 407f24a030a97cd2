#include "tessera/pipeline/watch/pass_timer.h"

#include <ctime>

#include "absl/strings/str_format.h"
#include "tessera/pipeline/steps/program_text.h"

namespace tessera::pipeline {

using sharding::passes::Context;
using sharding::passes::Pass;

namespace {

std::string Millions(int64_t instructions) {
  return instructions == 0 ? "-"
                           : absl::StrFormat("%.3f", 1e-6 * static_cast<double>(instructions));
}

}  // namespace

double CpuMilliseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

void PassTimer::BeforePass(const Pass& /*pass*/, size_t /*place*/) {
  milliseconds_ = CpuMilliseconds();
  instructions_ = counter_.Read();
}

absl::Status PassTimer::AfterPass(const Pass& pass, size_t place, const Context& context) {
  const int64_t instructions = counter_.Read() - instructions_;
  const double milliseconds = CpuMilliseconds() - milliseconds_;
  if (costs_.size() <= place) costs_.resize(place + 1);
  PassCost& cost = costs_[place];
  cost.name = std::string(pass.name);
  cost.phase = pass.phase;
  cost.milliseconds += milliseconds;
  cost.instructions += instructions;
  cost.program_size = ProgramSize(context);
  return absl::OkStatus();
}

std::string PassTimingText(const std::vector<PassCost>& costs) {
  PassCost sum;
  std::string out = absl::StrFormat("%10s %10s %10s  %s\n", "ms", "Minstr", "ops", "pass");
  const auto add_line = [&](const PassCost& cost, const std::string& ops) {
    absl::StrAppendFormat(&out, "%10.3f %10s %10s  %s\n", cost.milliseconds,
                          Millions(cost.instructions), ops, cost.name);
  };
  for (const PassCost& cost : costs) {
    if (cost.name.empty()) continue;
    add_line(cost, std::to_string(cost.program_size));
    sum.milliseconds += cost.milliseconds;
    sum.instructions += cost.instructions;
  }
  sum.name = "all passes";
  add_line(sum, "");
  return out;
}

}  // namespace tessera::pipeline
