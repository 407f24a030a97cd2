// Runs one pair of modules, X.before.hlo and X.after.hlo, through tessera.
//
//   for (const std::string& pair : FindPairs(shared + "/conformance/jax")) {
//     for (const auto& [structure, outcome] : CheckPair(pair)) ...
//   }
//
// `xla` compares the whole result with X.after.hlo by structure, `keep` the in-place result with
// the table X.map; without that file with the table that DeriveTable finds in the pair itself. The
// release that is imitated is that of the nearest file REFERENCE (references/nearest_reference.h).

#ifndef TESSERA_TESTING_PAIRS_PAIR_CHECK_H_
#define TESSERA_TESTING_PAIRS_PAIR_CHECK_H_

#include <string>
#include <utility>
#include <vector>

#include "tessera/testing/families/family.h"

namespace tessera::testing {

// The names of all pairs in a folder, sorted: paths without `.before.hlo`.
std::vector<std::string> FindPairs(const std::string& folder);

// Structures of a module that has no X.after.hlo because the reference refuses it.
inline constexpr char kRefusedXla[] = "xla, refused";
inline constexpr char kRefusedKeep[] = "keep, refused";

// Why the verdict of a module on which the reference aborts is kNotRun: any answer is right.
inline constexpr char kAnswered[] = "answered, where the reference crashes";

// `name` is the path without `.before.hlo`. One outcome for each structure. Without X.after.hlo the
// module is one that the reference refuses, if reasons.tsv beside it says so: we have to as well.
// Otherwise the reference aborts on it: any answer will do that is no crash, and none has passed.
std::vector<std::pair<std::string, Outcome>> CheckPair(const std::string& name);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_PAIRS_PAIR_CHECK_H_
