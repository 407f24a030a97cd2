// The collectives of a per-device module, as lines that can be compared with what the partitioner
// found.
//
//   CollectivesIn(device);        // {"all-gather f32[8] groups=[1,4]<=[4] dimensions={0}", ..}
//   CollectivesOf(found);         // the same of a sharding::partition::Partitioned
//
// Sorted; a computation counts once, however often it is called.
#ifndef TESSERA_TESTING_PARTITION_DEVICE_COLLECTIVES_H_
#define TESSERA_TESTING_PARTITION_DEVICE_COLLECTIVES_H_

#include <string>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::testing {

std::vector<std::string> CollectivesIn(const hlo::Module& device);
std::vector<std::string> CollectivesOf(const sharding::partition::Partitioned& found);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_PARTITION_DEVICE_COLLECTIVES_H_
