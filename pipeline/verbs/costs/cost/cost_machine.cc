#include "tessera/pipeline/verbs/costs/cost/cost_machine.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/cost/network/machine.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/target/target.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

bool IsFile(const std::string& target) {
  return absl::StrContains(target, '.') || absl::StrContains(target, '/');
}

absl::StatusOr<MachineStep> StepOnFile(const std::string& file, const CostInput& program,
                                       const cost::StepOptions& options) {
  const int64_t devices = program.input.module.header().num_partitions;
  TESSERA_ASSIGN_OR_RETURN(const cost::Machine machine,
                           cost::ReadMachine(file, program.input.mesh, devices));
  auto step = cost::StepOnMachine(program.input.module, program.standing, machine, options);
  if (!step.ok()) {
    return absl::Status(step.status().code(), absl::StrCat(file, ": ", step.status().message()));
  }
  return MachineStep{*std::move(step), machine.topology.device()};
}

}  // namespace

absl::StatusOr<CostMachine> ReadCostMachine(const Arguments& arguments) {
  CostMachine machine;
  if (IsFile(arguments.Get("target"))) {
    if (arguments.Has("xla-flags")) {
      return absl::InvalidArgumentError(
          "--xla-flags: those that are modelled decide for GPUs and TPUs, --target is a file");
    }
    machine.file = arguments.Get("target");
    TESSERA_ASSIGN_OR_RETURN(machine.choice.target, target::ParseTarget("cpu"));
    return machine;
  }
  TESSERA_ASSIGN_OR_RETURN(const std::optional<TargetChoice> choice, ReadTarget(arguments));
  if (!choice.has_value()) {
    return absl::InvalidArgumentError(
        "cost needs a machine: --target=tpu-v5e:4x4, --target=h100:1x1x8, or a file");
  }
  machine.choice = *choice;
  return machine;
}

absl::StatusOr<MachineStep> StepOn(const CostMachine& machine, const CostInput& program,
                                   const cost::StepOptions& options) {
  if (!machine.file.empty()) return StepOnFile(machine.file, program, options);
  const target::Target& target = machine.choice.target;
  cost::StepOptions scheduled = options;
  scheduled.schedule = &program.schedule;
  auto step = cost::StepOnTarget(program.input.module, program.standing, target, scheduled);
  if (!step.ok()) return LocatedInInput(step.status(), program.input);
  const auto device = cost::DeviceOf(target);
  return MachineStep{*std::move(step), device.ok() ? *device : projection::Device()};
}

}  // namespace tessera::pipeline
