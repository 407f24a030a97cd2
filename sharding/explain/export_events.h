// The changes of the passes after propagation, as events at the end of a log.
//
//   EventLog log(...);                  // after propagation
//   ExportEvents exported(log);
//   pipeline::Finalize(options, sharded.get());
//   exported.AddTo(sharded->program.get(), &log);   // kBoundaryCut: parameter 0 [{x}] -> [{}]
//
// Tested by chain_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_EXPORT_EVENTS_H_
#define TESSERA_SHARDING_EXPLAIN_EXPORT_EVENTS_H_

#include <vector>

#include "tessera/sharding/explain/event_log.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::explain {

class ExportEvents {
 public:
  // To be made while the program is as propagation left it.
  explicit ExportEvents(const EventLog& log);

  // One event for each slot whose sharding is another one now. `program` is that of the log.
  void AddTo(passes::HloProgram* program, EventLog* log) const;

 private:
  // By ValueId: the value whose final sharding the slot has; null if the value owns no sharding.
  std::vector<passes::Value*> final_values_;
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_EXPORT_EVENTS_H_
