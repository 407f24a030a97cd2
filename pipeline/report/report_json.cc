#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/explain/refusals/refusal_text.h"
#include "tessera/pipeline/explain/surprises.h"
#include "tessera/pipeline/report/device_rows.h"
#include "tessera/pipeline/report/flow_edges.h"
#include "tessera/pipeline/report/report_data.h"
#include "tessera/pipeline/report/text_table.h"
#include "tessera/pipeline/verbs/module/shardings_answer.h"
#include "tessera/pipeline/version.h"
#include "tessera/text/formats/json.h"

namespace tessera::pipeline {
namespace {

using text::JsonWriter;

class ReportWriter {
 public:
  explicit ReportWriter(const ReportData& data)
      : data_(data), table_(*data.table), module_(data.explained.sharded->module) {}

  std::string Write() {
    json_.BeginObject();
    json_.Key("module").String(module_.header().name);
    json_.Key("file").String(data_.request.file);
    json_.Key("version").String(absl::StrCat("tessera ", kVersion, ", shardings as of jaxlib ",
                                             data_.request.options.reference.version));
    WriteList("notes", data_.notes);
    WriteMeshes();
    WriteTensors();
    if (data_.device.has_value()) {
      json_.Key("device");
      WriteDevice(*data_.device, data_.input, table_, &texts_, &json_);
    }
    WriteList("texts", texts_.texts());
    WriteEdges();
    WriteCollectives();
    WriteMemory();
    WriteSurprises();
    json_.Key("explanations");
    WriteExplanations(data_.explained, table_, data_.request.refused, data_.request.source_lines,
                      &json_);
    return json_.EndObject().text();
  }

 private:
  void WriteList(absl::string_view key, const std::vector<std::string>& texts) {
    json_.Key(key).Strings(texts);
  }

  void WriteMeshes() {
    const sharding::MeshTable& meshes = data_.explained.sharded->program->meshes();
    json_.Key("meshes").BeginArray();
    for (sharding::MeshId id = 0; id < meshes.size(); ++id) WriteMesh(meshes, id, &json_);
    json_.EndArray();
  }

  void Column(absl::string_view key, const std::function<void(int row)>& write) {
    json_.Key(key).BeginArray();
    for (int row = 0; row < table_.size(); ++row) write(row);
    json_.EndArray();
  }
  // A column of numbers of texts.
  void TextColumn(absl::string_view key, const std::function<std::string(int row)>& text) {
    Column(key, [&](int row) { json_.Int(texts_.Add(text(row))); });
  }

  const Tensor& At(int row) const { return table_.tensors()[static_cast<size_t>(row)]; }
  const hlo::Instruction& InstructionAt(int row) const {
    return module_.instruction(At(row).instruction);
  }

  void WriteTensors() {
    std::vector<const Tensor*> distinct;  // of each sharding the first tensor
    json_.Key("tensors").BeginObject();
    Column("name", [&](int row) { json_.String(At(row).name); });
    TextColumn("computation", [&](int row) {
      return std::string(module_.computation(InstructionAt(row).computation).name);
    });
    TextColumn("opcode", [&](int row) {
      return table_.is_result(row) ? "result"
                                   : std::string(hlo::OpcodeName(InstructionAt(row).opcode));
    });
    TextColumn("shape",
               [&](int row) { return layout::ShapeToString(At(row).shape->WithoutLayout()); });
    TextColumn("op_name", [&](int row) { return At(row).op_name; });
    TextColumn("location", [&](int row) { return At(row).location; });
    TextColumn("local_shape", [&](int row) {
      return absl::StrCat("[", absl::StrJoin(ShareOf(At(row)).sizes, ","), "]");
    });
    Column("sharding", [&](int row) { json_.Int(NumberOf(At(row), &distinct)); });
    Column("bytes", [&](int row) { json_.Int(ShareOf(At(row)).bytes); });
    json_.EndObject();
    WriteShardings(distinct);
  }

  int64_t NumberOf(const Tensor& tensor, std::vector<const Tensor*>* distinct) {
    if (tensor.sharding == nullptr) return 0;
    const auto [it, is_new] = shardings_.try_emplace({tensor.sharding->mesh_id(), tensor.spec},
                                                     static_cast<int64_t>(distinct->size()) + 1);
    if (is_new) distinct->push_back(&tensor);
    return it->second;
  }

