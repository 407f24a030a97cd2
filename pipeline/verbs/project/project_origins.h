// The cells that a block needs of arrays that are not operands: `tessera project NAME --to-inputs`
// follows it back to the parameters of its computation, `--through=OTHER` to arrays on the way.
//
//   y = tanh(dot(x, w)), block [0:4, 0:64] of y, --to-inputs
//     x f32[16,32]: [0:4, 0:32], 512 bytes        w f32[32,64]: [0:32, 0:64], 8192 bytes
//
// Regions are composed as sets, instruction by instruction (projection/signatures/flow.h), so that
// a cell that two paths need counts once. Cost: linear in the instructions on the way and in the
// pieces of their regions. Tested by project_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_ORIGINS_H_
#define TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_ORIGINS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/pipeline/verbs/project/project_regions.h"

namespace tessera::pipeline {

struct Origins {
  std::vector<ProjectedOperand> through;  // in the order of the question
  std::vector<ProjectedOperand> inputs;   // with --to-inputs those that are needed, by number
  size_t unneeded = 0;                    // inputs of which nothing is needed
  // Operations on the way of which the regions are bounds: names and why, the first few.
  std::vector<std::string> bounds;
  size_t num_bounds = 0;
};

// Puts what a device holds and lacks of an array; nothing without --device.
using AddDevice =
    absl::FunctionRef<absl::Status(const ArrayRef&, const layout::Shape&, ProjectedOperand*)>;

// Of these cells of the array. NotFound for an array of `through` that it does not depend on.
absl::StatusOr<Origins> OriginsOf(const ArrayRef& of, const projection::ZSet& cells,
                                  absl::Span<const std::string> through, bool to_inputs,
                                  AddDevice add_device);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_ORIGINS_H_
