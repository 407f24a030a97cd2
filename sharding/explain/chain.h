// Why a dimension has an axis: the way back to its annotation.
//
//   for (const Chain& chain : Why(log, slot, /*dim=*/1, AxisRef::Full(0))) {
//     for (const Link& link : chain.links) log.event(link.event);   // the last of them first
//     log.annotations()[chain.annotation];
//   }
//
// An axis that came in parts has a chain for each part. Where several tensors could have been the
// source of a step, the chain goes on with Shardy's choice. Annotations to which the others lead
// are in `also`: without the one at the end of the chain the axis may still come.
//
// Cost: linear in the length of the chain for each part, and once more for `also`.
// Tested by chain_test.cc; on every golden module every axis has a chain (checks.h).

#ifndef TESSERA_SHARDING_EXPLAIN_CHAIN_H_
#define TESSERA_SHARDING_EXPLAIN_CHAIN_H_

#include <cstdint>
#include <vector>

#include "tessera/sharding/explain/event_log.h"

namespace tessera::sharding::explain {

// At dimension `dim` of the slot, `axis` came by this gain of this event.
struct Link {
  int32_t event = kNoIndex;
  int gain = 0;
  SlotId slot = kNoIndex;
  propagation::ValueId value = propagation::kNone;  // of that slot, that the step before it read
  int dim = 0;
  AxisRef axis;
};

struct Chain {
  AxisRef axis;  // the part of the axis that was asked for
  std::vector<Link> links;
  int32_t annotation = kNoIndex;  // kNoIndex if the events end nowhere, a fault of tessera
  std::vector<Chain> also;        // each to another annotation; begins where the ways part
};

// A chain step by step, for callers that follow many: the links by which the parts of `axis` came to
// the dimension before event number `bound`, the latest first.
std::vector<Link> LastLinks(const EventLog& log, SlotId slot, int dim, AxisRef axis,
                            int32_t bound = EventLog::kEnd);
// Those by which the axis of the link came to where it was taken from; none after an annotation.
std::vector<Link> LinksBefore(const EventLog& log, const Link& link);

// One chain for each part of `axis` that the slot has, as the events before number `bound` left it.
std::vector<Chain> Why(const EventLog& log, SlotId slot, int dim, AxisRef axis,
                       int32_t bound = EventLog::kEnd);

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_CHAIN_H_
