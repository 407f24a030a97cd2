// Reshapes whose axes do not come out even with the factors.

#ifndef TESSERA_SHARDING_RESHARD_AGREE_RESHAPE_AXES_H_
#define TESSERA_SHARDING_RESHARD_AGREE_RESHAPE_AXES_H_

#include <vector>

#include "tessera/sharding/axes.h"
#include "tessera/sharding/factors/projection.h"

namespace tessera::sharding::reshard {

// The axes for each factor of a reshape (one operand, one result) of which some tensor has
// overflowing axes. The axes of the side that is sharded more are dealt out anew to the factors of
// both sides. What both begin with is what they can agree on. How: reshape_axes.cc.
std::vector<AxisList> ReshapeAxes(const factors::FactorTable& table);

}  // namespace tessera::sharding::reshard

#endif  // TESSERA_SHARDING_RESHARD_AGREE_RESHAPE_AXES_H_
