// The facts that decide the time of one instruction, as XLA's cost model for GPUs counts it.
//
//   const OpFacts facts = FactsOf(program, id);
//   facts.flops;               // of an f32[8] multiply: 24, three cycles an element
//   facts.utilization[0];      // of a slice that keeps a quarter: 0.25 reads of each element
//
// Cycles an element are those that XLA measured on an H100; other chips are counted alike. Layouts
// are those of the module, and reshapes are bitcasts.
// Tested by priority_fusion_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_MODEL_OP_FACTS_H_
#define TESSERA_TARGET_PRIORITY_FUSION_MODEL_OP_FACTS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

constexpr int64_t kWarp = 32;  // threads that run as one

struct OpFacts {
  Opcode opcode = Opcode::kParameter;
  bool is_elementwise = false;
  bool is_fusible = false;
  bool has_reduction = false;       // at least 16 elements become one
  bool is_tiled_reduce = false;     // a reduction that XLA tiles, and not one loop over its result
  bool moves_minor = false;         // a transpose to another most minor dimension
  bool is_tiled_transpose = false;  // one that XLA moves by tiles
  double tiles = 0;                 // of it
  double elements = 0;              // of the result; of a tuple in all
  double bytes = 0;
  double flops = 0;
  double written_bytes = 0;    // of a dynamic-update-slice the update
  double looped_elements = 0;  // of the array that the kernel walks through
  // Of a reduction: dimensions that are all reduced (true) or all kept, major first, as one. Of a transpose by
  // tiles: for each dimension of the result its size (false) and its number in the operand (true).
  std::vector<std::pair<bool, int64_t>> runs;
  std::vector<hlo::SliceDimension> slice;      // of a slice
  absl::InlinedVector<double, 2> utilization;  // by operand: how often each element is read
};

OpFacts FactsOf(const DeviceProgram& program, InstructionId id);
// Only what does not depend on the operands: opcode, sorts of operation, elements and bytes.
OpFacts FactsOfResult(const DeviceProgram& program, InstructionId id);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_MODEL_OP_FACTS_H_
