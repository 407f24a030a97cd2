// The function of an instruction of a dump, apart from its name and its operands.

#ifndef TESSERA_TESTING_PAIRS_MEANING_H_
#define TESSERA_TESTING_PAIRS_MEANING_H_

#include <string>

#include "tessera/testing/pairs/dump.h"

namespace tessera::testing::pairs {

// The same opcode, shape, attributes and literal. What XLA's own reader takes for the same is the
// same: `constant(-0)` is read as the integer 0, and a scan without is_associative is one that is
// not. A dump from memory may print either.
bool SameMeaning(const Instruction& x, const Instruction& y);

// For messages: "f32[2]{0} iota(), iota_dimension=0".
std::string Shown(const Instruction& i);

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_MEANING_H_
