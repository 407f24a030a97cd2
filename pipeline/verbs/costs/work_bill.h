// The bill of what a device computes: arithmetic and memory, instruction by instruction.
//
//   TESSERA_ASSIGN_OR_RETURN(const WorkBill bill, MakeWorkBill(input, device, machine));
//   bill.total.seconds;
//   bill.lines[0].name;     // the instruction that takes longest, all runs together
//   WorkText(bill);         // the ten of them
//
// The numbers are those of cost/step/device_work.h. Tested by comm_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_WORK_BILL_H_
#define TESSERA_PIPELINE_VERBS_COSTS_WORK_BILL_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/cost/network/machine.h"
#include "tessera/cost/step/device_work.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/schema/comm_answer.pb.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"

namespace tessera::pipeline {

struct WorkLine {
  std::string name, op_name, location;
  cost::DeviceWork once;
  double runs = 1;
  bool is_arithmetic = false;  // what bounds it; else memory

  double seconds() const { return once.seconds * runs; }
};

// An operation of which something takes no time here.
struct UnpricedLine {
  std::string name;
  std::string target;  // of a custom call
  std::string why;     // "its computation is unknown"
};

struct WorkBill {
  cost::DeviceWork total;
  std::vector<WorkLine> lines;  // the slowest first
  std::vector<UnpricedLine> unpriced;
};

// `device`: the module that a device runs of the input. Errors as of cost::WorkOfStep(), with file,
// line and caret.
absl::StatusOr<WorkBill> MakeWorkBill(const PartitionerInput& input, const hlo::Module& device,
                                      const cost::Machine& machine);

// The slowest, and how many have no cost, with the first of them.
std::string WorkText(const WorkBill& bill);
// The members `work`, `instructions` and `unpriced`.
void FillWork(const WorkBill& bill, answers::CommAnswer* answer);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_WORK_BILL_H_
