#include "tessera/cost/schedule/target_step.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tessera/cost/network/collective_cost.h"
#include "tessera/cost/network/payload.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/cost/schedule/stated_time.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/stated/stated_kernels.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using hlo::ComputationId;
using hlo::InstructionId;
using sharding::partition::Body;
using sharding::partition::Partitioned;
using target::ComputationKernels;
using target::DeviceKernel;
using target::KernelCall;

// The user's cost of a custom call, else the one that the module states for a kernel.
std::optional<CallCost> SaidOf(const hlo::Module& module, InstructionId id,
                               const StepOptions& options) {
  const auto said = options.calls.find(hlo::GetCustomCallTarget(module, id));
  if (said != options.calls.end()) return said->second;
  const std::optional<target::StatedKernel> kernel = target::StatedKernelOf(module, id);
  if (!kernel.has_value() || !kernel->cost.has_value()) return std::nullopt;
  return CallCost{kernel->cost->flops, kernel->cost->bytes};
}

KernelPart PartOf(const hlo::Module& module, const DeviceKernel& kernel, const KernelClock& clock,
                  const StepOptions& options) {
  KernelPart part;
  part.instruction = kernel.instruction;
  part.kind = kernel.kind;
  part.once = clock.TimeOf(kernel);
  for (const target::Product& product : kernel.products) part.flops += 2 * product.multiplies;
  for (const target::Access& access : kernel.accesses) part.bytes += access.bytes;
  const auto cycles = StatedCycles(module, kernel.instruction);
  if (cycles.has_value()) part.stated_s = clock.SecondsOf(*cycles);
  if (options.takes_estimates) part.once.seconds = part.stated_s.value_or(part.once.seconds);
  if (part.once.is_known) return part;
  const std::optional<CallCost> said = SaidOf(module, kernel.instruction, options);
  if (!said.has_value()) return part;
  part.once = clock.TimeOf(said->flops, said->bytes);
  part.flops = said->flops;
  part.bytes = said->bytes;
  return part;
}

// Bytes, once; 0 for what moves nothing.
double SentBy(const sharding::partition::Collective& collective, const Machine& machine) {
  const std::optional<Payload> payload = PayloadOn(collective, machine);
  if (!payload.has_value()) return 0;
  const auto sent = SentBytes(*payload);
  return sent.ok() ? static_cast<double>(*sent) : 0;
}

// More than it moves.
bool Computes(const DeviceKernel& kernel) {
  using target::Work;
  if (kernel.kind == target::KernelKind::kScalar) return false;
  const auto does = [&](Work work) { return kernel.work[work] > 0; };
  return !kernel.products.empty() || does(Work::kSimple) || does(Work::kHard) ||
         does(Work::kDivision) || does(Work::kReduced);
}

class Adder {
 public:
  Adder(const hlo::Module& module, const target::StandingCollectives& standing,
        const target::Target& target, const StepOptions& options, KernelClock clock,
        Machine machine)
      : module_(module),
        standing_(standing),
        target_(target),
        options_(options),
        clock_(std::move(clock)),
        machine_(std::move(machine)) {}

  TargetStep Add(const target::ProgramKernels& program) {
    is_final_ = program.is_final;
    TimeLinks();
    for (const ComputationKernels& found : program.computations) TimeOf(found);
    CountRuns(program);
    for (auto found = program.computations.rbegin(); found != program.computations.rend();
         ++found) {
      const double runs = runs_[found->computation];
      if (runs > 0) AddComputation(*found, runs);
    }
    AddLinks();
    return std::move(step_);
  }

 private:
  struct Timed {
    std::vector<KernelPart> parts;
    double total_s = 0;  // with what it waits for, of one run
    std::vector<size_t> collectives;
  };

  void TimeLinks() {
    const double launch = LaunchSeconds(target_);
    for (const auto& collective : standing_.found.collectives) {
      const CollectiveCost cost = CostOf(collective, machine_);
      LinkTime link = {cost.seconds, cost.formula, cost.why_unknown};
      link.leaves_torus = LeavesTorus(collective, machine_);
      if (link.seconds.has_value()) *link.seconds += launch;
      step_.links.push_back(std::move(link));
    }
    // A computation that is called twice has its collectives twice: they take equally long.
    const Partitioned& found = standing_.found;
    absl::flat_hash_map<ComputationId, int32_t> first_body;
    for (size_t k = 0; k < found.collectives.size(); ++k) {
      const int32_t body = found.collectives[k].body;
      const ComputationId c = found.bodies[static_cast<size_t>(body)].computation;
      if (first_body.try_emplace(c, body).first->second == body) {
        timed_[c].collectives.push_back(k);
      }
      bodies_of_[c].push_back(k);
    }
  }

  void TimeOf(const ComputationKernels& found) {
    Timed& timed = timed_[found.computation];
    TimedComputation order;
    order.computation = found.computation;
    order.collectives = timed.collectives;
    for (const DeviceKernel& kernel : found.kernels) {
      timed.parts.push_back(PartOf(module_, kernel, clock_, options_));
      const double seconds = timed.parts.back().once.seconds;
      order.seconds[kernel.instruction] += seconds;
      timed.total_s += seconds;
      if (Computes(kernel)) order.computing.insert(kernel.instruction);
    }
    for (const KernelCall& call : found.calls) {
      const double seconds = SecondsOf(call);
      order.seconds[call.caller] += seconds;
      timed.total_s += seconds;
    }
    Schedule(order);
    for (const size_t k : timed.collectives) timed.total_s += step_.links[k].exposed_s;
    ShareExposed(found.computation);
  }

