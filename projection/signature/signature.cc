#include "tessera/projection/signature/signature.h"

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// The union of the maps of one operand; the box around it when it takes too many pieces.
absl::StatusOr<ZSet> UnionOfMaps(const OperandAccess& operand, const ZRange& block, int64_t limit) {
  ZSet cells(operand.shape.rank());
  for (const Access& map : operand.maps) {
    TESSERA_ASSIGN_OR_RETURN(ZSet part, map->Need(block, limit));
    TESSERA_ASSIGN_OR_RETURN(cells, cells.Union(part, limit));
  }
  return cells;
}

absl::StatusOr<ZSet> BoxAround(const OperandAccess& operand, const ZRange& block) {
  std::vector<ZRange> boxes;
  for (const Access& map : operand.maps) {
    if (map->projection() == nullptr) return ZSet::OfBox(ZRange::FromShape(operand.shape));
    TESSERA_ASSIGN_OR_RETURN(std::optional<ZRange> box, map->projection()->Bounding(block));
    if (box.has_value()) boxes.push_back(*std::move(box));
  }
  if (boxes.empty()) return ZSet(operand.shape.rank());
  TESSERA_ASSIGN_OR_RETURN(ZRange all, ZRange::Bounding(boxes));
  return ZSet::OfBox(all);
}

absl::StatusOr<double> UsedFraction(const ZSet& cells, const std::optional<ZRange>& box) {
  if (!box.has_value()) return 1.0;
  TESSERA_ASSIGN_OR_RETURN(int64_t used, cells.size());
  TESSERA_ASSIGN_OR_RETURN(int64_t all, box->size());
  return static_cast<double>(used) / static_cast<double>(all);
}

}  // namespace

const char* AxisKindName(AxisKind kind) {
  constexpr const char* kNames[] = {"parallel", "reduction", "ordered", "window", "opaque"};
  return kNames[static_cast<int>(kind)];
}

const char* ExactnessName(Exactness e) {
  constexpr const char* kNames[] = {"exact", "exact (constant indices)", "bound", "opaque"};
  return kNames[static_cast<int>(e)];
}

namespace {

absl::Status CheckBlock(const Signature& s, const ZRange& block) {
  if (s.index.Contains(block)) return absl::OkStatus();
  return MakeError(ErrorCode::kOutOfBounds,
                   absl::StrCat("block ", block.ToString(), " is not inside ", s.index.ToString()));
}

}  // namespace

absl::StatusOr<Need> ProjectOperand(const Signature& s, int operand, const ZRange& block,
                                    int64_t limit) {
  TESSERA_RETURN_IF_ERROR(CheckBlock(s, block));
  const OperandAccess& access = s.operands[operand];
  Need need{ZSet(access.shape.rank()), std::nullopt, 1, true};
  if (block.empty()) return need;
  absl::StatusOr<ZSet> cells = UnionOfMaps(access, block, limit);
  if (ErrorCodeOf(cells.status()) == ErrorCode::kTooLarge) {
    need.exact = false;
    cells = BoxAround(access, block);
  }
  TESSERA_RETURN_IF_ERROR(cells.status());
  need.cells = *std::move(cells);
  need.bounding = need.cells.bounding();
  TESSERA_ASSIGN_OR_RETURN(need.used_fraction, UsedFraction(need.cells, need.bounding));
  return need;
}

absl::StatusOr<std::vector<Need>> Project(const Signature& s, const ZRange& block, int64_t limit) {
  TESSERA_RETURN_IF_ERROR(CheckBlock(s, block));
  std::vector<Need> needs;
  for (size_t k = 0; k < s.operands.size(); ++k) {
    TESSERA_ASSIGN_OR_RETURN(Need need, ProjectOperand(s, static_cast<int>(k), block, limit));
    needs.push_back(std::move(need));
  }
  return needs;
}

}  // namespace tessera::projection
