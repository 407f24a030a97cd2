// A module, propagated with a recorder and finished: what the verbs that explain work on.
//
//   TESSERA_ASSIGN_OR_RETURN(Explained e, RunExplained(std::move(module), options));
//   e.log->Propagated(slot);      // the sharding that propagation left
//   e.Final(slot);                // the one that XLA's partitioner gets

#ifndef TESSERA_PIPELINE_EXPLAIN_EXPLAINED_H_
#define TESSERA_PIPELINE_EXPLAIN_EXPLAINED_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/shard.h"
#include "tessera/sharding/explain/event_log.h"
#include "tessera/sharding/explain/sdy_records.h"
#include "tessera/sharding/explain/value_names.h"
#include "tessera/sharding/explain/whynot/why_not.h"

namespace tessera::pipeline {

struct Explained {
  ShardOptions options;
  std::unique_ptr<PropagatedModule> sharded;
  std::unique_ptr<sharding::explain::EventLog> log;
  std::unique_ptr<sharding::explain::ValueNames> names;
  std::unique_ptr<sharding::explain::WhyNot> why_not;
  bool is_read = false;  // the shardings were read as final; nothing was propagated

  // Why axes are not there; of shardings that were read, only what is true without propagation.
  std::vector<sharding::explain::Verdict> Ask(
      sharding::explain::SlotId slot, int dim,
      const std::vector<sharding::explain::AskedAxis>& axes) const;

  // Made by the first question that needs it; not by two threads at once.
  const sharding::explain::SdyRecords& sdy_records() const;

  sharding::ShardingId FinalId(sharding::explain::SlotId slot) const { return log->FinalId(slot); }
  // Null without a sharding.
  const sharding::TensorSharding* Final(sharding::explain::SlotId slot) const {
    return sharded->program->Find(FinalId(slot));
  }

 private:
  mutable std::unique_ptr<sharding::explain::SdyRecords> sdy_records_;
};

// Errors as of Propagate and Finalize.
absl::StatusOr<Explained> RunExplained(hlo::Module module, const ShardOptions& options);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_EXPLAINED_H_
