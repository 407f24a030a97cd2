// File: verifier.h
//
// What XLA's verifier says about a module that its parser accepts.
//
//   text::Diagnostics found = VerifyModule(module);
//
// Every mistake is located at its instruction: wrong result shapes, indices out of range, callees
// that do not fit, unequal tuple shapes of loops, layouts that are no permutation, replica groups,
// shardings that do not fit or do not agree, starts without their done.

#ifndef TESSERA_HLO_VERIFIER_H_
#define TESSERA_HLO_VERIFIER_H_

#include "tessera/hlo/module.h"
#include "tessera/text/diagnostic.h"

namespace tessera::hlo {

text::Diagnostics VerifyModule(const Module& module);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_VERIFIER_H_
