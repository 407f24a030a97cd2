#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/cost/memory/compiled_memory.h"
#include "tessera/cost/memory/device_memory.h"
#include "tessera/cost/memory/usable_memory.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/cures/cost_cures.h"
#include "tessera/pipeline/verbs/costs/cures/memory_cures.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/costs/input/partitioned_program.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/input/spec_reader.h"
#include "tessera/pipeline/verbs/costs/memory_limit.h"
#include "tessera/pipeline/verbs/costs/target/memory_on_target.h"
#include "tessera/pipeline/verbs/costs/target/target_run.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/target/target.h"
#include "tessera/text/formats/json.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using cost::DeviceBuffer;
using cost::DeviceMemory;
using layout::FormatBytes;

constexpr size_t kMaxBuffers = 10;  // in text; the JSON has them all

constexpr char kNotModelled[] =
    "sizes in tiles of the hardware, with the module's order of dimensions and the least padding;\n"
    "unknown: the layouts of the compiler, and the padding of messages\n";

struct Origin {
  std::string op_name, location, sharding;
  std::vector<CostCure> cures;  // best first
};

// Everything that is said of a module.
struct Report {
  DeviceMemory memory;
  bool is_final = false;                  // of a program that a compiler has finished
  std::vector<cost::OtherMemory> others;  // of such a one
  std::optional<MemoryLimit> limit;
  std::vector<Origin> at_peak, arguments;  // of the buffers of these lists
  int64_t sent = 0;                        // bytes by each device, what cures are compared with
  int64_t tried = 0;                       // annotations

  // Arrays are in the tiles of the hardware.
  bool is_tiled() const { return limit.has_value() && limit->tiles.has_value(); }
  const layout::TileRules* tiles() const { return is_tiled() ? &*limit->tiles : nullptr; }
  bool fits() const { return !limit.has_value() || memory.total() <= limit->bytes; }
};

std::vector<Origin> OriginsOf(const PartitionerInput& input, const SourceLocations& locations,
                              const std::vector<DeviceBuffer>& buffers) {
  SpecReader specs(input);
  std::vector<Origin> origins;
  for (const DeviceBuffer& buffer : buffers) {
    origins.push_back({hlo::GetOpName(input.module, buffer.instruction),
                       locations.Of(buffer.instruction),
                       specs.SpecOf(buffer.instruction, buffer.leaf),
                       {}});
  }
  return origins;
}

constexpr char kIndent[] = "              ";  // below the name of a buffer

std::string CureText(const CostCure& cure, const Report& report) {
  return absl::StrCat(kIndent, CureText(cure), "\n", kIndent, "     in all ",
                      FormatBytes(report.memory.total()), " -> ", FormatBytes(cure.after.memory),
                      ", each device sends ", FormatBytes(report.sent), " -> ",
                      FormatBytes(cure.after.sent), "\n");
}

std::string ListText(const std::vector<DeviceBuffer>& buffers, const std::vector<Origin>& origins,
                     const Report& report) {
  std::string out;
  for (size_t k = 0; k < buffers.size() && k < kMaxBuffers; ++k) {
    absl::StrAppendFormat(&out, "%12s  %s %s", FormatBytes(buffers[k].bytes), buffers[k].name,
                          buffers[k].shape);
    if (!origins[k].sharding.empty()) absl::StrAppend(&out, " ", origins[k].sharding);
    if (!buffers[k].inside.empty()) absl::StrAppend(&out, " in ", buffers[k].inside);
    if (buffers[k].padding > 0) {
      absl::StrAppend(&out, ", ", FormatBytes(buffers[k].padding), " of it padding");
    }
    if (!origins[k].op_name.empty()) absl::StrAppend(&out, ", ", origins[k].op_name);
    if (!origins[k].location.empty()) absl::StrAppend(&out, "  # ", origins[k].location);
    absl::StrAppend(&out, "\n");
    if (!buffers[k].better_shape.empty()) {
      absl::StrAppend(&out, kIndent, "as ", buffers[k].better_shape, " ",
                      FormatBytes(buffers[k].better_bytes), "\n");
    }
    if (!origins[k].cures.empty()) {
      absl::StrAppend(&out, CureText(origins[k].cures.front(), report));
    }
  }
  if (buffers.size() > kMaxBuffers) {
    absl::StrAppend(&out, kIndent, "and ", buffers.size() - kMaxBuffers, " more\n");
  }
  return out;
}

std::string Row(int64_t bytes, absl::string_view what) {
  return absl::StrFormat("%12s  %s\n", FormatBytes(bytes), what);
}

