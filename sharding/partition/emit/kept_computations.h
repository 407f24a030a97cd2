// Computations that stay as they are, such as reducers and comparators: copied into the per-device
// module when something calls them.
//
//   KeptComputations kept(input, &module);
//   module.SetCalled(reduce, {kept.Of(input.called(cause)[0])});
//   kept.Fill();       // at the end: the instructions of all of them
//
// Linear in what is copied. Tested by testing/partition/device_run_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_EMIT_KEPT_COMPUTATIONS_H_
#define TESSERA_SHARDING_PARTITION_EMIT_KEPT_COMPUTATIONS_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"

namespace tessera::sharding::partition {

// The attributes of an instruction of `input` but its sharding, with texts that live as long as `module`. Shardy marks
// reducers inside of a shard_map as manual, too.
std::vector<hlo::Attribute> HeldAttributes(const hlo::Module& input, hlo::InstructionId id,
                                           hlo::Module* module);

class KeptComputations {
 public:
  using Ids = absl::InlinedVector<hlo::ComputationId, 2>;

  // Both must outlive it, and have one source.
  KeptComputations(const hlo::Module& input, hlo::Module* output)
      : input_(input), output_(*output) {}

  // The copy of a computation of the input.
  hlo::ComputationId Of(hlo::ComputationId computation);
  Ids Of(absl::Span<const hlo::ComputationId> computations);

  void Fill();
  // Of what Fill() made: an instruction of the input, and its copy.
  absl::Span<const std::pair<hlo::InstructionId, hlo::InstructionId>> copied() const {
    return copied_;
  }

 private:
  static constexpr hlo::ShapeId kNoShape = ~hlo::ShapeId{0};
  hlo::ShapeId ShapeOf(hlo::ShapeId of_input);
  void Fill(hlo::ComputationId from, hlo::ComputationId to);
  hlo::InstructionId Copy(hlo::InstructionId from, hlo::ComputationId to);
  void Connect(hlo::InstructionId from, hlo::InstructionId to);

  const hlo::Module& input_;
  hlo::Module& output_;
  absl::flat_hash_map<hlo::ComputationId, hlo::ComputationId> copies_;
  std::vector<hlo::ComputationId> open_;  // of the input: still without instructions
  std::vector<hlo::InstructionId> made_;  // by instruction of the input; only those of copies
  std::vector<hlo::ShapeId> shapes_;      // by shape of the input; kNoShape: not asked for
  std::vector<std::pair<hlo::InstructionId, hlo::InstructionId>> copied_;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_EMIT_KEPT_COMPUTATIONS_H_
