#include "tessera/target/schedule/flattened_lives.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"

namespace tessera::target {

FlattenedLives::FlattenedLives(const Dataflow& flow, absl::Span<const ScopeKernels> scopes,
                               absl::Span<const std::vector<Step>> orders, const Homes& homes)
    : flow_(flow),
      scopes_(scopes),
      orders_(orders),
      homes_(homes),
      times_(scopes.size()),
      ends_(scopes.size()) {
  NumberSteps(0);
  for (ScopeId s = 0; s < scopes_.size(); ++s) FindLives(s);
}

const FlatLife* FlattenedLives::of(ValueId home) const {
  const auto found = lives_.find(home);
  return found == lives_.end() ? nullptr : &found->second;
}

void FlattenedLives::BeginAtCopy(ValueId home, int64_t loop_begins) {
  Extend(home, {loop_begins - 1, loop_begins});
}

void FlattenedLives::NumberSteps(ScopeId s) {
  for (const Step& step : orders_[s]) {
    FlatLife time = {end_, end_};
    end_ += 2;
    const absl::Span<const ScopeId> bodies =
        flow_.nodes[scopes_[s].kernels[step.kernel].node].bodies;
    for (const ScopeId body : bodies) NumberSteps(body);
    if (!bodies.empty()) time.last = std::exchange(end_, end_ + 2);
    times_[s].push_back(time);
  }
  ends_[s] = end_;
}

void FlattenedLives::FindLives(ScopeId s) {
  for (size_t step = 0; step < times_[s].size(); ++step) {
    const Kernel& kernel = scopes_[s].kernels[orders_[s][step].kernel];
    const FlatLife& time = times_[s][step];
    for (const ValueId v : kernel.makes) {
      const ValueId home = homes_.of[v];
      if (!lives_.contains(home) && IsMadeIn(s, home)) made_.push_back(home);
      Extend(home, time);
    }
    for (const ValueId v : kernel.reads) {
      const bool is_copied = absl::c_linear_search(kernel.consumes, v);
      const int64_t last = is_copied ? time.first - 1 : time.last;
      Extend(homes_.of[v], {std::min(time.first, last), last});
    }
  }
  for (const ValueId v : scopes_[s].at_end) Extend(homes_.of[v], {ends_[s], ends_[s]});
}

void FlattenedLives::Extend(ValueId home, const FlatLife& life) {
  const auto [found, is_new] = lives_.try_emplace(home, life);
  found->second.first = std::min(found->second.first, life.first);
  found->second.last = std::max(found->second.last, life.last);
}

bool FlattenedLives::IsMadeIn(ScopeId s, ValueId home) const {
  return s == 0 || (flow_.values[home].scope == s && flow_.NodeOf(home) != nullptr);
}

}  // namespace tessera::target
