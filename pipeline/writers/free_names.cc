#include "tessera/pipeline/writers/free_names.h"

#include "absl/strings/str_cat.h"

namespace tessera::pipeline::writers {

std::string FreeNames::Unique(absl::string_view name) {
  if (old_.empty()) {
    old_.reserve(module_.num_instructions());
    for (hlo::InstructionId id = 0; id < module_.num_instructions(); ++id) {
      old_.insert(module_.instruction(id).name);
    }
  }
  std::string made(name);
  if (IsTaken(made)) {
    int64_t& next = next_[name];
    do {
      made = absl::StrCat(name, ".", ++next);
    } while (IsTaken(made));
  }
  new_.insert(made);
  return made;
}

}  // namespace tessera::pipeline::writers
