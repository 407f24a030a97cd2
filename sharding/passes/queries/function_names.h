// Names that no function of a program has.
//
//   FunctionNames names(program);
//   names.Unique("f");        // "f", then "f_0", "f_1", ..

#ifndef TESSERA_SHARDING_PASSES_QUERIES_FUNCTION_NAMES_H_
#define TESSERA_SHARDING_PASSES_QUERIES_FUNCTION_NAMES_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

class FunctionNames {
 public:
  // The names that functions have now.
  explicit FunctionNames(const HloProgram& program);

  // The name itself if it is free, else one that is; it is taken then. Amortised constant time.
  std::string Unique(absl::string_view name);

 private:
  absl::flat_hash_set<std::string> taken_;
  absl::flat_hash_map<std::string, int64_t> next_;  // number to try for a name that is taken
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_QUERIES_FUNCTION_NAMES_H_
