// Which computations an instruction of a dump calls, by the attributes that name them.

#ifndef TESSERA_TESTING_PAIRS_CALLED_H_
#define TESSERA_TESTING_PAIRS_CALLED_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/testing/pairs/dump.h"

namespace tessera::testing::pairs {

// Whether an attribute names computations: `to_apply`, `branch_computations`, ...
bool NamesComputations(absl::string_view attribute);

// Their names, without `%`: attribute by attribute in a fixed order, each list in its own.
std::vector<absl::string_view> CalledComputations(const Instruction& instruction);

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_CALLED_H_
