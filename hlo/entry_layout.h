// The entry layout that XLA works with, written or not.

#ifndef TESSERA_HLO_ENTRY_LAYOUT_H_
#define TESSERA_HLO_ENTRY_LAYOUT_H_

#include <cstddef>

#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"

namespace tessera::hlo {

// The written one; without one the shapes of the entry's parameters and root. XLA forgets the order
// of dimensions of those (it becomes the default) when the header sets replica_count,
// num_partitions, alias_passthrough_params or one of the allow_spmd lists. The module must outlive
// it.
class EntryShapes {
 public:
  explicit EntryShapes(const Module& module);

  size_t num_parameters() const;
  layout::Shape Parameter(size_t number) const;
  layout::Shape Result() const;

 private:
  layout::Shape OfInstruction(InstructionId id) const;

  const Module& module_;
  const bool forgets_layouts_;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_ENTRY_LAYOUT_H_
