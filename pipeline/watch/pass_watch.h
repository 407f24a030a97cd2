// The flags by which one looks into a run: --dump-after, --stop-after, --pass-timing.
//
//   verb.flags = Joined(ShardFlags(), PassFlags());
//   ...
//   TESSERA_ASSIGN_OR_RETURN(const auto watch, PassWatch::Create(arguments, &options));
//   ShardModule(std::move(module), options);     // watched
//   watch->Report();                             // for standard error

#ifndef TESSERA_PIPELINE_WATCH_PASS_WATCH_H_
#define TESSERA_PIPELINE_WATCH_PASS_WATCH_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/shard_options.h"
#include "tessera/pipeline/watch/pass_dump.h"
#include "tessera/pipeline/watch/pass_timer.h"
#include "tessera/sharding/passes/pass.h"

namespace tessera::pipeline {

std::vector<Flag> PassFlags();

class PassWatch : public sharding::passes::PassObserver {
 public:
  // Sets what the flags say in `options`, which must not outlive the watch. InvalidArgument for the
  // name of a pass that does not run with these options.
  static absl::StatusOr<std::unique_ptr<PassWatch>> Create(const Arguments& arguments,
                                                           ShardOptions* options);

  void BeforePass(const sharding::passes::Pass& pass, size_t place) override;
  absl::Status AfterPass(const sharding::passes::Pass& pass, size_t place,
                         const sharding::passes::Context& context) override;

  // The table of --pass-timing; empty without it.
  std::string Report() const;

 private:
  std::optional<PassTimer> timer_;
  std::vector<PassDump> dumps_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_WATCH_PASS_WATCH_H_
