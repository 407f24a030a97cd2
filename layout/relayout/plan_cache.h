// Plans by what they do, so that asking again costs a look-up.
//
//   PlanCache cache;
//   StatusOr<Plan> plan = cache.Get(from, to);   // made
//   StatusOr<Plan> again = cache.Get(from, to);  // found
//
// For any number of threads at once. Errors are not kept. Nothing is ever dropped.

#ifndef TESSERA_LAYOUT_RELAYOUT_PLAN_CACHE_H_
#define TESSERA_LAYOUT_RELAYOUT_PLAN_CACHE_H_

#include <cstddef>
#include <mutex>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/status/statusor.h"
#include "tessera/layout/relayout/options.h"
#include "tessera/layout/relayout/plan.h"
#include "tessera/layout/shape.h"

namespace tessera::layout::relayout {

class PlanCache {
 public:
  // As Plan::Create.
  absl::StatusOr<Plan> Get(const Shape& src, const Shape& dst, const Options& options = {});

 private:
  using Key = std::tuple<Shape, Shape, Options>;
  // A key that is looked up, not kept: nothing is copied.
  using Asked = std::tuple<const Shape&, const Shape&, const Options&>;
  struct Hash {
    using is_transparent = void;
    size_t operator()(const Key& key) const { return absl::Hash<Asked>()(Asked(key)); }
    size_t operator()(const Asked& key) const { return absl::Hash<Asked>()(key); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Asked& a, const Asked& b) const { return a == b; }
  };

  std::mutex mutex_;
  absl::flat_hash_map<Key, Plan, Hash, Equal> plans_;
};

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_PLAN_CACHE_H_
