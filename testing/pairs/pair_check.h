// One pair of modules before and after the reference pass, checked against tessera's result in both structures.

#ifndef TESSERA_TESTING_PAIRS_PAIR_CHECK_H_
#define TESSERA_TESTING_PAIRS_PAIR_CHECK_H_

#include <string>
#include <utility>
#include <vector>

#include "tessera/testing/families/family.h"

namespace tessera::testing {

// `path` is the pair's name with its folder: path + ".before.hlo", ".after.hlo", ".map". The result names each structure ("keep",
// "xla") with its outcome. A pair without `after` (the reference crashes) passes if tessera ends with a result or an error.
std::vector<std::pair<std::string, Outcome>> CheckPair(const std::string& path);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_PAIRS_PAIR_CHECK_H_
