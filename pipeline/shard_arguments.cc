#include "tessera/pipeline/shard_arguments.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tessera/pipeline/command_line/reference_flag.h"
#include "tessera/pipeline/input/result_names.h"
#include "tessera/pipeline/input/session.h"
#include "tessera/sharding/mesh_sizes.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::passes::Encoding;
using sharding::propagation::Schedule;
using sharding::propagation::Strategy;

// One word of a flag and what it stands for.
template <typename T>
struct Word {
  absl::string_view word;
  T value;
};

constexpr Word<Format> kFormats[] = {
    {"auto", Format::kAuto}, {"v2", Format::kV2}, {"v3", Format::kV3}};
constexpr Word<Encoding> kImports[] = {
    {"auto", Encoding::kAuto}, {"sdy", Encoding::kSdy}, {"hlo", Encoding::kGspmd}};
constexpr Word<Stage> kStages[] = {
    {"auto", Stage::kAuto}, {"lowered", Stage::kLowered}, {"pass", Stage::kPass}};
constexpr Word<Structure> kStructures[] = {{"keep", Structure::kKeep}, {"xla", Structure::kXla}};
constexpr Word<Strategy> kStrategies[] = {
    {"aggressive", Strategy::kAggressive},
    {"basic", Strategy::kBasic},
    {"basic-then-aggressive", Strategy::kBasicThenAggressive}};
constexpr Word<Schedule> kSchedules[] = {
    {"user", Schedule::kUserPriority}, {"op", Schedule::kOpPriority}, {"flat", Schedule::kFlat}};

template <typename T, size_t n>
absl::Status Choose(const Arguments& arguments, absl::string_view flag, const Word<T> (&words)[n],
                    T* value) {
  const std::string& given = arguments.Get(flag);
  std::string known;
  for (const Word<T>& word : words) {
    if (word.word == given) {
      *value = word.value;
      return absl::OkStatus();
    }
    absl::StrAppend(&known, known.empty() ? "" : ", ", word.word);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, "=", given, ": expected one of ", known));
}

absl::Status ReadChoices(const Arguments& arguments, ShardOptions* options) {
  TESSERA_RETURN_IF_ERROR(Choose(arguments, "import", kImports, &options->import));
  TESSERA_RETURN_IF_ERROR(Choose(arguments, "stage", kStages, &options->stage));
  TESSERA_RETURN_IF_ERROR(
      Choose(arguments, "strategy", kStrategies, &options->propagation.strategy));
  return Choose(arguments, "schedule", kSchedules, &options->propagation.schedule);
}

}  // namespace

Flag RuleFlag() {
  return {"rule",
          "TARGET=RULE",
          "the rule of a custom call, e.g. flip='([i, j])->([j, i])'; sizes may be left out",
          "",
          true,
          kProgramFlags};
}

Flag JobsFlag() { return {"jobs", "N", "threads; default: the CPUs that the process may use", ""}; }

absl::StatusOr<UserRules> ReadRules(const Arguments& arguments) {
  UserRules rules;
  for (const std::string& text : arguments.All("rule")) {
    const size_t split = text.find('=');
    if (split == 0 || split == std::string::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("--rule=", text, ": expected TARGET=RULE, as in flip='([i, j])->([j, i])'"));
    }
    rules.emplace_back(text.substr(0, split), text.substr(split + 1));
  }
  return rules;
}

std::vector<Flag> PropagationFlags() {
  return {
      ReferenceFlag(),
      {"mesh", "AXES",
       "the mesh, e.g. data=4,model=2, or the name of one in tessera.toml; wins over the module's "
       "own",
       "", false, kProgramFlags},
      {"annotate", "REGEX=SPEC",
       "a sharding, e.g. \"^w1$=P(None,'model')\", for each parameter whose name or path has a "
       "match; if there is none, for each instruction whose name or op_name has one. It replaces "
       "the sharding of a sharding_constraint. The last annotation of a tensor counts",
       "", true, kProgramFlags},
      {"import", "auto|sdy|hlo",
       "source of the annotations: xla.sdy attributes, or sharding={...} on any instruction",
       "auto", false, kReferenceFlags},
      {"stage", "auto|lowered|pass",
       "pass: a module from directly before the pass, so XLA's first clean-ups do not run", "auto",
       false, kReferenceFlags},
      RuleFlag(),
      {"strategy", "aggressive|basic|basic-then-aggressive",
       "the propagation strategy, which decides conflicts", "aggressive", false, kReferenceFlags},
      {"schedule", "user|op|flat",
       "which propagation priorities to honour: user and op, op only, or none", "user", false,
       kReferenceFlags},
      {"conservative", "", "never shard a dimension that may not divide evenly", "", false,
       kReferenceFlags},
      {"result-names", "FILE",
       "names of the results, such as out['w1']: the text of lowered.as_text() of JAX, or one "
       "name a line",
       "", false, kProgramFlags},
      {"config", "FILE|none",
       "the project file; default: tessera.toml in the folder of FILE or in the nearest one above, "
       "up to the root of the repository",
       "", false, kProgramFlags},
  };
}

