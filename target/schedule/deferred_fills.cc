#include "tessera/target/schedule/deferred_fills.h"

#include "absl/container/flat_hash_map.h"

namespace tessera::target {

std::vector<uint32_t> DeferFills(const ScopeKernels& scope, absl::Span<const uint32_t> order,
                                 const std::vector<bool>& is_fill) {
  absl::flat_hash_map<ValueId, uint32_t> waiting;  // the fill that makes it
  std::vector<uint32_t> deferred;
  const auto take = [&](ValueId v) {
    const auto found = waiting.find(v);
    if (found == waiting.end()) return;
    deferred.push_back(found->second);
    waiting.erase(found);
  };
  for (const uint32_t k : order) {
    if (is_fill[k]) {
      waiting[scope.kernels[k].makes[0]] = k;
      continue;
    }
    for (const ValueId v : scope.kernels[k].reads) take(v);
    deferred.push_back(k);
  }
  for (const uint32_t k : order) {
    if (is_fill[k]) take(scope.kernels[k].makes[0]);
  }
  return deferred;
}

}  // namespace tessera::target
