// Tilings carried from one array of a dot to another, dimension by dimension.
// XLA: dot_handler, hlo_sharding_util::InferDotOperandSharding.

#include <algorithm>

#include "tessera/sharding/partition/ops/dot/dot.h"

namespace tessera::sharding::partition {
namespace {

int64_t RankOf(const DotDims& dims, Side side) {
  return side == Side::kLhs ? dims.lhs_rank : side == Side::kRhs ? dims.rhs_rank : dims.out_rank;
}

void Map(const DotDimList& list, Side from, Side to, Dims& forth, Dims& back) {
  for (const DotDim& dim : list) {
    const int64_t a = DimOf(dim, from), b = DimOf(dim, to);
    if (a >= 0) At(forth, a) = b;
    if (b >= 0) At(back, b) = a;
  }
}

Dims None(int64_t rank) { return Dims(static_cast<size_t>(rank), -1); }

// The tiling carried to an operand; dimensions outside `lists` must be unsharded.
Tiling CarriedOver(const Tiling& tiling, const DotDims& dims, Side from, Side to,
                   std::initializer_list<const DotDimList*> lists) {
  Dims forth = None(RankOf(dims, from)), back = None(RankOf(dims, to));
  for (const DotDimList* list : lists) Map(*list, from, to, forth, back);
  return TransposeCollapsed(tiling, forth, back).value_or(Tiling::Replicated());
}

}  // namespace

int64_t DimOf(const DotDim& dim, Side side) {
  return side == Side::kLhs ? dim.lhs : side == Side::kRhs ? dim.rhs : dim.out;
}

Dims DimsOf(const DotDimList& dims, Side side) {
  Dims out;
  for (const DotDim& dim : dims) out.push_back(DimOf(dim, side));
  return out;
}

int64_t CutsOf(const Tiling& tiling, const DotDimList& dims, Side side) {
  int64_t cuts = 1;
  for (const DotDim& dim : dims) {
    const int64_t at = DimOf(dim, side);
    if (at >= 0) cuts *= tiling.dim(at);
  }
  return cuts;
}

std::optional<Tiling> Carried(const Tiling& tiling, const DotDims& dims, Side from, Side to) {
  Dims forth = None(RankOf(dims, from)), back = None(RankOf(dims, to));
  for (const DotDimList* list : {&dims.batch, &dims.contracting, &dims.lhs_non_contracting,
                                 &dims.rhs_non_contracting, &dims.spatial}) {
    Map(*list, from, to, forth, back);
  }
  return TransposeCollapsed(tiling, forth, back);
}

Tiling ImpliedOperand(const Tiling& result, const Tiling* other, Side operand,
                      const DotDims& dims) {
  const Side other_side = operand == Side::kLhs ? Side::kRhs : Side::kLhs;
  const DotDimList& own =
      operand == Side::kLhs ? dims.lhs_non_contracting : dims.rhs_non_contracting;
  const DotDimList& others_own =
      operand == Side::kLhs ? dims.rhs_non_contracting : dims.lhs_non_contracting;
  Dims in_result, in_other;
  for (const DotDim& dim : others_own) {
    if (dim.out >= 0) in_result.push_back(dim.out);
    in_other.push_back(DimOf(dim, other_side));
  }
  for (const DotDim& dim : dims.contracting) {
    if (dim.out >= 0) in_result.push_back(dim.out);
  }
  for (const DotDim& dim : own) {
    if (DimOf(dim, other_side) >= 0) in_other.push_back(DimOf(dim, other_side));
  }
  Tiling implied =
      CarriedOver(ReplicateOn(result, in_result), dims, Side::kOut, operand, {&dims.batch, &own});
  if (other == nullptr || other->IsSingle()) return implied;
  Tiling from_other = CarriedOver(ReplicateOn(*other, in_other), dims, other_side, operand,
                                  {&dims.batch, &dims.contracting});
  if (MergeOrPrefer(implied, &from_other)) return from_other;
  return implied;
}

}  // namespace tessera::sharding::partition
