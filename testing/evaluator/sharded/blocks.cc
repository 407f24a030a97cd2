#include "tessera/testing/evaluator/sharded/blocks.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/projection/set/split.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/sharded/seen_operands.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

using hlo::InstructionId;
using projection::Need;
using projection::Signature;

constexpr int64_t kPattern = 0x5a5a5a5a5a5a5a5b;
constexpr int kVisits = 2;  // an instruction is cut in its first runs; a loop has many

absl::Status Fault(const Part& part, absl::string_view what) {
  return absl::DataLossError(
      absl::StrCat("array ", part.leaf, ", block ", part.block.ToString(), " ", what));
}

absl::Status Located(const absl::Status& status, absl::string_view name) {
  return absl::Status(status.code(), absl::StrCat(name, ": ", status.message()));
}

}  // namespace

Cell Poisoned(ElementType type, const Cell& cell, Poison poison) {
  if (type == ElementType::kPred) return {cell.i == 0, 0, 0};
  const double real = poison == Poison::kNan     ? std::numeric_limits<double>::quiet_NaN()
                      : poison == Poison::kLarge ? 3e4
                                                 : cell.re + 1000;
  if (layout::IsFloat(type)) return Fit(type, {0, real, 0});
  if (layout::IsComplex(type)) return Fit(type, {0, real, -real});
  const int64_t integer = poison == Poison::kNan     ? kPattern
                          : poison == Poison::kLarge ? ~cell.i
                                                     : cell.i + 1000;
  return Fit(type, {integer, 0, 0});
}

std::vector<ZRange> CutInHalves(const hlo::Module&, InstructionId, int, const ZPoint& dims) {
  ZPoint parts = ZPoint::Filled(dims.rank(), 1);
  int first = 0, last = dims.rank() - 1;
  while (first < dims.rank() && dims[first] < 2) ++first;
  while (last >= 0 && dims[last] < 2) --last;
  if (first < dims.rank()) parts[first] = parts[last] = 2;
  return projection::SplitGrid(ZRange::FromShape(dims), parts).value_or(std::vector<ZRange>());
}

std::vector<ZRange> CutInCells(const hlo::Module&, InstructionId, int, const ZPoint& dims) {
  return projection::SplitGrid(ZRange::FromShape(dims), dims).value_or(std::vector<ZRange>());
}

absl::StatusOr<Value> BlockRunner::Run(std::vector<Value> arguments) {
  interpreter_.Watch([this](InstructionId id, Values operands) -> absl::StatusOr<Value> {
    absl::StatusOr<Value> value = Step(id, operands);
    if (!value.ok()) return Located(value.status(), module_.instruction(id).name);
    return value;
  });
  return interpreter_.Run(module_.entry_id(), std::move(arguments));
}

absl::StatusOr<const std::vector<BlockRunner::Cut>*> BlockRunner::CutsOf(InstructionId id,
                                                                         const Value& dense) {
  std::unique_ptr<std::vector<Cut>>& cuts = cuts_[id];
  if (cuts != nullptr) return cuts.get();
  auto made = std::make_unique<std::vector<Cut>>();
  for (const Array* array : Leaves(dense)) {
    projection::SignatureOptions options;
    options.leaf = static_cast<int>(made->size());
    TESSERA_ASSIGN_OR_RETURN(Signature signature, projection::SignatureOf(module_, id, options));
    std::vector<ZRange> blocks = rules_.cutter(module_, id, options.leaf, array->dims);
    made->push_back({std::move(signature), std::move(blocks)});
  }
  cuts = std::move(made);
  return cuts.get();
}

absl::StatusOr<Value> BlockRunner::Step(InstructionId id, Values operands) {
  TESSERA_ASSIGN_OR_RETURN(Value dense, interpreter_.Apply(id, operands));
  if (visits_[id]++ >= kVisits) return dense;
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Cut>* cuts, CutsOf(id, dense));
  const std::vector<const Array*> arrays = Leaves(std::as_const(dense));
  for (size_t leaf = 0; leaf < arrays.size(); ++leaf) {
    for (const ZRange& block : (*cuts)[leaf].blocks) {
      if (block.empty()) continue;
      const Part part{static_cast<int>(leaf), block};
      TESSERA_RETURN_IF_ERROR(Compute(id, operands, part, (*cuts)[leaf].signature, *arrays[leaf]));
    }
  }
  if (rules_.also) TESSERA_RETURN_IF_ERROR(rules_.also(plain_, id, operands, dense));
  return dense;
}

absl::Status BlockRunner::Compute(InstructionId id, Values operands, const Part& part,
                                  const Signature& signature, const Array& dense) {
  ++blocks_;
  TESSERA_ASSIGN_OR_RETURN(std::vector<Need> needs, projection::Project(signature, part.block));
  const bool poisons = RunsComputations(module_.instruction(id).opcode);
  const SeenOperands::Rubbish rubbish = [this](ElementType type, const Cell& cell) {
    return Poisoned(type, cell, rules_.poison);
  };
  TESSERA_ASSIGN_OR_RETURN(SeenOperands seen,
                           SeenOperands::Create(operands, needs, poisons ? &rubbish : nullptr));
  TESSERA_ASSIGN_OR_RETURN(const Value made,
                           plain_.Apply(id, seen.values(), poisons ? nullptr : &part));
  const Array& array = *Leaves(made)[static_cast<size_t>(part.leaf)];
  absl::Status status;
  projection::ForEachCell(part.block, [&](const ZPoint& at) {
    if (!SameCell(array.At(at), dense.At(at)))
      status = Fault(part, absl::StrCat("sees too little for cell ", at.ToString()));
    return status.ok();
  });
  const std::string outside = seen.OutsideRead();
  if (!outside.empty()) return Fault(part, absl::StrCat("reads ", outside, ", which is outside"));
  if (rules_.minimal && !poisons && signature.exactness == projection::Exactness::kExact) {
    const std::string unread = seen.NotRead();
    if (!unread.empty()) return Fault(part, absl::StrCat("does not read ", unread));
  }
  return status;
}

}  // namespace tessera::testing::evaluator
