// A module without the instructions that passes took out of it.
//
//   Module small = Compacted(edited);       // as ParseModule(PrintModule(edited)), without the text
//
// Instructions and computations are numbered in the order in which the printer writes them; those that no
// computation lists are gone, and so are their names. Shapes have layouts, and the header has a layout of
// the entry, as in a text that was read. Names and attributes stay as they are. Instructions of the source
// keep their places there, for errors. Linear. Tested by ir/compact_test.cc.

#ifndef TESSERA_HLO_COMPACT_H_
#define TESSERA_HLO_COMPACT_H_

#include "tessera/hlo/module.h"

namespace tessera::hlo {

Module Compacted(const Module& module);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_COMPACT_H_