std::vector<std::string> FlagsForPropagation() {
  return {"annotate", "import", "rule", "strategy", "schedule", "conservative"};
}

bool AsksToPropagate(const Arguments& arguments) {
  return absl::c_any_of(FlagsForPropagation(), [&](const std::string& flag) {
    return arguments.Has(flag) && !arguments.IsOfProject(flag);
  });
}

std::vector<Flag> ShardFlags() {
  std::vector<Flag> flags = PropagationFlags();
  flags.push_back(
      {"format", "auto|v2|v3",
       "the form of `sharding=`. v2: {devices=[2,1]<=[2]}; v3: {mesh['x'=2], [{'x'}, "
       "{}]}; auto: as XLA for this file, v2 for a module with xla.sdy attributes, else v3. "
       "Dumps of JAX's own compile are v3 since 0.11.2, whose input is StableHLO. Before, "
       "auto is v3 if the module's own shardings are v3",
       "auto", false});
  flags.push_back({"structure", "keep|xla",
                   "keep: edit the input text; xla: print the module as the pass leaves it", "keep",
                   false, kReferenceFlags});
  flags.push_back({"uneven-boundaries", "",
                   "keep axes of arguments and results that do not divide them evenly", "", false,
                   kReferenceFlags});
  flags.push_back({"explicit-collectives", "",
                   "copies before every operation whose operands do not fit, one for each "
                   "collective of Shardy's plan; XLA leaves both to its partitioner",
                   "", false, kReferenceFlags});
  flags.push_back({"no-propagation", "",
                   "do as the pass does for one partition: only calls of shard_map bodies change",
                   "", false, kReferenceFlags});
  return flags;
}

absl::StatusOr<ShardOptions> ReadPropagationOptions(const Arguments& arguments) {
  ShardOptions options;
  TESSERA_ASSIGN_OR_RETURN(options.reference, ReadReference(arguments));
  TESSERA_RETURN_IF_ERROR(ReadChoices(arguments, &options));
  TESSERA_ASSIGN_OR_RETURN(options.rules, ReadRules(arguments));
  options.propagation.conservative = arguments.Has("conservative");
  if (arguments.Has("mesh")) {
    TESSERA_ASSIGN_OR_RETURN(options.mesh, ParseMeshFlag(arguments.Get("mesh")));
  }
  for (const std::string& text : arguments.All("annotate")) {
    TESSERA_ASSIGN_OR_RETURN(PatternAnnotation annotation, ParseAnnotation(text));
    options.annotations.push_back(std::move(annotation));
  }
  if (arguments.Has("jobs")) {
    TESSERA_ASSIGN_OR_RETURN(options.jobs, arguments.Count("jobs", 1, "threads"));
  }
  if (arguments.Has("result-names")) {
    TESSERA_ASSIGN_OR_RETURN(const auto file, ReadFile(arguments, arguments.Get("result-names")));
    TESSERA_ASSIGN_OR_RETURN(options.result_names, ResultNamesOfFile(*file));
  }
  return options;
}

std::string PropagationKey(const Arguments& arguments) {
  std::string key;
  for (const Flag& flag : PropagationFlags()) {
    if (!arguments.Has(flag.name) || flag.name == "config") continue;
    for (const std::string& value : arguments.All(flag.name)) {
      absl::StrAppend(&key, flag.name, " ", value.size(), " ", value, " ");
    }
  }
  return key;
}

absl::StatusOr<ShardOptions> ReadOptionsToShow(const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(ShardOptions options, ReadPropagationOptions(arguments));
  options.reads_final = !AsksToPropagate(arguments);
  return options;
}

absl::StatusOr<ShardOptions> ReadShardOptions(const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(ShardOptions options, ReadPropagationOptions(arguments));
  TESSERA_RETURN_IF_ERROR(Choose(arguments, "format", kFormats, &options.format));
  TESSERA_RETURN_IF_ERROR(Choose(arguments, "structure", kStructures, &options.structure));
  options.propagate = !arguments.Has("no-propagation");
  options.exporting.even_boundaries = !arguments.Has("uneven-boundaries");
  options.exporting.explicit_collectives = arguments.Has("explicit-collectives");
  return options;
}

absl::StatusOr<sharding::Mesh> ParseMeshFlag(absl::string_view text) {
  auto mesh = sharding::ParseMeshSizes(text);
  if (mesh.ok()) return mesh;
  const std::string with_equals = absl::StrReplaceAll(text, {{":", "="}});
  if (sharding::ParseMeshSizes(with_equals).ok()) {
    return absl::InvalidArgumentError(absl::StrCat("mesh '", text, "': write ", with_equals));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("mesh '", text, "', as in data=4,model=2: ", mesh.status().message()));
}

}  // namespace tessera::pipeline
