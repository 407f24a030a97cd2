// Contractions. The result of a dot is ordered batch, free dimensions of lhs, free dimensions of
// rhs. A contracting dimension is read whole (block form) or is an axis of its own (split form).
#include <algorithm>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/projection/signatures/indexed/ragged.h"
#include "tessera/projection/signatures/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::DotDimensions;
using hlo::IntList;

// The dimensions of an operand of this rank that are in neither list, ascending.
std::vector<int> FreeDims(int64_t rank, const IntList& batch, const IntList& contracting) {
  std::vector<int> free;
  for (int d = 0; d < rank; ++d) {
    if (!absl::c_linear_search(batch, d) && !absl::c_linear_search(contracting, d))
      free.push_back(d);
  }
  return free;
}

// Which axis each dimension of one operand follows; -1 for all of it.
struct Side {
  const IntList& batch;
  const IntList& contracting;
  int first_free_axis;
};

std::vector<int> AxisOfDim(int64_t rank, const Side& side, const std::vector<int>& reduction_axes) {
  std::vector<int> axes(rank, -1);
  for (size_t j = 0; j < side.batch.size(); ++j) axes[side.batch[j]] = static_cast<int>(j);
  const std::vector<int> free = FreeDims(rank, side.batch, side.contracting);
  for (size_t j = 0; j < free.size(); ++j)
    axes[free[j]] = side.first_free_axis + static_cast<int>(j);
  for (size_t j = 0; j < side.contracting.size(); ++j)
    axes[side.contracting[j]] = reduction_axes[j];
  return axes;
}

Rows RowsByAxis(const ZPoint& dims, int index_rank, const std::vector<int>& axes) {
  Rows rows(dims, index_rank);
  for (int d = 0; d < dims.rank(); ++d) axes[d] >= 0 ? rows.Follow(d, axes[d]) : rows.Whole(d);
  return rows;
}

// One axis for each contracting pair, or -1 in block form.
std::vector<int> ReductionAxes(const OpContext& op, const DotDimensions& dims, Signature* s) {
  std::vector<int> axes;
  for (int64_t d : dims.lhs_contracting) {
    axes.push_back(AddReductionAxis(op, absl::StrCat("k", axes.size()), op.OperandShape(0).dim(d),
                                    AxisKind::kReduction, s));
  }
  return axes;
}

// The same, without an axis for a ragged pair: its groups do not follow its blocks.
std::vector<int> RaggedReductionAxes(const OpContext& op, const DotDimensions& dims, Signature* s) {
  std::vector<int> axes;
  for (int64_t d : dims.lhs_contracting) {
    axes.push_back(absl::c_linear_search(dims.lhs_ragged, d)
                       ? -1
                       : AddReductionAxis(op, absl::StrCat("k", axes.size()),
                                          op.OperandShape(0).dim(d), AxisKind::kReduction, s));
  }
  return axes;
}

struct DotAxes {
  std::vector<int> lhs, rhs;  // axis of each dimension
};

DotAxes AxesOfDot(const OpContext& op, const DotDimensions& dims, Signature* s) {
  const std::vector<int> reduction = ReductionAxes(op, dims, s);
  const int64_t lhs_rank = op.OperandShape(0).rank(), rhs_rank = op.OperandShape(1).rank();
  const int batch = static_cast<int>(dims.lhs_batch.size());
  const int lhs_free =
      static_cast<int>(FreeDims(lhs_rank, dims.lhs_batch, dims.lhs_contracting).size());
  return {AxisOfDim(lhs_rank, {dims.lhs_batch, dims.lhs_contracting, batch}, reduction),
          AxisOfDim(rhs_rank, {dims.rhs_batch, dims.rhs_contracting, batch + lhs_free}, reduction)};
}

// A scale has the dimensions of its operand, each smaller by a whole factor: cell d / factor.
Rows ScaleRows(const ZPoint& scale, const ZPoint& operand, int index_rank,
               const std::vector<int>& axes) {
  Rows rows(scale, index_rank);
  for (int d = 0; d < scale.rank(); ++d) {
    const int64_t factor = scale[d] > 0 ? std::max<int64_t>(1, operand[d] / scale[d]) : 1;
    if (axes[d] < 0) {
      rows.Whole(d);
    } else if (factor == 1) {
      rows.Follow(d, axes[d]);
    } else {
      rows.Group(d, axes[d], factor, 1);
    }
  }
  return rows;
}

}  // namespace

