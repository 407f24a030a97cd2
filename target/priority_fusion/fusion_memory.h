// Computations that priority fusion went through before, known again by what decides their kernels.
//
//   FusionMemory memory;                          // of one target
//   FuseKernels(program, c, &memory);             // fuses
//   FuseKernels(other_program, d, &memory);       // looks it up, if d is like c
//
// Variants of a program, and passes that change one computation of it, ask for the kernels of the same
// computations again and again. The key of a computation is a fingerprint of facts, operands and root of
// each instruction, in the order of its list. Where Triton has a part, shapes belong to it. FusionGraph
// reads nothing else. Kernels are kept by places in that list, so that ids and names may differ.
//
// Cost: linear in the computation, 100 bytes an instruction hashed; 20 bytes an instruction kept, and
// all is forgotten at kMostNumbers. Safe from many threads. Tested by fusion_memory_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_FUSION_MEMORY_H_
#define TESSERA_TARGET_PRIORITY_FUSION_FUSION_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/numeric/int128.h"
#include "tessera/target/priority_fusion/graph/fusion_graph.h"

namespace tessera::target {

// Lists of numbers, one after the other.
struct NumberLists {
  std::vector<uint32_t> ends;  // by list
  std::vector<uint32_t> numbers;

  void Add(const std::vector<uint32_t>& list);
  std::vector<std::vector<uint32_t>> Lists() const;
};

inline constexpr uint32_t kNoOp = 0xffffffffu;

// The kernels of a computation. An op is the place of an instruction in FusionGraph::InstructionOf().
struct FusedComputation {
  std::vector<uint32_t> ops;  // by kernel: of its first result, as KernelGraph::instructions
  NumberLists operands;       // by kernel, as KernelGraph::operands
  NumberLists results;        // ops that each kernel writes, operands first
  NumberLists recomputed;     // ops that each kernel computes although another one writes them
  std::vector<uint32_t>
      products;  // of each kernel of `results`, the op that is a product; kNoOp where none is
  std::vector<double> seconds;  // of each kernel of `results`
};

class FusionMemory {
 public:
  static constexpr size_t kMostNumbers = size_t{1} << 25;  // 128 MiB

  // The result of `fuse` for a graph like this one, which is as it was built.
  std::shared_ptr<const FusedComputation> Find(const FusionGraph& graph,
                                               absl::FunctionRef<FusedComputation()> fuse);

  size_t size() const { return fused_.size(); }

 private:
  std::mutex
      mutex_;  // of all below. absl::Mutex allocates, and ends the process where memory is short
  absl::flat_hash_map<absl::uint128, std::shared_ptr<const FusedComputation>> fused_;
  size_t numbers_ = 0;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_FUSION_MEMORY_H_
