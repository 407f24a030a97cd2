// Names that no instruction of a module has.
//
//   FreeNames names(module);
//   names.Unique("x.reshard");   // "x.reshard", then "x.reshard.1", ..
//
// The names of the module are looked at when the first one is asked for; most results need none.

#ifndef TESSERA_PIPELINE_WRITERS_FREE_NAMES_H_
#define TESSERA_PIPELINE_WRITERS_FREE_NAMES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/unique_names.h"

namespace tessera::pipeline::writers {

class FreeNames {
 public:
  // `module` must outlive the names and stay as it is.
  explicit FreeNames(const hlo::Module& module) : module_(module) {}

  // The name itself if it is free, else one that is; it is taken then.
  std::string Unique(absl::string_view name) {
    for (; seen_ < module_.num_instructions(); ++seen_) {
      names_.Unique(module_.instruction(seen_).name);
    }
    return names_.Unique(name);
  }

 private:
  const hlo::Module& module_;
  hlo::InstructionId seen_ = 0;  // the first whose name is not in names_
  hlo::UniqueNames names_;
};

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_FREE_NAMES_H_
