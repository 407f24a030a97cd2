// The figures of XLA's own cost analysis, to the bit: singles, added in XLA's order of visit, with
// its rules.
//
//   absl::StatusOr<XlaCost> c = XlaCostOf(module, module.entry_id());
//   c->flops, c->bytes_accessed, c->operand_bytes[1]
#ifndef TESSERA_TESTING_PROJECTION_XLA_COST_H_
#define TESSERA_TESTING_PROJECTION_XLA_COST_H_

#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"

namespace tessera::projection {

struct XlaCost {
  float flops = 0;
  float transcendentals = 0;
  float bytes_accessed = 0;
  float output_bytes = 0;            // "bytes accessedout{}"
  std::vector<float> operand_bytes;  // "bytes accessedK{}"
};

absl::StatusOr<XlaCost> XlaCostOf(const hlo::Module& module, hlo::ComputationId computation);

}  // namespace tessera::projection

#endif  // TESSERA_TESTING_PROJECTION_XLA_COST_H_
