#include "tessera/testing/families/projection/projection_families.h"

#include "tessera/testing/families/projection/projection_checks.h"

namespace tessera::testing {

std::vector<Family> ProjectionFamilies() {
  return {
      {"projection_affine", CheckProjectionAffine},
      {"projection_sets", CheckProjectionSets},
      {"projection_signature", CheckProjectionSignature},
      {"projection_hlocost", CheckProjectionHloCost},
      {"projection_cost", CheckProjectionCost},
      {"projection_comm", CheckProjectionComm},
  };
}

}  // namespace tessera::testing
