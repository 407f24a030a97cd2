// The larger corpora beside the project, in the folder that TESSERA_SHARED names.
//
//   const std::optional<std::string> folder = CorpusFolder("conformance/jax");
//   if (!folder) GTEST_SKIP() << kNoCorpora;
//
// A test of a corpus skips only where the variable is not set: `.ci/run` sets it where the corpora
// are there. A corpus that is missing in the folder named fails the test.
#ifndef TESSERA_TESTING_CORPORA_CORPORA_H_
#define TESSERA_TESTING_CORPORA_CORPORA_H_

#include <optional>
#include <string>

namespace tessera::testing {

inline constexpr char kNoCorpora[] = "TESSERA_SHARED is not set";

// The folder `name` of the corpora; none where TESSERA_SHARED is not set, or empty. Adds a failure
// to the running test where there is no such folder.
std::optional<std::string> CorpusFolder(const std::string& name);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_CORPORA_CORPORA_H_
