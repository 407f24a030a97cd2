// narrow-products: a result of a product that only products read is stored as bf16.
//
//   h = f32[64,8] tanh(f32[64,8] dot(x, w)), d = f32[64,4] dot(h, v) at default precision
//   ->  n = bf16[64,8] convert(h), d = f32[64,4] dot(n, v)
//
// Views may stand between. An element-wise value counts that nothing else needs a product for: it runs in the kernel of
// the product. Others are computed anew in each product that reads them. Where a sum, a mask or a loop reads the
// value, too, it stays float32. Found by probes of two to nine products, and in final modules of float32 programs.
//
// Cost: linear, but for chains of element-wise operations, of which at most 16 are looked at.

#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/layout/element_type.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/bf16_reads.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

using layout::ElementType;

constexpr int kLongChain = 16;

bool IsViewOfArray(Opcode opcode) {
  return opcode == Opcode::kReshape || opcode == Opcode::kTranspose;
}

// Of views of `id`, too.
bool OnlyProductsRead(const DeviceProgram& program, InstructionId id) {
  std::vector<InstructionId> views = {id};
  for (size_t k = 0; k < views.size(); ++k) {
    if (!program.HasUsers(views[k]) || program.IsRoot(views[k])) return false;
    for (const InstructionId user : program.Users(views[k])) {
      if (IsViewOfArray(program.opcode(user))) {
        views.push_back(user);
      } else if (!IsProduct(program.opcode(user)) || !ReadsAsBf16(program, user)) {
        return false;
      }
    }
  }
  return true;
}

// A product, or what element-wise operations make of one that nobody else reads.
bool IsOfProduct(const DeviceProgram& program, InstructionId id, int steps = 0) {
  if (IsProduct(program.opcode(id))) return true;
  if (steps == kLongChain || !projection::IsElementwise(program.opcode(id))) return false;
  return absl::c_any_of(program.operands(id), [&](InstructionId operand) {
    return program.OnlyUser(operand) == id && IsOfProduct(program, operand, steps + 1);
  });
}

bool IsStoredNarrow(const DeviceProgram& program, InstructionId id) {
  const layout::Shape& shape = program.shape(id);
  return shape.is_array() && shape.element_type() == ElementType::kF32 && !program.IsPinned(id) &&
         IsOfProduct(program, id) && OnlyProductsRead(program, id);
}

// Of views of `id`, too.
void RetypeViews(DeviceProgram& program, InstructionId id) {
  std::vector<InstructionId> views = {id};
  for (size_t k = 0; k < views.size(); ++k) {
    program.SetShape(views[k], Retyped(program.shape(views[k]), ElementType::kBf16));
    for (const InstructionId user : program.Users(views[k])) {
      if (IsViewOfArray(program.opcode(user))) views.push_back(user);
    }
  }
}

// Readers of `wide` read it converted.
void NarrowReads(DeviceProgram& program, InstructionId wide) {
  const std::vector<InstructionId> users = program.Users(wide);
  const InstructionId narrow = AddConvert(program, wide, ElementType::kBf16);
  for (const InstructionId user : users) {
    program.ReplaceOperand(user, wide, narrow);
    if (IsViewOfArray(program.opcode(user))) RetypeViews(program, user);
  }
}

}  // namespace

absl::Status NarrowProducts(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (IsStoredNarrow(program, id)) NarrowReads(program, id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
