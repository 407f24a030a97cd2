#include "tessera/pipeline/explain/refusals/refusal_json.h"

#include "absl/strings/str_replace.h"
#include "tessera/pipeline/explain/refusals/refusal_text.h"
#include "tessera/sharding/axis_text.h"

namespace tessera::pipeline {
namespace {

using sharding::explain::AskedAxis;
using sharding::explain::Endpoint;
using sharding::explain::Refusal;
using sharding::explain::Verdict;
using sharding::propagation::kNone;
using text::JsonWriter;

class RefusalWriter {
 public:
  RefusalWriter(const Explained& explained, const EventJson& events, JsonWriter* json)
      : e_(explained), events_(events), json_(*json) {}

  void Add(const Refusal& r) {
    json_.BeginObject().Key("kind").String(KindWord(r.kind));
    if (r.factor >= 0) AddWish(r);
    if (r.axis_before.has_value()) {
      const std::string axis = sharding::QuotedAxisText(*r.axis_before, *r.mesh);
      json_.Key("axis_before").String(absl::StrReplaceAll(axis, {{"'", ""}}));
    }
    if (r.inner != nullptr) {
      json_.Key("inner");
      Add(*r.inner);
    }
    AddEndpoint("holder", r, r.holder);
    AddEndpoint("winner", r, r.winner);
    AddEndpoint("other", r, r.other);
    AddDetails(r);
    json_.Key("message").String(RefusalMessage(e_, events_.labels(), r)).EndObject();
  }

 private:
  void AddWish(const Refusal& r) {
    const int operands = events_.OperandsOf(r.actor.op);
    json_.Key("wish").BeginObject();
    if (r.refused.has_value()) {
      json_.Key("time");
      events_.AddTime(*r.refused, &json_);
    }
    events_.AddOp(r.actor.op, r.actor.output, &json_);
    const auto* rule = r.actor.op == kNone ? nullptr : e_.log->RuleOf(r.actor.op);
    if (rule != nullptr) json_.Key("rule").String(Labels::Rule(*rule));
    json_.Key("factor").String(Labels::Factor(r.factor)).Key("from").BeginArray();
    events_.AddEndpoint(r.from, operands, &json_);
    json_.EndArray().Key("to");
    events_.AddEndpoint(r.to, operands, &json_);
    json_.Key("axes").BeginArray();
    events_.AddAxis(r.axis, *r.mesh, &json_);
    json_.EndArray().EndObject();
  }

  void AddEndpoint(const char* name, const Refusal& r, const Endpoint& endpoint) {
    if (endpoint.slot < 0) return;
    json_.Key(name);
    events_.AddEndpoint(endpoint, events_.OperandsOf(r.actor.op), &json_);
  }

  void AddDetails(const Refusal& r) {
    const std::string tie_break = TieBreakWords(r.tie_break);
    json_.TextUnlessEmpty("tie_break", tie_break);
    if (r.size_have > 0) json_.Key("size_have").Int(r.size_have);
    if (r.size_need > 0) json_.Key("size_need").Int(r.size_need);
    if (r.kept.has_value()) {
      json_.Key("kept");
      events_.AddAxis(*r.kept, *r.mesh, &json_);
    }
    const std::string arrived = ArrivalWord(r.arrival);
    json_.TextUnlessEmpty("arrived", arrived);
    if (r.came.has_value()) {
      json_.Key("blocked_by_time");
      events_.AddTime(*r.came, &json_);
    }
    if (r.annotation >= 0) {
      json_.Key("by");
      events_.AddAnnotation(e_.log->annotations()[static_cast<size_t>(r.annotation)], &json_);
    }
  }

  const Explained& e_;
  const EventJson& events_;
  JsonWriter& json_;
};

// The part in the question; size 0 for a whole axis of unknown size.
void AddAxis(const AskedAxis& axis, const sharding::MeshTable& meshes, JsonWriter* json) {
  int64_t size = axis.size;
  for (sharding::MeshId id = 0; id < meshes.size() && size == 0; ++id) {
    const std::optional<int> found = meshes.mesh(id).FindAxis(axis.name);
    if (found.has_value()) size = meshes.mesh(id).axis_size(*found);
  }
  json->BeginObject().Key("name").String(axis.name).Key("pre").Int(axis.pre);
  json->Key("size").Int(size).EndObject();
}

}  // namespace

void BeginVerdict(const Explained& explained, const EventJson& events, const Verdict& verdict,
                  JsonWriter* json) {
  RefusalWriter refusals(explained, events, json);
  json->BeginObject().Key("axis");
  AddAxis(verdict.axis, explained.sharded->program->meshes(), json);
  json->Key("dimension").Int(verdict.dim);
  json->Key("kind").String(KindWord(verdict.headline.kind)).Key("headline");
  refusals.Add(verdict.headline);
  json->Key("also").BeginArray();
  for (const Refusal& also : verdict.also) refusals.Add(also);
  json->EndArray().Key("distance").Int(verdict.distance).Key("path").BeginArray();
  for (Endpoint at : verdict.path) {
    at.tensor = sharding::explain::kNoIndex;
    events.AddEndpoint(at, 0, json);
  }
  json->EndArray();
}

}  // namespace tessera::pipeline
