// A case is a program of operations with rules, and for each strategy the shardings that Shardy gives its values
// (propagation.jsonl of the larger corpora, TESSERA_SHARED; read by propagation_program.h):
//
//   {.., "expect": {"basic": {"values": {"3": ".."}, "outputs": [".."]}, "bta": "undefined"}}
//
// "bta" is the basic strategy, then the aggressive one. Each strategy runs on three engines, which must agree: the
// fast one, the same without its cache of steps (plain), and the slow one of testing/propagation.

#include "tessera/testing/families/sharding/propagation_families.h"

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/propagation/propagate.h"
#include "tessera/testing/families/sharding/propagation_program.h"
#include "tessera/testing/propagation/short_sharding.h"
#include "tessera/testing/propagation/slow_engine.h"

namespace tessera::testing {
namespace {

using nlohmann::json;
using sharding::ShardingId;
using sharding::propagation::Options;
using sharding::propagation::Result;
using sharding::propagation::Schedule;
using sharding::propagation::Strategy;

const std::map<std::string, Options>& Strategies() {
  static const auto* const strategies = new std::map<std::string, Options>{
      {"basic", {Schedule::kFlat, Strategy::kBasic}},
      {"aggressive", {Schedule::kFlat, Strategy::kAggressive}},
      {"bta", {Schedule::kFlat, Strategy::kBasicThenAggressive}},
      {"op", {Schedule::kOpPriority, Strategy::kAggressive}},
      {"user", {Schedule::kUserPriority, Strategy::kAggressive}},
      {"conservative", {Schedule::kFlat, Strategy::kAggressive, /*conservative=*/true}}};
  return *strategies;
}

std::string Text(ProgramCase& c, ShardingId id) {
  if (id == sharding::kNoSharding) return "none";
  return sharding::propagation::ToShort(c.program.shardings()[id], c.mesh());
}

Outcome ExpectSharding(const std::string& what, const std::string& got, const json& expected) {
  const std::string wanted = expected.is_null() ? "none" : expected.get<std::string>();
  return Expect(what.c_str(), got, wanted);
}

Outcome Compare(ProgramCase& c, const Result& result, const json& expect,
                const std::string& strategy) {
  const json erased = expect.value("erased", json::array());
  for (const auto& [number, value] : c.values) {
    const sharding::propagation::ValueId v = value->number();
    const bool is_erased = std::find(erased.begin(), erased.end(), number) != erased.end();
    Outcome outcome = Expect(absl::StrCat(strategy, ", is %", number, " erased").c_str(),
                             bool{result.erased[c.numbered().def(v)]}, is_erased);
    if (outcome.verdict != Verdict::kPassed) return outcome;
    if (is_erased) continue;
    if (c.numbered().sharding_owner(v) != v) {  // an edge has it; the slot stays as it was
      outcome = Expect(absl::StrCat(strategy, ", the slot of %", number).c_str(),
                       Text(c, result.shardings[v]), Text(c, value->sharding()));
      if (outcome.verdict != Verdict::kPassed) return outcome;
      continue;
    }
    const json wanted = expect["values"].value(absl::StrCat(number), json());
    outcome =
        ExpectSharding(absl::StrCat(strategy, ", %", number), Text(c, result.shardings[v]), wanted);
    if (outcome.verdict != Verdict::kPassed) return outcome;
  }
  for (size_t k = 0; k < result.outputs.size(); ++k) {
    Outcome outcome = ExpectSharding(absl::StrCat(strategy, ", output ", k),
                                     Text(c, result.outputs[k]), expect["outputs"][k]);
    if (outcome.verdict != Verdict::kPassed) return outcome;
  }
  return Passed();
}

// kFast remembers steps, kPlain computes each, kSlow is another engine altogether.
enum class Engine { kFast, kPlain, kSlow };

absl::StatusOr<Result> Run(ProgramCase& c, Options options, Engine engine) {
  if (engine == Engine::kSlow) {
    return PropagateSlowly(c.numbered(), c.program.tables(), options, c.program.AllRules());
  }
  options.plain = engine == Engine::kPlain;
  return Propagate(c.numbered(), c.program.tables(), options, c.program.rule_source());
}

Outcome CheckStrategy(const json& one_case, const std::string& strategy, const json& expect,
                      Engine engine) {
  ProgramCase c;
  if (absl::Status status = ReadProgramCase(one_case, c); !status.ok()) {
    return Failed(status.ToString());
  }
  const absl::StatusOr<Result> result = Run(c, Strategies().at(strategy), engine);
  if (!result.ok()) return Failed(result.status().ToString());
  constexpr const char* kNames[] = {"", " (plain)", " (slow engine)"};
  return Compare(c, *result, expect, strategy + kNames[static_cast<int>(engine)]);
}

Outcome CheckPropagation(const json& one_case) {
  for (const auto& [strategy, expect] : one_case["expect"].items()) {
    if (expect == "undefined") continue;
    for (const Engine engine : {Engine::kFast, Engine::kPlain, Engine::kSlow}) {
      Outcome outcome = CheckStrategy(one_case, strategy, expect, engine);
      if (outcome.verdict != Verdict::kPassed) return outcome;
    }
  }
  return Passed();
}

}  // namespace

std::vector<Family> PropagationFamilies() { return {{"propagation", CheckPropagation}}; }

}  // namespace tessera::testing
