#include "tessera/testing/evaluator/rounding.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "tessera/layout/leaves.h"

namespace tessera::testing::evaluator {
namespace {

struct Rounding {
  ElementType type;
  double share;
};
constexpr Rounding kRoundings[] = {{ElementType::kF16, 1e-2}, {ElementType::kBf16, 5e-2}};
constexpr double kEightBits = 0.25, kOthers = 1e-4;

}  // namespace

double RoundingShare(ElementType type) {
  if (!layout::IsFloat(type)) return 0;
  if (layout::BitWidth(type) <= 8) return kEightBits;
  const auto row = std::find_if(std::begin(kRoundings), std::end(kRoundings),
                                [type](const Rounding& r) { return r.type == type; });
  return row == std::end(kRoundings) ? kOthers : row->share;
}

double RoundingShare(const hlo::Module& module) {
  double share = kOthers;
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    layout::ForEachLeaf(module.shape(id), [&](const layout::Shape& leaf) {
      if (leaf.is_array()) share = std::max(share, RoundingShare(leaf.element_type()));
    });
  }
  return share;
}

double LargestOf(const Array& array) {
  double largest = 0;
  for (int64_t i = 0; i < array.size(); ++i) {
    if (std::isfinite(array.cells[i].re)) largest = std::max(largest, std::abs(array.cells[i].re));
  }
  return largest;
}

std::string CellText(ElementType type, const Cell& cell) {
  return layout::IsFloat(type) || layout::IsComplex(type) ? absl::StrCat(cell.re)
                                                          : absl::StrCat(cell.i);
}

}  // namespace tessera::testing::evaluator
