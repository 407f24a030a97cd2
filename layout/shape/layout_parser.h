// The part of the shape parser that reads `{1,0:T(8,128)S(1)}`; see shape_text.h for the whole.

#ifndef TESSERA_LAYOUT_SHAPE_LAYOUT_PARSER_H_
#define TESSERA_LAYOUT_SHAPE_LAYOUT_PARSER_H_

#include "tessera/layout/layout.h"
#include "tessera/layout/shape/shape_scanner.h"

namespace tessera::layout {

// Reads a layout into `layout`, which must be a fresh one. The next token must be '{'. False after
// a mistake, which `in` keeps. Does not know the rank of the array.
bool ReadLayout(Scanner& in, Layout* layout);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_SHAPE_LAYOUT_PARSER_H_
