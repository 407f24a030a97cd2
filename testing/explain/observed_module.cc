#include "tessera/testing/explain/observed_module.h"

#include <utility>

#include "tessera/hlo/parser.h"
#include "tessera/testing/references/nearest_reference.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::explain {

absl::StatusOr<ObservedModule> Observe(hlo::Module module, const pipeline::ShardOptions& options) {
  ObservedModule observed;
  Recorder recorder;
  TESSERA_ASSIGN_OR_RETURN(observed.sharded,
                           pipeline::Propagate(std::move(module), options, &recorder));
  observed.log = std::make_unique<EventLog>(*observed.sharded->program, *observed.sharded->run,
                                            observed.sharded->book->table, std::move(recorder));
  return observed;
}

absl::StatusOr<ObservedModule> ObserveText(absl::string_view text,
                                           const pipeline::ShardOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(hlo::Module module, hlo::ParseModule(std::string(text)));
  return Observe(std::move(module), options);
}

absl::StatusOr<ObservedModule> ObserveFile(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(const pipeline::ShardOptions options, OptionsForFile(path));
  TESSERA_ASSIGN_OR_RETURN(hlo::Module module, ReadModuleFile(path));
  return Observe(std::move(module), options);
}

absl::StatusOr<hlo::Module> ReadModuleFile(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(const auto source, text::Source::FromFile(path));
  hlo::ParsedText parsed = hlo::ParseModules(source);
  if (!parsed.diagnostics.ok()) return parsed.diagnostics.ToStatus(*source);
  if (parsed.modules.empty()) return absl::InvalidArgumentError("no module");
  return std::move(parsed.modules[0]);
}

absl::StatusOr<pipeline::ShardOptions> OptionsForFile(const std::string& path) {
  pipeline::ShardOptions options;
  TESSERA_ASSIGN_OR_RETURN(options.reference, testing::NearestReference(path));
  return options;
}

}  // namespace tessera::sharding::explain
