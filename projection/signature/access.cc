#include "tessera/projection/signature/access.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/map/reshape.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

class OneProjection : public AccessMap {
 public:
  explicit OneProjection(ZProjection p) : p_(std::move(p)) {}
  absl::StatusOr<ZSet> Need(const ZRange& block, int64_t limit) const override {
    return p_.Image(block, limit);
  }
  std::string ToString() const override { return p_.ToString(); }
  const ZProjection* projection() const override { return &p_; }

 private:
  ZProjection p_;
};

class Pieces : public AccessMap {
 public:
  Pieces(int rank, std::vector<AccessPiece> pieces) : rank_(rank), pieces_(std::move(pieces)) {}

  absl::StatusOr<ZSet> Need(const ZRange& block, int64_t limit) const override {
    std::vector<ZRange> boxes;
    for (const AccessPiece& piece : pieces_) {
      std::optional<ZRange> part = piece.indices.Intersect(block);
      if (!part.has_value() || part->empty()) continue;
      TESSERA_ASSIGN_OR_RETURN(ZSet cells, piece.projection.Image(*part, limit));
      TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> slabs, cells.Slabs(limit));
      boxes.insert(boxes.end(), slabs.begin(), slabs.end());
    }
    return ZSet::OfBoxes(rank_, boxes, limit);
  }

  std::string ToString() const override {
    return absl::StrCat("pieces{",
                        absl::StrJoin(pieces_, "; ",
                                      [](std::string* out, const AccessPiece& p) {
                                        absl::StrAppend(out, p.indices.ToString(), ": ",
                                                        p.projection.ToString());
                                      }),
                        "}");
  }

 private:
  int rank_;
  std::vector<AccessPiece> pieces_;
};

class Reshaped : public AccessMap {
 public:
  Reshaped(ZPoint operand, ZPoint result)
      : operand_(std::move(operand)), result_(std::move(result)) {}
  absl::StatusOr<ZSet> Need(const ZRange& block, int64_t limit) const override {
    return ReshapeImage(operand_, result_, block, limit);
  }
  std::string ToString() const override {
    return absl::StrCat("linear positions of ", ShapeText(result_), " in ", ShapeText(operand_));
  }

 private:
  ZPoint operand_, result_;
};

class Composed : public AccessMap {
 public:
  Composed(NeedFunction need, std::string text) : need_(std::move(need)), text_(std::move(text)) {}
  absl::StatusOr<ZSet> Need(const ZRange& block, int64_t limit) const override {
    return need_(block, limit);
  }
  std::string ToString() const override { return text_; }

 private:
  NeedFunction need_;
  std::string text_;
};

}  // namespace

Access ProjectionAccess(ZProjection p) { return std::make_shared<OneProjection>(std::move(p)); }

Access PiecesAccess(int tensor_rank, std::vector<AccessPiece> pieces) {
  return std::make_shared<Pieces>(tensor_rank, std::move(pieces));
}

Access ReshapeAccess(ZPoint operand_shape, ZPoint result_shape) {
  return std::make_shared<Reshaped>(std::move(operand_shape), std::move(result_shape));
}

Access ComposedAccess(NeedFunction need, std::string text) {
  return std::make_shared<Composed>(std::move(need), std::move(text));
}

}  // namespace tessera::projection
