// Whether the per-device module of a module computes the same values.
//
//   const hlo::Module device = sharding::partition::PartitionModule(module)->module;
//   DeviceRun run = RunOnDevices(module, device);
//   run.verdict;      // kEqual
//   run.note;         // "result 0, device 3, cell 7: 0.5, expected 1.25"
//
// The module runs densely; the other one runs on all its devices in lockstep (evaluator/sharded/
// spmd.h). Arguments are cut as the shardings of the entry's parameters say, what pads uneven shards
// is NaN (100 of integers): a reader of it is found. Results are compared shard by shard, without
// padding. Floats may differ by a share of the largest of the array: 1e-4, and more where the module
// computes in fewer bits than f32 (evaluator/rounding.h).
#ifndef TESSERA_TESTING_PARTITION_DEVICE_RUN_H_
#define TESSERA_TESTING_PARTITION_DEVICE_RUN_H_

#include <string>

#include "tessera/hlo/module.h"
#include "tessera/testing/evaluator/interpreter.h"

namespace tessera::testing {

struct DeviceRun {
  enum class Verdict { kEqual, kDiffers, kSkipped };
  Verdict verdict = Verdict::kEqual;
  std::string note;  // why not
};

// kSkipped: too large, or without a meaning on one device: manual code, custom calls that are not
// known, arguments or results that are manual or unreduced.
DeviceRun RunOnDevices(const hlo::Module& whole, const hlo::Module& device,
                       evaluator::Budget budget = evaluator::Budget());

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_PARTITION_DEVICE_RUN_H_
