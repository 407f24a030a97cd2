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
#include "tessera/cost/network/target_machine.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/pipeline/verbs/costs/cures/reshard_cures.h"
#include "tessera/pipeline/verbs/costs/input/partitioned_program.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/reshard_list.h"
#include "tessera/pipeline/verbs/costs/target/reshards_on_target.h"
#include "tessera/pipeline/verbs/costs/target/target_lines.h"
#include "tessera/pipeline/verbs/costs/target/target_program.h"
#include "tessera/pipeline/verbs/costs/target/target_run.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/target/pass_lists.h"
#include "tessera/target/target.h"
#include "tessera/text/formats/json.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using layout::FormatBytes;

// What is said of a module.
struct Report {
  Reshards all;
  std::string target;      // "h100:8"; empty: the partitioner's collectives are the answer
  int64_t final_sent = 0;  // by the reshards on the target, in all runs
  int64_t final_all = 0;   // by all collectives of the target
  std::vector<Reshard> shown;
  int64_t passed = 0;  // the filters, whatever --top cuts off
  std::optional<CostCures> cures;
};

// What it sends on the machine that is asked about.
int64_t TotalOf(const Reshard& r) { return r.on_target.has_value() ? r.on_target->total : r.total; }

bool Shows(const ListFilter& filter, const Reshard& r) {
  const auto runs_along = [&](const CollectiveLine& line) {
    return RunsAlong(line, filter.axis());
  };
  return TotalOf(r) >= filter.min_bytes() &&
         (filter.axis().empty() || absl::c_any_of(r.collectives, runs_along)) &&
         filter.Matches({r.value, r.consumer, r.op_name, r.location, r.library_location});
}

// --- text ----------------------------------------------------------------------------------------

// " x12"; nothing for one run.
std::string TimesText(int64_t runs, bool unknown_runs) {
  if (runs == 1 && !unknown_runs) return "";
  return absl::StrCat(" x", runs, unknown_runs ? "?" : "");
}

std::string CauseText(const CollectiveLine& line) {
  return absl::StrCat(line.op, " over ", AxesText(line), " to ", line.shape, ", ",
                      FormatBytes(line.sent), TimesText(line.runs, line.unknown_runs));
}

