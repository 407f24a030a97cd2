// The values alive in one scope while its kernels run one after the other.
//
//   Alive alive(scope, homes, bytes);
//   alive.Begin(v);         // for each value that a kernel makes
//   alive.now();            // bytes while it runs
//   alive.End(kernel);      // frees what nobody reads any more
//
// Cost: constant for each value that a kernel reads or makes. Tested by live_memory_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_ALIVE_H_
#define TESSERA_TARGET_SCHEDULE_ALIVE_H_

#include <cstdint>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "tessera/target/schedule/homes.h"
#include "tessera/target/schedule/kernels.h"

namespace tessera::target {

// The largest number where it leaves 64 bits.
inline int64_t Sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

class Alive {
 public:
  Alive(const ScopeKernels& scope, const Homes& homes, absl::Span<const int64_t> bytes)
      : homes_(homes), bytes_(bytes) {
    for (const Kernel& kernel : scope.kernels) {
      for (const ValueId v : kernel.reads) ++left_[homes.of[v]];
    }
    for (const ValueId v : scope.at_end) ++left_[homes.of[v]];
    for (const ValueId v : scope.at_start) Begin(v);
  }

  // Bytes that this takes anew.
  int64_t Begin(ValueId v) {
    const ValueId home = homes_.of[v];
    if (Weight(home) == 0 || !homes_alive_.insert(home).second) return 0;
    now_ = Sum(now_, Weight(home));
    return Weight(home);
  }

  // Whether only one more kernel reads it.
  bool Dies(ValueId v) const {
    const auto left = left_.find(homes_.of[v]);
    return left != left_.end() && left->second == 1 && homes_alive_.contains(homes_.of[v]);
  }

  // The kernel has run.
  void End(const Kernel& kernel) {
    for (const ValueId v : kernel.reads) {
      if (--left_[homes_.of[v]] == 0) Drop(homes_.of[v]);
    }
    for (const ValueId v : kernel.makes) {
      if (!left_.contains(homes_.of[v])) Drop(homes_.of[v]);
    }
  }

  void Drop(ValueId home) {
    if (homes_alive_.erase(home) > 0) now_ -= Weight(home);
  }

  int64_t Weight(ValueId home) const { return homes_.is_free[home] ? 0 : bytes_[home]; }
  ValueId HomeOf(ValueId v) const { return homes_.of[v]; }
  int64_t now() const { return now_; }
  const absl::flat_hash_set<ValueId>& homes_alive() const { return homes_alive_; }

 private:
  const Homes& homes_;
  const absl::Span<const int64_t> bytes_;
  absl::flat_hash_map<ValueId, int> left_;  // by home: kernels that read it, and the end
  absl::flat_hash_set<ValueId> homes_alive_;
  int64_t now_ = 0;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_ALIVE_H_
