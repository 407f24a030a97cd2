// Which collectives become one of several arrays, as a row.
//
//   constexpr Combiner kSums = {"all-reduce-combiner", Opcode::kAllReduce, nullptr, nullptr, 1 << 20};
//   TESSERA_RETURN_IF_ERROR(Combine(context, kSums));
//
// Tested by gpu/recorded_passes_test.cc and tpu/tpu_passes_test.cc.

#ifndef TESSERA_TARGET_PASSES_COLLECTIVE_COMBINERS_H_
#define TESSERA_TARGET_PASSES_COLLECTIVE_COMBINERS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tessera/target/pass.h"

namespace tessera::target {

// In which order a combiner finds members.
enum class CombinerOrder {
  kOfInstructions,    // in front of fusion
  kOfKernels,         // MakeKernelGraph()
  kOfPriorityFusion,  // the kernels of priority fusion
};

struct Combiner {
  absl::string_view name;  // of the pass
  Opcode opcode = Opcode::kAllReduce;
  int64_t XlaFlags::*max_bytes_flag = nullptr;   // null: `max_bytes`
  bool XlaFlags::*by_dimension = nullptr;        // null: there is no such flag
  int64_t max_bytes = 0;                         // of the arrays of one collective
  size_t max_arrays = 2048;                      // of one collective
  int64_t XlaFlags::*max_arrays_flag = nullptr;  // null: `max_arrays`
  CombinerOrder order = CombinerOrder::kOfKernels;
  bool by_height = false;  // CombineLimits has it
  // A pass that narrows arrays to bf16. Here it runs before the combiner, in XLA after it: its arrays count as f32.
  absl::string_view narrowed_by = {};
  // The part of the limit that an array takes; null: its bytes.
  int64_t (*weight)(const Context& context, GroupsId groups, const layout::Shape& array) = nullptr;
  // Whether a collective over these groups is not combined; null: none.
  bool (*stays_alone)(const Context& context, InstructionId id, GroupsId groups) = nullptr;
};

// Errors are InvalidArgument with the offset of an instruction, for groups that cannot be listed.
absl::Status Combine(Context& context, const Combiner& combiner);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PASSES_COLLECTIVE_COMBINERS_H_
