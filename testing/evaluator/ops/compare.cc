// Compare, select, clamp.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/ops/arithmetic.h"

namespace tessera::testing::evaluator {
namespace {

struct Relation {
  absl::string_view name;
  bool less, equal, greater, unordered;
};
constexpr Relation kRelations[] = {
    {"EQ", false, true, false, false}, {"NE", true, false, true, true},
    {"LT", true, false, false, false}, {"LE", true, true, false, false},
    {"GT", false, false, true, false}, {"GE", false, true, true, false},
};

// Floats as integers in the total order: -NaN, -inf, .., -0, 0, .., inf, NaN.
int64_t TotalOrderKey(ElementType type, const Cell& x) {
  const int unused = 64 - layout::BitWidth(type);
  const int64_t bits = static_cast<int64_t>(BitsOf(type, x) << unused);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}

bool IsNan(const Cell& x) { return std::isnan(x.re) || std::isnan(x.im); }

bool Holds(const Relation& r, ElementType type, bool total, const Cell& x, const Cell& y) {
  if (total && layout::IsFloat(type)) {
    const int64_t a = TotalOrderKey(type, x), b = TotalOrderKey(type, y);
    return a < b ? r.less : a == b ? r.equal : r.greater;
  }
  if (IsNan(x) || IsNan(y)) return r.unordered;
  if (x.i == y.i && x.re == y.re && x.im == y.im) return r.equal;
  return Less(type, x, y) ? r.less : r.greater;
}

// A scalar operand of select or clamp serves every cell.
const Cell& CellOrScalar(const Array& a, int64_t i) {
  return a.rank() == 0 ? a.cells[0] : a.cells[i];
}

Cell Larger(ElementType type, const Cell& x, const Cell& y) { return Less(type, x, y) ? y : x; }
Cell Smaller(ElementType type, const Cell& x, const Cell& y) { return Less(type, y, x) ? y : x; }

}  // namespace

absl::StatusOr<Value> Compare(const Op& op) {
  const absl::string_view name = hlo::GetComparisonDirection(op.module, op.id);
  const Relation* relation = std::find_if(std::begin(kRelations), std::end(kRelations),
                                          [&](const Relation& r) { return r.name == name; });
  if (relation == std::end(kRelations))
    return absl::InvalidArgumentError(absl::StrCat("direction ", name));
  const std::vector<absl::string_view> order =
      hlo::GetWords(op.module, op.id, AttributeName::kType);
  const bool total = !order.empty() && order[0] == "TOTALORDER";
  Array out = op.Out();
  const Array &x = op.in(0), &y = op.in(1);
  Cell* cells = out.cells.Data();
  op.ForEachPosition(out.dims, [&](int64_t i) {
    cells[i].i = Holds(*relation, x.type, total, x.cells[i], y.cells[i]);
  });
  return out;
}

absl::StatusOr<Value> Select(const Op& op) {
  Array out = op.Out();
  Cell* cells = out.cells.Data();
  op.ForEachPosition(out.dims, [&](int64_t i) {
    const Cell &yes = op.in(1).cells[i], &no = op.in(2).cells[i];
    cells[i] = CellOrScalar(op.in(0), i).i != 0 ? yes : no;
  });
  return out;
}

// min(max(low, x), high); NaN stays.
absl::StatusOr<Value> Clamp(const Op& op) {
  Array out = op.Out();
  Cell* cells = out.cells.Data();
  op.ForEachPosition(out.dims, [&](int64_t i) {
    const Cell& x = op.in(1).cells[i];
    const Cell raised = Larger(out.type, x, CellOrScalar(op.in(0), i));
    cells[i] = Smaller(out.type, raised, CellOrScalar(op.in(2), i));
  });
  return out;
}

}  // namespace tessera::testing::evaluator
