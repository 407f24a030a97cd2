#include "tessera/pipeline/verbs/costs/reshards_verb.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "re2/re2.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/comm_bill.h"
#include "tessera/pipeline/verbs/costs/reshard_cures.h"
#include "tessera/pipeline/verbs/costs/reshard_list.h"
#include "tessera/text/json.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using layout::FormatBytes;

// Which reshards to show.
struct Filter {
  std::optional<RE2> regex;
  std::string axis;
  int64_t min_bytes = 0;
  int64_t top = 0;
};

// What is said of a module.
struct Report {
  Reshards all;
  std::vector<Reshard> shown;
  int64_t passed = 0;  // the filters, whatever --top cuts off
  std::optional<ReshardCures> cures;
};

absl::StatusOr<int64_t> ReadNumber(const Arguments& arguments, const std::string& flag) {
  int64_t number = 0;
  if (absl::SimpleAtoi(arguments.Get(flag), &number) && number >= 0) return number;
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, "=", arguments.Get(flag), ": expected a number"));
}

absl::Status ReadFilter(const Arguments& arguments, Filter* filter) {
  filter->axis = arguments.Get("axis");
  TESSERA_ASSIGN_OR_RETURN(filter->min_bytes, ReadNumber(arguments, "min-bytes"));
  TESSERA_ASSIGN_OR_RETURN(filter->top, ReadNumber(arguments, "top"));
  if (!arguments.Has("match")) return absl::OkStatus();
  filter->regex.emplace(arguments.Get("match"), RE2::Quiet);
  if (filter->regex->ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--match=", arguments.Get("match"),
                   " is not a valid regular expression: ", filter->regex->error()));
}

bool RunsAlong(const Reshard& reshard, const std::string& axis) {
  return absl::c_any_of(reshard.collectives, [&](const CollectiveLine& line) {
    return line.axes.has_value() && absl::c_any_of(*line.axes, [&](const std::string& name) {
             return name == axis || absl::StartsWith(name, absl::StrCat(axis, ":("));
           });
  });
}

bool Shows(const Filter& filter, const Reshard& r) {
  if (r.total < filter.min_bytes) return false;
  if (!filter.axis.empty() && !RunsAlong(r, filter.axis)) return false;
  if (!filter.regex.has_value()) return true;
  return absl::c_any_of(
      std::vector<std::string>{r.value, r.consumer, r.op_name, r.location, r.library_location},
      [&](const std::string& text) { return RE2::PartialMatch(text, *filter.regex); });
}

