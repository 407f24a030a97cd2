// The answers to a name that fits several tensors, or none.
//
//   TensorList(explained, locations, found);
//       // "  main/dot.7  f32[8,16]  P('data')  dot  model.py:41"
//   NoTensorError(explained, locations, "dott.7");   // "no tensor is named 'dott.7'; the nearest .."
//   NearestLines(locations, found, "model.py", 88);   // "model.py:86, model.py:91"

#ifndef TESSERA_PIPELINE_EXPLAIN_NAME_ANSWERS_H_
#define TESSERA_PIPELINE_EXPLAIN_NAME_ANSWERS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/input/source_locations.h"

namespace tessera::pipeline {

// True if propagation has an array of the instruction.
bool IsSeen(const Explained& explained, hlo::InstructionId id);

// COMPUTATION/NAME, and COMPUTATION/NAME{K} of an element of the tuple NAME.
std::string PathOf(const Explained& explained, hlo::InstructionId id);

// A line for each, the largest arrays first, ten at most, with their final shardings.
std::string TensorList(const Explained& explained, const SourceLocations& locations,
                       std::vector<hlo::InstructionId> found);

// NotFound for a name without a tensor, with the three nearest names, op_names and argument paths.
// For a line of a file without tensors, InvalidArgument with the files of the user's program.
absl::Status NoTensorError(const Explained& explained, const SourceLocations& locations,
                           const std::string& name);

// The three lines of the file nearest to this one that have instructions among `found`, in their order; "" without any.
std::string NearestLines(const SourceLocations& locations,
                         const std::vector<hlo::InstructionId>& found, const std::string& file,
                         int line);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_NAME_ANSWERS_H_
