// Reductions, windows, scans and batch norms.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/projection/signatures/combiner.h"
#include "tessera/projection/signatures/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::AttributeName;
using hlo::IntList;

// Operands of reduce and reduce-window are inputs, then as many init values, which every block
// needs.
absl::Status ReadInits(const OpContext& op, Signature* s) {
  for (int k = op.num_operands() / 2; k < op.num_operands(); ++k) {
    op.Role(k, "init", s);
    TESSERA_RETURN_IF_ERROR(op.ReadWhole(k, s));
  }
  return absl::OkStatus();
}

// The window, in dimensions; one of size 1 everywhere when the instruction has none.
hlo::Window WindowOf(const OpContext& op) {
  hlo::Window window = hlo::GetWindow(op.module, op.id);
  if (window.empty()) window.resize(op.OperandShape(0).rank());
  return window;
}

// From positions of the windows (rank of the operand) to operand cells.
Rows WindowRows(const ZPoint& operand, const hlo::Window& window) {
  Rows rows(operand, operand.rank());
  rows.Outside(OutOfBoundsPolicy::kDrop);
  for (int d = 0; d < operand.rank(); ++d) {
    const hlo::WindowDimension& w = window[d];
    rows.Follow(d, d, w.stride)
        .Offset(OffsetRole::kPad, d, -w.padding_low)
        .Window(d, w.size, w.window_dilation, w.base_dilation);
  }
  return rows;
}

}  // namespace

absl::Status ReduceRule(const OpContext& op, Signature* s) {
  const IntList reduced = op.Ints(AttributeName::kDimensions).value_or(IntList());
  const AxisKind kind =
      IsReassociable(op.module, op.id) ? AxisKind::kReduction : AxisKind::kOrdered;
  std::vector<int> axes(op.OperandShape(0).rank(), -1);
  for (size_t d = 0, kept = 0; d < axes.size(); ++d) {
    const int64_t extent = op.OperandShape(0).dim(static_cast<int64_t>(d));
    axes[d] = absl::c_linear_search(reduced, static_cast<int64_t>(d))
                  ? AddReductionAxis(op, absl::StrCat("r", d), extent, kind, s)
                  : static_cast<int>(kept++);
  }
  for (int k = 0; k < op.num_operands() / 2; ++k) {
    Rows rows(op.OperandDims(k), s->index.rank());
    for (int d = 0; d < static_cast<int>(axes.size()); ++d)
      axes[d] >= 0 ? rows.Follow(d, axes[d]) : rows.Whole(d);
    TESSERA_RETURN_IF_ERROR(op.Read(k, rows, s));
  }
  return ReadInits(op, s);
}

absl::Status ReduceWindowRule(const OpContext& op, Signature* s) {
  const hlo::Window window = WindowOf(op);
  for (int k = 0; k < op.num_operands() / 2; ++k) {
    TESSERA_RETURN_IF_ERROR(op.Read(k, WindowRows(op.OperandDims(k), window), s));
  }
  return ReadInits(op, s);
}

absl::Status SelectAndScatterRule(const OpContext& op, Signature* s) {
  op.Role(1, "source", s);
  op.Role(2, "init", s);
  s->exactness = Exactness::kBound;
  s->note = "data decides which window position wins";
  TESSERA_ASSIGN_OR_RETURN(ZProjection window, WindowRows(op.OperandDims(0), WindowOf(op)).Build());
  const ZRange positions = ZRange::FromShape(op.OperandDims(1));
  TESSERA_RETURN_IF_ERROR(op.Read(0, TouchedWindowsAccess(window, positions), s));
  TESSERA_RETURN_IF_ERROR(op.Read(1, InverseWindowAccess(window, positions), s));
  return op.ReadWhole(2, s);
}

absl::Status ScanRule(const OpContext& op, Signature* s) {
  const IntList dims = op.Ints(AttributeName::kDimensions).value_or(IntList());
  const int scanned = dims.empty() ? 0 : static_cast<int>(dims[0]);
  const int64_t inputs =
      op.num_operands() - hlo::GetInt(op.module, op.id, AttributeName::kNumCarries).value_or(0);
  const int64_t full_rank = op.num_operands() > 0 ? op.OperandShape(0).rank() : 0;
  const bool cellwise = IsCellwise(op.module, op.id);
  s->exactness = Exactness::kBound;
  s->note = "a scan in order: the whole scanned dimension stands for the prefix";
  if (op.rank() == full_rank && scanned < op.rank()) s->axes[scanned].kind = AxisKind::kOrdered;
  // The asked result has the scanned dimension or, as a carry, not; so has each operand.
  auto axis_of = [&](int64_t operand_rank, int d) {
    const int without = operand_rank == full_rank ? (d > scanned ? d - 1 : d) : d;
    if (operand_rank == full_rank && d == scanned) return -1;
    return op.rank() == full_rank && without >= scanned ? without + 1 : without;
  };
  for (int k = 0; k < op.num_operands(); ++k) {
    Rows rows = op.RowsOf(k);
    const int64_t rank = op.OperandShape(k).rank();
    for (int d = 0; d < rank; ++d) {
      const int axis = cellwise ? axis_of(rank, d) : -1;
      const bool fits =
          axis >= 0 && axis < op.rank() && op.result[axis] == op.OperandShape(k).dim(d);
      fits ? rows.Follow(d, axis) : rows.Whole(d);
    }
    TESSERA_RETURN_IF_ERROR(op.Read(k, rows, s));
    op.Role(k, k < inputs ? "input" : "carry", s);
  }
  return absl::OkStatus();
}

absl::Status BatchNormRule(const OpContext& op, Signature* s) {
  const int feature =
      static_cast<int>(hlo::GetInt(op.module, op.id, AttributeName::kFeatureIndex).value_or(0));
  const bool inference = op.opcode() == hlo::Opcode::kBatchNormInference;
  const bool full = op.options.leaf == 0;  // the other results have one value for each feature
  const int feature_axis = full ? feature : 0;
  if (!inference) s->exactness = Exactness::kOpaque;
  for (int d = 0; full && !inference && d < op.rank(); ++d) {
    if (d != feature) s->axes[d].kind = AxisKind::kOpaque;
  }
  for (int k = 0; k < op.num_operands(); ++k) {
    Rows rows = op.RowsOf(k);
    const int rank = static_cast<int>(op.OperandShape(k).rank());
    for (int d = 0; d < rank; ++d) {
      const bool is_feature = rank == 1 || d == feature;
      if (is_feature) {
        rows.Follow(d, feature_axis);
      } else if (inference) {
        rows.Follow(d, d);
      } else {
        rows.Whole(d);
      }
    }
    TESSERA_RETURN_IF_ERROR(op.Read(k, rows, s));
  }
  return absl::OkStatus();
}

}  // namespace tessera::projection
