// The reads, writes and work of a kernel, from the instructions that run in it.
//
//   Body body;
//   const int32_t x = body.AddInput(p);             // an array in memory
//   const int32_t s = body.Add(slice, {x});         // %slice = f32[1,128] dynamic-slice(f32[8,128] %p)
//   body.AddOutput(body.Add(negate, {s}));
//   DeviceKernel kernel = KernelOf(module, body);          // reads an eighth of %p, writes 128 elements
//
// A walk from the outputs says which part of each array is needed. Of what is sliced it is the
// slices, of what a gather reads its rows. Of what a dynamic-update-slice at an output changes in
// place it is nothing. An operation that only rides along with a collective costs nothing. All else
// is computed once over its shape.
//
// Cost: linear in the nodes. Tested by kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_BODY_H_
#define TESSERA_TARGET_KERNELS_BODY_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/target/kernels/kernel.h"

namespace tessera::target {

struct BodyNode {
  hlo::InstructionId id = hlo::kNoId;
  absl::InlinedVector<int32_t, 3> operands;  // nodes in front of it
  bool is_input = false;
  bool is_fast = false;  // an input, or an output in the fast memory
  bool is_output = false;
  // As the array is stored; 0: as its shape says.
  double registers = 0;
  double width = 0;      // bytes of an element
  double low_tiles = 0;  // LowTiles(), where `registers` is set
};

struct Body {
  std::vector<BodyNode> nodes;  // operands first

  int32_t AddInput(hlo::InstructionId id, bool is_fast) {
    nodes.push_back({id, {}, true, is_fast, false, 0, 0, 0});
    return static_cast<int32_t>(nodes.size()) - 1;
  }
  int32_t Add(hlo::InstructionId id, absl::Span<const int32_t> operands) {
    nodes.push_back({id, {operands.begin(), operands.end()}, false, false, false, 0, 0, 0});
    return static_cast<int32_t>(nodes.size()) - 1;
  }
  void AddOutput(int32_t node, bool is_fast) {
    nodes[node].is_output = true;
    nodes[node].is_fast |= is_fast;
  }
};

// Of a part of an array, by its size; it is read, and not in the fast memory.
Access AccessTo(const layout::Shape& array, double part = 1);

// `instruction` is left to the caller.
DeviceKernel KernelOf(const hlo::Module& module, const Body& body);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_BODY_H_
