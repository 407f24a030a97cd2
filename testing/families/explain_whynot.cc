// A case is a module, a place (value, dimension, axis) that the axis does not come to, and the
// reason: its kind and what must be named with it. The edits of a case take the reason away: after
// them the axis must be there.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/opcode.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/sharding/axis_text.h"
#include "tessera/sharding/explain/whynot/reasons/refusal.h"
#include "tessera/sharding/reference/reference.h"
#include "tessera/testing/families/explain_families.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing {
namespace {

using nlohmann::json;
using pipeline::Explained;
using pipeline::Labels;
using sharding::AxisRef;
using sharding::explain::AskedAxis;
using sharding::explain::Endpoint;
using sharding::explain::Refusal;
using sharding::explain::RefusalKind;
using sharding::explain::SlotId;
using sharding::propagation::Direction;
using sharding::propagation::kNone;
using WhyNotVerdict = sharding::explain::Verdict;

// "y", "w{1}", "parameter 0", "result 0".
struct Place {
  hlo::InstructionId instruction = hlo::kNoId;
  std::optional<SlotId> slot;  // none: propagation has no such tensor
};

Place Find(const Explained& e, const std::string& value) {
  std::vector<std::string> words = absl::StrSplit(value, ' ');
  int number = 0;
  Place place;
  if (words.size() == 2 && absl::SimpleAtoi(words[1], &number)) {
    place.slot = words[0] == "result"
                     ? e.log->SlotOfOutput(number)
                     : e.log->SlotOf(e.log->program().entry()->body->args[number]->number());
    return place;
  }
  const std::vector<std::string> parts = absl::StrSplit(absl::StripSuffix(value, "}"), '{');
  int leaf = 0;
  if (parts.size() == 2 && !absl::SimpleAtoi(parts[1], &leaf)) return place;
  place.instruction = e.sharded->module.FindInstruction(parts[0]);
  if (place.instruction == hlo::kNoId) return place;
  const auto id = e.names->ValueOf(place.instruction, leaf);
  if (id != kNone) place.slot = e.log->SlotOf(id);
  return place;
}

// "a", "c:(1)2"
AskedAxis ReadAxis(const std::string& text) {
  AskedAxis axis;
  const std::vector<std::string> parts = absl::StrSplit(text, ":(");
  axis.name = parts[0];
  if (parts.size() < 2) return axis;
  const std::pair<std::string, std::string> sizes = absl::StrSplit(parts[1], ')');
  if (!absl::SimpleAtoi(sizes.first, &axis.pre) || !absl::SimpleAtoi(sizes.second, &axis.size)) {
    axis.name.clear();
  }
  return axis;
}

// The details of a refusal, in the words of the cases.
class Details {
 public:
  Details(const Explained& e, const json& at) : e_(e), labels_(e), at_(at) {}

  std::map<std::string, json> Of(const Refusal& r) {
    words_["op"] = Op(r);
    words_["boundary"] = at_["value"];
    words_["winner"] = Winner(r);
    words_["winner_dim"] = r.winner.dim;
    words_["held_dim"] = r.holder.dim;
    words_["target_dim"] = r.holder.dim;
    words_["tie_break"] = TieBreakWords(r.tie_break);
    words_["arrived"] = ArrivalWord(r.arrival);
    words_["position"] = r.position;
    words_["closed_by"] = words_["by"] = Sayer(r);
    words_["axis_size"] = r.size_need;
    words_["factor_size"] = words_["size"] = words_["minor_factor"] = r.size_have;
    words_["before"] = words_["major_factor"] = r.size_before;
    words_["kept"] = Axis(r, r.kept);
    words_["axis_before"] = words_["behind"] = Axis(r, r.axis_before);
    if (r.holder.slot >= 0) words_["result"] = labels_.At(r.holder);
    words_["reason"] = Reason(r);
    words_["group"] = 0;
    for (const Endpoint& member : r.members) words_["members"].push_back(labels_.At(member));
    AddPlaces(r);
    AddTimes(r);
    AddWords(r);
    return words_;
  }

 private:
  std::string Name(hlo::InstructionId id) const {
    return id == hlo::kNoId ? "" : std::string(e_.sharded->module.instruction(id).name);
  }
  std::string Axis(const Refusal& r, const std::optional<AxisRef>& axis) const {
    return axis.has_value() ? sharding::ShortAxisText(*axis, *r.mesh) : "";
  }

  std::string Op(const Refusal& r) const {
    if (r.border != hlo::kNoId) return Name(r.border);
    if (r.on != hlo::kNoId) return Name(r.on);
    if (r.actor.op == kNone) return "function result";
    return absl::StrReplaceAll(labels_.Op(r.actor.op, r.actor.output), {{"loop edge", "edge"}});
  }
  // The operand of an op that is at work twice has the number of its place.
  std::string Winner(const Refusal& r) const {
    if (r.winner.slot < 0) return "";
    if (r.kind != RefusalKind::kOverwritten) return labels_.At(r.winner);
    return absl::StrCat(Op(r), " operand ", r.winner.tensor);
  }
  std::string Sayer(const Refusal& r) const {
    if (r.kind == RefusalKind::kSingleDevice) return labels_.At(r.holder);
    if (r.annotation < 0) return "";
    return Name(e_.log->annotations()[static_cast<size_t>(r.annotation)].instruction);
  }
  std::string Reason(const Refusal& r) const {
    if (r.reason != "factor is reduced") return r.reason;
    return absl::StrCat("factor of ", labels_.At(r.from), " dim ", r.from.dim, " is reduced");
  }

