// File: printer.h
//
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

#include <string>

#include "tessera/hlo/module.h"

namespace tessera::hlo {

// The names are those of XLA's HloPrintOptions.
struct PrintOptions {
  enum class Bodies { kNames, kFull };

  int operand_index_annotation_interval = 5;  // 0: none
  Bodies bodies = Bodies::kNames;
  bool large_constants = false;
  bool metadata = true;
  bool backend_config = true;
  bool infeed_outfeed_config = true;
  bool operand_shape = false;
  bool operand_names = true;
  bool program_shape = true;
  bool percent = true;
  bool control_dependencies = true;
  bool canonical_names = false;
  bool async_sugar = true;
  // Rename and renumber as XLA does while loading: unique names, stack frames by first use.
  bool load_like_xla = true;

  static PrintOptions Default() { return PrintOptions(); }
  static PrintOptions ShortParsable();
  static PrintOptions Canonical();
};

// Ends with an empty line, as XLA's text does.
std::string PrintModule(const Module& module, const PrintOptions& options);

// One instruction on one line, without indentation and line end: "%d = f32[2]{0} dot(%a, %b), ..".
std::string PrintInstruction(const Module& module, InstructionId id, const PrintOptions& options);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PRINTER_H_
