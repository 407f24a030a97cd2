// File: print_options.h
//
// What the printer prints; see printer.h.

#ifndef TESSERA_HLO_PRINT_OPTIONS_H_
#define TESSERA_HLO_PRINT_OPTIONS_H_

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
  // Copy instructions that stand in the source as they would be printed. The result is the same
  // without, only slower.
  bool reuse_source = true;

  static PrintOptions Default() { return PrintOptions(); }
  static PrintOptions ShortParsable();
  static PrintOptions Canonical();
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PRINT_OPTIONS_H_
