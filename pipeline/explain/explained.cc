#include "tessera/pipeline/explain/explained.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/pipeline/steps/shard_pipeline.h"
#include "tessera/sharding/explain/export_events.h"
#include "tessera/sharding/explain/recorder.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {

using sharding::explain::AskedAxis;
using sharding::explain::EventLog;
using sharding::explain::ExportEvents;
using sharding::explain::Recorder;
using sharding::explain::RefusalKind;
using sharding::explain::SdyRecords;
using sharding::explain::SlotId;
using sharding::explain::ValueNames;
using sharding::explain::Verdict;
using sharding::explain::WhyNot;

absl::StatusOr<Explained> RunExplained(hlo::Module module, const ShardOptions& options) {
  Explained e;
  e.options = options;
  Recorder recorder;
  TESSERA_ASSIGN_OR_RETURN(e.sharded, Propagate(std::move(module), options, &recorder));
  e.is_read = ReadsFinal(e.sharded->module, options);
  e.log = std::make_unique<EventLog>(*e.sharded->program, *e.sharded->run, e.sharded->book->table,
                                     std::move(recorder));
  e.names = std::make_unique<ValueNames>(*e.log);
  e.why_not = std::make_unique<WhyNot>(*e.log, options.propagation);
  const ExportEvents exported(*e.log);
  TESSERA_RETURN_IF_ERROR(Finalize(options, e.sharded.get()));
  exported.AddTo(e.sharded->program.get(), e.log.get());
  return e;
}

std::vector<Verdict> Explained::Ask(SlotId slot, int dim,
                                    const std::vector<AskedAxis>& axes) const {
  static constexpr RefusalKind kWithoutSteps[] = {
      RefusalKind::kSingleDevice, RefusalKind::kManualAxis, RefusalKind::kSizeOneAxis,
      RefusalKind::kNeverRequested, RefusalKind::kAnnotationIgnored};
  std::vector<Verdict> verdicts = why_not->Ask(slot, dim, axes);
  const auto is_of_step = [](const Verdict& verdict) {
    return !verdict.path.empty() || !absl::c_linear_search(kWithoutSteps, verdict.headline.kind);
  };
  if (is_read) {
    verdicts.erase(std::remove_if(verdicts.begin(), verdicts.end(), is_of_step), verdicts.end());
  }
  return verdicts;
}

const SdyRecords& Explained::sdy_records() const {
  if (sdy_records_ == nullptr) sdy_records_ = std::make_unique<SdyRecords>(*log);
  return *sdy_records_;
}

}  // namespace tessera::pipeline
