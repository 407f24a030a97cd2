#include "tessera/layout/relayout/plan_cache.h"

namespace tessera::layout::relayout {

absl::StatusOr<Plan> PlanCache::Get(const Shape& src, const Shape& dst, const Options& options) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = plans_.find(Asked(src, dst, options));
    if (found != plans_.end()) return found->second;
  }
  absl::StatusOr<Plan> plan = Plan::Create(src, dst, options);
  if (!plan.ok()) return plan;
  const std::lock_guard<std::mutex> lock(mutex_);
  plans_.emplace(Key(src, dst, options), *plan);
  return plan;
}

}  // namespace tessera::layout::relayout
