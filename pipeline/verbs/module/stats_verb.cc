#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/repeated_field.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/schema/stats_answer.pb.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/verbs/module/kernel_list.h"
#include "tessera/pipeline/verbs/module/module_stats.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

void AppendCounts(absl::string_view title,
                  const google::protobuf::RepeatedPtrField<answers::NamedCount>& counts,
                  std::string* out) {
  if (counts.empty()) return;
  absl::StrAppend(out, "\n", title, "\n");
  for (const answers::NamedCount& one : counts) {
    absl::StrAppendFormat(out, "%10d  %s\n", one.count(), one.name());
  }
}

void AppendNumber(absl::string_view what, int64_t value, std::string* out) {
  absl::StrAppendFormat(out, "%-16s%d\n", what, value);
}

void AppendTotal(absl::string_view what, bool is_known, int64_t value, std::string* out) {
  if (is_known) return AppendNumber(what, value, out);
  absl::StrAppendFormat(out, "%-16smore than 2^63\n", what);
}

std::string AsText(const answers::StatsAnswer& s) {
  std::string out = absl::StrFormat("%-16s%s\n", "module", s.module());
  AppendNumber("computations", s.computations(), &out);
  AppendNumber("instructions", s.instructions(), &out);
  if (s.num_partitions() != 1) AppendNumber("partitions", s.num_partitions(), &out);
  if (s.replica_count() != 1) AppendNumber("replicas", s.replica_count(), &out);
  AppendNumber("argument bytes", s.argument_bytes(), &out);
  AppendNumber("result bytes", s.result_bytes(), &out);
  AppendTotal("flops", s.has_flops(), s.flops(), &out);
  AppendTotal("transcendentals", s.has_transcendentals(), s.transcendentals(), &out);
  AppendTotal("bytes accessed", s.has_bytes_accessed(), s.bytes_accessed(), &out);
  if (!s.unknown_trips().empty()) {
    absl::StrAppend(&out, "counted once    loops of unknown trip count: ",
                    absl::StrJoin(s.unknown_trips(), ", "), "\n");
  }
  if (!s.meshes().empty()) absl::StrAppend(&out, "meshes          ", s.meshes(), "\n");
  AppendCounts("opcodes", s.opcodes(), &out);
  AppendCounts("custom-call targets", s.custom_call_targets(), &out);
  absl::StrAppend(&out, KernelsText(s));
  AppendCounts("shardings", s.shardings(), &out);
  AppendCounts("no sharding rule: shardings stop here", s.without_rule(), &out);
  return out;
}

VerbResult RunStats(const Arguments& arguments) {
  return OnModule(arguments, [&](const hlo::Module& module) {
    const answers::StatsAnswer stats = StatsOf(module);
    return Done(arguments.Has("json") ? text::JsonOf(stats) + "\n" : AsText(stats));
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
      "listed with operands, results, and the scratch memory and cost that the module states. The "
      "last list names the ops without a sharding rule.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = {ModuleFlag(), {"json", "", "the answer as JSON", ""}};
  verb.examples = {{"tessera stats step.hlo", "the numbers of one module"}};
  verb.run = RunStats;
  return verb;
}

}  // namespace tessera::pipeline
