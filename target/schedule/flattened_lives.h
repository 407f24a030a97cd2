// From when to when each buffer is needed, with all loops and branches in one line, as XLA's live ranges have them.
//
//   FlattenedLives lives(flow, scopes, orders, homes);
//   lives.of(home);                    // {first, last}; nullptr: nothing makes or reads it
//   lives.time(scope, step);           // of a step, with what it runs
//   lives.end();                       // after the last step
//
// A time is even; the odd one in front of a loop is that of its copies: of carried elements whose initial value is
// still needed. Cost: linear. Tested by result_rooms_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_FLATTENED_LIVES_H_
#define TESSERA_TARGET_SCHEDULE_FLATTENED_LIVES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/schedule/homes.h"
#include "tessera/target/schedule/kernels.h"
#include "tessera/target/schedule/latency/latency_graph.h"

namespace tessera::target {

struct FlatLife {
  int64_t first = 0, last = 0;
};

class FlattenedLives {
 public:
  // `scopes` and `orders`, of their kernels, by ScopeId.
  FlattenedLives(const Dataflow& flow, absl::Span<const ScopeKernels> scopes,
                 absl::Span<const std::vector<Step>> orders, const Homes& homes);

  // What a loop is handed without owning it is copied in front of it: `home` begins there.
  void BeginAtCopy(ValueId home, int64_t loop_begins);

  const FlatLife* of(ValueId home) const;
  const FlatLife& time(ScopeId s, size_t step) const { return times_[s][step]; }
  int64_t end() const { return end_; }
  // Homes that a kernel of their scope makes, in this order; not what a body is handed.
  const std::vector<ValueId>& made() const { return made_; }

 private:
  void NumberSteps(ScopeId s);
  void FindLives(ScopeId s);
  void Extend(ValueId home, const FlatLife& life);
  bool IsMadeIn(ScopeId s, ValueId home) const;

  const Dataflow& flow_;
  const absl::Span<const ScopeKernels> scopes_;
  const absl::Span<const std::vector<Step>> orders_;
  const Homes& homes_;
  std::vector<std::vector<FlatLife>> times_;  // by scope and step
  std::vector<int64_t> ends_;                 // by scope
  int64_t end_ = 0;
  absl::flat_hash_map<ValueId, FlatLife> lives_;
  std::vector<ValueId> made_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_FLATTENED_LIVES_H_
