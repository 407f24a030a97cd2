#include "tessera/projection/cost/compute/traffic.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/sizes.h"
#include "tessera/layout/validate.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/compute/fusion_traffic.h"
#include "tessera/projection/cost/demand/address.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;
using layout::Shape;

// The data that a rule reads and edits: `t` holds every operand once and the result, the rule of
// most operations.
struct TrafficTally {
  const Module& module;
  InstructionId id;
  CostMode mode;
  Traffic t;

  bool exact() const { return mode == CostMode::kExact; }
  const Shape& operand(size_t k) const { return module.shape(module.operands(id)[k]); }
  void SetWritten(int64_t bytes) {
    t.written = bytes;
    t.written_leaves = {bytes};
  }
};
using TrafficRule = absl::Status (*)(TrafficTally& b);

absl::Status Free(TrafficTally& b) {
  std::fill(b.t.read.begin(), b.t.read.end(), 0);
  b.SetWritten(0);
  return absl::OkStatus();
}

absl::Status TupleTraffic(TrafficTally& b) {
  TESSERA_RETURN_IF_ERROR(Free(b));
  if (!b.exact())
    b.SetWritten(8 * static_cast<int64_t>(b.module.shape(b.id).tuple_elements().size()));
  return absl::OkStatus();
}

absl::Status FreeIfExact(TrafficTally& b) { return b.exact() ? Free(b) : absl::OkStatus(); }

absl::Status ReshapeTraffic(TrafficTally& b) {
  return b.exact() && KeepsAddresses(b.module, b.id) ? Free(b) : absl::OkStatus();
}

absl::Status TransposeTraffic(TrafficTally& b) {
  return KeepsAddresses(b.module, b.id) ? Free(b) : absl::OkStatus();
}

// Reads as much as it writes.
absl::Status SliceTraffic(TrafficTally& b) {
  b.t.read[0] = b.t.written;
  if (!b.exact()) b.t.total = 2 * b.t.written;
  return absl::OkStatus();
}

absl::Status DynamicSliceTraffic(TrafficTally& b) {
  b.t.read[0] = b.t.written;
  if (!b.exact()) b.t.total = 2 * b.t.written + (b.t.read.size() > 1 ? b.t.read[1] : 0);
  return absl::OkStatus();
}

absl::Status DynamicUpdateSliceTraffic(TrafficTally& b) {
  const int64_t update = b.t.read[1];
  b.t.read[0] = 0;
  b.SetWritten(update);
  if (!b.exact()) b.t.total = 2 * update + (b.t.read.size() > 2 ? b.t.read[2] : 0);
  return absl::OkStatus();
}

absl::Status GatherTraffic(TrafficTally& b) {
  b.t.read[0] = b.t.written;
  if (!b.exact()) b.t.total = 2 * b.t.written + b.t.read[1];
  return absl::OkStatus();
}

absl::Status ScatterTraffic(TrafficTally& b) {
  const size_t arrays = (b.t.read.size() - 1) / 2;
  int64_t updates = 0;
  for (size_t k = 0; k < arrays; ++k) {
    updates += b.t.read[arrays + 1 + k];
    b.t.read[k] = b.t.read[arrays + 1 + k];
  }
  b.SetWritten(updates);
  if (!b.exact()) b.t.total = 3 * updates + b.t.read[arrays];
  return absl::OkStatus();
}

// Bytes of a triangle with its diagonal, or XLA's half of the square.
absl::StatusOr<int64_t> TriangleBytes(const Shape& a, CostMode mode) {
  TESSERA_ASSIGN_OR_RETURN(int64_t bytes, BytesOf(a, mode));
  if (mode == CostMode::kXla) return bytes / 2;
  const int64_t n = a.dim(a.rank() - 1);
  const int64_t cells = a.NumElements().value_or(0);
  if (cells == 0) return 0;
  const Checked triangle =
      Checked(cells / (n * n)) * (Checked(n) * (n + 1)) * layout::ByteWidth(a.element_type());
  if (!triangle.ok()) return OverflowError("the bytes of a triangle");
  return triangle.value() / 2;
}

absl::Status CholeskyTraffic(TrafficTally& b) {
  TESSERA_ASSIGN_OR_RETURN(int64_t half, TriangleBytes(b.operand(0), b.mode));
  b.t.read[0] = half;
  b.SetWritten(half);
  return absl::OkStatus();
}

absl::Status TriangularSolveTraffic(TrafficTally& b) {
  TESSERA_ASSIGN_OR_RETURN(int64_t half, TriangleBytes(b.operand(0), b.mode));
  if (!b.exact()) b.t.total = half + b.t.read[1] + b.t.written;
  b.t.read[0] = b.exact() ? half : b.t.read[1];
  return absl::OkStatus();
}

absl::Status FusionTraffic(TrafficTally& b) {
  TESSERA_ASSIGN_OR_RETURN(FusedTraffic inside, TrafficOfFusion(b.module, b.id, b.mode));
  b.t.read = std::move(inside.read);
  b.SetWritten(inside.written);
  Checked total = inside.constants;
  for (int64_t bytes : b.t.read) total += bytes;
  total += inside.written;
  if (!total.ok()) return OverflowError("the bytes of a fusion");
  b.t.total = total.value();
  return absl::OkStatus();
}

