// The answer of `tessera shardings --json` (shardings_answer.proto): tensors with everything that a
// program wants of them in numbers, so that no caller reads P('data', None) as text.
//
//   {"tensors":[{"name":"x","shape":"f32[16,32]","sharding":"P('data', None)","mesh":0,
//     "dimensions":[{"axes":["data"]},{"axes":[]}],"local_shape":[4,32],"bytes_per_device":512,
//     "parameter":0}],"meshes":[{"name":"mesh","axes":[{"name":"data","size":4}]}],
//     "reference":"0.12.0.1"}

#ifndef TESSERA_PIPELINE_VERBS_MODULE_SHARDINGS_ANSWER_H_
#define TESSERA_PIPELINE_VERBS_MODULE_SHARDINGS_ANSWER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "google/protobuf/repeated_field.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/schema/shardings_answer.pb.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/tensors.h"
#include "tessera/sharding/mesh.h"

namespace tessera::pipeline {

// `tensors` and `results` are of `sharded`; `reference` is the release that was imitated. A line of
// text.
std::string ShardingsAsJson(const PropagatedModule& sharded, absl::Span<const Tensor> tensors,
                            absl::Span<const Tensor> results, const std::string& reference);

// The number of the module's argument that holds the tensor, or an array of it.
std::optional<int64_t> ArgumentOf(const hlo::Module& module, const Tensor& tensor);

// Shape, sharding if there is one, and the share of a device.
void FillPlacement(const Tensor& tensor, answers::TensorSharding* to);
// `sharding`, `mesh`, `dimensions` and `unreduced` of a tensor that has a sharding.
void FillSharding(const Tensor& tensor, answers::TensorSharding* to);
void FillMeshes(const sharding::MeshTable& meshes,
                google::protobuf::RepeatedPtrField<answers::NamedMesh>* to);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_MODULE_SHARDINGS_ANSWER_H_
