#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/verbs/module/kernel_list.h"
#include "tessera/pipeline/verbs/module/module_stats.h"
#include "tessera/text/formats/json.h"

namespace tessera::pipeline {
namespace {

void AppendCounts(absl::string_view title, const NamedCounts& counts, std::string* out) {
  if (counts.empty()) return;
  absl::StrAppend(out, "\n", title, "\n");
  for (const auto& [name, count] : counts) absl::StrAppendFormat(out, "%10d  %s\n", count, name);
}

void AppendNumber(absl::string_view what, std::optional<int64_t> value, std::string* out) {
  absl::StrAppendFormat(out, "%-16s%s\n", what,
                        value.has_value() ? absl::StrCat(*value) : "more than 2^63");
}

std::string AsText(const ModuleStats& s, const std::vector<ListedKernel>& kernels) {
  std::string out = absl::StrFormat("%-16s%s\n", "module", s.module);
  AppendNumber("computations", s.computations, &out);
  AppendNumber("instructions", s.instructions, &out);
  if (s.num_partitions != 1) AppendNumber("partitions", s.num_partitions, &out);
  if (s.replica_count != 1) AppendNumber("replicas", s.replica_count, &out);
  AppendNumber("argument bytes", s.argument_bytes, &out);
  AppendNumber("result bytes", s.result_bytes, &out);
  AppendNumber("flops", s.flops, &out);
  AppendNumber("transcendentals", s.transcendentals, &out);
  AppendNumber("bytes accessed", s.bytes_accessed, &out);
  if (!s.unknown_trips.empty()) {
    absl::StrAppend(&out, "counted once    loops of unknown trip count: ",
                    absl::StrJoin(s.unknown_trips, ", "), "\n");
  }
  if (!s.meshes.empty()) absl::StrAppend(&out, "meshes          ", s.meshes, "\n");
  AppendCounts("opcodes", s.opcodes, &out);
  AppendCounts("custom-call targets", s.custom_call_targets, &out);
  absl::StrAppend(&out, KernelsText(kernels));
  AppendCounts("shardings", s.shardings, &out);
  AppendCounts("no sharding rule: shardings stop here", s.without_rule, &out);
  return out;
}

void PutCounts(absl::string_view key, const NamedCounts& counts, text::JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const auto& [name, count] : counts) {
    json->BeginObject().Key("name").String(name).Key("count").Int(count).EndObject();
  }
  json->EndArray();
}

std::string AsJson(const ModuleStats& s, const std::vector<ListedKernel>& kernels) {
  text::JsonWriter json;
  const auto put = [&](absl::string_view key, std::optional<int64_t> value) {
    if (value.has_value()) json.Key(key).Int(*value);
  };
  json.BeginObject().Key("module").String(s.module);
  put("computations", s.computations);
  put("instructions", s.instructions);
  put("num_partitions", s.num_partitions);
  put("replica_count", s.replica_count);
  PutCounts("opcodes", s.opcodes, &json);
  PutCounts("custom_call_targets", s.custom_call_targets, &json);
  PutCounts("shardings", s.shardings, &json);
  json.TextUnlessEmpty("meshes", s.meshes);
  put("argument_bytes", s.argument_bytes);
  put("result_bytes", s.result_bytes);
  put("flops", s.flops);
  put("transcendentals", s.transcendentals);
  put("bytes_accessed", s.bytes_accessed);
  PutCounts("without_rule", s.without_rule, &json);
  json.Key("unknown_trips").Strings(s.unknown_trips);
  PutKernels(kernels, &json);
  json.EndObject();
  return json.text() + "\n";
}

VerbResult RunStats(const Arguments& arguments) {
  return OnModule(arguments, [&](const hlo::Module& module) {
    const ModuleStats stats = StatsOf(module);
    const std::vector<ListedKernel> kernels = ListKernels(module);
    return Done(arguments.Has("json") ? AsJson(stats, kernels) : AsText(stats, kernels));
  });
}

}  // namespace

Verb StatsVerb() {
  Verb verb;
  verb.name = "stats";
  verb.summary = "counts of a module: opcodes, bytes, flops, shardings";
  verb.description =
      "Counts opcodes, custom-call targets and shardings of all computations. Bytes are those of "
      "the whole arrays, before sharding. Flops and bytes accessed are those of the entry "
      "computation, with loops multiplied by their trip counts. Kernels of Pallas and Triton are "
      "listed with their operands and results, and with the scratch memory and the cost that the "
      "module states of them. The last list names the ops without a sharding rule.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = {ModuleFlag(), {"json", "", "the answer as JSON", ""}};
  verb.examples = {{"tessera stats step.hlo", "the numbers of one module"}};
  verb.run = RunStats;
  return verb;
}

}  // namespace tessera::pipeline
