#include "tessera/layout/relayout/plan_cache.h"

#include <utility>

namespace tessera::layout::relayout {

absl::StatusOr<Plan> PlanCache::Get(const Shape& src, const Shape& dst, const Options& options) {
  Key key(src, dst, options);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = plans_.find(key);
    if (found != plans_.end()) return found->second;
  }
  absl::StatusOr<Plan> plan = Plan::Create(src, dst, options);
  if (!plan.ok()) return plan;
  const std::lock_guard<std::mutex> lock(mutex_);
  plans_.emplace(std::move(key), *plan);
  return plan;
}

}  // namespace tessera::layout::relayout
