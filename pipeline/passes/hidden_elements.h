// Elements of tuples that nobody reads, in a text that names elements where they are read (`x#1`).
//
//   HasNoElementLines(module);     // true for such a text
//   AddHiddenElements(&builder);   // before any pass

#ifndef TESSERA_PIPELINE_PASSES_HIDDEN_ELEMENTS_H_
#define TESSERA_PIPELINE_PASSES_HIDDEN_ELEMENTS_H_

#include "tessera/hlo/builder.h"

namespace tessera::pipeline::passes {

// Whether the text names all elements of tuples where they are used, as XLA's dumps do.
bool HasNoElementLines(const hlo::Module& module);

// Adds the hidden elements whose place the order of the text gives away. Nothing to do where the
// text has lines for elements. They show in no compact text.
void AddHiddenElements(hlo::Builder* builder);

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_HIDDEN_ELEMENTS_H_
