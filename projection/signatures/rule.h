// The rule of an op family: a small function that fills the maps of a prepared signature.
//
//   // transpose: result dimension o is operand dimension p[o]
//   absl::Status TransposeRule(const OpContext& op, Signature* s) {
//     Rows rows = op.RowsOf(0);
//     const IntList p = *op.Ints(AttributeName::kDimensions);
//     for (int o = 0; o < op.rank(); ++o) rows.Follow(p[o], o);
//     return op.Read(0, std::move(rows), s);
//   }
//
// Prepared are: the index space (the coordinates of the asked result array), its axes, the result
// projections, and an entry with the shape of each operand array. A rule is not called when the
// result has no cell, and what it says about an operand without cells is dropped.
#ifndef TESSERA_PROJECTION_SIGNATURES_RULE_H_
#define TESSERA_PROJECTION_SIGNATURES_RULE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/signature/access.h"
#include "tessera/projection/signature/signature.h"
#include "tessera/projection/signatures/signature_of.h"

namespace tessera::projection {

// A projection in the making: for each dimension of the tensor which axis it follows, and how.
// Starts as the first cell of every dimension.
class Rows {
 public:
  Rows(ZPoint tensor, int index_rank);

  // Dimension r is coefficient * axis.
  Rows& Follow(int r, int axis, int64_t coefficient = 1);
  // All of dimension r.
  Rows& Whole(int r);
  // Adds to the part of the offset that belongs to `role`.
  Rows& Offset(OffsetRole role, int r, int64_t value);
  // A window of `size` cells `step` apart, over a tensor with dilate - 1 holes between its cells.
  Rows& Window(int r, int64_t size, int64_t step = 1, int64_t dilate = 1);
  Rows& Group(int r, int axis, int64_t div, int64_t mul);
  Rows& Outside(OutOfBoundsPolicy policy);

  // kRankMismatch when a dimension or an axis was named that is not there: the module was not
  // verified.
  absl::StatusOr<ZProjection> Build() const;

 private:
  bool Has(int r);

  ProjectionSpec spec_;
  bool fits_ = true;
};

struct OpContext {
  const hlo::Module& module;
  hlo::InstructionId id;
  const SignatureOptions& options;
  ZPoint result;             // shape of the asked result array
  std::vector<int> entries;  // of Signature::operands, the first of each operand

  int rank() const { return result.rank(); }
  hlo::Opcode opcode() const { return module.instruction(id).opcode; }
  int num_operands() const { return static_cast<int>(module.operands(id).size()); }
  hlo::InstructionId operand(int k) const { return module.operands(id)[static_cast<size_t>(k)]; }
  // Of an operand that is an array.
  const layout::Shape& OperandShape(int k) const { return module.shape(operand(k)); }
  // Array `leaf` of operand k.
  OperandAccess& Entry(int k, int leaf, Signature* s) const {
    return s->operands[static_cast<size_t>(entries[static_cast<size_t>(k)] + leaf)];
  }
  ZPoint OperandDims(int k) const { return ZPoint(OperandShape(k).dims()); }
  std::optional<hlo::IntList> Ints(hlo::AttributeName name) const {
    return hlo::GetInts(module, id, name);
  }

  // Rows for operand k over the index space of the result.
  Rows RowsOf(int k) const { return Rows(OperandDims(k), rank()); }
  // Operand k is read through `rows`, or through any other map.
  absl::Status Read(int k, const Rows& rows, Signature* s) const;
  absl::Status Read(int k, Access access, Signature* s) const;
  // Operand k cell by cell with the result; a scalar of a result that is none whole.
  absl::Status ReadIdentity(int k, Signature* s) const;
  // All arrays of operand k.
  absl::Status ReadWhole(int k, Signature* s) const;
  void Role(int k, absl::string_view role, Signature* s) const;
  // The value of a scalar constant operand, through copies and conversions of integers; none under
  // IndexPolicy::kBound.
  std::optional<int64_t> ConstantScalar(int k) const;
};

using SignatureRule = absl::Status (*)(const OpContext& op, Signature* s);

// A reduced dimension: folded into the region in block form, an axis of its own in split form.
// Returns the axis, or -1.
int AddReductionAxis(const OpContext& op, std::string name, int64_t extent, AxisKind kind,
                     Signature* s);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SIGNATURES_RULE_H_
