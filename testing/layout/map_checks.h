// Checks of any layout, for enumerations and fuzzing.

#ifndef TESSERA_TESTING_LAYOUT_MAP_CHECKS_H_
#define TESSERA_TESTING_LAYOUT_MAP_CHECKS_H_

#include <string>

#include "tessera/layout/shape.h"

namespace tessera::layout {

// Compares several answers with SlowMemory, slot by slot. These are the index map both ways, the
// closed form, the ops of Decompose on a real array and their inverse, the sizes, and DataSpan. ""
// if all agree, else the first difference. `array` must be valid, bounded and small (its memory is
// made several times).
std::string CheckAgainstSlowMap(const Shape& array);

}  // namespace tessera::layout

#endif  // TESSERA_TESTING_LAYOUT_MAP_CHECKS_H_
