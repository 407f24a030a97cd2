// Model Explorer reads a collection of graphs as JSON. Scopes of JAX's op_name become its layers:
// jit(f)/attention/dot_general is the node dot_general in the layer jit(f)/attention.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/flow/drawings.h"
#include "tessera/text/formats/json.h"

namespace tessera::pipeline::flow {
namespace {

using text::JsonWriter;

// The path of an argument (params['w']) has no layers.
std::string Layer(const FlowNode& node) {
  const size_t end = node.op_name.rfind('/');
  return end == std::string::npos ? "" : node.op_name.substr(0, end);
}

void WriteAttribute(absl::string_view key, absl::string_view value, JsonWriter* json) {
  if (value.empty()) return;
  json->BeginObject().Key("key").String(key).Key("value").String(value).EndObject();
}

void WriteAttributes(const FlowNode& node, JsonWriter* json) {
  json->Key("attrs").BeginArray();
  WriteAttribute("name", node.name, json);
  WriteAttribute("sharding", node.spec, json);
  WriteAttribute("op_name", node.op_name, json);
  WriteAttribute("source", node.location, json);
  WriteAttribute("sends", absl::StrJoin(MovesInWords(node.moves), ", "), json);
  json->EndArray();
}

// On an edge Model Explorer shows the shape of what it carries; the sharding stands there too.
void WriteOutput(const FlowNode& node, JsonWriter* json) {
  json->Key("outputsMetadata").BeginArray().BeginObject().Key("id").String("0");
  json->Key("attrs").BeginArray();
  WriteAttribute("tensor_shape", absl::StrCat(node.shape, " ", node.spec), json);
  json->EndArray().EndObject().EndArray();
}

class Writer {
 public:
  explicit Writer(const FlowGraph& graph) : graph_(graph), reads_(graph.nodes.size()) {
    for (size_t k = 0; k < graph.links.size(); ++k) reads_[graph.links[k].to].push_back(k);
  }

  std::string Write(absl::string_view module) {
    json_.BeginObject().Key("label").String(module).Key("graphs").BeginArray();
    json_.BeginObject().Key("id").String(module).Key("nodes").BeginArray();
    for (size_t k = 0; k < graph_.nodes.size(); ++k) WriteNode(k);
    json_.EndArray().EndObject().EndArray().EndObject();
    return json_.text() + "\n";
  }

 private:
  void WriteNode(size_t k) {
    const FlowNode& node = graph_.nodes[k];
    json_.BeginObject().Key("id").String(absl::StrCat(k)).Key("label").String(node.opcode);
    json_.Key("namespace").String(Layer(node));
    WriteAttributes(node, &json_);
    WriteInputs(k);
    WriteOutput(node, &json_);
    json_.EndObject();
  }

  void WriteInputs(size_t k) {
    json_.Key("incomingEdges").BeginArray();
    for (size_t number = 0; number < reads_[k].size(); ++number) {
      json_.BeginObject().Key("sourceNodeId").String(absl::StrCat(LinkOf(k, number).from));
      json_.Key("sourceNodeOutputId").String("0");
      json_.Key("targetNodeInputId").String(absl::StrCat(number)).EndObject();
    }
    json_.EndArray().Key("inputsMetadata").BeginArray();
    for (size_t number = 0; number < reads_[k].size(); ++number) {
      const FlowLink& link = LinkOf(k, number);
      json_.BeginObject().Key("id").String(absl::StrCat(number)).Key("attrs").BeginArray();
      WriteAttribute("sends", absl::StrJoin(MovesInWords(link.moves), ", "), &json_);
      WriteAttribute("becomes", link.after, &json_);
      json_.EndArray().EndObject();
    }
    json_.EndArray();
  }

  const FlowLink& LinkOf(size_t node, size_t number) const {
    return graph_.links[reads_[node][number]];
  }

  const FlowGraph& graph_;
  std::vector<std::vector<size_t>> reads_;  // links, by who reads
  JsonWriter json_;
};

}  // namespace

std::string ModelExplorerJson(const FlowGraph& graph, absl::string_view module) {
  return Writer(graph).Write(module);
}

}  // namespace tessera::pipeline::flow
