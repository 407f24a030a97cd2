#include "tessera/pipeline/explain/event_json.h"
#include "tessera/pipeline/explain/explanation.h"
#include "tessera/text/json.h"

namespace tessera::pipeline {

std::string ExplanationJson(const Explained& explained, const Explanation& explanation) {
  const EventJson events(explained);
  text::JsonWriter json;
  json.BeginObject().Key("value");
  events.AddValue(explanation.slot, &json);
  json.Key("why").BeginArray();
  for (const DimensionAnswer& dim : explanation.dims) {
    for (const AxisAnswer& axis : dim.axes) {
      for (const sharding::explain::Chain& chain : axis.chains) events.AddChain(chain, &json);
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
