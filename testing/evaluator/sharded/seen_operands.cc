#include "tessera/testing/evaluator/sharded/seen_operands.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

constexpr int64_t kMaxBoxes = int64_t{1} << 16;

absl::StatusOr<std::vector<bool>> MaskOf(const projection::Need& need, const Array& array) {
  std::vector<bool> mask(static_cast<size_t>(array.size()));
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> boxes, need.cells.Slabs(kMaxBoxes));
  for (const ZRange& box : boxes) {
    projection::ForEachCell(box, [&](const ZPoint& at) {
      mask[static_cast<size_t>(array.Linear(at))] = true;
      return true;
    });
  }
  return mask;
}

void Replace(const std::vector<bool>& mask, const SeenOperands::Rubbish& rubbish, Array* array) {
  Cell* cells = array->cells.Data();
  for (size_t i = 0; i < mask.size(); ++i) {
    if (!mask[i]) cells[i] = rubbish(array->type, cells[i]);
  }
}

}  // namespace

absl::StatusOr<SeenOperands> SeenOperands::Create(Values operands,
                                                  const std::vector<projection::Need>& needs,
                                                  const Rubbish* rubbish) {
  SeenOperands seen;
  for (const Value* operand : operands) seen.values_.push_back(*operand);
  for (Value& value : seen.values_) {
    for (Array* array : Leaves(&value)) {
      const size_t entry = seen.dims_.size();
      if (entry >= needs.size()) return absl::InternalError("a signature without that operand");
      seen.dims_.push_back(array->dims);
      TESSERA_ASSIGN_OR_RETURN(std::vector<bool> mask, MaskOf(needs[entry], *array));
      if (rubbish != nullptr) {
        Replace(mask, *rubbish, array);
        continue;
      }
      seen.guards_.push_back(std::make_unique<Guard>(mask.size()));
      seen.guards_.back()->allowed = std::move(mask);
      array->cells.Watch(seen.guards_.back().get());
    }
  }
  return seen;
}

std::vector<const Value*> SeenOperands::values() const {
  std::vector<const Value*> out;
  for (const Value& value : values_) out.push_back(&value);
  return out;
}

std::string SeenOperands::CellText(size_t array, int64_t cell) const {
  return absl::StrCat("cell ", IndexOf(cell, dims_[array]).ToString(), " of operand array ", array);
}

std::string SeenOperands::OutsideRead() const {
  for (size_t a = 0; a < guards_.size(); ++a) {
    if (guards_[a]->first_outside >= 0) return CellText(a, guards_[a]->first_outside);
  }
  return "";
}

std::string SeenOperands::NotRead() const {
  for (size_t a = 0; a < guards_.size(); ++a) {
    const Guard& guard = *guards_[a];
    for (size_t i = 0; i < guard.allowed.size(); ++i) {
      if (guard.allowed[i] && !guard.seen[i]) return CellText(a, static_cast<int64_t>(i));
    }
  }
  return "";
}

}  // namespace tessera::testing::evaluator
