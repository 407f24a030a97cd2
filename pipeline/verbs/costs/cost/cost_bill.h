// The bill of a step on a target: where its time goes.
//
//   const CostBill bill = MakeCostBill(program, machine, std::move(found), std::move(lines));
//   bill.by_op[0].name(), bill.by_op[0].seconds()   // "dot", of all runs
//   bill.collectives[0].exposed_s                   // what the device waits for it, all runs
//   CostText(bill), CostJson(bill)                  // cost_answer.h

#ifndef TESSERA_PIPELINE_VERBS_COSTS_COST_COST_BILL_H_
#define TESSERA_PIPELINE_VERBS_COSTS_COST_COST_BILL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/cost/memory/peak_band.h"
#include "tessera/cost/schedule/target_step.h"
#include "tessera/pipeline/schema/cost_answer.pb.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/cost/cost_input.h"
#include "tessera/pipeline/verbs/costs/cost/cost_machine.h"

namespace tessera::pipeline {

struct CostCollective {
  std::string name;  // of the instruction that starts it
  CollectiveLine line;
  cost::LinkTime once;
  double runs = 1;

  double links_s() const { return once.seconds.value_or(0) * runs; }
  double exposed_s() const { return once.exposed_s * runs; }
};

struct CostKernel {
  std::string name, kind, op_name, location;
  cost::KernelPart part;
  std::string bound;  // what takes longest in it
};

struct CostMemory {
  int64_t bytes = 0;
  std::optional<int64_t> of_device;
  // As `tessera memory` has it.
  cost::FitVerdict verdict = cost::FitVerdict::kFits;
};

// What --match, --axis and --min-bytes choose from a step, all runs together.
struct CostChosen {
  int64_t num_kernels = 0, num_collectives = 0;
  double kernels_s = 0, links_s = 0, exposed_s = 0;
  int64_t sent = 0;  // bytes by each device
};

// Kernels of which the compiler of a TPU says how long it expects them to take, in all their runs.
struct StatedKernels {
  int64_t count = 0;
  double stated_s = 0, ours_s = 0;
};

struct CostBill {
  std::string target;
  bool is_final = false;
  cost::TargetStep step;
  int64_t sent = 0;       // bytes by each device, in all runs
  double peak_flops = 0;  // of bf16, a second
  StatedKernels stated;   // none unless the module is final
  std::optional<CostMemory> memory;
  std::vector<answers::CostSum> by_op, by_line, by_bound;  // the longest first
  std::vector<answers::CostAxis> by_axis;
  int64_t num_collectives = 0;              // of the step, whichever are listed
  int64_t num_hidden = 0, hidden = 0;       // of these, those that cost no time, and what they send
  bool models_overlap = true;               // of collectives and kernels
  std::optional<CostChosen> chosen;         // by a filter: the two lists below lack the others
  std::vector<CostCollective> collectives;  // those that the device waits for longest first
  std::vector<CostKernel> kernels;          // the longest first, all runs together
  std::vector<std::string> unknown;         // kernels without a time: name, and target of a call
};

// `lines`: those of the program's collectives, with their numbers.
CostBill MakeCostBill(const CostInput& program, const CostMachine& machine, MachineStep found,
                      std::vector<CollectiveLine> lines);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_COST_COST_BILL_H_