std::string LimitText(const Report& report) {
  if (!report.limit.has_value()) return "";
  const int64_t rest = report.limit->bytes - report.memory.total();
  return absl::StrCat(report.fits() ? "fits " : "does not fit ", report.limit->said, ": ",
                      FormatBytes(rest < 0 ? -rest : rest), rest < 0 ? " too much\n" : " left\n");
}

bool HasCures(const Report& report) {
  const auto has = [](const Origin& origin) { return !origin.cures.empty(); };
  return absl::c_any_of(report.at_peak, has) || absl::c_any_of(report.arguments, has);
}

std::string AsText(const Report& report) {
  const DeviceMemory& m = report.memory;
  std::string out = "per device\n";
  absl::StrAppend(&out, Row(m.arguments, "arguments"), Row(m.results, "results"));
  if (m.aliased > 0) absl::StrAppend(&out, Row(-m.aliased, "results in the memory of arguments"));
  if (m.constants > 0) absl::StrAppend(&out, Row(m.constants, "constants"));
  absl::StrAppend(
      &out,
      Row(m.temporaries, report.is_final ? "temporaries at their peak, by schedule and live ranges"
                                         : "temporaries at their peak, an estimate"),
      Row(m.total(), "in all"), LimitText(report));
  for (const cost::OtherMemory& other : report.others) {
    absl::StrAppend(&out, Row(other.bytes, absl::StrCat("in ", other.name, ", an estimate")));
  }
  if (m.temporaries > 0) {
    absl::StrAppend(&out, "\ntemporaries", m.peak_at.empty() ? "" : absl::StrCat(" at ", m.peak_at),
                    "\n", ListText(m.at_peak, report.at_peak, report));
    int64_t listed = 0;
    for (const DeviceBuffer& buffer : m.at_peak) listed += buffer.bytes;
    if (listed < m.temporaries) {
      absl::StrAppend(&out, Row(m.temporaries - listed, "messages"));
    }
  }
  absl::StrAppend(&out, "\narguments\n", ListText(m.argument_list, report.arguments, report));
  if (report.tried > 0 && !HasCures(report)) {
    absl::StrAppend(&out, "\n", report.tried,
                    " annotations that shard one of the largest further were tried: none lowers "
                    "the sum\n");
  }
  if (report.is_tiled()) absl::StrAppend(&out, "\n", kNotModelled);
  return out;
}

void PutCures(const std::vector<CostCure>& cures, text::JsonWriter* json) {
  json->Key("cures").BeginArray();
  for (const CostCure& cure : cures) {
    json->BeginObject();
    PutAnnotations(cure, json);
    json->Key("total").Int(cure.after.memory).Key("sent").Int(cure.after.sent).EndObject();
  }
  json->EndArray();
}

void PutBuffers(absl::string_view key, const std::vector<DeviceBuffer>& buffers,
                const std::vector<Origin>& origins, text::JsonWriter* json) {
  json->Key(key).BeginArray();
  for (size_t k = 0; k < buffers.size(); ++k) {
    json->BeginObject().Key("name").String(buffers[k].name);
    json->Key("shape").String(buffers[k].shape).Key("bytes").Int(buffers[k].bytes);
    if (!buffers[k].inside.empty()) json->Key("inside").String(buffers[k].inside);
    if (!origins[k].sharding.empty()) json->Key("sharding").String(origins[k].sharding);
    if (buffers[k].padding > 0) json->Key("padding").Int(buffers[k].padding);
    if (!buffers[k].better_shape.empty()) {
      json->Key("better_shape").String(buffers[k].better_shape);
      json->Key("better_bytes").Int(buffers[k].better_bytes);
    }
    if (!origins[k].op_name.empty()) json->Key("op_name").String(origins[k].op_name);
    if (!origins[k].location.empty()) json->Key("location").String(origins[k].location);
    if (!origins[k].cures.empty()) PutCures(origins[k].cures, json);
    json->EndObject();
  }
  json->EndArray();
}

void PutOthers(const std::vector<cost::OtherMemory>& others, text::JsonWriter* json) {
  if (others.empty()) return;
  json->Key("others").BeginArray();
  for (const cost::OtherMemory& other : others) {
    json->BeginObject().Key("space").Int(other.space).Key("name").String(other.name);
    json->Key("bytes").Int(other.bytes).Key("temporaries").Int(other.temporaries);
    if (!other.peak_at.empty()) json->Key("peak_at").String(other.peak_at);
    json->EndObject();
  }
  json->EndArray();
}

