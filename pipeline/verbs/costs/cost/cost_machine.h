// The machine of `tessera cost`: a chip of --target, or one that a file describes.
//
//   TESSERA_ASSIGN_OR_RETURN(const CostMachine machine, ReadCostMachine(arguments));
//   TESSERA_ASSIGN_OR_RETURN(const CostInput program, ReadCostInput(m, machine.choice, arguments));
//   TESSERA_ASSIGN_OR_RETURN(const MachineStep found, StepOn(machine, program, options));
//   found.step.total_s(), found.device.hbm_bytes()
//
// A file is the text form of projection/cost/topology.proto (cost/network/machine.h). Its program is
// that of a CPU: no passes run after the partitioner, and the device waits for every collective.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_COST_COST_MACHINE_H_
#define TESSERA_PIPELINE_VERBS_COSTS_COST_COST_MACHINE_H_

#include <string>

#include "absl/status/statusor.h"
#include "tessera/cost/schedule/target_step.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/verbs/costs/cost/cost_input.h"
#include "tessera/projection/cost/network/topology.h"

namespace tessera::pipeline {

struct CostMachine {
  TargetChoice choice;  // of a file: the target `cpu`
  std::string file;     // empty: the choice is the machine

  std::string name() const { return file.empty() ? choice.target.ToString() : file; }
};

struct MachineStep {
  cost::TargetStep step;
  projection::Device device;  // without numbers where none are known
};

// --target and --xla-flags. A value with a dot or a slash is a file.
absl::StatusOr<CostMachine> ReadCostMachine(const Arguments& arguments);

// Errors of cost::StepOnTarget(), cost::StepOnMachine() and cost::ReadMachine(), with their places.
absl::StatusOr<MachineStep> StepOn(const CostMachine& machine, const CostInput& program,
                                   const cost::StepOptions& options);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_COST_COST_MACHINE_H_
