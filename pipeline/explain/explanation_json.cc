#include "tessera/pipeline/explain/event_json.h"
#include "tessera/pipeline/explain/explanation.h"
#include "tessera/pipeline/explain/refusals/refusal_json.h"
#include "tessera/text/formats/json.h"

namespace tessera::pipeline {

namespace {

void AddCures(const Cures& cures, text::JsonWriter* json) {
  json->Key("cures").BeginArray();
  for (const Cure& cure : cures.found) {
    json->BeginObject().Key("edits").Strings(cure.candidate.texts);
    json->Key("annotations_touched").Int(static_cast<int64_t>(cure.candidate.edits.size()));
    json->Key("tensors_changed").Int(cure.tensors_changed);
    if (cure.sent_added.has_value()) json->Key("reshard_bytes_added").Int(*cure.sent_added);
    json->Key("verified").Bool(true).EndObject();
  }
  json->EndArray();
}

}  // namespace

std::string ExplanationJson(const Explained& explained, const Explanation& explanation,
                            SourceLines* source_lines) {
  const EventJson events(explained, source_lines);
  text::JsonWriter json;
  json.BeginObject().Key("value");
  events.AddValue(explanation.slot, &json);
  json.Key("why").BeginArray();
  for (const DimensionAnswer& dim : explanation.dims) {
    for (const AxisAnswer& axis : dim.axes) {
      for (const sharding::explain::Chain& chain : axis.chains) events.AddChain(chain, &json);
    }
  }
  json.EndArray().Key("why_not").BeginArray();
  for (const DimensionAnswer& dim : explanation.dims) {
    for (size_t i = 0; i < dim.absent.size(); ++i) {
      BeginVerdict(explained, events, dim.absent[i], &json);
      AddCures(dim.cures[i], &json);
      json.EndObject();
    }
  }
  json.EndArray().Key("mesh").BeginArray();
  const sharding::ShardingId id = explained.log->PropagatedId(explanation.slot);
  if (id != sharding::kNoSharding) {
    const sharding::Mesh& mesh = explained.log->MeshOf(id);
    for (int a = 0; a < mesh.num_axes(); ++a) {
      events.AddAxis(sharding::AxisRef::Full(a), mesh, &json);
    }
  }
  json.EndArray().EndObject();
  return json.text() + "\n";
}

}  // namespace tessera::pipeline
