// The entry layout that XLA works with, written or not.

#ifndef TESSERA_HLO_ENTRY_LAYOUT_H_
#define TESSERA_HLO_ENTRY_LAYOUT_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"

namespace tessera::hlo {

struct EntryShapes {
  std::vector<layout::Shape> parameters;
  layout::Shape result;
};

// The written one; without one the shapes of the entry's parameters and root. XLA forgets the order
// of dimensions of those (it becomes the default) when the header sets replica_count,
// num_partitions, alias_passthrough_params or one of the allow_spmd lists.
EntryShapes EntryLayoutOf(const Module& module);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_ENTRY_LAYOUT_H_
