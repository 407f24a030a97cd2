// Names that no instruction of a module has.
//
//   FreeNames names(module);
//   names.Unique("x.reshard");   // "x.reshard", then "x.reshard.1", ..
//
// The wanted name is taken whenever it is free: `x.0` is an element of `x`, not another `x` as
// for XLA, whose numbering hlo/unique_names.h has. The names of the module are looked at when the
// first name is wanted; most results need none.

#ifndef TESSERA_PIPELINE_WRITERS_FREE_NAMES_H_
#define TESSERA_PIPELINE_WRITERS_FREE_NAMES_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"

namespace tessera::pipeline::writers {

class FreeNames {
 public:
  // `module` must outlive the names and stay as it is.
  explicit FreeNames(const hlo::Module& module) : module_(module) {}

  // The name itself if it is free, else one that is; it is taken then.
  std::string Unique(absl::string_view name);

 private:
  bool IsTaken(absl::string_view name) const { return old_.contains(name) || new_.contains(name); }

  const hlo::Module& module_;
  absl::flat_hash_set<absl::string_view> old_;  // of the module
  absl::flat_hash_set<std::string> new_;
  absl::flat_hash_map<std::string, int64_t> next_;  // number to try for a name that is taken
};

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_FREE_NAMES_H_
