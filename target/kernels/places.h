// Which arrays lie in the fast memory of a chip, before a compiler has said it.
//
//   const Places places(module, order, loops, {112 << 20});
//   places.Fill(&body);      // sets is_fast of what the kernel reads and writes
//
// Arguments, results and stacks of loops lie in the main memory. So do arrays that wait for their last reader while
// products write more than the fast memory holds. A backward pass that is no loop reads such arrays of the forward
// pass. Of all else that a kernel touches, as much is near as the fast memory has room for, the largest first: a
// compiler moves a value out and back while other kernels run. More than 64 MiB are rarely near: 42 of 576 arrays
// that kernels of 32 final modules for v5e and v6e write.
//
//   a: f32[4096,4096]  64 MiB                 of a chip with 112 MiB: a and c are near, b is not
//   b: f32[4096,4096]  64 MiB
//   c: bf16[4096,4096] dot(a, b)  32 MiB
//
// Before a product runs, operands of at most 24 MiB are moved near, into the room that is left. These are
// arguments whose elements it rounds to bf16, and arrays that waited. On a chip whose two cores compute a
// product, results of products are moved, too. There a kernel with a product writes to the main memory: all of
// 394 results in ten final modules for v5p.
//
// Cost: linear in the instructions; sorts the arrays of a kernel. Tested by loop_kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_PLACES_H_
#define TESSERA_TARGET_KERNELS_PLACES_H_

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/module.h"
#include "tessera/target/kernels/body.h"
#include "tessera/target/kernels/loop_values.h"
#include "tessera/target/target.h"

namespace tessera::target {

struct NearMemory {
  double bytes = 0;            // that arrays may fill
  bool takes_products = true;  // what a kernel with a product writes
};

// Of a TPU; none of another chip.
NearMemory NearMemoryOf(const Chip* chip);

class Places {
 public:
  // `order`: of one computation. All must outlive this.
  Places(const hlo::Module& module, const std::vector<hlo::InstructionId>& order,
         const LoopValues& loops, const NearMemory& memory);

  // A kernel with a product writes it.
  void AddOfProduct(hlo::InstructionId result) { of_products_.insert(result); }

  void Fill(Body* body) const;
  bool IsResult(hlo::InstructionId id) const { return results_.contains(id); }
  // An argument or a result of the program, whose layout is given.
  bool IsAtBorder(hlo::InstructionId id) const { return IsArgument(id) || results_.contains(id); }

 private:
  bool HasProduct(const Body& body) const;
  bool MayBeNear(hlo::InstructionId id) const;
  bool IsLeftFar(hlo::InstructionId id) const;
  bool IsRenewedFar(hlo::InstructionId id) const;
  void MoveBefore(Body* body, double room) const;
  hlo::InstructionId SourceOf(hlo::InstructionId id) const;
  bool IsArgument(hlo::InstructionId id) const;
  void AddResults(hlo::InstructionId root);
  void CountWritten(const std::vector<hlo::InstructionId>& order);
  void ExtendTo(double written, hlo::InstructionId reader);
  bool WaitsLong(hlo::InstructionId id) const;
  void Keep(hlo::InstructionId id);

  const hlo::Module& module_;
  const LoopValues& loops_;
  const NearMemory memory_;
  // By instruction: bytes that products have written when it runs, and when its last reader does.
  struct Span {
    double first = 0, last = 0;
  };
  absl::flat_hash_map<hlo::InstructionId, Span> spans_;
  absl::flat_hash_set<hlo::InstructionId> results_;  // of the program
  absl::flat_hash_set<hlo::InstructionId> far_;      // results, and what loops carry as stacks
  absl::flat_hash_set<hlo::InstructionId> of_products_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_PLACES_H_
