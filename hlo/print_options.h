// Options of the printer (printer.h): which parts of a module its text has.

#ifndef TESSERA_HLO_PRINT_OPTIONS_H_
#define TESSERA_HLO_PRINT_OPTIONS_H_

namespace tessera::hlo {

// The names are those of XLA's HloPrintOptions, as far as it has the option.
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
  // Elements of tuples are named where they are used, `%w#1#0` for element 0 of element 1 of %w; of
  // get-tuple-elements only roots have a line. XLA's flag --xla_dump_compact_gte.
  bool compact_get_tuple_elements = false;
  // Differences between releases of XLA. False: as before it began to.
  bool comparison_order = true;         // compare prints order=, not type=
  bool topk_stability = true;           // topk prints is_stable= though it is not written
  bool origin_call_hierarchy = true;    // {[synthetic_call]} prints as {(),[""]}
  bool sharding_reductions = true;      // unreduced tiles name their reduction, as metadata
  bool single_device_shardings = true;  // single_device[..] for maximal_mesh[..]
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
