// A module, run and recorded, for tests.
//
//   absl::StatusOr<ObservedModule> m = ObserveFile("testing/jax/golden/adam.before.hlo");
//   m->log->events();

#ifndef TESSERA_TESTING_EXPLAIN_OBSERVED_MODULE_H_
#define TESSERA_TESTING_EXPLAIN_OBSERVED_MODULE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/shard.h"
#include "tessera/sharding/explain/event_log.h"

namespace tessera::sharding::explain {

struct ObservedModule {
  std::unique_ptr<pipeline::PropagatedModule> sharded;
  std::unique_ptr<EventLog> log;
};

absl::StatusOr<ObservedModule> Observe(hlo::Module module, const pipeline::ShardOptions& options);
absl::StatusOr<ObservedModule> ObserveText(absl::string_view text,
                                           const pipeline::ShardOptions& options = {});
// With the reference of the folder; the first module of the file.
absl::StatusOr<ObservedModule> ObserveFile(const std::string& path);

// The two halves of ObserveFile.
absl::StatusOr<hlo::Module> ReadModuleFile(const std::string& path);
absl::StatusOr<pipeline::ShardOptions> OptionsForFile(const std::string& path);

}  // namespace tessera::sharding::explain

#endif  // TESSERA_TESTING_EXPLAIN_OBSERVED_MODULE_H_
