// Plans by what they do, so that asking again costs a look-up.
//
//   PlanCache cache;
//   StatusOr<Plan> plan = cache.Get(from, to);   // made
//   StatusOr<Plan> again = cache.Get(from, to);  // found
//
// For any number of threads at once. Errors are not kept. Nothing is ever dropped.

#ifndef TESSERA_LAYOUT_RELAYOUT_PLAN_CACHE_H_
#define TESSERA_LAYOUT_RELAYOUT_PLAN_CACHE_H_

#include <mutex>
#include <tuple>

#include "absl/container/flat_hash_map.h"
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

  std::mutex mutex_;
  absl::flat_hash_map<Key, Plan> plans_;
};

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_PLAN_CACHE_H_
