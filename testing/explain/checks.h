// Checks of the event log of any module.
//
//   absl::Status status = CheckReplay(log);    // the events give the state of the engine
//   absl::Status status = CheckChains(log);    // every axis has a chain back to an annotation
//
// Run on every golden module by golden_modules_test.cc.

#ifndef TESSERA_TESTING_EXPLAIN_CHECKS_H_
#define TESSERA_TESTING_EXPLAIN_CHECKS_H_

#include "absl/status/status.h"
#include "tessera/sharding/explain/event_log.h"

namespace tessera::sharding::explain {

// Starts from nothing; each `before` must be what its slot holds then, and what the slots hold at
// the end must be what propagation left. Events after propagation are not looked at. Internal
// with the first that differs.
absl::Status CheckReplay(const EventLog& log);

// Each axis of each slot, as propagation left it, in all its parts. Internal with the first that
// has no chain, or one whose events do not go back in time.
absl::Status CheckChains(const EventLog& log);

}  // namespace tessera::sharding::explain

#endif  // TESSERA_TESTING_EXPLAIN_CHECKS_H_
