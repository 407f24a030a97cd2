// Kernels that are alike have one number: the layers of a network are weighed once.
//
//   KernelKinds kinds(graph);
//   kinds.Of(kernel) == kinds.Of(other);            // the same ops on arrays of the same shapes
//   const uint32_t one = kinds.OfFused(p, user);    // of both as one kernel: also the number of this pair
//   graph.Fuse(p, user);
//   kinds.Set(user, one);
//
// An instruction is known by its content, what it reads by theirs. A pair is known by both kinds and by which
// operands they share, in which places: this says all of the kernel that they would be.
//
// Cost: linear in the operands of both. Tested by kernel_kinds_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_KERNEL_KINDS_H_
#define TESSERA_TARGET_PRIORITY_FUSION_KERNEL_KINDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/numeric/int128.h"
#include "absl/types/span.h"
#include "tessera/target/priority_fusion/graph/fusion_graph.h"

namespace tessera::target {

class KernelKinds {
 public:
  // The graph as it was built; it is read as long as this is there.
  explicit KernelKinds(const FusionGraph& graph);

  size_t size() const { return numbers_.size(); }
  uint32_t Of(uint32_t kernel) const { return kinds_[kernel]; }
  // `user` reads the result of `producer`.
  uint32_t OfFused(uint32_t producer, uint32_t user);
  // After it the kernel is changed.
  void Set(uint32_t kernel, uint32_t kind) {
    kinds_[kernel] = kind;
    marked_user_ = std::nullopt;
  }

 private:
  enum class Sort : uint32_t { kKernel, kPair };  // no two of different sorts are equal

  std::vector<uint32_t> NumbersOfOps() const;
  uint32_t NumberOfContent();
  uint32_t OfNode(uint32_t kernel, const std::vector<uint32_t>& ops);
  // places_ of what it reads: where it reads it first.
  void MarkOperands(absl::Span<const uint32_t> operands);
  void Begin(Sort sort);
  void Add(uint32_t word);
  void AddPlaceOf(uint32_t kernel);

  const FusionGraph& graph_;
  absl::flat_hash_map<absl::uint128, uint32_t> numbers_;  // of contents: kernels and pairs
  std::vector<uint32_t> kinds_;                           // by kernel
  std::vector<uint32_t> places_, marks_;                  // by kernel, of those marked mark_
  uint32_t mark_ = 0;
  std::optional<uint32_t> marked_user_;  // the kernel whose operands have the mark now
  absl::uint128 content_;                // of a kernel or a pair: 128 bits stand for its words
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_KERNEL_KINDS_H_
