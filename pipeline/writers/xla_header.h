// The first line of the result: what it says about parameters and results becomes flat.

#ifndef TESSERA_PIPELINE_WRITERS_XLA_HEADER_H_
#define TESSERA_PIPELINE_WRITERS_XLA_HEADER_H_

#include <cstdint>

#include "tessera/hlo/module.h"

namespace tessera::pipeline::writers {

struct HeaderOptions {
  bool tuple_args = false;     // all parameters become one tuple
  int64_t num_partitions = 0;  // 0: as it was
};

// Copies the header of `before` into `after`. Layouts, aliases and donors are told by leaf number;
// attributes that only spoke to the pass are left out.
void WriteHeader(const hlo::Module& before, const HeaderOptions& options, hlo::Module& after);

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_XLA_HEADER_H_
