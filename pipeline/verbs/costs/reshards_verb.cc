#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/pipeline/verbs/costs/cures/reshard_cures.h"
#include "tessera/pipeline/verbs/costs/input/partitioned_program.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/reshard_list.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/text/formats/json.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using layout::FormatBytes;

// Which reshards to show.
// What is said of a module.
struct Report {
  Reshards all;
  std::vector<Reshard> shown;
  int64_t passed = 0;  // the filters, whatever --top cuts off
  std::optional<CostCures> cures;
};

bool Shows(const ListFilter& filter, const Reshard& r) {
  const auto runs_along = [&](const CollectiveLine& line) {
    return RunsAlong(line, filter.axis());
  };
  return r.total >= filter.min_bytes() &&
         (filter.axis().empty() || absl::c_any_of(r.collectives, runs_along)) &&
         filter.Matches({r.value, r.consumer, r.op_name, r.location, r.library_location});
}

// --- text ----------------------------------------------------------------------------------------

std::string CauseText(const CollectiveLine& line) {
  return absl::StrCat(line.op, " over ", AxesText(line), " to ", line.shape, ", ",
                      FormatBytes(line.sent),
                      line.runs == 1 && !line.unknown_runs ? "" : " x" + RunsText(line));
}

std::string PlaceText(const Reshard& r) {
  std::string text;
  if (!r.op_name.empty()) absl::StrAppend(&text, ", ", r.op_name);
  if (!r.location.empty()) absl::StrAppend(&text, "  # ", r.location);
  if (!r.library_location.empty()) absl::StrAppend(&text, " > ", r.library_location);
  return text;
}

// "implied by dot.7", "explicit: copy.3".
std::string WhyText(const Reshard& r) {
  const std::string end = r.consumer.empty() ? "the end of a computation" : r.consumer;
  switch (r.kind) {
    case ReshardKind::kExplicit:
      return absl::StrCat("explicit: ", end);
    case ReshardKind::kImplied:
      return absl::StrCat("implied by ", end);
    case ReshardKind::kResult:
      return absl::StrCat("the result of ", end, " needs another sharding");
    case ReshardKind::kBorder:
      break;
  }
  return absl::StrCat("at the boundary: ", end);
}

std::string FromToText(const Reshard& r) {
  if (r.from.empty() && r.to.empty()) return "";
  if (r.to.empty()) return absl::StrCat("  ", r.from, " -> (no PartitionSpec)");
  if (r.from == r.to) return absl::StrCat("  ", r.to, ", on other devices");
  return absl::StrCat("  ", r.from.empty() ? "(no PartitionSpec)" : r.from, " -> ", r.to);
}

constexpr char kIndent[] = "            ";

std::string CureText(const CostCure& cure, const cost::StepCost& before) {
  return absl::StrCat(kIndent, CureText(cure), "\n", kIndent, "     the program sends ",
                      FormatBytes(before.sent), " -> ", FormatBytes(cure.after.sent), ", memory ",
                      FormatBytes(before.memory), " -> ", FormatBytes(cure.after.memory), "\n");
}

std::string ReshardText(const Report& report, size_t k) {
  const Reshard& r = report.shown[k];
  std::string text =
      absl::StrFormat("%10s  %s", FormatBytes(r.total), r.value.empty() ? "a part" : r.value);
  if (!r.shape.empty()) absl::StrAppend(&text, " ", r.shape);
  if (r.ends.size() > 1) absl::StrAppend(&text, " and ", r.ends.size() - 1, " alike");
  absl::StrAppend(&text, FromToText(r), "\n", kIndent, WhyText(r), PlaceText(r), "\n");
  for (const CollectiveLine& line : r.collectives) {
    absl::StrAppend(&text, kIndent, CauseText(line), "\n");
  }
  if (!report.cures.has_value()) return text;
  for (const CostCure& cure : report.cures->of[k]) {
    absl::StrAppend(&text, CureText(cure, report.cures->before));
  }
  if (report.cures->of[k].empty()) {
    absl::StrAppend(&text, kIndent, "no tried annotation removes it and sends less\n");
  }
  return text;
}

