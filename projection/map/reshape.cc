// Idea. A reshape keeps the row-major order of cells. Both shapes are read from the left. Whenever
// the products of what was read agree, both sides have come to the same border of cells: the
// dimensions so far form a group. Groups are independent. [2,12,5] -> [24,5] is {2,12 -> 24} and
// {5 -> 5}.
//
// Inside a group the coordinates of the result are split into digits, as fine as the cuts of either
// side ask for. The digits are put together again as coordinates of the operand. [4,6] -> [2,12]
// has the cuts 24, 12, 6, 1 (suffix products), and each divides the one before. Hence the digits
// are 2, 2, 6; the operand is (d0 d1, d2), the result (d0, d1 d2). A block is then a few boxes of
// digits, each of which is a product of cells.
//
// [4,6] -> [3,8] has cuts 24, 8, 6, 1 and 6 does not divide 8: there are no digits. Then the
// block's runs of linear positions are written as boxes of the operand. That way always works, and
// is what the tests compare with.
//
// Tested by reshape_test.cc.
#include "tessera/projection/map/reshape.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/map/factor_map.h"
#include "tessera/projection/set/runs.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

std::vector<int64_t> SuffixProducts(const ZPoint& shape) {
  std::vector<int64_t> out = {1};
  for (int i = shape.rank() - 1; i >= 0; --i) out.push_back(out.back() * shape[i]);
  return out;
}

// The digits of each dimension of `shape`, taken from the front of `digits`.
std::vector<ZPoint> Distribute(const ZPoint& shape, const ZPoint& digits) {
  std::vector<ZPoint> out;
  int at = 0;
  for (int64_t extent : shape) {
    ZPoint mine;
    for (int64_t left = extent; left > 1; ++at) {
      mine.push_back(digits[at]);
      left /= digits[at];
    }
    out.push_back(std::move(mine));
  }
  return out;
}

absl::StatusOr<ZSet> ImageByDigits(const ZPoint& operand, const ZPoint& result,
                                   const ZPoint& digits, const ZRange& block, int64_t limit) {
  TESSERA_ASSIGN_OR_RETURN(ZFactorMap from, ZFactorMap::Create(Distribute(result, digits)));
  TESSERA_ASSIGN_OR_RETURN(ZFactorMap to, ZFactorMap::Create(Distribute(operand, digits)));
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> boxes, from.Digits(block, limit));
  std::vector<ZRange> cells;
  for (const ZRange& box : boxes) {
    TESSERA_ASSIGN_OR_RETURN(ZSet piece, to.Cells(box, limit));
    TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> slabs, piece.Slabs(limit));
    cells.insert(cells.end(), slabs.begin(), slabs.end());
  }
  return ZSet::OfBoxes(operand.rank(), cells, limit);
}

absl::StatusOr<ZSet> GroupImage(const ZPoint& operand, const ZPoint& result, const ZRange& block,
                                int64_t limit) {
  std::optional<ZPoint> digits = CommonDigits(operand, result);
  if (digits.has_value()) return ImageByDigits(operand, result, *digits, block, limit);
  return ReshapeImageByRuns(operand, result, block, limit);
}

// The product of sets over disjoint dimensions, in order.
absl::StatusOr<ZSet> Product(const ZSet& a, const ZSet& b, int64_t limit) {
  if (a.product() != nullptr && b.product() != nullptr) {
    AxisSets axes = *a.product();
    axes.insert(axes.end(), b.product()->begin(), b.product()->end());
    return ZSet::OfAxes(std::move(axes));
  }
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> left, a.Slabs(limit));
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> right, b.Slabs(limit));
  if (static_cast<int64_t>(left.size() * right.size()) > limit) {
    return MakeError(ErrorCode::kTooLarge,
                     absl::StrCat("an exact set of more than ", limit, " boxes"));
  }
  std::vector<ZRange> boxes;
  for (const ZRange& l : left) {
    for (const ZRange& r : right) boxes.push_back(l.Product(r));
  }
  return ZSet::OfBoxes(a.rank() + b.rank(), boxes, limit);
}

