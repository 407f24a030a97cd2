// The result of `patch` on a text, for tests of diffs.

#ifndef TESSERA_TESTING_APPLY_DIFF_H_
#define TESSERA_TESTING_APPLY_DIFF_H_

#include <string>

namespace tessera::text {

// Believes the line numbers of the diff, and expects each line that it names to be there.
std::string ApplyDiff(const std::string& before, const std::string& diff);

}  // namespace tessera::text

#endif  // TESSERA_TESTING_APPLY_DIFF_H_
