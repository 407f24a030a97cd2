// The modules that the compilers of TPU and GPU made, one file each, in the corpora beside the
// project.
//
//   for (const std::string& path : CompiledModules(".final.hlo.xz")) Unpacked(path);
//
// The files are compressed: `xz` must be installed, and a test fails where it is not.

#ifndef TESSERA_TESTING_COMPILED_COMPILED_MODULES_H_
#define TESSERA_TESTING_COMPILED_COMPILED_MODULES_H_

#include <string>
#include <vector>

namespace tessera::testing {

// Their paths, sorted; empty where TESSERA_SHARED is not set. Adds a failure to the running test
// where the folder has none.
std::vector<std::string> CompiledModules(const std::string& ending);

// The text of one. Adds a failure where it cannot be read.
std::string Unpacked(const std::string& path);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_COMPILED_COMPILED_MODULES_H_
