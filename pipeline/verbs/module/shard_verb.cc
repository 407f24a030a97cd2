#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/proto.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/watch/pass_watch.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

bool IsBinary(const Arguments& arguments) { return absl::EndsWith(arguments.Get("o"), ".pb"); }

absl::StatusOr<VerbResult> Binary(const ShardResult& result, const PassWatch& watch) {
  TESSERA_ASSIGN_OR_RETURN(const hlo::Module module, hlo::ParseModule(result.text, "<sharded>"));
  TESSERA_ASSIGN_OR_RETURN(std::string bytes, hlo::ModuleToProto(module));
  return Done(std::move(bytes), absl::StrCat(absl::StrJoin(result.notes, ""),
                                             "note: binary HLO has no place for num_partitions=",
                                             module.header().num_partitions,
                                             ": pass it to the compiler\n", watch.Report()));
}

VerbResult RunShard(const Arguments& arguments) {
  if (IsBinary(arguments) && arguments.Has("stop-after")) {
    return BadInput("--stop-after gives the program as text, no binary HLO: expected -o FILE.txt");
  }
  auto options = ReadShardOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  const auto watch = PassWatch::Create(arguments, &*options);
  if (!watch.ok()) return BadInput(watch.status());
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    TESSERA_ASSIGN_OR_RETURN(ShardResult result, ShardModule(std::move(module), *options));
    if (IsBinary(arguments)) return Binary(result, **watch);
    return Done(std::move(result.text),
                absl::StrCat(absl::StrJoin(result.notes, ""), (*watch)->Report()));
  });
}

}  // namespace

Verb ShardVerb() {
  Verb verb;
  verb.name = "shard";
  verb.summary = "the module with the shardings that XLA gives it";
  verb.description =
      "Reads the annotations of the module, propagates them to every tensor, inserts the copies "
      "that the pass needs, and writes sharding={...} on each instruction. The rest of the text "
      "stays unchanged. -o FILE.pb writes binary HLO.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = ShardFlags();
  verb.flags.push_back(ModuleFlag());
  for (Flag& flag : PassFlags()) verb.flags.push_back(std::move(flag));
  verb.examples = {
      {"tessera shard step.hlo -o sharded.hlo", "shards a module that JAX annotated"},
      {"tessera shard mlp.hlo --mesh=data=4,model=2 --annotate=\"^x$=P('data')\" "
       "--annotate=\"w1=P(None,'model')\"",
       "shards a module without annotations by hand"},
  };
  verb.run = RunShard;
  return verb;
}

}  // namespace tessera::pipeline
