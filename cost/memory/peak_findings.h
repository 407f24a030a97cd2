// Changes that would lower the peak of a program on a target without another sharding, each tried.
//
//   for (const PeakFinding& f : memory.findings)      // target_memory.h
//     f.kind, f.arrays, f.bytes, f.peak;              // the peak of the program with the change
//
//   kDonate     arguments that are not donated, and that a result of their type and shape on the device
//               could take the place of. Exact as far as the model is: the header is all that changes.
//   kRecompute  arrays at the peak that the forward pass makes and the backward pass reads
//               (jax.checkpoint). The peak is what is left if they take no memory: a lower bound, since
//               computing them anew needs some for a while.
//
// Of a stack that a loop fills, a finding names the value that its body writes, and the shape of the stack.
// The passes are told apart by op_name, as JAX writes it: "jvp(" and "transpose(jvp(". Arrays of one
// op_name and shape, such as those of unrolled layers, are one finding. Findings of less than a
// hundredth of the peak are left out.
//
// Cost: linear for each trial; at most kMostTrials of them. Tested by peak_findings_test.cc.

#ifndef TESSERA_COST_MEMORY_PEAK_FINDINGS_H_
#define TESSERA_COST_MEMORY_PEAK_FINDINGS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/cost/memory/peak_model.h"
#include "tessera/hlo/module.h"
#include "tessera/target/dataflow/dataflow.h"

namespace tessera::cost {

struct PeakFinding {
  enum class Kind : uint8_t { kDonate, kRecompute };

  struct Array {
    hlo::InstructionId instruction = hlo::kNoId;  // a parameter of the entry; what makes the array
    uint32_t leaf = 0;                            // which of its arrays
  };

  static constexpr size_t kMostTrials = 5;

  Kind kind = Kind::kDonate;
  std::vector<Array> arrays;  // the largest first
  std::string shape;          // of the first
  int64_t bytes = 0;          // of all
  int64_t peak = 0;           // of the program with the change
};

// Those that lower the peak, the lowest first. `found` is the program as it is. kOverflow.
absl::StatusOr<std::vector<PeakFinding>> FindPeakFindings(const target::Dataflow& flow,
                                                          const PeakModel& model,
                                                          const ModelledPeak& found);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_PEAK_FINDINGS_H_
