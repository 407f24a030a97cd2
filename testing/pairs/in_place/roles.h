// Tuples and parameters that stand where shardings are shown: what each of them shows.
//
//   state = (f32[2], f32[4]) tuple(a, b)
//   w = while(state), ..., sharding={{devices=[2]0,1}, {replicated}}
//
//   FindRoles(derivation, c);     // state: {0} {devices=[2]0,1}, {1} {replicated}
//
// Places that show shardings are parameters, roots, and the operands of loops, branches and
// barriers.

#ifndef TESSERA_TESTING_PAIRS_IN_PLACE_ROLES_H_
#define TESSERA_TESTING_PAIRS_IN_PLACE_ROLES_H_

#include <map>
#include <optional>

#include "absl/strings/string_view.h"
#include "tessera/testing/pairs/dump.h"
#include "tessera/testing/pairs/table/derivation.h"
#include "tessera/testing/pairs/table/table.h"

namespace tessera::testing::pairs {

// By name. Nothing for an instruction with two roles that disagree: it is not checked.
using Roles = std::map<absl::string_view, std::optional<LeafShardings>>;

// `c` must stand for a computation after the pass.
Roles FindRoles(const Derivation& derivation, const Computation& c);

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_IN_PLACE_ROLES_H_
