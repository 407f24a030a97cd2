// FilesUnder("testing/jax/golden", ".before.hlo"): what a test of all modules goes over.

#ifndef TESSERA_TESTING_KEEP_EDITS_MODULE_FILES_H_
#define TESSERA_TESTING_KEEP_EDITS_MODULE_FILES_H_

#include <string>
#include <vector>

namespace tessera::testing {

// Sorted; folders below the folder are searched, too.
std::vector<std::string> FilesUnder(const std::string& folder, const std::string& suffix);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_KEEP_EDITS_MODULE_FILES_H_