  void AddPlaces(const Refusal& r) {
    if (r.kind == RefusalKind::kConflictingSources) {
      words_["a"] = labels_.At(r.holder);
      words_["b"] = labels_.At(r.other);
    }
    if (r.kind == RefusalKind::kUnreachable && r.holder.slot >= 0) {
      words_["nearest"] = labels_.At(r.holder);
      words_["nearest_with_dim"] = absl::StrCat(labels_.At(r.holder), " dim ", r.holder.dim);
    }
  }

  void AddTimes(const Refusal& r) {
    if (r.came.has_value()) {
      words_["winner_priority"] = r.came->round;
      words_["level_of_winner"] = r.came->level;
    }
    if (r.refused.has_value()) {
      words_["priority"] = r.refused->round;
      words_["level_of_refused"] = r.refused->level;
    }
  }

  void AddWords(const Refusal& r) {
    words_["cause"] = r.inner == nullptr ? "" : KindWord(r.inner->kind);
    if (r.kind == RefusalKind::kAnnotationIgnored) {
      words_["on"] = Name(r.on);
      words_["what"] = "xla.sdy.sharding";
    }
    if (r.kind == RefusalKind::kSizeOneAxis) words_["axis_size"] = 1;
    if (r.kind == RefusalKind::kBarrier) {
      static constexpr const char* kNames[] = {"NONE", "FORWARD", "BACKWARD", "BOTH"};
      words_["allowed"] = kNames[static_cast<size_t>(e_.log->numbered().barrier(r.actor.op))];
    }
    if (r.kind == RefusalKind::kMeshMismatch) {
      const auto mesh_of = [&](const Endpoint& at) {
        return e_.log->program().meshes().name(e_.log->Propagated(at.slot)->mesh_id());
      };
      words_["meshes"] = {mesh_of(r.from), mesh_of(r.holder)};
    }
    if (r.kind == RefusalKind::kNoRule) words_["what"] = WallName(r);
  }

  std::string WallName(const Refusal& r) const {
    const hlo::Module& module = e_.sharded->module;
    const hlo::InstructionId id = labels_.InstructionOfOp(r.actor.op);
    const std::string opcode(hlo::OpcodeName(module.instruction(id).opcode));
    const std::string target = hlo::GetCustomCallTarget(module, id);
    return target.empty() ? opcode : absl::StrCat(opcode, " ", target);
  }

  const Explained& e_;
  const Labels labels_;
  const json& at_;
  std::map<std::string, json> words_;
};

absl::StatusOr<Explained> Run(const json& c, const std::string& text) {
  TESSERA_ASSIGN_OR_RETURN(hlo::Module module, hlo::ParseModule(text));
  pipeline::ShardOptions options;
  options.stage = pipeline::Stage::kPass;
  const std::string release = c[kReferenceField];
  TESSERA_ASSIGN_OR_RETURN(options.reference, sharding::reference::FindReference(release));
  return pipeline::RunExplained(std::move(module), options);
}

// The verdict at a place; none if the axis is there.
std::optional<WhyNotVerdict> Ask(const Explained& e, const json& at) {
  const Place place = Find(e, at["value"]);
  WhyNotVerdict verdict;
  if (!place.slot.has_value()) {
    verdict.headline.on = place.instruction;
    if (place.instruction != hlo::kNoId) {
      verdict.headline.kind = e.why_not->KindWithoutTensor(place.instruction);
    }
    return verdict;
  }
  auto verdicts = e.why_not->Ask(*place.slot, at["dim"], {ReadAxis(at["axis"])});
  if (verdicts.empty()) return std::nullopt;
  return std::move(verdicts[0]);
}

std::string Edited(const json& c) {
  std::string text = c["module"];
  for (const json& edit : c["edits"]) {
    const std::string find = edit[0];
    const std::string replace = edit[1];
    absl::StrReplaceAll({{find, replace}}, &text);
  }
  return text;
}

Outcome CheckCounter(const json& c) {
  const absl::StatusOr<Explained> e = Run(c, Edited(c));
  if (!e.ok()) return Failed(absl::StrCat("after the edits: ", e.status().message()));
  const json& at = c.contains("counter_at") ? c["counter_at"] : c["at"];
  const auto verdict = Ask(*e, at);
  if (!verdict.has_value()) return Passed();
  return Failed(absl::StrCat("not there after the edits: ", KindWord(verdict->headline.kind)));
}

Outcome CheckWhyNot(const json& c) {
  const absl::StatusOr<Explained> e = Run(c, c["module"]);
  if (!e.ok()) return Failed(std::string(e.status().message()));
  const auto verdict = Ask(*e, c["at"]);
  if (!verdict.has_value()) return Failed("the axis is there");
  const std::string kind = KindWord(verdict->headline.kind);
  if (kind != c["kind"]) {
    return Failed(absl::StrCat("got ", kind, ", expected ", c["kind"].get<std::string>()));
  }
  std::map<std::string, json> words = Details(*e, c["at"]).Of(verdict->headline);
  for (const auto& [word, expected] : c["by"].items()) {
    const bool with_dim = word == "nearest" && expected != words[word];
    const json& got = words[with_dim ? "nearest_with_dim" : word];
    if (got != expected) {
      return Failed(absl::StrCat(word, ": got ", got.dump(), ", expected ", expected.dump()));
    }
  }
  return CheckCounter(c);
}

}  // namespace

Family WhyNotFamily() { return {"explain_whynot", CheckWhyNot}; }

}  // namespace tessera::testing
