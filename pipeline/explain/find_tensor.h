// The tensor that a user names.
//
//   NAME[{K}][:DIM]
//
//   dot.7            the instruction; COMPUTATION/NAME where several computations have it
//   while.3{2}:0     dimension 0 of its third array
//   params['w']      the argument path of a parameter, or any op_name; quotes may be left out
//   model.py:41      where it was written
//   attn.*softmax    a regular expression that only one tensor matches
//   params['mlp']    what op_names or argument paths begin with
//   result{1}        what the module returns
//
// A name of several tensors, or of none, is an error that lists them, or the nearest names. With an
// axis, several tensors are those of them without the axis, where there are such: those beside a
// tensor that has it, where there are such.

#ifndef TESSERA_PIPELINE_EXPLAIN_FIND_TENSOR_H_
#define TESSERA_PIPELINE_EXPLAIN_FIND_TENSOR_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "tessera/pipeline/explain/explained.h"

namespace tessera::pipeline {

struct FoundTensor {
  sharding::explain::SlotId slot = sharding::explain::kNoIndex;
  std::optional<int> dim;
};

// NotFound for a name of no tensor; FailedPrecondition for an instruction that propagation never
// sees; else InvalidArgument, as said above.
absl::StatusOr<FoundTensor> FindTensor(const Explained& explained, const std::string& name,
                                       const std::string& axis = "");

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_FIND_TENSOR_H_
