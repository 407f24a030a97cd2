#include "tessera/testing/families/all_families.h"

#include <iterator>

#include "tessera/testing/families/explain_families.h"
#include "tessera/testing/families/hlo_families.h"
#include "tessera/testing/families/layout_families.h"
#include "tessera/testing/families/pass_families.h"
#include "tessera/testing/families/projection/projection_families.h"
#include "tessera/testing/families/relayout_families.h"
#include "tessera/testing/families/sharding/factors_families.h"
#include "tessera/testing/families/sharding/propagation_families.h"
#include "tessera/testing/families/sharding/reshard_families.h"
#include "tessera/testing/families/sharding/rules_families.h"
#include "tessera/testing/families/sharding/sharding_families.h"

namespace tessera::testing {
namespace {

// One line a package: the function that lists its families.
constexpr std::vector<Family> (*kPackages[])() = {
    ExplainFamilies, FactorsFamilies,    HloFamilies,         LayoutFamilies,
    PassFamilies,    ProjectionFamilies, PropagationFamilies, RelayoutFamilies,
    ReshardFamilies, RulesFamilies,      ShardingFamilies,
};

}  // namespace

std::vector<Family> AllFamilies() {
  std::vector<Family> all;
  for (const auto package : kPackages) {
    if (package == nullptr) continue;
    std::vector<Family> families = package();
    std::move(families.begin(), families.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace tessera::testing
