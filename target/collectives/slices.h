// Whether a collective crosses the network that joins slices of TPUs.
//
//   SpansSlices(collective, 8);   // groups {{0, 8}, {1, 9}}: true
//
// Devices are numbered slice by slice. Cost: linear in the devices. Tested by standing_test.cc.

#ifndef TESSERA_TARGET_COLLECTIVES_SLICES_H_
#define TESSERA_TARGET_COLLECTIVES_SLICES_H_

#include <cstdint>

#include "tessera/sharding/partition/partitioner.h"

namespace tessera::target {

// `slice_devices`: of one slice; 0: there is only one.
bool SpansSlices(const sharding::partition::Collective& collective, int64_t slice_devices);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_COLLECTIVES_SLICES_H_
