#include "tessera/hlo/print_options.h"

namespace tessera::hlo {

PrintOptions PrintOptions::ShortParsable() {
  PrintOptions o;
  o.operand_index_annotation_interval = 0;
  o.large_constants = true;
  o.metadata = false;
  o.program_shape = false;
  o.percent = false;
  o.control_dependencies = false;
  return o;
}

PrintOptions PrintOptions::Canonical() {
  PrintOptions o = ShortParsable();
  o.bodies = Bodies::kFull;
  o.large_constants = false;
  o.backend_config = false;
  o.operand_shape = true;
  o.operand_names = false;
  o.canonical_names = true;
  return o;
}

}  // namespace tessera::hlo