std::string AsText(const Report& report) {
  const size_t count = report.all.list.size();
  std::string out = absl::StrCat(count, count == 1 ? " reshard" : " reshards",
                                 ", each device sends ", FormatBytes(report.all.sent));
  if (report.all.others > 0) {
    absl::StrAppend(&out, "; beside ", report.all.others,
                    report.all.others == 1 ? " other collective, " : " other collectives, ",
                    FormatBytes(report.all.others_sent), " (tessera collectives)");
  }
  absl::StrAppend(&out, "\n");
  for (size_t k = 0; k < report.shown.size(); ++k) {
    absl::StrAppend(&out, "\n", ReshardText(report, k));
  }
  const int64_t left = report.passed - static_cast<int64_t>(report.shown.size());
  if (left > 0) absl::StrAppend(&out, "\nand ", left, " more: --top=0\n");
  return out;
}

// --- JSON ----------------------------------------------------------------------------------------

void PutCost(const cost::StepCost& cost, text::JsonWriter* json) {
  json->BeginObject().Key("sent").Int(cost.sent).Key("memory").Int(cost.memory).EndObject();
}

void PutCures(const std::vector<CostCure>& cures, text::JsonWriter* json) {
  json->Key("cures").BeginArray();
  for (const CostCure& cure : cures) {
    json->BeginObject();
    PutAnnotations(cure, json);
    json->Key("after");
    PutCost(cure.after, json);
    json->EndObject();
  }
  json->EndArray();
}

void PutCollectives(const std::vector<CollectiveLine>& lines, text::JsonWriter* json) {
  json->Key("collectives").BeginArray();
  for (const CollectiveLine& line : lines) {
    json->BeginObject().Key("op").String(line.op).Key("shape").String(line.shape);
    json->Key("axes").String(AxesText(line)).Key("sent").Int(line.sent);
    json->Key("runs").Int(line.runs).EndObject();
  }
  json->EndArray();
}

void PutReshard(const Report& report, size_t k, text::JsonWriter* json) {
  const Reshard& r = report.shown[k];
  const auto put = [json](absl::string_view key, const std::string& value) {
    if (!value.empty()) json->Key(key).String(value);
  };
  json->BeginObject();
  put("kind", KindText(r.kind));
  put("value", r.value);
  put("shape", r.shape);
  put("from", r.from);
  put("to", r.to);
  put("consumer", r.consumer);
  put("op_name", r.op_name);
  put("location", r.location);
  put("library_location", r.library_location);
  json->Key("sent").Int(r.sent).Key("total").Int(r.total);
  json->Key("alike").Int(static_cast<int64_t>(r.ends.size()));
  if (r.unknown_runs) json->Key("unknown_runs").Bool(true);
  PutCollectives(r.collectives, json);
  if (report.cures.has_value()) PutCures(report.cures->of[k], json);
  json->EndObject();
}

std::string AsJson(const Report& report) {
  text::JsonWriter json;
  json.BeginObject().Key("reshards").BeginArray();
  for (size_t k = 0; k < report.shown.size(); ++k) PutReshard(report, k, &json);
  json.EndArray().Key("count").Int(static_cast<int64_t>(report.all.list.size()));
  json.Key("sent").Int(report.all.sent);
  json.Key("other_collectives").Int(report.all.others);
  json.Key("other_sent").Int(report.all.others_sent);
  if (report.cures.has_value()) {
    json.Key("before");
    PutCost(report.cures->before, &json);
  }
  json.EndObject();
  return json.text() + "\n";
}

// --- the verb ------------------------------------------------------------------------------------

