#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "tessera/cost/sweep/ranking.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/progress.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/verbs/search/sweep_grid.h"
#include "tessera/pipeline/verbs/search/variant_cost.h"
#include "tessera/pipeline/verbs/search/variant_text.h"
#include "tessera/text/formats/json.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

constexpr size_t kMaxReasons = 10;  // in text; the JSON has all variants

struct ByWord {
  absl::string_view word;
  cost::By by;
};
constexpr ByWord kBys[] = {
    {"memory", cost::By::kMemory}, {"bytes", cost::By::kBytes}, {"time", cost::By::kTime}};

struct Request {
  cost::By by = cost::By::kMemory;
  std::string by_word;
  size_t part = 0, parts = 1;  // every parts-th variant, from number `part`
  size_t top = 20;
  std::string topology;
  bool json = false;
};

absl::Status ReadPart(const std::string& text, Request* request) {
  const std::pair<absl::string_view, absl::string_view> words = absl::StrSplit(text, '/');
  if (!absl::SimpleAtoi(words.first, &request->part) ||
      !absl::SimpleAtoi(words.second, &request->parts) || request->part < 1 ||
      request->part > request->parts) {
    return absl::InvalidArgumentError(
        absl::StrCat("--part=", text, ": expected K/N with K from 1 to N, as in 2/8"));
  }
  --request->part;
  return absl::OkStatus();
}

absl::StatusOr<Request> ReadRequest(const Arguments& arguments) {
  Request request;
  request.json = arguments.Has("json");
  request.topology = arguments.Get("topology");
  request.by_word = arguments.Get("by");
  bool known = false;
  for (const ByWord& word : kBys) {
    if (word.word != request.by_word) continue;
    request.by = word.by;
    known = true;
  }
  if (!known) {
    return absl::InvalidArgumentError(
        absl::StrCat("--by=", request.by_word, ": expected one of memory, bytes, time"));
  }
  if (request.by == cost::By::kTime && request.topology.empty()) {
    return absl::InvalidArgumentError("--by=time needs a machine: --topology=tpu-v5e:4x4");
  }
  TESSERA_ASSIGN_OR_RETURN(const int64_t top, arguments.Count("top"));
  request.top = top == 0 ? std::numeric_limits<size_t>::max() : static_cast<size_t>(top);
  if (arguments.Has("part")) TESSERA_RETURN_IF_ERROR(ReadPart(arguments.Get("part"), &request));
  return request;
}

// The variants of a part, by their numbers in the grid, with what came out.
struct Swept {
  std::vector<size_t> numbers;
  std::vector<Variant> variants;
  cost::Outcomes outcomes;
  std::vector<size_t> ranked, refused;  // indices into these
};

Swept Sweep(const SweepGrid& grid, const Request& request, const VariantCosts& costs) {
  Swept swept;
  for (size_t k = request.part; k < grid.size(); k += request.parts) {
    swept.numbers.push_back(k);
    swept.variants.push_back(grid.Of(k));
  }
  Progress progress("variants", swept.numbers.size());
  swept.outcomes = costs.OfAll(
      swept.numbers.size(), [&](size_t k) { return swept.variants[k]; },
      [&] { progress.Advance(); });
  swept.ranked = cost::Ranked(swept.outcomes, request.by);
  for (size_t k = 0; k < swept.outcomes.size(); ++k) {
    if (!swept.outcomes[k].ok()) swept.refused.push_back(k);
  }
  return swept;
}

// Each reason once, with the first variant that has it.
std::string RefusedText(const Swept& swept) {
  std::vector<std::pair<size_t, size_t>> reasons;  // the first variant, and how many
  for (const size_t k : swept.refused) {
    const auto said = absl::c_find_if(reasons, [&](const auto& reason) {
      return swept.outcomes[reason.first].status() == swept.outcomes[k].status();
    });
    if (said == reasons.end()) {
      reasons.push_back({k, 1});
    } else {
      ++said->second;
    }
  }
  std::string out = reasons.empty() ? "" : "\nrefused\n";
  for (size_t r = 0; r < reasons.size() && r < kMaxReasons; ++r) {
    const auto [k, count] = reasons[r];
    absl::StrAppend(&out, "  ", count, count == 1 ? ": #" : ", such as #", swept.numbers[k], " ",
                    VariantText(swept.variants[k]), ": ", swept.outcomes[k].status().message(),
                    "\n");
  }
  if (reasons.size() > kMaxReasons) {
    absl::StrAppend(&out, "  and for ", reasons.size() - kMaxReasons, " more reasons\n");
  }
  return out;
}