std::string AsJson(const Report& report) {
  const DeviceMemory& m = report.memory;
  text::JsonWriter json;
  json.BeginObject().Key("arguments").Int(m.arguments).Key("results").Int(m.results);
  json.Key("aliased").Int(m.aliased).Key("constants").Int(m.constants);
  json.Key("temporaries").Int(m.temporaries);
  json.Key("total").Int(m.total());
  if (!m.peak_at.empty()) json.Key("peak_at").String(m.peak_at);
  PutBuffers("at_peak", m.at_peak, report.at_peak, &json);
  PutBuffers("argument_list", m.argument_list, report.arguments, &json);
  if (report.limit.has_value()) {
    json.Key("limit").Int(report.limit->bytes).Key("fits").Bool(report.fits());
  }
  PutOthers(report.others, &json);
  if (report.tried > 0) json.Key("sent").Int(report.sent).Key("tried").Int(report.tried);
  json.EndObject();
  return json.text() + "\n";
}

// The pass calls them anew.
void NameArguments(const hlo::Module& module, const std::vector<EntryArgument>& known,
                   Report* report) {
  if (known.size() != module.entry().parameters.size()) return;
  for (size_t k = 0; k < report->arguments.size(); ++k) {
    DeviceBuffer& buffer = report->memory.argument_list[k];
    const hlo::Instruction& i = module.instruction(buffer.instruction);
    buffer.name = known[i.parameter_number].name + buffer.name.substr(i.name.size());
    report->arguments[k].op_name = known[i.parameter_number].op_name;
    report->arguments[k].location = known[i.parameter_number].location;
  }
}

absl::StatusOr<Report> Measure(const PartitionerInput& input,
                               const sharding::partition::Partitioned& found,
                               std::optional<MemoryLimit> limit,
                               const std::vector<EntryArgument>& known) {
  Report report;
  report.limit = std::move(limit);
  auto memory = cost::MemoryOf(input.module, found, /*timeline=*/nullptr, report.tiles());
  if (!memory.ok()) return LocatedInInput(memory.status(), input);
  report.memory = *std::move(memory);
  const SourceLocations locations(input.module);
  report.at_peak = OriginsOf(input, locations, report.memory.at_peak);
  report.arguments = OriginsOf(input, locations, report.memory.argument_list);
  NameArguments(input.module, known, &report);
  return report;
}

// What a compiler has finished: nothing is estimated, and no annotation changes it.
absl::StatusOr<Report> MeasureFinal(const PartitionerInput& input,
                                    std::optional<MemoryLimit> limit) {
  Report report;
  report.is_final = true;
  report.limit = std::move(limit);
  if (report.limit) report.limit->tiles.reset();  // the layouts have theirs
  auto memory = cost::MemoryOfCompiled(input.module);
  if (!memory.ok()) return LocatedInInput(memory.status(), input);
  report.memory = std::move(memory->device);
  report.others = std::move(memory->others);
  const SourceLocations locations(input.module);
  report.at_peak = OriginsOf(input, locations, report.memory.at_peak);
  report.arguments = OriginsOf(input, locations, report.memory.argument_list);
  return report;
}

// Largest first, arguments and temporaries.
absl::Status AddCures(const PartitionerInput& input, const sharding::partition::Partitioned& found,
                      const ShardOptions& options, Report* report) {
  const DeviceMemory& m = report->memory;
  std::vector<std::pair<DeviceBuffer, Origin*>> all;
  for (size_t k = 0; k < m.at_peak.size(); ++k) all.emplace_back(m.at_peak[k], &report->at_peak[k]);
  for (size_t k = 0; k < m.argument_list.size(); ++k)
    all.emplace_back(m.argument_list[k], &report->arguments[k]);
  absl::c_stable_sort(all,
                      [](const auto& a, const auto& b) { return a.first.bytes > b.first.bytes; });
  std::vector<DeviceBuffer> buffers;
  for (const auto& one : all) buffers.push_back(one.first);
  TESSERA_ASSIGN_OR_RETURN(CostCures cures,
                           FindMemoryCures(input, found, options, report->tiles(), buffers));
  for (size_t k = 0; k < all.size(); ++k) all[k].second->cures = std::move(cures.of[k]);
  report->sent = cures.before.sent;
  report->tried = cures.tried;
  return absl::OkStatus();
}

VerbResult ResultOf(const Arguments& arguments, const Report& report, const std::string& notes) {
  VerbResult result = InBothForms(
      arguments, [&] { return AsJson(report); }, [&] { return AsText(report); }, notes);
  if (!report.fits()) result.exit = Exit::kFinding;
  return result;
}

