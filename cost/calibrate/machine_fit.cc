#include "tessera/cost/calibrate/machine_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/cost/calibrate/machine_numbers.h"
#include "tessera/cost/kernel/kernel_time.h"
#include "tessera/cost/network/collective_cost.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

// By which a number is tried higher and lower, one after the other.
constexpr double kFactors[] = {4, 2, 1.4, 1.2, 1.1, 1.03, 1.01};
constexpr int kMostRounds = 40;  // at one factor

// The penalty of a distance from the start, a squared logarithm.
constexpr double kDrift = 1e-4;

constexpr double kLeastSeconds = 1e-9;  // what is measured as nothing

struct Errors {
  double squared = 0, absolute = 0;
};

// How wrong a machine is about the samples.
class Judge {
 public:
  Judge(Machine machine, const std::vector<Sample>& samples)
      : machine_(std::move(machine)), samples_(samples) {}

  Errors Of(const projection::Topology& topology) {
    machine_.topology = topology;
    const auto clock = KernelClock::Of(topology.device());
    Errors errors;
    for (const Sample& sample : samples_) {
      const double wrong = std::log(Predicted(sample, *clock) / sample.measured_s);
      errors.squared += sample.weight * wrong * wrong;
      errors.absolute += sample.weight * std::fabs(wrong);
    }
    return errors;
  }

 private:
  double Predicted(const Sample& sample, const KernelClock& clock) const {
    const double seconds = sample.kernel != nullptr
                               ? clock.TimeOf(*sample.kernel).seconds
                               : CostOf(*sample.collective, machine_).seconds.value_or(0);
    return std::max(kLeastSeconds, seconds);
  }

  Machine machine_;
  const std::vector<Sample>& samples_;
};

double Rounded(double value) {
  double rounded = value;
  return absl::SimpleAtod(absl::StrFormat("%.2e", value), &rounded) ? rounded : value;
}

// The best neighbour of each number in turn, until none is better.
class Search {
 public:
  Search(const projection::Topology& start, Judge* judge)
      : topology_(start),
        numbers_(NumbersOf(&topology_)),
        judge_(judge),
        error_(judge->Of(topology_).squared) {
    for (const MachineNumber& number : numbers_) starts_.push_back(number.get());
  }

  projection::Topology Run() {
    for (const double factor : kFactors) {
      for (int round = 0; round < kMostRounds && TryAll(factor); ++round) {
      }
    }
    return topology_;
  }

 private:
  bool TryAll(double factor) {
    bool is_better = false;
    for (const MachineNumber& number : numbers_) {
      is_better |= Try(number, number.get() * factor) || Try(number, number.get() / factor);
    }
    return is_better;
  }

  bool Try(const MachineNumber& number, double value) {
    const double before = number.get();
    number.set(Rounded(value));
    const double error = judge_->Of(topology_).squared + Drift();
    if (error < error_) {
      error_ = error;
      return true;
    }
    number.set(before);
    return false;
  }

  double Drift() const {
    double drift = 0;
    for (size_t k = 0; k < numbers_.size(); ++k) {
      const double moved = std::log(numbers_[k].get() / starts_[k]);
      drift += kDrift * moved * moved;
    }
    return drift;
  }

  projection::Topology topology_;
  const std::vector<MachineNumber> numbers_;
  std::vector<double> starts_;
  Judge* judge_;
  double error_;
};

// Whether the error is another one where the number is.
bool IsSeen(projection::Topology topology, size_t k, Judge* judge) {
  const Errors as_it_is = judge->Of(topology);
  const MachineNumber number = NumbersOf(&topology)[k];
  number.set(number.get() * 16);
  const Errors higher = judge->Of(topology);
  number.set(number.get() / 256);
  return higher.squared != as_it_is.squared || judge->Of(topology).squared != as_it_is.squared;
}

std::string NameOf(const hlo::Module& module, const target::StandingCollectives& standing,
                   size_t number) {
  return std::string(module.instruction(standing.executions[number].begin).name);
}

}  // namespace

std::vector<Sample> SamplesOf(const hlo::Module& module, const target::ProgramKernels& program,
                              const target::StandingCollectives& standing, const Trace& trace) {
  std::vector<Sample> samples;
  double total = 0;
  const auto add = [&](Sample sample, double seconds, size_t events) {
    if (!(seconds > 0)) return;
    sample.measured_s = seconds;
    sample.weight = seconds * static_cast<double>(events);
    total += sample.weight;
    samples.push_back(sample);
  };
  for (const target::ComputationKernels& computation : program.computations) {
    for (const target::DeviceKernel& kernel : computation.kernels) {
      const auto op = trace.ops.find(module.instruction(kernel.instruction).name);
      if (op == trace.ops.end() || kernel.kind == target::KernelKind::kCustomCall) continue;
      add({&kernel, nullptr, 0, 0}, op->second.Median(), op->second.seconds.size());
    }
  }
  for (size_t k = 0; k < standing.found.collectives.size(); ++k) {
    const auto op = trace.ops.find(NameOf(module, standing, k));
    if (op == trace.ops.end()) continue;
    add({nullptr, &standing.found.collectives[k], 0, 0}, op->second.Shortest(),
        op->second.seconds.size());
  }
  for (Sample& sample : samples) sample.weight /= total;
  return samples;
}

absl::StatusOr<MachineFit> FitMachine(const Machine& machine, const std::vector<Sample>& samples) {
  TESSERA_RETURN_IF_ERROR(KernelClock::Of(machine.topology.device()).status());
  if (samples.empty()) {
    return absl::InvalidArgumentError("no kernel and no collective of the program was measured");
  }
  Judge judge(machine, samples);
  MachineFit fit;
  fit.topology = Search(machine.topology, &judge).Run();
  fit.before = std::exp(judge.Of(machine.topology).absolute);
  fit.after = std::exp(judge.Of(fit.topology).absolute);
  projection::Topology start = machine.topology;
  const auto before = NumbersOf(&start), after = NumbersOf(&fit.topology);
  for (size_t k = 0; k < before.size(); ++k) {
    fit.parameters.push_back(
        {before[k].name, before[k].get(), after[k].get(), IsSeen(machine.topology, k, &judge)});
  }
  return fit;
}

}  // namespace tessera::cost
