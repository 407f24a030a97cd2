#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/pipeline/verbs/project/project_report.h"
#include "tessera/text/formats/json.h"

namespace tessera::pipeline {
namespace {

using projection::ZRange;

void WriteBox(const ZRange& box, text::JsonWriter* json) {
  json->BeginObject();
  json->Key("start").Ints(box.start());
  json->Key("end").Ints(box.end());
  json->EndObject();
}

void WriteOperand(const ProjectedOperand& o, text::JsonWriter* json) {
  json->BeginObject();
  json->Key("name").String(o.name);
  json->TextUnlessEmpty("role", o.role);
  json->Key("cells").Int(o.need.cells.size().value_or(0));
  json->Key("bytes").Int(o.bytes);
  if (o.need.bounding.has_value()) WriteBox(*o.need.bounding, &json->Key("bounding"));
  json->Key("used_fraction").Double(o.need.used_fraction);
  if (o.own.has_value()) {
    WriteBox(*o.own, &json->Key("own"));
    json->Key("missing_bytes").Int(o.missing_bytes);
    json->Key("missing").BeginArray();
    const absl::StatusOr<std::vector<ZRange>> boxes = o.missing.Slabs();
    if (boxes.ok()) {
      for (const ZRange& box : *boxes) WriteBox(box, json);
    }
    json->EndArray();
  }
  json->EndObject();
}

void WriteTraffic(const DeviceTraffic& traffic, text::JsonWriter* json) {
  json->Key("traffic").BeginObject().Key("missing_bytes").Int(traffic.missing_bytes);
  json->Key("padded_bytes").Int(traffic.padded_bytes);
  if (traffic.partial.has_value()) {
    const DeviceTraffic::Partial& p = *traffic.partial;
    json->Key("partial").BeginObject();
    json->Key("axes").String(p.axes);
    json->Key("group").Int(p.group);
    json->Key("tile_bytes").Int(p.tile_bytes);
    json->Key("combine_bytes").Int(p.combine_bytes);
    json->Key("missing_bytes").Int(p.missing_bytes);
    json->EndObject();
  }
  json->EndObject();
}

void WriteGrowth(const ProjectAnswer& answer, text::JsonWriter* json) {
  json->Key("growth").BeginArray();
  for (const projection::Growth& g : answer.growth) {
    json->BeginObject();
    json->Key("axis").String(answer.signature.axes[static_cast<size_t>(g.axis)].name);
    if (g.at_end) json->Key("at_end").Bool(true);
    json->Key("read").Ints(g.read);
    json->Key("written").Int(g.written);
    json->EndObject();
  }
  json->EndArray();
}

void WriteShared(const std::vector<SharedOperand>& shared, text::JsonWriter* json) {
  json->Key("shared").BeginArray();
  for (const SharedOperand& o : shared) {
    json->BeginObject();
    json->Key("name").String(o.name);
    json->Key("private_bytes").Int(o.private_bytes);
    json->Key("shared_bytes").Int(o.shared_bytes);
    json->Key("constant_bytes").Int(o.constant_bytes);
    json->EndObject();
  }
  json->EndArray();
}

void WriteCuts(const std::vector<projection::CutChoice>& cuts, text::JsonWriter* json) {
  json->Key("cuts").BeginArray();
  for (const projection::CutChoice& c : cuts) {
    json->BeginObject();
    json->Key("parts").Ints(c.parts);
    json->Key("bytes_moved").Int(c.bytes_moved);
    json->Key("bytes_read_twice").Int(c.bytes_read_twice);
    json->Key("partial_bytes").Int(c.partial_bytes);
    json->Key("memory").Int(c.memory);
    json->Key("balance").Double(c.balance);
    json->EndObject();
  }
  json->EndArray();
}

void WriteOrigins(const Origins& origins, text::JsonWriter* json) {
  json->Key("origins").BeginObject();
  for (const auto& [key, arrays] :
       {std::pair("through", &origins.through), std::pair("inputs", &origins.inputs)}) {
    json->Key(key).BeginArray();
    for (const ProjectedOperand& o : *arrays) WriteOperand(o, json);
    json->EndArray();
  }
  json->Key("unneeded").Int(static_cast<int64_t>(origins.unneeded));
  json->Key("bounds").Strings(origins.bounds);
  json->EndObject();
}

}  // namespace

std::string AsJson(const ProjectAnswer& answer) {
  text::JsonWriter json;
  json.BeginObject();
  json.Key("instruction").String(answer.instruction);
  json.Key("exactness").String(projection::ExactnessName(answer.signature.exactness));
  json.TextUnlessEmpty("note", answer.signature.note);
  json.Key("blocks").BeginArray();
  for (const ProjectedBlock& block : answer.blocks) {
    json.BeginObject();
    WriteBox(block.block, &json.Key("block"));
    json.Key("written_bytes").Int(block.written_bytes);
    json.Key("operands").BeginArray();
    for (const ProjectedOperand& o : block.operands) WriteOperand(o, &json);
    json.EndArray().EndObject();
  }
  json.EndArray();
  if (answer.origins.has_value()) WriteOrigins(*answer.origins, &json);
  if (answer.traffic.has_value()) WriteTraffic(*answer.traffic, &json);
  if (!answer.growth.empty()) WriteGrowth(answer, &json);
  if (!answer.shared.empty()) WriteShared(answer.shared, &json);
  if (answer.stages.has_value()) json.Key("partial_bytes").Int(answer.partial_bytes);
  if (!answer.axes.empty()) json.Key("axes").Strings(answer.axes);
  if (!answer.cuts.empty()) WriteCuts(answer.cuts, &json);
  json.EndObject();
  return json.text() + "\n";
}

}  // namespace tessera::pipeline
