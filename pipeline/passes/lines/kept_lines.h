// The text of a module after the clean-up passes: each line that still says the same is the user's
// own, byte for byte.
//
//   const hlo::PrintOptions form = FormKeepingLines(module);
//   hlo::Module changed = module;
//   ...                                             // passes
//   std::string text = TextKeepingLines(module, form, hlo::PrintModule(changed, form));
//
// Lines of the same content keep their spelling, the comments behind them and the blank and comment
// lines before them. New and changed lines are printed, with `%` where the module has it.

#ifndef TESSERA_PIPELINE_PASSES_LINES_KEPT_LINES_H_
#define TESSERA_PIPELINE_PASSES_LINES_KEPT_LINES_H_

#include <string>

#include "tessera/hlo/module.h"
#include "tessera/hlo/print_options.h"

namespace tessera::pipeline::passes {

// How what a module becomes is to be printed.
hlo::PrintOptions FormKeepingLines(const hlo::Module& module);

// `before` must be as it was parsed; `printed` is what it became, in the form above. A text with
// several instructions on a line, or with computations in place of their names, stays as printed.
std::string TextKeepingLines(hlo::Module before, const hlo::PrintOptions& form,
                             std::string printed);

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_LINES_KEPT_LINES_H_
