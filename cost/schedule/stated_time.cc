#include "tessera/cost/schedule/stated_time.h"

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "tessera/cost/kernel/tpu_rates.h"

namespace tessera::cost {

std::optional<double> StatedCycles(const hlo::Module& module, hlo::InstructionId id) {
  constexpr absl::string_view kCycles = "\"estimated_cycles\":\"";
  constexpr double kUnknown = 4e18;
  const auto config = module.FindAttribute(id, hlo::AttributeName::kBackendConfig);
  const size_t at = config.has_value() ? config->find(kCycles) : absl::string_view::npos;
  if (at == absl::string_view::npos) return std::nullopt;
  const absl::string_view rest = config->substr(at + kCycles.size());
  double cycles = 0;
  const bool is_number = absl::SimpleAtod(rest.substr(0, rest.find('"')), &cycles);
  if (!is_number || !(cycles >= 0) || cycles >= kUnknown) return std::nullopt;
  return cycles;
}

std::optional<double> StatedSeconds(const hlo::Module& module, const TargetStep& step,
                                    const target::Target& target) {
  const TpuRates* rates = TpuRatesOf(target.chip->name);
  if (rates == nullptr) return std::nullopt;
  std::optional<double> sum;
  for (const KernelPart& kernel : step.kernels) {
    const std::optional<double> cycles = StatedCycles(module, kernel.instruction);
    if (cycles.has_value()) sum = sum.value_or(0) + *cycles * kernel.runs;
  }
  if (sum.has_value()) *sum /= rates->cycles_per_s;
  return sum;
}

}  // namespace tessera::cost
