#include "tessera/pipeline/verbs/module/shardings_answer.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/axis_text.h"
#include "tessera/sharding/trim.h"
#include "tessera/text/checked.h"
#include "tessera/text/formats/json.h"

namespace tessera::pipeline {
namespace {

using text::JsonWriter;

// The largest number stands for all that leave 64 bits; a dynamic size counts as none.
int64_t Bytes(const layout::Shape& shape, absl::Span<const int64_t> sizes) {
  int64_t elements = 1;
  for (const int64_t size : sizes) {
    elements = SaturatingProduct(elements, std::max<int64_t>(size, 0));
  }
  return layout::ElementBytes(shape, elements);
}

void WriteAxes(const sharding::AxisList& axes, const sharding::Mesh& mesh, JsonWriter* json) {
  json->BeginArray();
  for (const sharding::AxisRef axis : axes) json->String(sharding::ShortAxisText(axis, mesh));
  json->EndArray();
}

// Leaves the object open, for what only some tensors have.
void BeginTensor(const Tensor& tensor, JsonWriter* json) {
  json->BeginObject();
  json->Key("name").String(tensor.name);
  WritePlacement(tensor, json);
  json->TextUnlessEmpty("op_name", tensor.op_name);
  json->TextUnlessEmpty("location", tensor.location);
}

void WriteTensor(const hlo::Module& module, const Tensor& tensor, JsonWriter* json) {
  BeginTensor(tensor, json);
  const std::optional<int64_t> argument = ArgumentOf(module, tensor);
  if (argument.has_value()) json->Key("parameter").Int(*argument);
  json->EndObject();
}

}  // namespace

std::optional<int64_t> ArgumentOf(const hlo::Module& module, const Tensor& tensor) {
  const hlo::Instruction& instruction = module.instruction(tensor.instruction);
  const bool is_in_entry = &module.computation(instruction.computation) == &module.entry();
  if (!is_in_entry || instruction.opcode != hlo::Opcode::kParameter) return std::nullopt;
  return static_cast<int64_t>(instruction.parameter_number);
}

Share ShareOf(const Tensor& tensor) {
  const absl::Span<const int64_t> whole = tensor.shape->dims();
  Share share;
  share.sizes.assign(whole.begin(), whole.end());
  if (tensor.sharding != nullptr) {
    share.sizes = sharding::LocalShape(*tensor.sharding, *tensor.mesh, whole);
  }
  share.bytes = Bytes(*tensor.shape, share.sizes);
  return share;
}

void WritePlacement(const Tensor& tensor, JsonWriter* json) {
  json->Key("shape").String(layout::ShapeToString(tensor.shape->WithoutLayout()));
  if (tensor.sharding != nullptr) WriteSharding(tensor, json);
  const Share share = ShareOf(tensor);
  json->Key("local_shape").Ints(share.sizes);
  json->Key("bytes_per_device").Int(share.bytes);
}

void WriteSharding(const Tensor& tensor, JsonWriter* json) {
  json->Key("sharding").String(tensor.spec);
  json->Key("mesh").Int(static_cast<int64_t>(tensor.sharding->mesh_id()));
  json->Key("dimensions").BeginArray();
  for (const sharding::DimensionSharding& dimension : tensor.sharding->dims()) {
    json->BeginObject().Key("axes");
    WriteAxes(dimension.axes, *tensor.mesh, json);
    if (!dimension.is_closed) json->Key("open").Bool(true);
    json->EndObject();
  }
  json->EndArray();
  if (!tensor.sharding->unreduced_axes().empty()) {
    json->Key("unreduced");
    WriteAxes(tensor.sharding->unreduced_axes(), *tensor.mesh, json);
  }
}

void WriteMesh(const sharding::MeshTable& meshes, sharding::MeshId id, JsonWriter* json) {
  json->BeginObject().Key("name").String(meshes.name(id)).Key("axes").BeginArray();
  for (const sharding::MeshAxis& axis : meshes.mesh(id).axes()) {
    json->BeginObject().Key("name").String(axis.name).Key("size").Int(axis.size).EndObject();
  }
  json->EndArray();
  const absl::Span<const int64_t> devices = meshes.mesh(id).device_ids();
  if (!devices.empty()) json->Key("devices").Ints(devices);
  json->EndObject();
}

std::string ShardingsAsJson(const PropagatedModule& sharded, absl::Span<const Tensor> tensors,
                            absl::Span<const Tensor> results, const std::string& reference) {
  JsonWriter json;
  json.BeginObject().Key("tensors").BeginArray();
  for (const Tensor& tensor : tensors) WriteTensor(sharded.module, tensor, &json);
  for (const Tensor& tensor : results) {
    BeginTensor(tensor, &json);
    json.Key("is_result").Bool(true).EndObject();
  }
  json.EndArray().Key("meshes").BeginArray();
  const sharding::MeshTable& meshes = sharded.program->meshes();
  for (sharding::MeshId id = 0; id < meshes.size(); ++id) WriteMesh(meshes, id, &json);
  json.EndArray().Key("reference").String(reference).EndObject();
  return json.text() + "\n";
}

}  // namespace tessera::pipeline
