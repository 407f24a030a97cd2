// rows-in-windows: the sum of a row, beside each of its elements, is one reduce-window.
//
//   m = f32[8,1024] broadcast(f32[8] reduce(x: f32[8,1024]), dimensions={0})
//   ->  m = f32[8,1024] reduce-window(x), window={size=1x2047 pad=0_0x1023_1023}
//
// The maximum of a softmax becomes such a window. Its exponentials are then dear to compute anew, so the
// compiler keeps them for the backward pass, as float32, where it else keeps the scores. One
// dimension of at most 8192 floats, and none of the others of size 1, which the compiler takes out by
// reshapes. Nothing else reads the reduce, and one instruction reads the broadcast. A sum by which a product's operand is
// divided stays a reduce: it is written beside the exponentials. A product whose result is
// transposed, as that of grouped queries, stays with its maximum if the backward pass reads the exponentials. Found from
// outside, by small programs. What a collective leaves lies in memory, and its rows are reduced from there: no window. Cost: linear.

#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/prefix_windows.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

constexpr int64_t kLongestRow = 8192;
constexpr size_t kLargeTree = 32;  // nodes that are looked at

// Nothing is left out of `broadcast` but `dimension`, and nothing changes its place.
bool PutsBack(const DeviceProgram& program, InstructionId broadcast, int64_t dimension) {
  int64_t next = 0;
  for (const int64_t d : DimensionsOf(program, broadcast)) {
    if (next == dimension) ++next;
    if (d != next++) return false;
  }
  return true;
}

// The elementwise tree over `id` has a transpose among its leaves.
bool IsTransposed(const DeviceProgram& program, InstructionId id) {
  std::vector<InstructionId> work = {id};
  for (size_t k = 0; k < work.size() && k < kLargeTree; ++k) {
    if (program.opcode(work[k]) == Opcode::kTranspose) return true;
    if (KindOf(program.opcode(work[k])) != OpKind::kElementwise) continue;
    for (const InstructionId operand : program.operands(work[k])) work.push_back(operand);
  }
  return false;
}

// The first value after `id` that several instructions read is read by more than a sum and a quotient:
// the backward pass reads it, too.
bool IsReadLater(const DeviceProgram& program, InstructionId id) {
  for (size_t steps = 0; steps < kLargeTree; ++steps) {
    const InstructionId user = program.OnlyUser(id);
    if (user == kNoId) break;
    id = user;
  }
  return program.Users(id).size() > 2;
}

// What is computed of it element by element runs in the kernels of products, so no kernel has both the rows and their
// sums: the quotient of a softmax.
bool IsForProducts(const DeviceProgram& program, InstructionId id) {
  for (size_t steps = 0; steps < kLargeTree; ++steps) {
    const auto users = program.Users(id);
    if (users.empty()) return false;
    if (absl::c_all_of(users, [&](InstructionId u) { return IsProduct(program.opcode(u)); }))
      return true;
    const InstructionId user = program.OnlyUser(id);
    if (user == kNoId) return false;
    const OpKind kind = KindOf(program.opcode(user));
    if (kind != OpKind::kElementwise && kind != OpKind::kView) return false;
    id = user;
  }
  return false;
}

// The reduce of which `broadcast` is the row; kNoId for other broadcasts.
InstructionId ReduceOf(const DeviceProgram& program, InstructionId broadcast) {
  const InstructionId reduce = program.operand(broadcast, 0);
  if (program.opcode(reduce) != Opcode::kReduce || program.operands(reduce).size() != 2)
    return kNoId;
  if (program.OnlyUser(reduce) != broadcast || program.OnlyUser(broadcast) == kNoId) return kNoId;
  const hlo::IntList along = DimensionsOf(program, reduce);
  const layout::Shape& x = program.shape(program.operand(reduce, 0));
  if (along.size() != 1 || !layout::IsFloat(x.element_type())) return kNoId;
  if (program.shape(broadcast).dims() != x.dims() || !PutsBack(program, broadcast, along[0]))
    return kNoId;
  if (IsMessage(program.opcode(program.operand(reduce, 0)))) return kNoId;
  if (IsTransposed(program, program.operand(reduce, 0)) && IsReadLater(program, broadcast))
    return kNoId;
  if (IsForProducts(program, broadcast)) return kNoId;
  const bool has_ones = absl::c_linear_search(x.dims(), 1);
  return !has_ones && x.dim(along[0]) <= kLongestRow ? reduce : kNoId;
}

// Around each element the whole of its row.
void MakeWindow(DeviceProgram& program, InstructionId broadcast, InstructionId reduce) {
  const int64_t dimension = DimensionsOf(program, reduce)[0];
  const layout::Shape shape = program.shape(broadcast);
  const InstructionId window =
      program.Add(program.computation(reduce), Opcode::kReduceWindow, "reduce-window", shape,
                  {program.operand(reduce, 0), program.operand(reduce, 1)});
  const int64_t length = shape.dim(dimension);
  program.SetAttribute(
      window, AttributeName::kWindow,
      WindowText(shape.rank(), dimension, {2 * length - 1, length - 1, length - 1}));
  const auto called = program.module().called(reduce);
  program.SetCalled(window, std::vector<ComputationId>(called.begin(), called.end()));
  program.ReplaceUses(broadcast, window);
  program.RemoveDead(broadcast);
}

}  // namespace

absl::Status PutRowsInWindows(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kBroadcast || program.IsPinned(id)) continue;
    const InstructionId reduce = ReduceOf(program, id);
    if (reduce != kNoId) MakeWindow(program, id, reduce);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
