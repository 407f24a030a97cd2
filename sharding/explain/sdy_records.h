// The records of Shardy's own debugging for a run (attributes sdy.sharding_origins and
// sdy.propagation_edges), worked out from the events.
//
//   SdyRecords records(log);
//   records.edges();                       // step 3: "x" = operand-0 -> result-0 of add.1
//   records.OriginText(slot, axis);        // "input: 0", "constraint_2", "mc_0_output: 1", "self"
//
// It is less than the truth. An entry is written once and never again, and an annotated value that
// feeds a constraint is blamed on that. Axes that a tensor cannot express are recorded all the
// same. It is here to be compared with the reference; for users there is chain.h.
//
// Cost: linear in the steps. Tested by chain_test.cc and, against the reference, by the
// family explain_origins of the conformance driver.

#ifndef TESSERA_SHARDING_EXPLAIN_SDY_RECORDS_H_
#define TESSERA_SHARDING_EXPLAIN_SDY_RECORDS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tessera/sharding/explain/event_log.h"

namespace tessera::sharding::explain {

// In one step the target tensor got the axis from the source tensor (operands, then results).
struct SdyEdge {
  int64_t step = 0;
  propagation::OpId op = propagation::kNone;
  int output = propagation::kNone;  // without an op
  AxisRef axis;
  int source = 0;
  int target = 0;
};

class SdyRecords {
 public:
  explicit SdyRecords(const EventLog& log);

  // By step; of edges of one op that differ in nothing else, the first only.
  const std::vector<SdyEdge>& edges() const { return edges_; }

  // The origin of an axis, by its exact entry or by one of an axis that contains it or lies in it.
  // An output shows the origins of the value that it returns. "" if nothing was recorded.
  std::string OriginText(SlotId slot, AxisRef axis) const;

 private:
  // Axis and number of the annotation, in the order in which they were written.
  using Origins = std::vector<std::pair<AxisRef, int32_t>>;

  void Blame(SlotId slot, const TensorSharding* sharding, int32_t annotation);
  void AddStart();
  void AddStep(const Step& step);
  void AddEdge(const Step& step, const Take& take, AxisRef axis);
  // Outputs share the entries of their value.
  SlotId Holder(SlotId slot) const;
  static void Write(Origins* origins, AxisRef axis, int32_t annotation);
  static int32_t Find(const Origins& origins, AxisRef axis);

  const EventLog& log_;
  std::vector<SdyEdge> edges_;
  std::vector<Origins> origins_;  // by slot
};

// "input: 0", "constraint_2"
std::string SdyOriginName(const Annotation& annotation);

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_SDY_RECORDS_H_
