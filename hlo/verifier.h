// The verdict of XLA's verifier on a module that its parser accepts.
//
//   text::Diagnostics found = VerifyModule(module);
//   text::Diagnostics found = VerifyModule(module, VerifierOptions{/*strict_layouts=*/true});
//
// Every mistake is located at its instruction, or at its entry of the header. Of shapes: wrong
// results, indices out of range, callees that do not fit, unequal tuples of loops, layouts that are
// no permutation. Of devices: replica groups, shardings that do not fit or do not agree. Of order:
// starts without their done, schedules out of order, callees on another thread. Of the header:
// aliases and donors that name nothing or something twice.

#ifndef TESSERA_HLO_VERIFIER_H_
#define TESSERA_HLO_VERIFIER_H_

#include "tessera/hlo/module.h"
#include "tessera/text/diagnostic.h"

namespace tessera::hlo {

struct VerifierOptions {
  // Layouts are assigned: where a value is passed on as it is (tuples and their elements, calls,
  // loops, branches, the entry), both sides must have one layout.
  bool strict_layouts = false;
};

text::Diagnostics VerifyModule(const Module& module, const VerifierOptions& options = {});

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_VERIFIER_H_
