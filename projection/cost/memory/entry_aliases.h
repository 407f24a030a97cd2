// Which arrays of the result of a program end in the memory of its arguments.
//
//   // HloModule m, input_output_alias={ {1}: (0, {}, may-alias) }, buffer_donor={ (1, {}) }
//   absl::StatusOr<std::vector<std::pair<int, int>>> pairs = EntryAliases(module);
//   // {{1, 0}, {0, 1}}: array 1 of the result in array 0 of the parameters, as the header says,
//   // and array 0, which is as large as the donated one, in that
//
// Arrays are numbered through the result, and through all parameters; tokens have no number. A
// donor that no alias names takes the first result of its size that has no place yet, as XLA pairs
// them. Sizes are those of memory, with padding: on a TPU f32[12,64] gives its 8 KiB to f32[1536]. Linear.
#ifndef TESSERA_PROJECTION_COST_MEMORY_ENTRY_ALIASES_H_
#define TESSERA_PROJECTION_COST_MEMORY_ENTRY_ALIASES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"

namespace tessera::projection {

// (array of the result, array of the parameters). kBadDim for what is not there, which the verifier
// refuses; kOverflow.
using BytesOfArray = absl::FunctionRef<absl::StatusOr<int64_t>(const layout::Shape&)>;
absl::StatusOr<std::vector<std::pair<int, int>>> EntryAliases(const hlo::Module& module,
                                                              BytesOfArray bytes);
// Without padding.
absl::StatusOr<std::vector<std::pair<int, int>>> EntryAliases(const hlo::Module& module);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_MEMORY_ENTRY_ALIASES_H_
