// Where two readings of one text differ, for tests of the straight path.

#ifndef TESSERA_TESTING_FUZZ_PARSE_DIFFERENCE_H_
#define TESSERA_TESTING_FUZZ_PARSE_DIFFERENCE_H_

#include <string>

#include "tessera/hlo/parser.h"
#include "tessera/text/source.h"

namespace tessera::hlo {

// The first field that differs, in words; empty if none does. Compared are all mistakes, and of
// modules without mistakes every instruction and computation with its ids and places.
std::string ParseDifference(const ParsedText& a, const ParsedText& b, const text::Source& source);

}  // namespace tessera::hlo

#endif  // TESSERA_TESTING_FUZZ_PARSE_DIFFERENCE_H_
