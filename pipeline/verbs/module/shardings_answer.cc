#include "tessera/pipeline/verbs/module/shardings_answer.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/layout/shape_text.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/axis_text.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

void FillAxes(const sharding::AxisList& axes, const sharding::Mesh& mesh,
              google::protobuf::RepeatedPtrField<std::string>* to) {
  for (const sharding::AxisRef axis : axes) *to->Add() = sharding::ShortAxisText(axis, mesh);
}

}  // namespace

std::optional<int64_t> ArgumentOf(const hlo::Module& module, const Tensor& tensor) {
  const hlo::Instruction& instruction = module.instruction(tensor.instruction);
  const bool is_in_entry = &module.computation(instruction.computation) == &module.entry();
  if (!is_in_entry || instruction.opcode != hlo::Opcode::kParameter) return std::nullopt;
  return static_cast<int64_t>(instruction.parameter_number);
}

void FillPlacement(const Tensor& tensor, answers::TensorSharding* to) {
  to->set_shape(layout::ShapeToString(tensor.shape->WithoutLayout()));
  if (tensor.sharding != nullptr) FillSharding(tensor, to);
  for (const int axis : tensor.manual_axes) {
    to->add_manual_axes(tensor.manual_mesh->axis(axis).name);
  }
  const DeviceShare share = ShareOf(tensor);
  to->mutable_local_shape()->Add(share.sizes.begin(), share.sizes.end());
  to->set_bytes_per_device(share.bytes);
}

void FillSharding(const Tensor& tensor, answers::TensorSharding* to) {
  to->set_sharding(tensor.spec);
  to->set_mesh(static_cast<int32_t>(tensor.sharding->mesh_id()));
  for (const sharding::DimensionSharding& dimension : tensor.sharding->dims()) {
    answers::ShardedDimension* one = to->add_dimensions();
    FillAxes(dimension.axes, *tensor.mesh, one->mutable_axes());
    one->set_open(!dimension.is_closed);
  }
  FillAxes(tensor.sharding->unreduced_axes(), *tensor.mesh, to->mutable_unreduced());
}

void FillMeshes(const sharding::MeshTable& meshes,
                google::protobuf::RepeatedPtrField<answers::NamedMesh>* to) {
  for (sharding::MeshId id = 0; id < meshes.size(); ++id) {
    answers::NamedMesh* mesh = to->Add();
    mesh->set_name(meshes.name(id));
    for (const sharding::MeshAxis& axis : meshes.mesh(id).axes()) {
      answers::MeshAxisSize* one = mesh->add_axes();
      one->set_name(axis.name);
      one->set_size(axis.size);
    }
    const absl::Span<const int64_t> devices = meshes.mesh(id).device_ids();
    mesh->mutable_devices()->Add(devices.begin(), devices.end());
  }
}

std::string ShardingsAsJson(const PropagatedModule& sharded, absl::Span<const Tensor> tensors,
                            absl::Span<const Tensor> results, const std::string& reference) {
  answers::ShardingsAnswer answer;
  FillMeshes(sharded.program->meshes(), answer.mutable_meshes());
  answer.set_reference(reference);
  answers::TensorSharding row;
  const auto fill = [&](size_t k) {
    const bool is_result = k >= tensors.size();
    const Tensor& tensor = is_result ? results[k - tensors.size()] : tensors[k];
    row.set_name(tensor.name);
    FillPlacement(tensor, &row);
    row.set_op_name(tensor.op_name);
    row.set_location(tensor.location);
    if (is_result) return row.set_is_result(true);
    const std::optional<int64_t> argument = ArgumentOf(sharded.module, tensor);
    if (argument.has_value()) row.set_parameter(*argument);
  };
  return text::JsonOf(answer, {"tensors", &row, tensors.size() + results.size(), fill}) + "\n";
}

}  // namespace tessera::pipeline
