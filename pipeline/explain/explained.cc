#include "tessera/pipeline/explain/explained.h"

#include <utility>

#include "tessera/sharding/explain/export_events.h"
#include "tessera/sharding/explain/recorder.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {

using sharding::explain::EventLog;
using sharding::explain::ExportEvents;
using sharding::explain::Recorder;
using sharding::explain::SdyRecords;
using sharding::explain::ValueNames;
using sharding::explain::WhyNot;

absl::StatusOr<Explained> RunExplained(hlo::Module module, const ShardOptions& options) {
  Explained e;
  e.options = options;
  Recorder recorder;
  TESSERA_ASSIGN_OR_RETURN(e.sharded, Propagate(std::move(module), options, &recorder));
  e.log = std::make_unique<EventLog>(*e.sharded->program, *e.sharded->run, e.sharded->book->table,
                                     std::move(recorder));
  e.names = std::make_unique<ValueNames>(*e.log);
  e.why_not = std::make_unique<WhyNot>(*e.log, options.propagation);
  const ExportEvents exported(*e.log);
  TESSERA_RETURN_IF_ERROR(Finalize(options, e.sharded.get()));
  exported.AddTo(e.sharded->program.get(), e.log.get());
  return e;
}

const SdyRecords& Explained::sdy_records() const {
  if (sdy_records_ == nullptr) sdy_records_ = std::make_unique<SdyRecords>(*log);
  return *sdy_records_;
}

}  // namespace tessera::pipeline