std::string AsText(const Swept& swept, const Request& request) {
  const bool timed = !request.topology.empty();
  std::string out =
      absl::StrCat(swept.numbers.size(), swept.numbers.size() == 1 ? " variant" : " variants");
  if (!swept.refused.empty()) absl::StrAppend(&out, ", ", swept.refused.size(), " refused");
  absl::StrAppend(&out, ", by ", request.by_word, timed ? " on " : "", request.topology, "\n");
  absl::StrAppendFormat(&out, "%12s %12s %10s  variant\n", "memory", "sent", timed ? "time" : "");
  for (size_t r = 0; r < swept.ranked.size() && r < request.top; ++r) {
    const size_t k = swept.ranked[r];
    const cost::StepCost& cost = *swept.outcomes[k];
    absl::StrAppendFormat(&out, "%12s %12s %10s  #%d %s\n", layout::FormatBytes(cost.memory),
                          layout::FormatBytes(cost.sent), timed ? TimeText(cost) : "",
                          swept.numbers[k], VariantText(swept.variants[k]));
  }
  if (swept.ranked.size() > request.top) {
    absl::StrAppend(&out, "and ", swept.ranked.size() - request.top, " more\n");
  }
  out += RefusedText(swept);
  return swept.ranked.empty() ? out : out + UnpricedText(*swept.outcomes[swept.ranked.front()]);
}

std::string LineOf(const Swept& swept, size_t k, bool timed) {
  text::JsonWriter json;
  json.BeginObject().Key("variant").Int(static_cast<int64_t>(swept.numbers[k]));
  PutVariant(swept.variants[k], &json);
  if (swept.outcomes[k].ok()) {
    PutCost(*swept.outcomes[k], timed, &json);
  } else {
    json.Key("refused").String(swept.outcomes[k].status().message());
  }
  json.EndObject();
  return json.text() + "\n";
}

std::string AsJson(const Swept& swept, bool timed) {
  std::string out;
  for (const size_t k : swept.ranked) out += LineOf(swept, k, timed);
  for (const size_t k : swept.refused) out += LineOf(swept, k, timed);
  return out;
}

VerbResult Run(const Arguments& arguments) {
  const auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  const auto request = ReadRequest(arguments);
  if (!request.ok()) return BadInput(request.status());
  const auto grid = ReadSweepGrid(arguments);
  if (!grid.ok()) return BadInput(grid.status());
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    TESSERA_ASSIGN_OR_RETURN(const VariantCosts costs,
                             VariantCosts::Create(std::move(module), *options, request->topology));
    TESSERA_RETURN_IF_ERROR(grid->Check(costs.module(), request->topology));
    const Swept swept = Sweep(*grid, *request, costs);
    return Done(request->json ? AsJson(swept, !request->topology.empty()) : AsText(swept, *request),
                costs.Notes());
  });
}

std::vector<Flag> SweepFlags() {
  std::vector<Flag> flags = PropagationFlags();
  for (Flag& flag : flags) {
    if (flag.name != "mesh") continue;
    flag.repeated = true;
    flag.help = "a mesh to try, e.g. data=4,model=2; default: the module's own";
  }
  flags.push_back({"try", "REGEX=SPEC|SPEC|..",
                   "alternatives of an annotation, each a P(..) or none, combined with every "
                   "mesh and every other alternative",
                   "", true});
  flags.push_back(
      {"grid", "FILE", "read meshes, annotations and alternatives from a textproto", "", false});
  flags.push_back({"topology", "FILE|PRESET", "the machine for times, as for comm", "", false});
  flags.push_back({"by", "memory|bytes|time", "the quantity to rank by", "memory", false});
  flags.push_back({"top", "K", "rows of text, 0: all; the JSON has all", "20", false});
  flags.push_back({"part", "K/N",
                   "run only every N-th variant from the K-th; N such runs are the whole sweep", "",
                   false});
  flags.push_back(ModuleFlag());
  flags.push_back({"json", "", "a line of JSON for each variant", "", false});
  return flags;
}

}  // namespace

Verb SweepVerb() {
  Verb verb;
  verb.name = "sweep";
  verb.summary = "many meshes and annotations of one module in one run, ranked";
  verb.description =
      "Shards the module once for each variant, every mesh with every combination of "
      "alternatives, on all cores. Ranks the variants by the memory of a device, by the bytes "
      "that it sends, or by the time of a step if nothing overlaps. A variant that the pass or "
      "the partitioner refuses is listed with the reason. The numbers of variants do not depend "
      "on --part, so any batch system can run the parts. The form of --grid is "
      "pipeline/verbs/sweep_grid.proto. See docs/search.md.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = SweepFlags();
  verb.examples = {
      {"tessera sweep step.hlo --mesh=data=8,model=1 --mesh=data=4,model=2 --mesh=data=2,model=4",
       "the mesh that needs the least memory"},
      {"tessera sweep step.hlo --mesh=data=4,model=2 "
       "--try=\"^w1$=P('model')|P(None,'model')|none\" "
       "--topology=tpu-v5e:2x4 --by=time",
       "the fastest sharding of w1"},
      {"tessera sweep step.hlo --grid=grid.textproto --part=2/8 --json",
       "the second of eight parts"},
  };
  verb.run = Run;
  return verb;
}

}  // namespace tessera::pipeline
