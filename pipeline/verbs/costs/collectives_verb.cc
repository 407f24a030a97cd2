#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/comm_bill.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/text/formats/json.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

const std::vector<BillSum>& SumsBy(const Bill& bill, absl::string_view by) {
  if (by == "axis") return bill.by_axis;
  return by == "op" ? bill.by_op : bill.by_line;
}

std::string LineText(const CollectiveLine& line) {
  std::string out = absl::StrFormat("%10s x%-4s %s %s", layout::FormatBytes(line.sent),
                                    RunsText(line), line.op, line.shape);
  absl::StrAppend(&out, " over ", Shortened(AxesText(line)));
  if (line.given) absl::StrAppend(&out, ", the program's own");
  absl::StrAppend(&out, ": ", line.consumer.empty() ? "a result" : line.consumer);
  if (!line.producer.empty()) absl::StrAppend(&out, " of ", line.producer);
  if (!line.op_name.empty()) absl::StrAppend(&out, ", ", line.op_name);
  if (!line.location.empty()) absl::StrAppend(&out, "  # ", line.location);
  return out + "\n";
}

std::string AsText(const Bill& bill, absl::string_view by) {
  const size_t count = bill.lines.size();
  std::string out =
      absl::StrCat(count, count == 1 ? " collective" : " collectives", ", each device sends ",
                   layout::FormatBytes(bill.total.sent), "\n");
  if (by.empty()) {
    for (const BillLine& entry : bill.lines) absl::StrAppend(&out, LineText(entry.line));
    return out;
  }
  for (const BillSum& sum : SumsBy(bill, by)) {
    absl::StrAppendFormat(&out, "%10s %6d  %s\n", layout::FormatBytes(sum.sent), sum.count,
                          Shortened(sum.name));
  }
  return out;
}

void PutStrings(absl::string_view key, const std::vector<std::string>& values,
                text::JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const std::string& value : values) json->String(value);
  json->EndArray();
}

void PutNesting(const std::vector<CollectiveLevel>& nesting, text::JsonWriter* json) {
  json->Key("nesting").BeginArray();
  for (const CollectiveLevel& level : nesting) {
    json->BeginObject().Key("kind").String(level.kind);
    json->Key("instruction").String(level.instruction);
    if (level.runs.has_value()) json->Key("runs").Int(*level.runs);
    json->EndObject();
  }
  json->EndArray();
}

void PutLine(const CollectiveLine& line, text::JsonWriter* json) {
  const auto put = [json](absl::string_view key, const std::string& value) {
    if (!value.empty()) json->Key(key).String(value);
  };
  json->BeginObject();
  put("op", line.op);
  put("shape", line.shape);
  PutStrings("operands", line.operands, json);
  put("devices", line.devices);
  if (line.group_size > 0) json->Key("group_size").Int(line.group_size);
  if (line.axes.has_value()) PutStrings("axes", line.axis_names, json);
  json->Key("dimensions").Ints(line.dimensions);
  put("reduction", line.reduction);
  json->Key("sent").Int(line.sent);
  json->Key("runs").Int(line.runs);
  if (line.unknown_runs) json->Key("unknown_runs").Bool(true);
  PutNesting(line.nesting, json);
  put("consumer", line.consumer);
  put("producer", line.producer);
  put("op_name", line.op_name);
  put("location", line.location);
  if (line.given) json->Key("given").Bool(true);
  json->EndObject();
}

std::string AsJson(const Bill& bill, absl::string_view by) {
  text::JsonWriter json;
  json.BeginObject().Key("collectives").BeginArray();
  for (const BillLine& entry : bill.lines) PutLine(entry.line, &json);
  json.EndArray().Key("sums").BeginArray();
  const std::vector<BillSum> none;
  for (const BillSum& sum : by.empty() ? none : SumsBy(bill, by)) {
    json.BeginObject().Key("name").String(sum.name);
    json.Key("count").Int(sum.count).Key("sent").Int(sum.sent).EndObject();
  }
  json.EndArray().EndObject();
  return json.text() + "\n";
}

VerbResult Run(const Arguments& arguments) {
  const std::string& by = arguments.Get("by");
  if (arguments.Has("by") && by != "axis" && by != "line" && by != "op") {
    return BadInput(absl::StrCat("--by=", by, ": expected axis, line or op"));
  }
  const auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  const auto make = [&](hlo::Module module) {
    return ReadPartitionerInput(std::move(module), arguments, *options);
  };
  const auto answer = [&](const PartitionerInput& input) -> absl::StatusOr<VerbResult> {
    TESSERA_ASSIGN_OR_RETURN(auto lines, ListCollectives(input));
    const Bill bill = MakeBill(std::move(lines), /*machine=*/nullptr);
    return Done(arguments.Has("json") ? AsJson(bill, by) : AsText(bill, by),
                absl::StrJoin(input.notes, ""));
  };
  return OnPrepared<PartitionerInput>(arguments, PartitionKey(arguments), make, answer);
}

}  // namespace

Verb CollectivesVerb() {
  Verb verb;
  verb.name = "collectives";
  verb.summary =
      "the collectives that XLA will insert, what each costs, and whose line asks for it";
  verb.description =
      "Prints a line for each collective that XLA's SPMD partitioner puts into the module, the one "
      "that sends most first: bytes that each device sends, how often it runs, opcode and shape on "
      "a device, mesh axes (or groups of devices), the instruction that asked for it, the one "
      "whose value is moved, and the user's line. A module in which instructions have shardings is "
      "taken as it is; any other one is propagated first. See docs/collectives.md.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = PropagationFlags();
  verb.flags.push_back({"by", "axis|line|op", "sums in place of single collectives", "", false});
  verb.flags.push_back(AsIsFlag());
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera collectives step.hlo", "what a step of training sends"},
      {"tessera collectives step.hlo --by=line", "which lines of the program cost most"},
      {"tessera collectives module_0002.sharded.hlo --mesh=data=4,model=2",
       "of a dump after propagation; the mesh gives its axes names"},
  };
  verb.run = Run;
  return verb;
}

}  // namespace tessera::pipeline
