#include "tessera/testing/fuzz/agreement.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/steps/shard_pipeline.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/sharding/passes/context.h"
#include "tessera/sharding/passes/pass.h"
#include "tessera/sharding/passes/propagate/number_program.h"
#include "tessera/sharding/propagation/propagate.h"
#include "tessera/testing/keep_edits/keep_edits.h"
#include "tessera/testing/propagation/slow_engine.h"

namespace tessera::testing {

namespace propagation = sharding::propagation;

namespace {

constexpr int kMaxOps = 300;

std::string Difference(const propagation::Result& result, const propagation::Result& other) {
  if (result.erased != other.erased) return "other ops are erased";
  if (result.outputs != other.outputs) return "an output has another sharding";
  const auto at = std::mismatch(result.shardings.begin(), result.shardings.end(),
                                other.shardings.begin(), other.shardings.end())
                      .first;
  if (at == result.shardings.end()) return "";
  return absl::StrCat("value ", at - result.shardings.begin(), " has another sharding");
}

// A replaced operand is spelled as its definition is, with % or without. An element `t#1` may
// become an instruction, which FindForeignEdits takes for `t`.
std::string Bare(absl::string_view text) {
  std::string bare;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_element =
        text[i] == '#' && i + 1 < text.size() && absl::ascii_isdigit(text[i + 1]);
    while (is_element && i + 1 < text.size() && absl::ascii_isdigit(text[i + 1])) ++i;
    if (!is_element && text[i] != '%') bare += text[i];
  }
  return bare;
}

// As one writes it who knows no comments.
std::string SpelledOut(absl::string_view sharding) {
  const auto parsed = sharding::ParseHloSharding(sharding);
  return parsed.ok() ? parsed->ToString() : std::string(sharding);
}

// The shardings of the entry's parameters, then that of its root.
std::vector<std::string> BorderOf(const hlo::Module& module) {
  std::vector<hlo::InstructionId> ids = module.entry().parameters;
  ids.push_back(module.entry().root);
  std::vector<std::string> border;
  for (const hlo::InstructionId id : ids) {
    border.push_back(
        SpelledOut(module.FindAttribute(id, hlo::AttributeName::kSharding).value_or("none")));
  }
  return border;
}

// Of the program in front of propagation, by the rules that a run on an equal one has found.
std::string Disagreement(sharding::passes::HloProgram* program,
                         const propagation::NumberedProgram& numbered,
                         const std::vector<propagation::RuleId>& rules,
                         sharding::factors::RuleTable* table, propagation::Options options) {
  const propagation::Tables tables{&program->meshes(), &program->shardings(), table};
  const auto rule_of = [&](propagation::OpId op) -> absl::StatusOr<propagation::RuleId> {
    return rules[static_cast<size_t>(op)];
  };
  const auto fast = propagation::Propagate(numbered, tables, options, rule_of);
  if (!fast.ok()) return absl::StrCat("fast engine: ", fast.status().message());
  std::string difference =
      Difference(*fast, propagation::PropagateSlowly(numbered, tables, options, rules));
  if (!difference.empty()) return absl::StrCat("slow engine: ", difference);
  options.plain = true;
  const auto plain = propagation::Propagate(numbered, tables, options, rule_of);
  if (!plain.ok()) return absl::StrCat("plain engine: ", plain.status().message());
  difference = Difference(*fast, *plain);
  return difference.empty() ? "" : absl::StrCat("plain engine: ", difference);
}

}  // namespace

std::string EnginesDisagree(const hlo::Module& module, const pipeline::ShardOptions& options) {
  const auto fast = pipeline::Propagate(module, options);
  if (!fast.ok() || (*fast)->run == nullptr) return "";
  if ((*fast)->run->numbered().num_ops() > kMaxOps) return "";
  const sharding::passes::Pipeline passes = pipeline::ShardPipeline(options);
  sharding::passes::Context c;
  c.module = module;
  const size_t end = sharding::passes::BeginOf(passes, sharding::passes::Phase::kExport) - 1;
  if (!RunPasses(passes, 0, end, &c).ok()) return "the passes end in another way";
  const auto numbered = sharding::passes::NumberProgram(c.program.get());
  if (!numbered.ok()) return absl::StrCat("numbers: ", numbered.status().message());
  return Disagreement(c.program.get(), *numbered, (*fast)->run->result().rules,
                      &(*fast)->book->table, options.propagation);
}

std::string StructuresDisagree(absl::string_view text, absl::string_view kept,
                               absl::string_view renewed) {
  const std::vector<std::string> foreign = FindForeignEdits(Bare(text), Bare(kept));
  if (!foreign.empty()) return absl::StrCat("not an edit: ", absl::StrJoin(foreign, "\n"));
  // A mark of a shard_map that no call belongs to stays a mark in a new module only.
  if (absl::StrContains(renewed, "xla.sdy.LocalToGlobalShape")) return "";
  const auto a = hlo::ParseModule(kept), b = hlo::ParseModule(renewed);
  if (!a.ok() || !b.ok()) return "a result does not parse";
  const std::vector<std::string> x = BorderOf(*a), y = BorderOf(*b);
  if (x.size() != y.size() || x == y) return "";  // arguments may have become a tuple
  return absl::StrCat("other shardings at the border:\n", absl::StrJoin(x, "; "), "\n",
                      absl::StrJoin(y, "; "));
}

}  // namespace tessera::testing
