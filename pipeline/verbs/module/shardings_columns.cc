#include "tessera/pipeline/verbs/module/shardings_columns.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/pipeline/verbs/module/shardings_answer.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"
#include "tessera/text/formats/json.h"

namespace tessera::pipeline {
namespace {

using text::JsonWriter;

// Numbers texts in the order in which they first come.
class TextTable {
 public:
  int64_t IndexOf(const std::string& text) {
    const auto [it, is_new] = index_.try_emplace(text, static_cast<int64_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return it->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  absl::flat_hash_map<std::string, int64_t> index_;
  std::vector<std::string> texts_;
};

// Numbers placements, and has a tensor of each.
class PlacementTable {
 public:
  int64_t IndexOf(const Tensor& tensor) {
    const auto [it, is_new] = index_.try_emplace(KeyOf(tensor), 0);
    if (!is_new) return it->second;
    // One shape may stand in several places of a module: its text tells.
    JsonWriter json;
    WritePlacement(tensor, &json);
    it->second = texts_.IndexOf(json.text());
    if (it->second == static_cast<int64_t>(firsts_.size())) firsts_.push_back(&tensor);
    return it->second;
  }
  const std::vector<const Tensor*>& firsts() const { return firsts_; }

 private:
  // The shape, and the sharding if there is one.
  using Key = std::tuple<const layout::Shape*, bool, sharding::TensorSharding>;

  static Key KeyOf(const Tensor& tensor) {
    if (tensor.sharding == nullptr) return Key(tensor.shape, false, {});
    return Key(tensor.shape, true, *tensor.sharding);
  }

  absl::flat_hash_map<Key, int64_t> index_;
  TextTable texts_;
  std::vector<const Tensor*> firsts_;
};

struct Columns {
  std::vector<absl::string_view> names;
  std::vector<int64_t> placement, op_name, location;
  std::vector<int64_t> argument_rows, arguments;
  TextTable texts;
  PlacementTable placements;

  void Add(const Tensor& tensor) {
    names.push_back(tensor.name);
    placement.push_back(placements.IndexOf(tensor));
    op_name.push_back(texts.IndexOf(tensor.op_name));
    location.push_back(texts.IndexOf(tensor.location));
  }
};

}  // namespace

std::string ShardingsAsColumns(const PropagatedModule& sharded, absl::Span<const Tensor> tensors,
                               absl::Span<const Tensor> results, const std::string& reference) {
  Columns columns;
  columns.texts.IndexOf("");
  for (const Tensor& tensor : tensors) {
    const std::optional<int64_t> argument = ArgumentOf(sharded.module, tensor);
    if (argument.has_value()) {
      columns.argument_rows.push_back(static_cast<int64_t>(columns.names.size()));
      columns.arguments.push_back(*argument);
    }
    columns.Add(tensor);
  }
  for (const Tensor& tensor : results) columns.Add(tensor);
  JsonWriter json;
  json.BeginObject().Key("names").BeginArray();
  for (const absl::string_view name : columns.names) json.String(name);
  json.EndArray().Key("placement").Ints(columns.placement);
  json.Key("op_name").Ints(columns.op_name).Key("location").Ints(columns.location);
  json.Key("results").Int(static_cast<int64_t>(results.size()));
  json.Key("argument_rows").Ints(columns.argument_rows).Key("arguments").Ints(columns.arguments);
  json.Key("texts").BeginArray();
  for (const std::string& text : columns.texts.texts()) json.String(text);
  json.EndArray().Key("placements").BeginArray();
  for (const Tensor* first : columns.placements.firsts()) {
    json.BeginObject();
    WritePlacement(*first, &json);
    json.EndObject();
  }
  json.EndArray().Key("meshes").BeginArray();
  const sharding::MeshTable& meshes = sharded.program->meshes();
  for (sharding::MeshId id = 0; id < meshes.size(); ++id) WriteMesh(meshes, id, &json);
  json.EndArray().Key("reference").String(reference).EndObject();
  return json.text() + "\n";
}

}  // namespace tessera::pipeline
