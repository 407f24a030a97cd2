// head-copies: heads that are split from a flat array are copied where their own tiles pad more.
//
//   h = bf16[64,49,1152] add(..), q = bf16[64,49,12,32] slice and reshape of h, s = dot(q, k) with batch {0,2}
//   ->  s = dot(bf16[64,49,12,32] copy(q), ..)
//
// A product has no batch dimension in its tiles, so those of `q` are 49 x 32: 128 columns of which 49 are used. The
// flat array fills its tiles with other dimensions, and the compiler keeps it so. Heads of 512 tokens fill their tiles,
// too: then the compiler lays the flat array as the product reads it, and copies nothing. The rule was found in final
// modules of windows of 49 tokens, and of 64 tokens with heads of 64. target/layouts says how the copy lies. Only for
// memory and kernels. Cost: linear, but for chains of views.

#include <optional>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/tpu_layout.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/layouts/layout_preferences.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/copies/copies.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

using layout::Shape;

class HeadCopies {
 public:
  explicit HeadCopies(Context* context)
      : program_(context->program),
        generation_(layout::TpuGenerationOf(context->target.chip->name)) {}

  void Run() {
    for (const InstructionId id : AllInstructions(program_)) {
      if (program_.opcode(id) != Opcode::kDot) continue;
      const auto dims = hlo::GetDotDimensions(program_.module(), id);
      CopyOperand(id, 0, dims.lhs_batch);
      CopyOperand(id, 1, dims.rhs_batch);
    }
  }

 private:
  void CopyOperand(InstructionId dot, size_t k, const hlo::IntList& batch) {
    const InstructionId operand = program_.operand(dot, k);
    const auto flat = FlatSource(operand);
    if (batch.empty() || !flat.has_value()) return;
    const Shape& heads = program_.shape(operand);
    if (heads.rank() < static_cast<int64_t>(batch.size()) + 2) return;
    if (BytesPerElement(heads, OutOfTiles(batch)) <= BytesPerElement(program_.shape(*flat), {}))
      return;
    const auto [copy, is_new] = copies_.try_emplace(operand, kNoId);
    if (is_new) copy->second = AddCopy(program_, operand, "head-copy");
    program_.SetOperand(dot, k, copy->second);
  }

  // What views and slices take the operand from, where one of them splits a dimension; no argument.
  std::optional<InstructionId> FlatSource(InstructionId id) const {
    bool is_split = false;
    while (IsPart(id)) {
      const InstructionId from = program_.operand(id, 0);
      is_split = is_split || program_.shape(from).rank() < program_.shape(id).rank();
      id = from;
    }
    if (!is_split || program_.opcode(id) == Opcode::kParameter) return std::nullopt;
    return id;
  }

  bool IsPart(InstructionId id) const {
    const Opcode opcode = program_.opcode(id);
    return opcode == Opcode::kReshape || opcode == Opcode::kTranspose ||
           (opcode == Opcode::kSlice && !MovesToMemory(program_.module(), id));
  }

  // Bytes of an element.
  double BytesPerElement(const Shape& array, MinorChoice choice) const {
    return static_cast<double>(layout::TpuBytesOf(array, generation_, choice)) /
           static_cast<double>(array.NumElements().value_or(0));
  }

  DeviceProgram& program_;
  const layout::TpuGeneration& generation_;
  absl::flat_hash_map<InstructionId, InstructionId> copies_;
};

}  // namespace

absl::Status CopyHeads(Context& context) {
  HeadCopies(&context).Run();
  return absl::OkStatus();
}

}  // namespace tessera::target
