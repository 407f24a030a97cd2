// simplify-conditional: branches that are known, and branches that cost less than a jump.
//
//   conditional(1, a, b), branch_computations={f, g}  ->  g(b), inlined
//   conditional(p, a, b), branch_computations={f, g}  ->  select(p, f(a), g(b)), both inlined

#ifndef TESSERA_TARGET_SIMPLIFY_CONDITIONALS_H_
#define TESSERA_TARGET_SIMPLIFY_CONDITIONALS_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

// Until no conditional is simplified. Cost: linear in the module, and in what is inlined, for each
// round; a module without conditionals is gone through once.
absl::Status SimplifyConditionals(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SIMPLIFY_CONDITIONALS_H_
