#include "tessera/testing/evaluator/blocks.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/projection/split.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

using hlo::InstructionId;
using projection::Need;
using projection::Signature;

constexpr int64_t kPattern = 0x5a5a5a5a5a5a5a5b;

// A copy of the operands in which only the needed cells are left.
absl::StatusOr<std::vector<Value>> Hidden(Values operands, const std::vector<Need>& needs,
                                          Poison poison) {
  std::vector<Value> seen;
  for (const Value* operand : operands) seen.push_back(*operand);
  size_t entry = 0;
  for (Value& value : seen) {
    for (Array* array : Leaves(&value)) {
      if (entry >= needs.size()) return absl::InternalError("a signature without that operand");
      Array hidden = *array;
      for (Cell& cell : hidden.cells) cell = Poisoned(array->type, cell, poison);
      TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> boxes,
                               needs[entry++].cells.Slabs(int64_t{1} << 16));
      for (const ZRange& box : boxes) {
        projection::ForEachCell(box, [&](const ZPoint& at) {
          hidden.At(at) = array->At(at);
          return true;
        });
      }
      *array = std::move(hidden);
    }
  }
  return seen;
}

absl::Status DifferenceAt(int leaf, const ZRange& block, const ZPoint& at) {
  return absl::DataLossError(absl::StrCat("array ", leaf, ", block ", block.ToString(),
                                          " sees too little for cell ", at.ToString()));
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

absl::StatusOr<Value> BlockRunner::Run(Values arguments) {
  return interpreter_.RunWith(
      [this](InstructionId id, Values operands) -> absl::StatusOr<Value> {
        absl::StatusOr<Value> value = Step(id, operands);
        if (!value.ok()) return Located(value.status(), module_.instruction(id).name);
        return value;
      },
      module_.entry_id(), arguments);
}

absl::StatusOr<Value> BlockRunner::Step(InstructionId id, Values operands) {
  TESSERA_ASSIGN_OR_RETURN(const Value dense, interpreter_.Apply(id, operands));
  const std::vector<const Array*> expected = Leaves(dense);
  Value out = dense;
  const std::vector<Array*> leaves = Leaves(&out);
  for (int leaf = 0; leaf < static_cast<int>(leaves.size()); ++leaf) {
    Array* array = leaves[static_cast<size_t>(leaf)];
    projection::SignatureOptions options;
    options.leaf = leaf;
    TESSERA_ASSIGN_OR_RETURN(Signature signature, projection::SignatureOf(module_, id, options));
    for (Cell& cell : array->cells) cell = Poisoned(array->type, cell, poison_);
    for (const ZRange& block : cutter_(module_, id, leaf, array->dims)) {
      if (block.empty()) continue;
      TESSERA_RETURN_IF_ERROR(Compute(id, operands, leaf, block, signature,
                                      *expected[static_cast<size_t>(leaf)], array));
    }
  }
  return out;
}

absl::Status BlockRunner::Compute(InstructionId id, Values operands, int leaf, const ZRange& block,
                                  const Signature& signature, const Array& dense, Array* out) {
  ++blocks_;
  TESSERA_ASSIGN_OR_RETURN(std::vector<Need> needs, projection::Project(signature, block));
  TESSERA_ASSIGN_OR_RETURN(std::vector<Value> seen, Hidden(operands, needs, poison_));
  std::vector<const Value*> pointers;
  for (const Value& value : seen) pointers.push_back(&value);
  TESSERA_ASSIGN_OR_RETURN(Value whole, interpreter_.Apply(id, pointers));
  const Array& made = *Leaves(std::as_const(whole))[static_cast<size_t>(leaf)];
  absl::Status status;
  projection::ForEachCell(block, [&](const ZPoint& at) {
    out->At(at) = made.At(at);
    if (!SameCell(made.At(at), dense.At(at))) status = DifferenceAt(leaf, block, at);
    return status.ok();
  });
  return status;
}

}  // namespace tessera::testing::evaluator