absl::StatusOr<Report> MakeReport(const PartitionedProgram& program, const ShardOptions& options,
                                  const ListFilter& filter, bool with_cures) {
  const PartitionerInput& input = program.input;
  Report report;
  TESSERA_RETURN_IF_ERROR(filter.CheckAxis(AxesOfMesh(input.mesh)));
  TESSERA_ASSIGN_OR_RETURN(auto lines, ListCollectives(input, program.device.found));
  report.all = ListReshards(input, std::move(lines));
  std::vector<const Reshard*> passed;
  std::vector<int64_t> bytes;
  for (const Reshard& reshard : report.all.list) {
    if (!Shows(filter, reshard)) continue;
    passed.push_back(&reshard);
    bytes.push_back(reshard.total);
  }
  report.passed = static_cast<int64_t>(passed.size());
  for (const size_t k : filter.Top(bytes)) report.shown.push_back(*passed[k]);
  if (!with_cures || input.sharded == nullptr || report.shown.empty()) return report;
  TESSERA_ASSIGN_OR_RETURN(report.cures,
                           FindReshardCures(input, program.device, options, report.shown));
  return report;
}

VerbResult RunReshards(const Arguments& arguments) {
  const auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  const auto filter = ListFilter::Read(arguments);
  if (!filter.ok()) return BadInput(filter.status());
  const auto make = [&](hlo::Module module) {
    return PartitionProgram(std::move(module), arguments, *options);
  };
  const auto answer = [&](const PartitionedProgram& program) -> absl::StatusOr<VerbResult> {
    TESSERA_ASSIGN_OR_RETURN(const Report report,
                             MakeReport(program, *options, *filter, !arguments.Has("no-fixes")));
    const std::string notes = absl::StrCat(
        absl::StrJoin(program.input.notes, ""),
        filter->NoteOnNone(static_cast<size_t>(report.passed), report.all.list.size(), "reshards"));
    VerbResult result = InBothForms(
        arguments, [&] { return AsJson(report); }, [&] { return AsText(report); }, notes);
    if (arguments.Has("strict") && report.passed > 0) result.exit = Exit::kFinding;
    return result;
  };
  return OnPrepared<PartitionedProgram>(arguments, PartitionKey(arguments), make, answer);
}

}  // namespace

Verb ReshardsVerb() {
  Verb verb;
  verb.name = "reshards";
  verb.summary = "values that move between devices, why, and tried fixes";
  verb.description =
      "Prints every reshard, the most bytes first. An entry has the value, its sharding and the "
      "sharding that its reader needs, the reader, and the line of the program outside "
      "libraries. Then follow the collectives, with the bytes that each device sends in all "
      "runs. The reader is a constraint of the program, or an operation that cannot work on its "
      "operand as it is sharded. Equal reshards are one entry.\n\n"
      "Each shown reshard lists the smallest annotations that remove it and make the program "
      "send less, tried by propagating and partitioning again. Modules with final shardings get "
      "no such list. Reductions of partial sums, halo exchanges (`tessera collectives` has both) "
      "and changes that send nothing are not reshards. With --strict the exit status is 1 if "
      "there is a reshard. See docs/reshards.md.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = PropagationFlags();
  for (Flag& flag : ListFilter::Flags("reshards", "that move along", "that send", "10")) {
    verb.flags.push_back(std::move(flag));
  }
  verb.flags.push_back({"no-fixes", "", "do not try annotations that remove them", "", false});
  verb.flags.push_back({"strict", "", "exit status 1 if a reshard passes the filters", "", false});
  AddAsIsFlag(&verb);
  verb.flags.push_back(JobsFlag());
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera reshards step.hlo", "the ten that send most, with fixes"},
      {"tessera reshards step.hlo --strict --min-bytes=1MB --no-fixes",
       "fails a build in which a large value moves"},
      {"tessera reshards step.hlo --axis=model --match=attention",
       "reshards along one axis, of one part of the model"},
  };
  verb.run = RunReshards;
  return verb;
}

}  // namespace tessera::pipeline