absl::Status CheckShapes(const ZPoint& operand, const ZPoint& result, const ZRange& block) {
  TESSERA_ASSIGN_OR_RETURN(int64_t from, ZRange::FromShape(operand).size());
  TESSERA_ASSIGN_OR_RETURN(int64_t to, ZRange::FromShape(result).size());
  if (from != to) {
    return MakeError(ErrorCode::kBadShape,
                     absl::StrCat("a reshape of ", ShapeText(operand), " to ", ShapeText(result)));
  }
  if (ZRange::FromShape(result).Contains(block)) return absl::OkStatus();
  return MakeError(ErrorCode::kOutOfBounds,
                   absl::StrCat("block ", block.ToString(), " of ", ShapeText(result)));
}

}  // namespace

std::vector<ReshapeGroup> ReshapeGroups(const ZPoint& operand, const ZPoint& result) {
  std::vector<ReshapeGroup> groups;
  int o = 0, r = 0;
  while (o < operand.rank() || r < result.rank()) {
    ReshapeGroup g{o, o, r, r};
    int64_t left = 1, right = 1;
    do {
      bool take_operand = o < operand.rank() && (left <= right || r == result.rank());
      take_operand ? left *= operand[o++] : right *= result[r++];
    } while ((left != right || o == g.operand_begin || r == g.result_begin) &&
             (o < operand.rank() || r < result.rank()));
    g.operand_end = o;
    g.result_end = r;
    bool lone =
        g.operand_begin == o || g.result_begin == r;  // 1s at the end, after one side is used up
    if (lone && !groups.empty()) {
      groups.back().operand_end = o;
      groups.back().result_end = r;
    } else {
      groups.push_back(g);
    }
  }
  return groups;
}

std::optional<ZPoint> CommonDigits(const ZPoint& operand, const ZPoint& result) {
  std::vector<int64_t> cuts = SuffixProducts(operand), more = SuffixProducts(result);
  cuts.insert(cuts.end(), more.begin(), more.end());
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  ZPoint digits;
  for (size_t i = cuts.size() - 1; i > 0; --i) {
    if (cuts[i] % cuts[i - 1] != 0) return std::nullopt;
    digits.push_back(cuts[i] / cuts[i - 1]);
  }
  return digits;
}

absl::StatusOr<ZSet> ReshapeImage(const ZPoint& operand, const ZPoint& result, const ZRange& block,
                                  int64_t limit) {
  TESSERA_RETURN_IF_ERROR(CheckShapes(operand, result, block));
  if (block.empty()) return ZSet(operand.rank());
  ZSet cells = ZSet::OfAxes({});
  for (const ReshapeGroup& g : ReshapeGroups(operand, result)) {
    ZRange part = *ZRange::Create(block.start().Part(g.result_begin, g.result_end),
                                  block.end().Part(g.result_begin, g.result_end));
    TESSERA_ASSIGN_OR_RETURN(ZSet piece,
                             GroupImage(operand.Part(g.operand_begin, g.operand_end),
                                        result.Part(g.result_begin, g.result_end), part, limit));
    TESSERA_ASSIGN_OR_RETURN(cells, Product(cells, piece, limit));
  }
  return cells;
}

absl::StatusOr<ZSet> ReshapeImageByRuns(const ZPoint& operand, const ZPoint& result,
                                        const ZRange& block, int64_t limit) {
  TESSERA_RETURN_IF_ERROR(CheckShapes(operand, result, block));
  TESSERA_ASSIGN_OR_RETURN(std::vector<Run> runs, RunsOfBox(block, result, limit));
  std::vector<ZRange> boxes;
  for (Run run : runs) {
    TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> stairs, BoxesOfRun(run, operand));
    boxes.insert(boxes.end(), stairs.begin(), stairs.end());
  }
  return ZSet::OfBoxes(operand.rank(), boxes, limit);
}

}  // namespace tessera::projection
