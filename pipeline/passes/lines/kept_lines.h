// The text of a module after the clean-up passes: each line that still says the same is the user's
// own, byte for byte.
//
//   hlo::Module changed = module;
//   ...                                             // passes
//   std::string text = TextKeepingLines(module, changed);
//
// Lines of the same content keep their spelling, the comments behind them and the blank and comment
// lines before them. New and changed lines are printed, with `%` where the module has it.

#ifndef TESSERA_PIPELINE_PASSES_LINES_KEPT_LINES_H_
#define TESSERA_PIPELINE_PASSES_LINES_KEPT_LINES_H_

#include <string>

#include "tessera/hlo/module.h"

namespace tessera::pipeline::passes {

// `before` must be as it was parsed; `after` was made from it. A text with several instructions on
// a line, or with computations in place of their names, is printed as a whole.
std::string TextKeepingLines(const hlo::Module& before, const hlo::Module& after);

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_LINES_KEPT_LINES_H_