struct TrafficRow {
  Opcode opcode;
  TrafficRule rule;
};
// Others read every operand once and write the result.
constexpr TrafficRow kTraffic[] = {
    {Opcode::kParameter, Free},
    {Opcode::kConstant, Free},
    {Opcode::kGetTupleElement, Free},
    {Opcode::kBitcast, Free},
    {Opcode::kAfterAll, Free},
    {Opcode::kAddDependency, Free},
    {Opcode::kDomain, Free},
    {Opcode::kCall, Free},
    {Opcode::kWhile, Free},
    {Opcode::kConditional, Free},
    {Opcode::kTuple, TupleTraffic},
    {Opcode::kOptBarrier, FreeIfExact},
    {Opcode::kReshape, ReshapeTraffic},
    {Opcode::kTranspose, TransposeTraffic},
    {Opcode::kSlice, SliceTraffic},
    {Opcode::kDynamicSlice, DynamicSliceTraffic},
    {Opcode::kDynamicUpdateSlice, DynamicUpdateSliceTraffic},
    {Opcode::kGather, GatherTraffic},
    {Opcode::kScatter, ScatterTraffic},
    {Opcode::kCholesky, CholeskyTraffic},
    {Opcode::kTriangularSolve, TriangularSolveTraffic},
    {Opcode::kFusion, FusionTraffic},
};

TrafficRule TrafficRuleOf(Opcode opcode) {
  for (const TrafficRow& row : kTraffic) {
    if (row.opcode == opcode) return row.rule;
  }
  return nullptr;
}

// Neither padded nor packed: the elements and nothing else, as of most arrays.
bool IsDense(const Shape& leaf) {
  if (!leaf.has_layout()) return true;
  const layout::Layout& l = leaf.layout();
  return l.tiles.empty() && l.tail_alignment == 1 && l.element_bits == 0 && l.splits.empty() &&
         l.physical_shape == nullptr;
}

absl::StatusOr<int64_t> LeafBytes(const Shape& leaf, CostMode mode) {
  if (mode == CostMode::kExact) {
    const std::optional<int64_t> cells = leaf.NumElements();
    if (IsDense(leaf) && cells.has_value()) {
      const Checked bytes = Checked(*cells) * layout::ByteWidth(leaf.element_type());
      if (bytes.ok()) return bytes.value();
    }
    TESSERA_ASSIGN_OR_RETURN(layout::MemorySizes sizes, layout::SizesOf(leaf));
    return sizes.padded_bytes;
  }
  const Checked total = Checked(leaf.NumElements().value_or(0)) * layout::StoredBits(leaf);
  if (!total.ok()) return OverflowError("the bits of an array");
  return CeilDiv(total.value(), 8);
}

absl::StatusOr<Traffic> Default(const Module& module, InstructionId id, CostMode mode) {
  Traffic t;
  for (InstructionId operand : module.operands(id)) {
    TESSERA_ASSIGN_OR_RETURN(int64_t bytes, BytesOf(module.shape(operand), mode));
    t.read.push_back(bytes);
  }
  Checked written = 0;
  for (const Shape* leaf : ArrayLeaves(module.shape(id))) {
    TESSERA_ASSIGN_OR_RETURN(int64_t bytes, LeafBytes(*leaf, mode));
    t.written_leaves.push_back(bytes);
    written += bytes;
  }
  if (!written.ok()) return OverflowError("the bytes of a result");
  t.written = written.value();
  return t;
}

}  // namespace

absl::StatusOr<int64_t> BytesOf(const Shape& shape, CostMode mode) {
  if (shape.is_array()) return LeafBytes(shape, mode);
  Checked total = 0;
  for (const Shape* leaf : ArrayLeaves(shape)) {
    TESSERA_ASSIGN_OR_RETURN(int64_t bytes, LeafBytes(*leaf, mode));
    total += bytes;
  }
  if (!total.ok()) return OverflowError("the bytes of a shape");
  return total.value();
}

absl::StatusOr<Traffic> TrafficOf(const Module& module, InstructionId id, CostMode mode) {
  const TrafficRule rule = TrafficRuleOf(module.instruction(id).opcode);
  TrafficTally b{module, id, mode, {}};
  if (rule == Free) {
    b.t.read.resize(module.operands(id).size());  // a wide tuple is not looked at for each element
  } else {
    TESSERA_ASSIGN_OR_RETURN(b.t, Default(module, id, mode));
  }
  if (rule != nullptr) TESSERA_RETURN_IF_ERROR(rule(b));
  if (mode == CostMode::kExact && !b.t.total.has_value()) {
    Checked total = b.t.written;
    for (int64_t bytes : b.t.read) total += bytes;
    if (!total.ok())
      return OverflowError(absl::StrCat("the bytes of ", module.instruction(id).name));
    b.t.total = total.value();
  }
  return std::move(b.t);
}

}  // namespace tessera::projection