// "all-gather over data to bf16[8,4], 96 KiB x12, one of 4 arrays by all-gather-combiner".
std::string FinalText(const FinalCollective& c) {
  std::string text = absl::StrCat(c.op, " over ", c.axes, " to ", c.shape, ", ",
                                  FormatBytes(c.sent), TimesText(c.runs, c.unknown_runs));
  if (c.alike > 1) absl::StrAppend(&text, ", ", c.alike, " alike");
  if (c.arrays > 1) absl::StrAppend(&text, ", one of ", c.arrays, " arrays");
  if (!c.pass.empty()) absl::StrAppend(&text, " by ", c.pass);
  return text;
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

std::string OnTargetText(const std::string& target, const ReshardOnTarget& made) {
  const std::string head = absl::StrCat(kIndent, "on ", target, ": ");
  if (made.collectives.empty()) return absl::StrCat(head, "nothing is sent\n");
  std::string text;
  for (const FinalCollective& c : made.collectives) {
    absl::StrAppend(&text, head, FinalText(c), "\n");
  }
  return text;
}

std::string ReshardText(const Report& report, size_t k) {
  const Reshard& r = report.shown[k];
  std::string text =
      absl::StrFormat("%10s  %s", FormatBytes(TotalOf(r)), r.value.empty() ? "a part" : r.value);
  if (!r.shape.empty()) absl::StrAppend(&text, " ", r.shape);
  if (r.ends.size() > 1) absl::StrAppend(&text, " and ", r.ends.size() - 1, " alike");
  absl::StrAppend(&text, FromToText(r), "\n", kIndent, WhyText(r), PlaceText(r), "\n");
  for (const CollectiveLine& line : r.collectives) {
    absl::StrAppend(&text, kIndent, CauseText(line), "\n");
  }
  if (r.on_target.has_value()) absl::StrAppend(&text, OnTargetText(report.target, *r.on_target));
  if (!report.cures.has_value()) return text;
  for (const CostCure& cure : report.cures->of[k]) {
    absl::StrAppend(&text, CureText(cure, report.cures->before));
  }
  if (report.cures->of[k].empty()) {
    absl::StrAppend(&text, kIndent, "no tried annotation removes it and sends less\n");
  }
  return text;
}

// What else is sent.
std::string OthersText(const Report& report) {
  if (!report.target.empty()) {
    return absl::StrCat(", on ", report.target, " finally ", FormatBytes(report.final_sent), " of ",
                        FormatBytes(report.final_all),
                        " (tessera collectives --target=", report.target, ")");
  }
  if (report.all.others == 0) return "";
  return absl::StrCat("; beside ", report.all.others,
                      report.all.others == 1 ? " other collective, " : " other collectives, ",
                      FormatBytes(report.all.others_sent), " (tessera collectives)");
}

std::string AsText(const Report& report) {
  const size_t count = report.all.list.size();
  std::string out =
      absl::StrCat(count, count == 1 ? " reshard" : " reshards", ", each device sends ",
                   FormatBytes(report.all.sent), OthersText(report), "\n");
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

void PutFinal(const ReshardOnTarget& made, text::JsonWriter* json) {
  json->Key("final_total").Int(made.total).Key("final_collectives").BeginArray();
  for (const FinalCollective& c : made.collectives) {
    json->BeginObject().Key("op").String(c.op).Key("shape").String(c.shape);
    json->Key("axes").String(c.axes).Key("sent").Int(c.sent).Key("runs").Int(c.runs);
    json->Key("alike").Int(c.alike).Key("arrays").Int(c.arrays);
    if (!c.pass.empty()) json->Key("made_by").String(c.pass);
    json->EndObject();
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
  if (r.on_target.has_value()) PutFinal(*r.on_target, json);
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
  if (!report.target.empty()) {
    json.Key("target").String(report.target).Key("final_sent").Int(report.final_sent);
    json.Key("final_all").Int(report.final_all);
  }
  if (report.cures.has_value()) {
    json.Key("before");
    PutCost(report.cures->before, &json);
  }
  json.EndObject();
  return json.text() + "\n";
}

// --- the verb ------------------------------------------------------------------------------------

// What is asked of a module.
struct Question {
  const Arguments& arguments;
  const ShardOptions& options;
  const ListFilter& filter;
};

absl::StatusOr<Report> ListAll(const PartitionedProgram& program) {
  Report report;
  TESSERA_ASSIGN_OR_RETURN(auto lines, ListCollectives(program.input, program.device.found));
  report.all = ListReshards(program.input, std::move(lines));
  return report;
}

// Those that pass the filters and --top.
void Choose(const ListFilter& filter, Report* report) {
  std::vector<const Reshard*> passed;
  std::vector<int64_t> bytes;
  for (const Reshard& reshard : report->all.list) {
    if (!Shows(filter, reshard)) continue;
    passed.push_back(&reshard);
    bytes.push_back(TotalOf(reshard));
  }
  report->passed = static_cast<int64_t>(passed.size());
  for (const size_t k : filter.Top(bytes)) report->shown.push_back(*passed[k]);
}

VerbResult ResultOf(const Question& question, const Report& report, const std::string& notes) {
  const std::string all =
      absl::StrCat(notes, question.filter.NoteOnNone(static_cast<size_t>(report.passed),
                                                     report.all.list.size(), "reshards"));
  VerbResult result = InBothForms(
      question.arguments, [&] { return AsJson(report); }, [&] { return AsText(report); }, all);
  if (question.arguments.Has("strict") && report.passed > 0) result.exit = Exit::kFinding;
  return result;
}

absl::StatusOr<VerbResult> OfPartitioner(const Question& question,
                                         const PartitionedProgram& program) {
  const PartitionerInput& input = program.input;
  TESSERA_RETURN_IF_ERROR(question.filter.CheckAxis(AxesOfMesh(input.mesh)));
  TESSERA_ASSIGN_OR_RETURN(Report report, ListAll(program));
  Choose(question.filter, &report);
  const bool with_cures = !question.arguments.Has("no-fixes") && input.sharded != nullptr;
  if (with_cures && !report.shown.empty()) {
    TESSERA_ASSIGN_OR_RETURN(
        report.cures, FindReshardCures(input, program.device, question.options, report.shown));
  }
  return ResultOf(question, report, absl::StrJoin(input.notes, ""));
}

// The partitioner's, and what the target's compiler makes of them.
absl::StatusOr<VerbResult> OfTarget(const Question& question, const TargetChoice& choice,
                                    hlo::Module module) {
  TESSERA_ASSIGN_OR_RETURN(
      PartitionedProgram program,
      PartitionProgramForTarget(std::move(module), choice, question.arguments, question.options));
  const PartitionerInput& input = program.input;
  TESSERA_RETURN_IF_ERROR(question.filter.CheckAxis(AxesOfMesh(input.mesh)));
  TESSERA_ASSIGN_OR_RETURN(Report report, ListAll(program));
  const std::vector<std::string> names = NamesOfCollectives(program);
  TESSERA_ASSIGN_OR_RETURN(auto context, RunTarget(std::move(program.device.module),
                                                   /*is_made=*/true, choice, question.arguments));
  TESSERA_ASSIGN_OR_RETURN(auto lines, TargetLines(std::move(*context), input.mesh));
  const auto machine = cost::MachineOf(choice.target);
  if (machine.ok()) TESSERA_RETURN_IF_ERROR(TakeSentOn(*machine, &lines));
  TakeFinal(names, lines, &report.all);
  report.target = choice.target.ToString();
  for (const Reshard& reshard : report.all.list) report.final_sent += reshard.on_target->total;
  for (const CollectiveLine& line : lines) report.final_all += line.total();
  Choose(question.filter, &report);
  return ResultOf(question, report,
                  absl::StrCat(absl::StrJoin(input.notes, ""), target::Caveat(choice.target)));
}

VerbResult RunReshards(const Arguments& arguments) {
  const auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  const auto filter = ListFilter::Read(arguments);
  if (!filter.ok()) return BadInput(filter.status());
  const auto choice = ReadTarget(arguments);
  if (!choice.ok()) return BadInput(choice.status());
  const Question question = {arguments, *options, *filter};
  if (choice->has_value() && (*choice)->target.chip->platform != target::Platform::kCpu) {
    return OnModule(arguments, [&](hlo::Module module) {
      return OfTarget(question, **choice, std::move(module));
    });
  }
  const auto make = [&](hlo::Module module) {
    return PartitionProgram(std::move(module), arguments, *options);
  };
  const auto answer = [&](const PartitionedProgram& program) {
    return OfPartitioner(question, program);
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
      "there is a reshard. See docs/reshards.md.\n\n"
      "With --target, each entry also lists the collectives that the compiler of the machine "
      "finally makes of it, and the order is by their bytes. Then no fixes are tried.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = PropagationFlags();
  for (Flag& flag : TargetFlags()) verb.flags.push_back(std::move(flag));
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
      {"tessera reshards step.hlo --target=tpu-v5e:4x4", "what a TPU finally sends for each"},
  };
  verb.run = RunReshards;
  return verb;
}

}  // namespace tessera::pipeline
