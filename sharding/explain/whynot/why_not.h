// WhyNot: why a dimension of a tensor does not have an axis.
//
//   WhyNot why_not(log);
//   for (const Verdict& v : why_not.Ask(slot, /*dim=*/0, {{"a"}, {"b"}})) {
//     KindWord(v.headline.kind);       // "closed_dimension"
//     v.headline.from; v.headline.to;  // where the axis stands, and where it was refused
//     v.path;                          // from there to the dimension
//   }
//
// The first of these that speaks is the verdict:
//   1. what has nothing to do with the program: an axis of size 1, a single device, a manual axis
//   2. the axis was there and was taken away
//   3. no annotation names it
//   4. the refusals at the frontier (frontier.h), the nearest tensors that have the axis
//   5. the first blocking op on the way to it
//   6. the axis is nowhere in reach
//
// Cost: one search for all axes of a dimension. Tested by why_not_test.cc, by the case family
// explain_whynot, and on every golden module: each absent axis has a verdict.

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_WHY_NOT_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_WHY_NOT_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/sharding/explain/event_log.h"
#include "tessera/sharding/explain/whynot/asked_axes.h"
#include "tessera/sharding/explain/whynot/frontier.h"
#include "tessera/sharding/explain/whynot/holder_paths.h"
#include "tessera/sharding/explain/whynot/op_links.h"
#include "tessera/sharding/explain/whynot/reasons/refusal.h"
#include "tessera/sharding/explain/whynot/reasons/refuser.h"
#include "tessera/sharding/explain/whynot/requests.h"
#include "tessera/sharding/explain/whynot/shard_maps.h"

namespace tessera::sharding::explain {

struct Verdict {
  AskedAxis axis;  // the part of what was asked that is not there
  int dim = 0;
  Refusal headline;
  std::vector<Refusal> also;   // at the same distance
  int distance = 0;            // in ops from where the axis stands
  std::vector<Endpoint> path;  // from there to the dimension
};

class WhyNot {
 public:
  // `log` must outlive this. To be made before the passes after propagation run; what these take
  // away is known once their events are in the log. `options`: of the propagation.
  explicit WhyNot(const EventLog& log, const propagation::Options& options = {});
  WhyNot(const WhyNot&) = delete;
  WhyNot& operator=(const WhyNot&) = delete;

  // One verdict for each axis that is not all there in the end. Axes must be those of a mesh of the
  // module, the dimension one of the tensor.
  std::vector<Verdict> Ask(SlotId slot, int dim, const std::vector<AskedAxis>& axes);

  // The ways of that axis, or of the part that is not there, to all dimensions, for questions about
  // many. Null where Ask() needs no search. One search for each axis.
  HolderPaths* WaysOf(SlotId slot, int dim, AskedAxis axis);

  // Of an instruction of which propagation has no tensor: dead, or inside of a reduction.
  RefusalKind KindWithoutTensor(hlo::InstructionId instruction) const;

  const OpLinks& links() const { return links_; }
  const Requests& requests() const { return requests_; }

 private:
  bool IsThere(SlotId slot, int dim, AskedAxis* axis) const;
  std::optional<Refusal> WithoutSearch(SlotId slot, int dim, const AskedAxis& axis);
  bool IsOfSizeOne(const std::string& axis) const;
  bool AnotherCopyHas(SlotId slot, int dim, const AskedAxis& axis);
  void Judge(SlotId slot, Reached reached, Verdict* verdict) const;
  void JudgeMissed(const Reached& reached, Verdict* verdict) const;
  Refusal OfBlockingOp(const BlockingOp& blocking_op) const;
  Refusal Unreachable(SlotId slot, const std::string& axis) const;
  bool IsBetter(const Refusal& a, const Refusal& b) const;

  const EventLog& log_;
  OpLinks links_;
  ShardMaps maps_;
  Refuser refuser_;
  Frontier frontier_;
  Requests requests_;
  absl::flat_hash_map<hlo::InstructionId, std::vector<propagation::ValueId>> copies_;
  using AxisKey = std::tuple<std::string, int64_t, int64_t>;
  // By instruction, dimension and axis, since a constant may have a copy for each of many readers.
  absl::flat_hash_map<std::tuple<hlo::InstructionId, int, AxisKey>, bool> copy_has_;
  std::map<AxisKey, HolderPaths> ways_;
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_WHY_NOT_H_
