// Many small pairs in one file, for folders that would be mostly names.
//
//   reference 0.12.0.1
//   === random_3
//   HloModule jit_f, num_partitions=8         the module in front of the pass
//   ..
//   --- after
//   HloModule jit_f, num_partitions=8         and after it
//   ..
//
//   absl::Status status = UnpackPairs("small_pairs.txt", folder);
//   for (const std::string& pair : FindPairs(folder)) CheckPair(pair);        // pair_check.h

#ifndef TESSERA_TESTING_PAIRS_PAIR_FILE_H_
#define TESSERA_TESTING_PAIRS_PAIR_FILE_H_

#include <string>

#include "absl/status/status.h"

namespace tessera::testing {

// Writes NAME.before.hlo and NAME.after.hlo for each pair of the file, and REFERENCE, into
// `folder`, which must be there. NotFound or InvalidArgument with the path for a file that is none
// of pairs.
absl::Status UnpackPairs(const std::string& path, const std::string& folder);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_PAIRS_PAIR_FILE_H_
