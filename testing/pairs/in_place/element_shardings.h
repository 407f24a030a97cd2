// The shardings of an element of a tuple: those that its leaves have as values of their own.
//
//   e = f32[4] get-tuple-element(w), index=1
//   ElementShardings(derivation, c, e);     // those of leaf 1 of what loop w became

#ifndef TESSERA_TESTING_PAIRS_IN_PLACE_ELEMENT_SHARDINGS_H_
#define TESSERA_TESTING_PAIRS_IN_PLACE_ELEMENT_SHARDINGS_H_

#include <optional>

#include "tessera/testing/pairs/dump.h"
#include "tessera/testing/pairs/table/derivation.h"
#include "tessera/testing/pairs/table/table.h"

namespace tessera::testing::pairs {

// Nothing if none of the leaves is there after the pass, or the text takes a tuple apart that it
// has just made: what such an element shows is free.
std::optional<LeafShardings> ElementShardings(const Derivation& derivation, const Computation& c,
                                              const Instruction& element);

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_IN_PLACE_ELEMENT_SHARDINGS_H_