// The axis of the filter must be one of the mesh.
absl::Status CheckAxis(const Filter& filter, const std::optional<sharding::Mesh>& mesh) {
  if (filter.axis.empty() || (mesh.has_value() && mesh->FindAxis(filter.axis).has_value())) {
    return absl::OkStatus();
  }
  std::vector<std::string> known;
  if (mesh.has_value()) {
    for (const sharding::MeshAxis& axis : mesh->axes()) known.push_back(axis.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--axis=", filter.axis, ": the axes are ", absl::StrJoin(known, ", ")));
}

// --- text ----------------------------------------------------------------------------------------

std::string CollectiveText(const CollectiveLine& line) {
  return absl::StrCat(line.op, " over ", AxesOf(line), " to ", line.shape, ", ",
                      FormatBytes(line.sent),
                      line.runs == 1 && !line.unknown_runs
                          ? ""
                          : absl::StrCat(" x", line.runs, line.unknown_runs ? "?" : ""));
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
      return absl::StrCat("so that the result of ", end, " lies as it shall");
    case ReshardKind::kBorder:
      break;
  }
  return absl::StrCat("at the border: ", end);
}

std::string FromToText(const Reshard& r) {
  if (r.from.empty() && r.to.empty()) return "";
  if (r.to.empty()) return absl::StrCat("  ", r.from, " -> otherwise");
  if (r.from == r.to) return absl::StrCat("  ", r.to, ", on other devices");
  return absl::StrCat("  ", r.from.empty() ? "otherwise" : r.from, " -> ", r.to);
}

constexpr char kIndent[] = "            ";

std::string CureText(const ReshardCure& cure, const cost::StepCost& before) {
  std::string text = absl::StrCat(kIndent, "cure: ", cure.annotations.front());
  if (cure.annotations.size() > 1) {
    absl::StrAppend(&text, " and ", cure.annotations.size() - 1, " alike");
  }
  absl::StrAppend(&text, "\n", kIndent, "      the program sends ", FormatBytes(before.sent),
                  " -> ", FormatBytes(cure.after.sent), ", memory ", FormatBytes(before.memory),
                  " -> ", FormatBytes(cure.after.memory), "\n");
  return text;
}

std::string ReshardText(const Report& report, size_t k) {
  const Reshard& r = report.shown[k];
  std::string text =
      absl::StrFormat("%10s  %s", FormatBytes(r.total), r.value.empty() ? "a part" : r.value);
  if (!r.shape.empty()) absl::StrAppend(&text, " ", r.shape);
  if (r.ends.size() > 1) absl::StrAppend(&text, " and ", r.ends.size() - 1, " alike");
  absl::StrAppend(&text, FromToText(r), "\n", kIndent, WhyText(r), PlaceText(r), "\n");
  for (const CollectiveLine& line : r.collectives) {
    absl::StrAppend(&text, kIndent, CollectiveText(line), "\n");
  }
  if (!report.cures.has_value()) return text;
  for (const ReshardCure& cure : report.cures->of[k]) {
    absl::StrAppend(&text, CureText(cure, report.cures->before));
  }
  if (report.cures->of[k].empty()) {
    absl::StrAppend(&text, kIndent,
                    "no single annotation that was tried removes it and sends less\n");
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
                    FormatBytes(report.all.others_sent), " (tessera comm)");
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

void PutCures(const std::vector<ReshardCure>& cures, text::JsonWriter* json) {
  json->Key("cures").BeginArray();
  for (const ReshardCure& cure : cures) {
    json->BeginObject().Key("annotations").BeginArray();
    for (const std::string& annotation : cure.annotations) json->String(annotation);
    json->EndArray().Key("after");
    PutCost(cure.after, json);
    json->EndObject();
  }
  json->EndArray();
}

void PutCollectives(const std::vector<CollectiveLine>& lines, text::JsonWriter* json) {
  json->Key("collectives").BeginArray();
  for (const CollectiveLine& line : lines) {
    json->BeginObject().Key("op").String(line.op).Key("shape").String(line.shape);
    json->Key("axes").String(AxesOf(line)).Key("sent").Int(line.sent);
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

absl::StatusOr<Report> MakeReport(const PartitionerInput& input, const ShardOptions& options,
                                  const Filter& filter, bool with_cures) {
  Report report;
  TESSERA_RETURN_IF_ERROR(CheckAxis(filter, input.mesh));
  TESSERA_ASSIGN_OR_RETURN(report.all, ListReshards(input));
  for (const Reshard& reshard : report.all.list) {
    if (!Shows(filter, reshard)) continue;
    ++report.passed;
    if (filter.top == 0 || report.passed <= filter.top) report.shown.push_back(reshard);
  }
  if (!with_cures || input.sharded == nullptr || report.shown.empty()) return report;
  TESSERA_ASSIGN_OR_RETURN(report.cures, FindReshardCures(input, options, report.shown));
  return report;
}

VerbResult Run(const Arguments& arguments) {
  const auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  Filter filter;
  const absl::Status read = ReadFilter(arguments, &filter);
  if (!read.ok()) return BadInput(read);
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    TESSERA_ASSIGN_OR_RETURN(PartitionerInput input,
                             ReadPartitionerInput(std::move(module), arguments, *options));
    TESSERA_ASSIGN_OR_RETURN(const int64_t opaque, LetCallsDecide(&input));
    TESSERA_ASSIGN_OR_RETURN(const Report report,
                             MakeReport(input, *options, filter, !arguments.Has("no-cures")));
    std::string out = arguments.Has("json") ? AsJson(report) : AsText(report);
    const std::string notes =
        absl::StrCat(absl::StrJoin(input.notes, ""), NoteOnOpaqueCalls(opaque));
    const bool fails = arguments.Has("strict") && report.passed > 0;
    return fails ? Finding(std::move(out), notes) : Done(std::move(out), notes);
  });
}

}  // namespace

Verb ReshardsVerb() {
  Verb verb;
  verb.name = "reshards";
  verb.summary = "which values move between devices, whose line makes them, and what would end it";
  verb.description =
      "Prints every reshard, what sends most first: the value, its sharding and the one that is "
      "needed, who needs it (a constraint of the program, or an operation that cannot work on what "
      "it gets), the line of the program behind the frames of libraries, and the collectives that "
      "XLA's SPMD partitioner makes for it, bytes that each device sends times the trips of loops. "
      "Reshards that look alike are one. For each of those shown the smallest annotations that "
      "remove it and make the program send less, each tried by propagating and partitioning again; "
      "a module that stands behind propagation is taken as it is, without these. Sums of partial "
      "results and exchanges of edges are no reshards (tessera comm has them), and neither is what "
      "sends nothing. With --strict the exit status is 1 if there is a reshard. See docs/costs.md.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = PropagationFlags();
  verb.flags.push_back({"top", "N", "only so many, and their cures; 0: all", "10", false});
  verb.flags.push_back(
      {"match", "REGEX", "only reshards with a match in a name, op_name or file:line", "", false});
  verb.flags.push_back({"axis", "NAME", "only what moves along this mesh axis", "", false});
  verb.flags.push_back({"min-bytes", "N", "only what sends at least so many bytes", "0", false});
  verb.flags.push_back({"no-cures", "", "do not look for annotations that remove them", "", false});
  verb.flags.push_back({"strict", "", "exit status 1 if a reshard passes the filters", "", false});
  verb.flags.push_back(AsIsFlag());
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera reshards step.hlo", "the ten that send most, and how to end them"},
      {"tessera reshards step.hlo --strict --min-bytes=1000000 --no-cures",
       "fails a build in which something big moves"},
      {"tessera reshards step.hlo --axis=model --match=attention", "some of them"},
  };
  verb.run = Run;
  return verb;
}

}  // namespace tessera::pipeline
