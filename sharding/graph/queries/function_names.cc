#include "tessera/sharding/graph/queries/function_names.h"

#include "absl/strings/str_cat.h"

namespace tessera::sharding::graph {

FunctionNames::FunctionNames(const Graph& graph) {
  for (const Function* f : graph.functions()) taken_.insert(f->name);
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

}  // namespace tessera::sharding::graph
