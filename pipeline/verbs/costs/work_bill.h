// The bill of a device's computations: arithmetic and memory, instruction by instruction.
//
//   answers::CommAnswer bill;
//   TESSERA_RETURN_IF_ERROR(FillWork(input, device, machine, &bill));
//   bill.work().seconds();
//   bill.instructions(0).name();   // the instruction that takes longest, all runs together
//   WorkText(bill);                // the ten of them
//
// The numbers are those of cost/step/device_work.h. Tested by comm_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_WORK_BILL_H_
#define TESSERA_PIPELINE_VERBS_COSTS_WORK_BILL_H_

#include <string>

#include "absl/status/status.h"
#include "tessera/cost/network/machine.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/schema/comm_answer.pb.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"

namespace tessera::pipeline {

// The members `work`, `instructions` and `unpriced`. `device`: the module that a device runs of the
// input. Errors as of cost::WorkOfStep(), with file, line and caret.
absl::Status FillWork(const PartitionerInput& input, const hlo::Module& device,
                      const cost::Machine& machine, answers::CommAnswer* bill);

// The slowest, and how many have no cost, with the first of them.
std::string WorkText(const answers::CommAnswer& bill);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_WORK_BILL_H_
