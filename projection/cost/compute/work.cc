#include "tessera/projection/cost/compute/work.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/compute/work_rules.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

struct WorkRow {
  Opcode opcode;
  WorkRule rule;
};

// Opcodes that are not here and not element-wise move cells, and compute nothing.
constexpr WorkRow kWork[] = {
    {Opcode::kDot, DotWork},
    {Opcode::kScaledDot, DotWork},
    {Opcode::kRaggedDot, RaggedDotWork},
    {Opcode::kConvolution, ConvolutionWork},
    {Opcode::kReduce, ReduceWork},
    {Opcode::kReduceWindow, ReduceWindowWork},
    {Opcode::kSelectAndScatter, SelectAndScatterWork},
    {Opcode::kScatter, ScatterWork},
    {Opcode::kMap, MapWork},
    {Opcode::kSort, SortWork},
    {Opcode::kTopk, TopKWork},
    {Opcode::kFft, FftWork},
    {Opcode::kCholesky, CholeskyWork},
    {Opcode::kTriangularSolve, TriangularSolveWork},
    {Opcode::kRng, RngWork},
    {Opcode::kRngBitGenerator, RngWork},
    {Opcode::kBatchNormTraining, BatchNormWork},
    {Opcode::kBatchNormInference, BatchNormWork},
    {Opcode::kBatchNormGrad, BatchNormWork},
    {Opcode::kAllReduce, CollectiveWork},
    {Opcode::kAllReduceStart, CollectiveWork},
    {Opcode::kReduceScatter, CollectiveWork},
    {Opcode::kBitcastConvert, ElementwiseWork},
};

WorkRule WorkRuleOf(Opcode opcode) {
  if (opcode == Opcode::kCopy) return nullptr;
  if (IsElementwise(opcode)) return ElementwiseWork;
  for (const WorkRow& row : kWork) {
    if (row.opcode == opcode) return row.rule;
  }
  return nullptr;
}

// Custom calls that only mark something compute nothing.
bool IsMarker(const std::string& target) {
  constexpr absl::string_view kMarkers[] = {"Sharding", "SPMDFullToShardShape",
                                            "SPMDShardToFullShape", "CallMarker",
                                            "xla.sdy.FuncResultSharding"};
  return std::find(std::begin(kMarkers), std::end(kMarkers), target) != std::end(kMarkers);
}

absl::StatusOr<Operations> Run(const Work& w) {
  Operations out;
  if (w.opcode() == Opcode::kCustomCall) {
    out.unknown = !IsMarker(hlo::GetCustomCallTarget(w.module, w.id));
    return out;
  }
  const WorkRule rule = WorkRuleOf(w.opcode());
  if (rule == nullptr) return out;
  TESSERA_ASSIGN_OR_RETURN(Tally tally, rule(w));
  if (!tally.flops.ok() || !tally.transcendentals.ok()) {
    return OverflowError(absl::StrCat("the operations of ", w.module.instruction(w.id).name));
  }
  out.flops = tally.flops.value();
  out.transcendentals = tally.transcendentals.value();
  return out;
}

ZRange WholeResult(const Module& module, InstructionId id) {
  const std::vector<const layout::Shape*> leaves = ArrayLeaves(module.shape(id));
  return leaves.empty() ? ZRange() : ZRange::FromShape(ZPoint(leaves[0]->dims()));
}

absl::StatusOr<Operations> OperationsWith(const Module& module, InstructionId id, CostMode mode,
                                          KnownApplications* known);

absl::StatusOr<Operations> ApplicationWith(const Module& module, hlo::ComputationId computation,
                                           CostMode mode, KnownApplications* known) {
  const auto found = known->find(computation);
  if (found != known->end()) return found->second;
  Tally total;
  for (InstructionId id : module.computation(computation).instructions) {
    TESSERA_ASSIGN_OR_RETURN(Operations one, OperationsWith(module, id, mode, known));
    total.flops += one.flops;
    total.transcendentals += one.transcendentals;
  }
  if (!total.flops.ok() || !total.transcendentals.ok())
    return OverflowError("the operations of a computation");
  const Operations sum{total.flops.value(), total.transcendentals.value(), false};
  known->emplace(computation, sum);
  return sum;
}

absl::StatusOr<int64_t> CellsOfOperand(const Module& module, InstructionId id) {
  if (module.operands(id).empty()) return 0;
  return CellsOf(module.shape(module.operands(id)[0]));
}

absl::StatusOr<Operations> OperationsWith(const Module& module, InstructionId id, CostMode mode,
                                          KnownApplications* known) {
  const Opcode opcode = module.instruction(id).opcode;
  if (opcode != Opcode::kCustomCall && WorkRuleOf(opcode) == nullptr) return Operations();
  const ZRange whole = WholeResult(module, id);
  TESSERA_ASSIGN_OR_RETURN(int64_t out_cells, whole.size());
  TESSERA_ASSIGN_OR_RETURN(int64_t in_cells, CellsOfOperand(module, id));
  return Run({module, id, mode, whole, out_cells, in_cells, true, known});
}

}  // namespace

absl::StatusOr<int64_t> CellsOf(const layout::Shape& shape) {
  Checked cells = 0;
  for (const layout::Shape* leaf : ArrayLeaves(shape)) {
    TESSERA_ASSIGN_OR_RETURN(int64_t n, ZRange::FromShape(ZPoint(leaf->dims())).size());
    cells += n;
  }
  if (!cells.ok()) return OverflowError("the cells of a shape");
  return cells.value();
}

absl::StatusOr<Tally> Applications(const Work& w, int which, Checked times) {
  const auto called = w.module.called(w.id);
  if (which >= static_cast<int>(called.size())) return Tally();
  TESSERA_ASSIGN_OR_RETURN(
      Operations one,
      ApplicationWith(w.module, called[static_cast<size_t>(which)], w.mode, w.known));
  return Tally{times * one.flops, times * one.transcendentals};
}

absl::StatusOr<Operations> OperationsOf(const Module& module, InstructionId id, CostMode mode) {
  KnownApplications known;
  return OperationsWith(module, id, mode, &known);
}

absl::StatusOr<Operations> OperationsOfBlock(const Module& module, InstructionId id,
                                             const ZRange& block) {
  int64_t in_cells = 0;
  if (!module.operands(id).empty()) {
    TESSERA_ASSIGN_OR_RETURN(Signature s, SignatureOf(module, id));
    if (!s.operands.empty()) {
      TESSERA_ASSIGN_OR_RETURN(Need need, ProjectOperand(s, 0, block));
      TESSERA_ASSIGN_OR_RETURN(in_cells, need.cells.size());
    }
  }
  TESSERA_ASSIGN_OR_RETURN(int64_t out_cells, block.size());
  KnownApplications known;
  return Run({module, id, CostMode::kExact, block, out_cells, in_cells,
              block == WholeResult(module, id), &known});
}

}  // namespace tessera::projection
