#include "tessera/pipeline/verbs/shard_verb.h"

#include <string>
#include <utility>

#include "absl/strings/str_join.h"
#include "tessera/pipeline/read_module.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/shard_arguments.h"

namespace tessera::pipeline {
namespace {

VerbResult Run(const Arguments& arguments) {
  const auto options = ReadShardOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  auto module = ReadModule(arguments);
  if (!module.ok()) return BadInput(module.status());
  auto result = ShardModule(*std::move(module), *options);
  if (!result.ok()) return BadInput(result.status());
  return Done(std::move(result->text), absl::StrJoin(result->notes, ""));
}

}  // namespace

Verb ShardVerb() {
  Verb verb;
  verb.name = "shard";
  verb.summary = "the module with the shardings that XLA's Shardy pass gives it";
  verb.description =
      "Reads the annotations of the module, carries them to every tensor, inserts the copies that "
      "are needed, and writes the module with sharding={...} on each instruction. Everything else "
      "of the text stays as it is.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = ShardFlags();
  verb.flags.push_back(ModuleFlag());
  verb.examples = {
      {"tessera shard step.hlo -o sharded.hlo", "shards a module that JAX annotated"},
      {"tessera shard mlp.hlo --mesh=data=4,model=2 --annotate=\"^x$=P('data')\" "
       "--annotate=\"w1=P(None,'model')\"",
       "shards a module without annotations by hand"},
  };
  verb.run = Run;
  return verb;
}

}  // namespace tessera::pipeline
