// One level of tiles as ops on a row-major array, here T(2,2) on [3,5]:
//
//   [3,5]  pad up to whole tiles             -> [4,6]
//          split each dimension in two       -> [2,2,3,2]   (tiles, inside, tiles, inside)
//          move the insides to the minor end -> [2,3,2,2]
//
// Before the first level the dimensions are brought to physical order; a level with stars or with
// more entries than dimensions first reshapes. At the end everything is one long row, padded to the
// tail alignment. Ops that would do nothing are left out, save the splitting reshape, so that the
// list shows every tile.
//
// Tested by running the ops on real arrays in decompose_test.cc and index_map_fuzz.cc.

#include "tessera/layout/decompose.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::layout {
namespace {

class OpList {
 public:
  explicit OpList(Sizes64 dims) : dims_(std::move(dims)) {}

  void Transpose(const Sizes64& perm) {
    if (std::is_sorted(perm.begin(), perm.end())) return;
    Sizes64 dims;
    for (int64_t from : perm) dims.push_back(dims_[from]);
    Add({ArrayOpKind::kTranspose, perm, std::move(dims)});
  }
  void ReshapeIfNeeded(const Sizes64& dims) {
    if (dims != dims_) Reshape(dims);
  }
  void Reshape(const Sizes64& dims) { Add({ArrayOpKind::kReshape, {}, dims}); }
  void PadTo(const Sizes64& dims) {
    if (dims == dims_) return;
    Sizes64 high(dims.size());
    for (size_t i = 0; i < dims.size(); ++i) high[i] = dims[i] - dims_[i];
    Add({ArrayOpKind::kPad, std::move(high), dims});
  }

  std::vector<ArrayOp> Take() { return std::move(ops_); }

 private:
  void Add(ArrayOp op) {
    dims_ = op.dims;
    ops_.push_back(std::move(op));
  }

  Sizes64 dims_;
  std::vector<ArrayOp> ops_;
};

Sizes64 PhysicalOrder(const Shape& array) {
  Sizes64 order(array.rank());
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = 0; array.has_layout() && i < array.rank(); ++i) {
    order[i] = array.layout().Major(i);
  }
  return order;
}

void AddLevel(const TileLevel& level, OpList* ops) {
  ops->ReshapeIfNeeded(level.Combined());
  ops->PadTo(level.Padded());
  Sizes64 split(level.input.begin(), level.input.begin() + level.lead);
  Sizes64 perm(level.lead);
  std::iota(perm.begin(), perm.end(), 0);
  const int64_t groups = static_cast<int64_t>(level.groups.size());
  for (const TileGroup& group : level.groups) {
    split.push_back(group.tiles());
    split.push_back(group.tile);
  }
  for (int64_t i = 0; i < groups; ++i) perm.push_back(level.lead + 2 * i);
  for (int64_t i = 0; i < groups; ++i) perm.push_back(level.lead + 2 * i + 1);
  ops->Reshape(split);
  ops->Transpose(perm);
}

ArrayOp InvertOne(const ArrayOp& op, const Sizes64& before) {
  if (op.kind == ArrayOpKind::kReshape) return {ArrayOpKind::kReshape, {}, before};
  if (op.kind == ArrayOpKind::kPad) return {ArrayOpKind::kSlice, before, before};
  Sizes64 inverse(op.argument.size());
  for (size_t i = 0; i < inverse.size(); ++i) inverse[op.argument[i]] = i;
  return {ArrayOpKind::kTranspose, std::move(inverse), before};
}

struct OpNames {
  absl::string_view op;
  absl::string_view argument;
};
// Indexed by ArrayOpKind.
constexpr OpNames kNames[] = {
    {"transpose", "perm"}, {"reshape", ""}, {"pad", "high"}, {"slice", "limit"}};

// The text after the operands of the HLO instruction.
std::string HloAttributes(const ArrayOp& op) {
  if (op.kind == ArrayOpKind::kTranspose) {
    return absl::StrCat(", dimensions={", absl::StrJoin(op.argument, ","), "}");
  }
  if (op.kind == ArrayOpKind::kReshape) return "";
  const auto append = [](std::string* out, int64_t high) { absl::StrAppend(out, "0_", high); };
  return absl::StrCat(", padding=", absl::StrJoin(op.argument, "x", append));
}

std::string HloZero(ElementType type) {
  if (type == ElementType::kPred) return "false";
  return IsComplex(type) ? "(0, 0)" : "0";
}

}  // namespace

absl::string_view ArrayOpName(ArrayOpKind kind) { return kNames[static_cast<int>(kind)].op; }

absl::string_view ArrayOpArgumentName(ArrayOpKind kind) {
  return kNames[static_cast<int>(kind)].argument;
}

absl::StatusOr<std::vector<ArrayOp>> Decompose(const Shape& array) {
  TESSERA_ASSIGN_OR_RETURN(const IndexMap map, IndexMap::Create(array));
  OpList ops(Sizes64(map.dims().begin(), map.dims().end()));
  ops.Transpose(PhysicalOrder(array.array()));
  for (const TileLevel& level : map.tiling().levels) AddLevel(level, &ops);
  ops.ReshapeIfNeeded({map.tiling().elements});
  ops.PadTo({map.total()});
  return ops.Take();
}

std::vector<ArrayOp> Invert(absl::Span<const ArrayOp> ops, absl::Span<const int64_t> dims) {
  std::vector<ArrayOp> inverse;
  for (size_t i = ops.size(); i-- > 0;) {
    const Sizes64 before = i > 0 ? ops[i - 1].dims : Sizes64(dims.begin(), dims.end());
    inverse.push_back(InvertOne(ops[i], before));
  }
  return inverse;
}

absl::StatusOr<std::string> DecomposeToHlo(const Shape& array) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<ArrayOp> ops, Decompose(array));
  const ElementType type = array.array().element_type();
  const auto shape_text = [&](absl::Span<const int64_t> dims) {
    return ShapeToString(Shape::Array(type, dims));
  };
  std::string body = absl::StrCat(ops.empty() ? "  ROOT " : "  ",
                                  "array = ", shape_text(array.array().dims()), " parameter(0)\n");
  const auto is_pad = [](const ArrayOp& op) { return op.kind == ArrayOpKind::kPad; };
  if (std::any_of(ops.begin(), ops.end(), is_pad)) {
    absl::StrAppend(&body, "  zero = ", shape_text({}), " constant(", HloZero(type), ")\n");
  }
  std::string operand = "array";
  for (size_t i = 0; i < ops.size(); ++i) {
    const std::string name = absl::StrCat(ArrayOpName(ops[i].kind), ".", i + 1);
    absl::StrAppend(&body, i + 1 == ops.size() ? "  ROOT " : "  ", name, " = ",
                    shape_text(ops[i].dims), " ", ArrayOpName(ops[i].kind), "(", operand,
                    is_pad(ops[i]) ? ", zero" : "", ")", HloAttributes(ops[i]), "\n");
    operand = name;
  }
  return absl::StrCat("HloModule layout_ops\n\nENTRY main {\n", body, "}\n");
}

}  // namespace tessera::layout
