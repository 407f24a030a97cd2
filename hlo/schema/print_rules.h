// When an attribute is printed though it is absent, and when it is not printed though it is
// written. Attributes without a rule here are printed exactly when they are written.

#ifndef TESSERA_HLO_SCHEMA_PRINT_RULES_H_
#define TESSERA_HLO_SCHEMA_PRINT_RULES_H_

#include <cstdint>
#include <optional>

#include "tessera/hlo/attribute_name.h"

namespace tessera::hlo {

// May be printed though it is absent.
bool PrintsWhenAbsent(AttributeName name);

// The integer that is not printed.
std::optional<int64_t> HiddenInt(AttributeName name);

// A list of integers that is not printed when it is empty.
bool HidesEmptyInts(AttributeName name);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_SCHEMA_PRINT_RULES_H_
