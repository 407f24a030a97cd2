// The tensors of a propagated module, as a user names them.
//
//   for (const Tensor& t : ListTensors(**sharded)) {
//     t.name;         // "dot.7", or "while.3{1}" for one array of several
//     t.spec;         // "P('data', None)": in the user's axis names; "P()" without sharding
//     t.location;     // "model.py:41"
//   }

#ifndef TESSERA_PIPELINE_TENSORS_H_
#define TESSERA_PIPELINE_TENSORS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/layout/shape.h"
#include "tessera/pipeline/shard.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::pipeline {

struct Tensor {
  std::string name;
  std::string op_name;
  std::string location;  // empty if the module does not say
  hlo::InstructionId instruction = hlo::kNoId;
  int leaf = 0;  // which array of the instruction's shape, or which result of the module
  const layout::Shape* shape = nullptr;
  // Null for a tensor that propagation did not reach. The axes are those of `mesh`.
  const sharding::TensorSharding* sharding = nullptr;
  const sharding::Mesh* mesh = nullptr;
  std::string spec;
  // In the body of a shard_map: axes along which each device has its own array. `shape` is the shape of that
  // array, and `spec` does not name these axes. Null and empty elsewhere.
  const sharding::Mesh* manual_mesh = nullptr;
  std::vector<int> manual_axes;
};

// "P()", and for an array of a shard_map "P() manual={'data'}".
std::string SpecWithManual(const Tensor& tensor);

// The largest share of a tensor on a device.
struct DeviceShare {
  std::vector<int64_t> sizes;
  int64_t bytes = 0;  // the largest number for all that leave 64 bits
};
DeviceShare ShareOf(const Tensor& tensor);

// Works on a program after propagation and on one that was finalized.
//
// Arrays of the entry, of loops, branches, calls and shard_maps, computation by computation in
// order of the text. Of a constant that was copied for its users the first copy is shown; what is
// dead is not. Pointers are valid while `sharded` lives.
std::vector<Tensor> ListTensors(const PropagatedModule& sharded);

// The results of the module, named `result`, or `result{K}` for array K of several; their op_name
// is what ShardOptions::result_names says.
std::vector<Tensor> ListResults(const PropagatedModule& sharded);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_TENSORS_H_