  void WriteShardings(const std::vector<const Tensor*>& distinct) {
    json_.Key("shardings").BeginArray().BeginObject().EndObject();
    for (const Tensor* tensor : distinct) {
      json_.BeginObject();
      WriteSharding(*tensor, &json_);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void WriteEdges() {
    const std::vector<FlowEdge> edges = FlowEdges(module_, table_);
    json_.Key("edges").BeginObject().Key("from").BeginArray();
    for (const FlowEdge& edge : edges) json_.Int(edge.from);
    json_.EndArray().Key("to").BeginArray();
    for (const FlowEdge& edge : edges) json_.Int(edge.to);
    json_.EndArray().EndObject();
  }

  // A member that is absent where there is nothing to say.
  void Row(absl::string_view key, int row) {
    if (row != kNoRow) json_.Key(key).Int(row);
  }

  void WriteCollectives() {
    if (!data_.partitioned.ok()) {
      json_.Key("no_collectives").String(data_.partitioned.message());
      return;
    }
    json_.Key("collectives").BeginArray();
    for (const CollectiveLine& line : data_.collectives) WriteCollective(line);
    json_.EndArray().Key("reshards").BeginArray();
    for (const Reshard& reshard : data_.reshards.list) WriteReshard(reshard);
    json_.EndArray();
  }

  // Reshards name instructions of what was propagated.
  int RowOfEnd(hlo::InstructionId id) const {
    return id == hlo::kNoId ? kNoRow : table_.row(id, 0);
  }

  void WriteReshard(const Reshard& reshard) {
    json_.BeginObject().Key("kind").String(KindText(reshard.kind));
    json_.Key("value").String(reshard.value);
    json_.TextUnlessEmpty("consumer", reshard.consumer);
    json_.Key("shape").String(reshard.shape);
    json_.TextUnlessEmpty("before", reshard.from);
    json_.TextUnlessEmpty("after", reshard.to);
    json_.Key("total")
        .Int(reshard.total)
        .Key("alike")
        .Int(static_cast<int64_t>(reshard.ends.size()));
    std::vector<std::string> ops;
    for (const CollectiveLine& line : reshard.collectives) ops.push_back(line.op);
    WriteList("ops", ops);
    json_.TextUnlessEmpty("location", reshard.location);
    json_.Key("ends").BeginArray();
    for (const ReshardEnds& ends : reshard.ends) {
      json_.BeginObject();
      Row("from", RowOfEnd(ends.producer));
      Row("to", RowOfEnd(ends.consumer));
      json_.EndObject();
    }
    json_.EndArray().EndObject();
  }

  void WriteCollective(const CollectiveLine& line) {
    json_.BeginObject().Key("op").String(line.op).Key("shape").String(line.shape);
    if (line.over->axes.has_value()) {
      WriteList("axes", line.over->axis_names);
    } else {
      json_.Key("devices").String(line.over->devices);
    }
    json_.Key("sent").Int(line.sent).Key("runs").Int(line.runs);
    if (line.unknown_runs) json_.Key("unknown_runs").Bool(true);
    Row("from", data_.RowOf(line.made.producer));
    Row("to", data_.RowOf(line.made.cause));
    json_.TextUnlessEmpty("producer", line.producer);
    json_.TextUnlessEmpty("consumer", line.consumer);
    json_.TextUnlessEmpty("location", line.location);
    json_.TextUnlessEmpty("reduction", line.reduction);
    if (line.given) json_.Key("given").Bool(true);
    json_.EndObject();
  }

  void WriteMemory() {
    if (!data_.measured.ok()) {
      json_.Key("no_memory").String(data_.measured.message());
      return;
    }
    const cost::DeviceMemory& m = data_.memory;
    json_.Key("memory").BeginObject();
    json_.Key("arguments").Int(m.arguments).Key("results").Int(m.results);
    json_.Key("aliased").Int(m.aliased).Key("constants").Int(m.constants);
    json_.Key("temporaries").Int(m.temporaries);
    json_.Key("steps").Ints(data_.timeline.steps).Key("lifetimes").BeginArray();
    for (const auto& lifetime : data_.timeline.lifetimes) {
      json_.BeginObject().Key("name").String(lifetime.name);
      json_.Key("first").Int(lifetime.first).Key("last").Int(lifetime.last);
      json_.Key("bytes").Int(lifetime.bytes);
      Row("row", table_.row(absl::string_view(lifetime.name)));
      json_.EndObject();
    }
    json_.EndArray().EndObject();
  }

  int RowOfSlot(sharding::explain::SlotId slot) const {
    const auto& log = *data_.explained.log;
    if (log.IsOutput(slot)) return table_.result_row(log.OutputOf(slot));
    const auto& name = data_.explained.names->Of(slot);
    return name.instruction == hlo::kNoId ? kNoRow : table_.row(name.instruction, name.leaf);
  }

  void WriteSurprises() {
    const Labels labels(data_.explained);
    json_.Key("surprises").BeginArray();
    for (const Surprise& s : FindSurprises(data_.explained)) {
      json_.BeginObject().Key("what").String(SurpriseInWords(labels, s));
      Row("row", RowOfSlot(s.slot));
      json_.Key("bytes").Int(s.bytes).Key("alike").Int(s.alike);
      if (s.verdict.has_value()) {
        json_.Key("why").String(RefusalMessage(data_.explained, labels, s.verdict->headline));
      }
      json_.EndObject();
    }
    json_.EndArray();
  }

  const ReportData& data_;
  const TensorTable& table_;
  const hlo::Module& module_;
  TextTable texts_;
  absl::flat_hash_map<std::pair<sharding::MeshId, std::string>, int64_t> shardings_;
  JsonWriter json_;
};

}  // namespace

std::string ReportJson(const ReportData& data) { return ReportWriter(data).Write(); }

}  // namespace tessera::pipeline