  void Schedule(const TimedComputation& timed) {
    if (is_final_) return ScheduleFinal(module_, standing_, timed, &step_.links);
    absl::Span<const ScheduledStep> steps;
    if (options_.schedule != nullptr) {
      const auto order = options_.schedule->order.find(timed.computation);
      if (order != options_.schedule->order.end()) steps = order->second;
    }
    ScheduleModelled(module_, standing_, steps, timed, *target_.chip, &step_.links);
  }

  // Through whichever call: as in the first.
  void ShareExposed(ComputationId c) {
    const auto& first = timed_[c].collectives;
    const auto& all = bodies_of_[c];
    if (first.empty()) return;
    for (size_t k = 0; k < all.size(); ++k) {
      step_.links[all[k]].exposed_s = step_.links[first[k % first.size()]].exposed_s;
      step_.links[all[k]].is_hidden_by_kernels =
          step_.links[first[k % first.size()]].is_hidden_by_kernels;
    }
  }

  double SecondsOf(const KernelCall& call) {
    double sum = 0, most = 0;
    for (const ComputationId callee : call.callees) {
      sum += timed_[callee].total_s;
      most = std::max(most, timed_[callee].total_s);
    }
    return (call.is_choice ? most : sum) * call.runs;
  }

  void CountRuns(const target::ProgramKernels& program) {
    runs_[module_.entry_id()] = 1;
    const auto& computations = program.computations;
    for (auto found = computations.rbegin(); found != computations.rend(); ++found) {
      const double runs = runs_[found->computation];
      for (const KernelCall& call : found->calls) {
        step_.loops_counted_once += call.runs_known ? 0 : 1;
        const ComputationId slowest = SlowestOf(call);
        for (const ComputationId callee : call.callees) {
          if (!call.is_choice || callee == slowest) runs_[callee] += runs * call.runs;
        }
      }
    }
  }

  ComputationId SlowestOf(const KernelCall& call) {
    return *std::max_element(
        call.callees.begin(), call.callees.end(),
        [&](ComputationId a, ComputationId b) { return timed_[a].total_s < timed_[b].total_s; });
  }

  void AddComputation(const ComputationKernels& found, double runs) {
    for (KernelPart& part : timed_[found.computation].parts) {
      part.runs = runs;
      step_.device_s += part.seconds();
      step_.products_s += part.once.products_s * runs;
      step_.memory_s += part.once.memory_s * runs;
      step_.flops += part.flops * runs;
      step_.bytes += part.bytes * runs;
      if (!part.once.is_known) step_.unknown.push_back(part.instruction);
      step_.kernels.push_back(part);
    }
  }

  // Runs through a body are those of its calls.
  void AddLinks() {
    const Partitioned& found = standing_.found;
    absl::flat_hash_map<ComputationId, double> times_listed;
    for (const Body& body : found.bodies) times_listed[body.computation] += 1;
    for (size_t k = 0; k < step_.links.size(); ++k) {
      const int32_t body = found.collectives[k].body;
      const ComputationId c = found.bodies[static_cast<size_t>(body)].computation;
      const double runs = runs_[c] / std::max(1.0, times_listed[c]);
      const LinkTime& link = step_.links[k];
      step_.link_runs.push_back(runs);
      const double sent = SentBy(found.collectives[k], machine_);
      step_.sent += static_cast<int64_t>(std::min(sent * runs, 9e18));
      step_.without_time += link.seconds.has_value() ? 0 : 1;
      step_.links_s += link.seconds.value_or(0) * runs;
      step_.exposed_s += link.exposed_s * runs;
    }
  }

  const hlo::Module& module_;
  const target::StandingCollectives& standing_;
  const target::Target& target_;
  const StepOptions& options_;
  const KernelClock clock_;
  const Machine machine_;
  bool is_final_ = false;
  TargetStep step_;
  absl::flat_hash_map<ComputationId, Timed> timed_;
  absl::flat_hash_map<ComputationId, std::vector<size_t>> bodies_of_;
  absl::flat_hash_map<ComputationId, double> runs_;
};

}  // namespace

absl::StatusOr<TargetStep> StepOnTarget(const hlo::Module& module,
                                        const target::StandingCollectives& standing,
                                        const target::Target& target, const StepOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(KernelClock clock, KernelClock::Of(target));
  TESSERA_ASSIGN_OR_RETURN(Machine machine, MachineOf(target));
  const target::FusedBefore* const fused =
      options.schedule == nullptr ? nullptr : &options.schedule->kernels;
  TESSERA_ASSIGN_OR_RETURN(const auto program, target::FindKernels(module, target.chip, fused));
  return Adder(module, standing, target, options, std::move(clock), std::move(machine))
      .Add(program);
}

absl::StatusOr<TargetStep> StepOnMachine(const hlo::Module& module,
                                         const target::StandingCollectives& standing,
                                         const Machine& machine, const StepOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(KernelClock clock, KernelClock::Of(machine.topology.device()));
  TESSERA_ASSIGN_OR_RETURN(const target::Target host, target::ParseTarget("cpu"));
  TESSERA_ASSIGN_OR_RETURN(const auto program, target::FindKernels(module));
  return Adder(module, standing, host, options, std::move(clock), machine).Add(program);
}

}  // namespace tessera::cost
