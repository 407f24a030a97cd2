// Modules as text in the form in which XLA prints them.
//
//   PrintModule(module, PrintOptions::Default());          // what module.to_string() gives
//   PrintModule(module, PrintOptions::ShortParsable());
//   PrintModule(module, PrintOptions::Canonical());
//
// This prints a model, not the text that was read: comments go, names are made unique as XLA makes
// them, computations and instructions come in XLA's order. To change a text and keep its bytes use
// edit.h.

#ifndef TESSERA_HLO_PRINTER_H_
#define TESSERA_HLO_PRINTER_H_

#include <cstddef>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/print_options.h"

namespace tessera::hlo {

// Ends with an empty line, as XLA's text does.
std::string PrintModule(const Module& module, const PrintOptions& options);
// The same in pieces of whole lines: the text never stands in memory as one.
void PrintModuleTo(const Module& module, const PrintOptions& options,
                   absl::FunctionRef<void(absl::string_view piece)> write);

// Bodies in place of names (PrintOptions::Canonical) can be exponentially longer than the module:
// each call of a computation prints all of it again. InvalidArgument (text::ErrorAt) at the
// instruction with which the text gets longer than `most_bytes`, or where bodies stand in each
// other deeper than 1000.
absl::StatusOr<std::string> PrintModuleWithin(const Module& module, const PrintOptions& options,
                                              size_t most_bytes);

// One instruction on one line, without indentation and line end: "%d = f32[2]{0} dot(%a, %b), ..".
std::string PrintInstruction(const Module& module, InstructionId id, const PrintOptions& options);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PRINTER_H_
