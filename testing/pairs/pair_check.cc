#include "tessera/testing/pairs/pair_check.h"

namespace tessera::testing {

std::vector<std::pair<std::string, Outcome>> CheckPair(const std::string&) {
  return {{"xla", NotRun("no result yet")}, {"keep", NotRun("no result yet")}};
}

}  // namespace tessera::testing