VerbResult OnPartitioner(const Arguments& arguments) {
  const auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  const auto limit = ReadMemoryLimit(arguments);
  if (!limit.ok()) return BadInput(limit.status());
  const auto make = [&](hlo::Module module) -> absl::StatusOr<PartitionedProgram> {
    if (!IsFinal(module)) return PartitionProgram(std::move(module), arguments, *options);
    TESSERA_RETURN_IF_ERROR(CheckNothingToPropagate(module, arguments));
    PartitionedProgram program;
    program.input.module = std::move(module);
    return program;
  };
  const auto answer = [&](const PartitionedProgram& program) -> absl::StatusOr<VerbResult> {
    TESSERA_ASSIGN_OR_RETURN(Report report, IsFinal(program.input.module)
                                                ? MeasureFinal(program.input, *limit)
                                                : Measure(program.input, program.found, *limit,
                                                          program.entry_arguments));
    if (program.input.sharded != nullptr && !arguments.Has("no-fixes")) {
      TESSERA_RETURN_IF_ERROR(AddCures(program.input, program.found, *options, &report));
    }
    return ResultOf(arguments, report, absl::StrJoin(program.input.notes, ""));
  };
  return OnPrepared<PartitionedProgram>(arguments, PartitionKey(arguments), make, answer);
}

// Its compiler has decided already; the target says how much a device has.
absl::StatusOr<VerbResult> OnFinal(hlo::Module module, const Arguments& arguments,
                                   const target::Target& target) {
  TESSERA_RETURN_IF_ERROR(CheckNothingToPropagate(module, arguments));
  TESSERA_RETURN_IF_ERROR(CheckDevices(module, target));
  TESSERA_ASSIGN_OR_RETURN(auto limit, ReadMemoryLimit(arguments));
  const int64_t usable = cost::UsableMemory(*target.chip);
  if (!limit.has_value() && usable > 0) {
    limit = MemoryLimit{usable, std::string(target.chip->name), std::nullopt};
  }
  PartitionerInput input;
  input.module = std::move(module);
  TESSERA_ASSIGN_OR_RETURN(const Report report, MeasureFinal(input, std::move(limit)));
  return ResultOf(arguments, report, "");
}

// CPUs have the answer without a target.
VerbResult Run(const Arguments& arguments) {
  const auto choice = ReadTarget(arguments);
  if (!choice.ok()) return BadInput(choice.status());
  if (!choice->has_value() || (*choice)->target.chip->platform == target::Platform::kCpu) {
    return OnPartitioner(arguments);
  }
  if (arguments.Has("hardware")) {
    return BadInput("--hardware: --target says already which device it is");
  }
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    if (IsFinal(module)) return OnFinal(std::move(module), arguments, (*choice)->target);
    return MemoryOnTargetAnswer(std::move(module), arguments, **choice);
  });
}

}  // namespace

Verb MemoryVerb() {
  Verb verb;
  verb.name = "memory";
  verb.summary = "memory of a device at its peak; does it fit?";
  verb.description =
      "Prints the bytes of the sharded program on one device. Arguments and results are exact, "
      "as in memory_analysis() of JAX. The peak of temporaries is an estimate by liveness; "
      "docs/memory.md has its error. Each part has its largest buffers, with shardings and "
      "lines. For the largest ones an annotation that lowers the sum is shown, tried by "
      "propagating and partitioning again. With a limit, the exit status is 1 if the sum is "
      "above it. Of a program that a compiler has finished (compiled.as_text() of JAX) "
      "the "
      "figures are counted: schedule, layouts, memory spaces and aliases are in the module "
      "(docs/compiled.md). With --target the answer is the peak that the compiler of the machine "
      "will "
      "report, with its measured error, a verdict (fits, does not fit, or too close to say), and "
      "what would lower it without another sharding. The "
      "exit status is 1 if it does not fit.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = PropagationFlags();
  verb.flags.push_back({"memory-limit", "BYTES", "memory of a device, such as 16GiB", "", false});
  verb.flags.push_back(OldHardwareFlag());
  verb.flags.push_back({"no-fixes", "", "do not try changes that lower the sum", "", false});
  for (const Flag& flag : TargetFlags()) verb.flags.push_back(flag);
  AddAsIsFlag(&verb);
  verb.flags.push_back(JobsFlag());
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera memory step.hlo --memory-limit=16GiB",
       "fails if the step does not fit into 16 GiB"},
      {"tessera memory step.hlo --mesh=data=8,model=4 --memory-limit=16GiB",
       "the same on a larger mesh"},
      {"tessera memory step.hlo --target=tpu-v5e:4x4", "the peak on sixteen TPU v5e: does it fit?"},
      {"tessera memory compiled.hlo", "what the compiler's own schedule and layouts need"},
  };
  verb.run = Run;
  return verb;
}

}  // namespace tessera::pipeline
