// The program that one device of a target runs, and its collectives: what verbs measure that answer
// about a machine.
//
//   TESSERA_ASSIGN_OR_RETURN(const CostInput program,
//                            ReadCostInput(std::move(module), choice, arguments));
//   program.input.module;       // of one device
//   program.standing;           // its collectives, and how they run
//   program.notes               // for standard error

#ifndef TESSERA_PIPELINE_VERBS_COSTS_COST_COST_INPUT_H_
#define TESSERA_PIPELINE_VERBS_COSTS_COST_COST_INPUT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "tessera/cost/memory/modelled_schedule.h"
#include "tessera/cost/memory/peak_band.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/target/collectives/standing.h"
#include "tessera/target/program/provenance.h"

namespace tessera::pipeline {

struct CostInput {
  PartitionerInput input;
  target::StandingCollectives standing;
  bool is_final = false;                      // as a compiler finished it
  bool was_partitioned = false;               // when it was read, and is not final
  std::optional<target::Provenance> origins;  // of its collectives; none of a final module
  // As `tessera memory` predicts it; none of a final module, or where it is not known.
  std::optional<cost::PeakRange> peak;
  cost::ModelledSchedule schedule;  // unless the module is final
  std::string notes;
};

// A module that a compiler has finished is taken as it is. Any other is propagated and partitioned
// where it was not, and goes through the passes of the target (target_program.h). InvalidArgument
// for a module that runs on another number of devices.
absl::StatusOr<CostInput> ReadCostInput(hlo::Module module, const TargetChoice& choice,
                                        const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_COST_COST_INPUT_H_
