#include "tessera/sharding/passes/queries/function_names.h"

#include "absl/strings/str_cat.h"

namespace tessera::sharding::passes {

FunctionNames::FunctionNames(const HloProgram& program) {
  for (const Function* f : program.functions()) taken_.insert(f->name);
}

std::string FunctionNames::Unique(absl::string_view name) {
  std::string candidate(name);
  if (!taken_.insert(candidate).second) {
    int64_t& next = next_[name];
    do {
      candidate = absl::StrCat(name, "_", next++);
    } while (!taken_.insert(candidate).second);
  }
  return candidate;
}

}  // namespace tessera::sharding::passes
