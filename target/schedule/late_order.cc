// LateOrder (kernel_order.h): kernels that allocate more than they free run just in front of their first reader.

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "tessera/target/schedule/kernel_order.h"

namespace tessera::target {
namespace {

class Lateness {
 public:
  Lateness(const ScopeKernels& scope, const Homes& homes, absl::Span<const int64_t> bytes,
           const std::vector<uint32_t>& order)
      : scope_(scope), order_(order), done_(scope.kernels.size()), waits_(scope.kernels.size()) {
    absl::flat_hash_map<ValueId, uint32_t> last;  // by home: who reads it last
    for (const uint32_t k : order) {
      for (const ValueId v : scope.kernels[k].reads) last[homes.of[v]] = k;
      for (const ValueId v : scope.kernels[k].makes) makers_[v] = k;
    }
    for (const ValueId v : scope.at_end) last[homes.of[v]] = static_cast<uint32_t>(order.size());
    for (const uint32_t k : order) waits_[k] = CanWait(scope.kernels[k], k, homes, bytes, last);
  }

  std::vector<uint32_t> Run() {
    for (const uint32_t k : order_) {
      if (!waits_[k]) Emit(k);
    }
    for (const uint32_t k : order_) Emit(k);
    return std::move(late_);
  }

 private:
  // The kernel allocates more than it frees, and updates nothing in place. Arguments are never freed.
  static bool CanWait(const Kernel& kernel, uint32_t k, const Homes& homes,
                      absl::Span<const int64_t> bytes,
                      const absl::flat_hash_map<ValueId, uint32_t>& last) {
    int64_t more = 0;
    for (const ValueId v : kernel.reads) {
      const ValueId home = homes.of[v];
      if (!homes.is_free[home] && last.at(home) == k) more -= bytes[home];
    }
    for (const ValueId v : kernel.makes) {
      if (homes.of[v] != v) return false;
      more += bytes[v];
    }
    if (more <= 0) return false;
    return !kernel.makes.empty() && kernel.consumes.empty();
  }

  void Emit(uint32_t k) {
    if (done_[k]) return;
    std::vector<std::pair<uint32_t, size_t>> stack = {{k, 0}};
    done_[k] = true;
    while (!stack.empty()) {
      auto& [at, next] = stack.back();
      const auto& reads = scope_.kernels[at].reads;
      if (next == reads.size()) {
        late_.push_back(at);
        stack.pop_back();
        continue;
      }
      const auto maker = makers_.find(reads[next++]);
      if (maker == makers_.end() || done_[maker->second]) continue;
      done_[maker->second] = true;
      stack.emplace_back(maker->second, 0);
    }
  }

  const ScopeKernels& scope_;
  const std::vector<uint32_t>& order_;
  absl::flat_hash_map<ValueId, uint32_t> makers_;
  std::vector<bool> done_, waits_;  // by kernel
  std::vector<uint32_t> late_;
};

}  // namespace

std::vector<uint32_t> LateOrder(const ScopeKernels& scope, const Homes& homes,
                                absl::Span<const int64_t> bytes,
                                const std::vector<uint32_t>& order) {
  return Lateness(scope, homes, bytes, order).Run();
}

}  // namespace tessera::target
