// The sharding of an array of a module that goes to the partitioner, as users write it.
//
//   SpecReader specs(input);
//   specs.SpecOf(id, 0);          // "P('data', None)"
//   specs.ShardingOf(id, 0);      // the same, in the axes of input.mesh
//
// Cost: the text of the attribute is read when another instruction is asked about than before, so that all
// arrays of one cost its text once.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_INPUT_SPEC_READER_H_
#define TESSERA_PIPELINE_VERBS_COSTS_INPUT_SPEC_READER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/sharding/hlo_import.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::pipeline {

class SpecReader {
 public:
  // `input` must outlive this.
  explicit SpecReader(const PartitionerInput& input);

  // Of array `leaf` of the result, on the mesh; nothing where it cannot be said so, and for kNoId.
  std::optional<sharding::TensorSharding> ShardingOf(hlo::InstructionId id, size_t leaf = 0);
  // By axes where there are any, else as the module says; "" for what is no array, and for kNoId.
  std::string SpecOf(hlo::InstructionId id, size_t leaf = 0);
  // The axes of the mesh that it uses; none where it cannot be said so.
  std::vector<std::string> AxesOf(hlo::InstructionId id, size_t leaf = 0);
  // Of one that ShardingOf() gave, or that was made of it.
  std::string SpecOf(const sharding::TensorSharding& sharding) const;

 private:
  // Of one instruction.
  struct Known {
    hlo::InstructionId id = hlo::kNoId;
    std::vector<const layout::Shape*> leaves;
    std::optional<sharding::HloSharding> sharding;  // of all of them
  };

  void Know(hlo::InstructionId id);
  // Null for what is no array.
  const layout::Shape* ArrayAt(size_t leaf) const;
  std::optional<sharding::HloSharding> LeafOf(size_t leaf) const;

  const hlo::Module& module_;
  Known known_;
  std::optional<sharding::HloImporter> importer_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_INPUT_SPEC_READER_H_