absl::Status DotRule(const OpContext& op, Signature* s) {
  const DotAxes axes = AxesOfDot(op, hlo::GetDotDimensions(op.module, op.id), s);
  op.Role(0, "lhs", s);
  op.Role(1, "rhs", s);
  TESSERA_RETURN_IF_ERROR(op.Read(0, RowsByAxis(op.OperandDims(0), s->index.rank(), axes.lhs), s));
  TESSERA_RETURN_IF_ERROR(op.Read(1, RowsByAxis(op.OperandDims(1), s->index.rank(), axes.rhs), s));
  for (int k = 2; k < op.num_operands(); ++k) TESSERA_RETURN_IF_ERROR(op.ReadWhole(k, s));
  return absl::OkStatus();
}

absl::Status ScaledDotRule(const OpContext& op, Signature* s) {
  const DotAxes axes = AxesOfDot(op, hlo::GetDotDimensions(op.module, op.id), s);
  const int rank = s->index.rank();
  constexpr absl::string_view kRoles[] = {"lhs", "rhs", "lhs_scale", "rhs_scale"};
  for (int k = 0; k < op.num_operands() && k < 4; ++k) op.Role(k, kRoles[k], s);
  TESSERA_RETURN_IF_ERROR(op.Read(0, RowsByAxis(op.OperandDims(0), rank, axes.lhs), s));
  TESSERA_RETURN_IF_ERROR(op.Read(1, RowsByAxis(op.OperandDims(1), rank, axes.rhs), s));
  for (int k = 2; k < op.num_operands() && k < 4; ++k) {
    const std::vector<int>& side = k == 2 ? axes.lhs : axes.rhs;
    if (op.OperandShape(k).rank() != op.OperandShape(k - 2).rank()) {
      TESSERA_RETURN_IF_ERROR(op.ReadWhole(k, s));
      continue;
    }
    TESSERA_RETURN_IF_ERROR(
        op.Read(k, ScaleRows(op.OperandDims(k), op.OperandDims(k - 2), rank, side), s));
  }
  return absl::OkStatus();
}

absl::Status RaggedDotRule(const OpContext& op, Signature* s) {
  const DotDimensions dims = hlo::GetDotDimensions(op.module, op.id);
  op.Role(0, "lhs", s);
  op.Role(1, "rhs", s);
  op.Role(2, "group_sizes", s);
  s->exactness = Exactness::kBound;
  s->note = "ragged: which group a row belongs to is data";
  const bool contracting =
      !dims.lhs_ragged.empty() && absl::c_linear_search(dims.lhs_contracting, dims.lhs_ragged[0]);
  const int lead = contracting ? 1 : 0;  // the groups come first in the result
  const int batch = lead + static_cast<int>(dims.lhs_batch.size());
  const int64_t lhs_rank = op.OperandShape(0).rank(), rhs_rank = op.OperandShape(1).rank();
  const int lhs_free =
      static_cast<int>(FreeDims(lhs_rank, dims.lhs_batch, dims.lhs_contracting).size());
  // The group dimension of rhs counts as contracting: no result dimension stands for it.
  IntList rhs_gone = dims.rhs_contracting;
  rhs_gone.insert(rhs_gone.end(), dims.rhs_group.begin(), dims.rhs_group.end());
  std::vector<int> reduction = RaggedReductionAxes(op, dims, s);
  reduction.resize(rhs_gone.size(), -1);
  std::vector<int> lhs =
      AxisOfDim(lhs_rank, {dims.lhs_batch, dims.lhs_contracting, batch}, reduction);
  std::vector<int> rhs =
      AxisOfDim(rhs_rank, {dims.rhs_batch, rhs_gone, batch + lhs_free}, reduction);
  for (int64_t d : dims.lhs_batch) lhs[d] += lead;
  for (int64_t d : dims.rhs_batch) rhs[d] += lead;
  const int rank = s->index.rank();
  TESSERA_RETURN_IF_ERROR(op.Read(0, RowsByAxis(op.OperandDims(0), rank, lhs), s));
  TESSERA_RETURN_IF_ERROR(op.Read(1, RowsByAxis(op.OperandDims(1), rank, rhs), s));
  const ZPoint sizes = op.OperandDims(2);
  std::vector<int> groups(static_cast<size_t>(sizes.rank()), -1);
  const IntList prefix = RaggedPrefix(dims, lhs_rank, sizes.rank());
  for (size_t p = 0; p < prefix.size() && p + 1 < groups.size(); ++p) groups[p] = lhs[prefix[p]];
  return op.Read(2, RowsByAxis(sizes, rank, groups), s);
}

}  // namespace tessera::projection
