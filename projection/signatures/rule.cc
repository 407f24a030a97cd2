#include "tessera/projection/signatures/rule.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/literal.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

bool HasNoCell(const ZPoint& shape) {
  return std::any_of(shape.begin(), shape.end(), [](int64_t extent) { return extent == 0; });
}

}  // namespace

Rows::Rows(ZPoint tensor, int index_rank) {
  spec_.matrix = ZMatrix(tensor.rank(), index_rank);
  spec_.shape = ZPoint::Filled(tensor.rank(), 1);
  spec_.step = spec_.dilate = spec_.shape;
  spec_.extent = std::move(tensor);
}

bool Rows::Has(int r) {
  const bool inside = r >= 0 && r < spec_.matrix.rows();
  fits_ = fits_ && inside;
  return inside;
}

absl::StatusOr<ZProjection> Rows::Build() const {
  if (fits_) return ZProjection::Create(spec_);
  return MakeError(ErrorCode::kRankMismatch, "shapes or dimensions that do not fit the operation");
}

Rows& Rows::Follow(int r, int axis, int64_t coefficient) {
  if (axis < 0 || axis >= spec_.matrix.cols()) fits_ = false;
  if (!Has(r) || !fits_) return *this;
  spec_.matrix(r, axis) = coefficient;
  return *this;
}

Rows& Rows::Whole(int r) {
  if (!Has(r)) return *this;
  spec_.shape[r] = (*spec_.extent)[r];
  return *this;
}

Rows& Rows::Offset(OffsetRole role, int r, int64_t value) {
  if (!Has(r)) return *this;
  ZPoint part = spec_.offsets.Get(role);
  if (part.rank() == 0) part = ZPoint::Filled(spec_.matrix.rows(), 0);
  part[r] += value;
  spec_.offsets.Set(role, std::move(part));
  return *this;
}

Rows& Rows::Window(int r, int64_t size, int64_t step, int64_t dilate) {
  if (!Has(r)) return *this;
  spec_.shape[r] = size;
  spec_.step[r] = step;
  spec_.dilate[r] = dilate;
  return *this;
}

Rows& Rows::Group(int r, int axis, int64_t div, int64_t mul) {
  if (!Has(r)) return *this;
  spec_.groups.push_back({r, axis, div, mul});
  return *this;
}

Rows& Rows::Outside(OutOfBoundsPolicy policy) {
  spec_.policy = policy;
  return *this;
}

absl::Status OpContext::Read(int k, const Rows& rows, Signature* s) const {
  if (HasNoCell(Entry(k, 0, s).shape)) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(ZProjection p, rows.Build());
  return Read(k, ProjectionAccess(std::move(p)), s);
}

absl::Status OpContext::Read(int k, Access access, Signature* s) const {
  OperandAccess& entry = Entry(k, 0, s);
  if (!HasNoCell(entry.shape)) entry.maps.push_back(std::move(access));
  return absl::OkStatus();
}

absl::Status OpContext::ReadIdentity(int k, Signature* s) const {
  Rows rows = RowsOf(k);
  int operand_rank = static_cast<int>(OperandShape(k).rank());
  if (operand_rank != rank() && operand_rank != 0) return ReadWhole(k, s);
  for (int d = 0; d < operand_rank; ++d) rows.Follow(d, d);
  return Read(k, rows, s);
}

absl::Status OpContext::ReadWhole(int k, Signature* s) const {
  int leaves = static_cast<int>(ArrayLeaves(module.shape(operand(k))).size());
  for (int leaf = 0; leaf < leaves; ++leaf) {
    OperandAccess& entry = Entry(k, leaf, s);
    if (HasNoCell(entry.shape)) continue;
    Rows rows(entry.shape, s->index.rank());
    for (int d = 0; d < entry.shape.rank(); ++d) rows.Whole(d);
    TESSERA_ASSIGN_OR_RETURN(ZProjection p, rows.Build());
    entry.maps.push_back(ProjectionAccess(std::move(p)));
  }
  return absl::OkStatus();
}

void OpContext::Role(int k, absl::string_view role, Signature* s) const {
  Entry(k, 0, s).role = std::string(role);
}

std::optional<int64_t> OpContext::ConstantScalar(int k) const {
  if (options.indices != IndexPolicy::kConstant) return std::nullopt;
  hlo::InstructionId at = operand(k);
  while (module.instruction(at).opcode == hlo::Opcode::kCopy ||
         module.instruction(at).opcode == hlo::Opcode::kBitcast) {
    at = module.operands(at)[0];
  }
  if (module.instruction(at).opcode != hlo::Opcode::kConstant) return std::nullopt;
  return hlo::SplatInt(module, at);
}

int AddReductionAxis(const OpContext& op, std::string name, int64_t extent, AxisKind kind,
                     Signature* s) {
  if (!op.options.split) return -1;
  s->index = s->index.Product(ZRange::FromShape({extent}));
  s->axes.push_back({std::move(name), kind, extent});
  return s->index.rank() - 1;
}

}  // namespace tessera::projection
