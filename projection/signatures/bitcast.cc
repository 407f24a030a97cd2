// Bitcast: the same memory in another shape. It keeps places in the buffer, not logical cells.
//
//   f32[4,6]{1,0} -> f32[6,4]{0,1}         a transpose that moves nothing
//   u32[4]        -> u8[4,4]               cell [i, j] is byte j of cell i
//   f32[16]{0:T(8)} -> f32[2,8]{1,0:T(8)}  the tiles are the same
//
// Between layouts without tiles and elements of one width, it is a reshape of the physical shapes:
// both sides are transposed by their layouts, which costs nothing (reshape.h). For anything else,
// the layout package says cell by cell where its bits lie, and which cells of the operand have bits
// there. That costs a step a cell, so blocks of more than 2^18 cells get the whole operand. Tested
// by `bitcast` in signature_of_test and by the evaluator (modules `Bitcasts..`).
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/sizes.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/map/reshape.h"
#include "tessera/projection/set/runs.h"
#include "tessera/projection/signatures/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using layout::Shape;

// The logical dimensions from the most major to the most minor one.
std::vector<int> MajorToMinor(const Shape& shape) {
  std::vector<int> order;
  for (int i = 0; i < shape.rank(); ++i) {
    order.push_back(shape.has_layout() ? static_cast<int>(shape.layout().Major(i)) : i);
  }
  return order;
}

std::vector<int> Inverse(const std::vector<int>& p) {
  std::vector<int> out(p.size());
  for (size_t i = 0; i < p.size(); ++i) out[p[i]] = static_cast<int>(i);
  return out;
}

absl::StatusOr<ZSet> PermuteSet(const ZSet& set, const std::vector<int>& p, int64_t limit) {
  if (set.empty()) return set;
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> boxes, set.Slabs(limit));
  for (ZRange& box : boxes) {
    TESSERA_ASSIGN_OR_RETURN(box, box.Permute(p));
  }
  return ZSet::OfBoxes(set.rank(), boxes, limit);
}

bool IsUntiled(const Shape& shape) { return !shape.has_layout() || shape.layout().tiles.empty(); }

// The need of a bitcast between untiled layouts.
NeedFunction ThroughLayouts(const Shape& operand, const Shape& result) {
  std::vector<int> from = MajorToMinor(result), to = MajorToMinor(operand);
  ZPoint physical_result = *ZPoint(result.dims()).Permute(from),
         physical_operand = *ZPoint(operand.dims()).Permute(to);
  return [=](const ZRange& block, int64_t limit) -> absl::StatusOr<ZSet> {
    TESSERA_ASSIGN_OR_RETURN(ZRange physical, block.Permute(from));
    TESSERA_ASSIGN_OR_RETURN(ZSet cells,
                             ReshapeImage(physical_operand, physical_result, physical, limit));
    return PermuteSet(cells, Inverse(to), limit);
  };
}

constexpr int64_t kMaxCells = int64_t{1} << 18;

// Where the cells of an array lie, in bits.
struct Memory {
  static absl::StatusOr<Memory> Of(const Shape& shape) {
    TESSERA_ASSIGN_OR_RETURN(layout::IndexMap map, layout::IndexMap::Create(shape));
    TESSERA_ASSIGN_OR_RETURN(const layout::MemorySizes sizes, layout::SizesOf(shape));
    return Memory{std::move(map), sizes.bits_per_element, ZPoint(shape.dims())};
  }

  layout::IndexMap map;
  int64_t bits;  // of one cell
  ZPoint dims;
};

int64_t LinearOf(absl::Span<const int64_t> index, const ZPoint& dims) {
  int64_t linear = 0;
  for (int d = 0; d < dims.rank(); ++d) linear = linear * dims[d] + index[d];
  return linear;
}

// The linear positions of the cells of `operand` that share bits with the block, ascending.
std::vector<int64_t> SharingBits(const Memory& operand, const Memory& result, const ZRange& block) {
  std::vector<int64_t> positions;
  ForEachCell(block, [&](const ZPoint& at) {
    const int64_t first = result.map.OffsetOf(at) * result.bits;
    const int64_t last = first + result.bits - 1;
    for (int64_t slot = first / operand.bits; slot <= last / operand.bits; ++slot) {
      if (slot >= operand.map.total()) break;
      const auto cell = operand.map.IndexOf(slot);
      if (cell.has_value()) positions.push_back(LinearOf(*cell, operand.dims));
    }
    return true;
  });
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

absl::StatusOr<ZSet> SetOfPositions(const std::vector<int64_t>& positions, const ZPoint& dims,
                                    int64_t limit) {
  std::vector<Run> runs;
  for (int64_t p : positions) {
    const bool continues = !runs.empty() && runs.back().first + runs.back().length == p;
    continues ? static_cast<void>(++runs.back().length) : runs.push_back({p, 1});
  }
  if (static_cast<int64_t>(runs.size()) > limit)
    return MakeError(ErrorCode::kTooLarge, absl::StrCat("a bitcast of ", runs.size(), " runs"));
  std::vector<ZRange> boxes;
  for (const Run run : runs) {
    TESSERA_ASSIGN_OR_RETURN(const std::vector<ZRange> some, BoxesOfRun(run, dims));
    boxes.insert(boxes.end(), some.begin(), some.end());
  }
  return ZSet::OfBoxes(dims.rank(), boxes, limit);
}

// The need of any other bitcast.
absl::StatusOr<NeedFunction> ThroughMemory(const Shape& operand, const Shape& result) {
  TESSERA_ASSIGN_OR_RETURN(Memory from, Memory::Of(operand));
  TESSERA_ASSIGN_OR_RETURN(Memory to, Memory::Of(result));
  return NeedFunction([from = std::move(from), to = std::move(to)](
                          const ZRange& block, int64_t limit) -> absl::StatusOr<ZSet> {
    TESSERA_ASSIGN_OR_RETURN(const int64_t cells, block.size());
    if (cells > kMaxCells)
      return MakeError(ErrorCode::kTooLarge, absl::StrCat("a bitcast of ", cells, " cells"));
    return SetOfPositions(SharingBits(from, to, block), from.dims, limit);
  });
}

bool SameLayout(const Shape& a, const Shape& b) {
  return a.has_layout() == b.has_layout() && (!a.has_layout() || a.layout() == b.layout());
}

}  // namespace

absl::Status BitcastRule(const OpContext& op, Signature* s) {
  const Shape& operand = op.OperandShape(0);
  const Shape& result = op.module.shape(op.id);
  if (!operand.is_array() || !result.is_array()) return FirstOperandRule(op, s);
  const bool same_width =
      layout::BitWidth(operand.element_type()) == layout::BitWidth(result.element_type());
  if (same_width && SameLayout(operand, result) && operand.dims() == result.dims())
    return op.ReadIdentity(0, s);
  if (same_width && IsUntiled(operand) && IsUntiled(result) &&
      operand.NumElements() == result.NumElements()) {
    return op.Read(
        0, ComposedAccess(ThroughLayouts(operand, result), "linear positions of the buffer"), s);
  }
  absl::StatusOr<NeedFunction> need = ThroughMemory(operand, result);
  if (need.ok())
    return op.Read(0, ComposedAccess(*std::move(need), "the same bits of the buffer"), s);
  s->exactness = Exactness::kBound;
  s->note = "bitcast of a layout that has no map: whole operand";
  return op.ReadWhole(0, s);
}

}  // namespace tessera::projection
