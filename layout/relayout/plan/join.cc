// A star glues a dimension to the next more minor one of its side. Gluing keeps the index map of
// that side by the meaning of a star. It keeps that of any side where the two are neighbours in the
// same order and no tile touches them: row-major over two dimensions is row-major over their
// product. The new arrays are written in physical order. Tested by plan_test.cc and
// small_pairs_test.cc.

#include "tessera/layout/relayout/plan/join.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera::layout::relayout {
namespace {

// One side in physical order, its dimensions numbered as in the source.
struct JoinedSide {
  const Shape& array;
  Shape::Dims order;
  int64_t lead;  // so many dimensions are not touched by the first tile
  int64_t free;  // and so many by no tile

  bool HasStar(int64_t place) const {
    return place >= lead && array.layout().tiles[0].dims[place - lead] == Tile::kCombine;
  }
  int64_t PlaceOf(int64_t dim) const {
    return std::find(order.begin(), order.end(), dim) - order.begin();
  }
};

std::optional<JoinedSide> SideOf(const Shape& array, const Tiling& tiling,
                                 const Shape::Dims* perm) {
  JoinedSide side{array, {}, array.rank(), array.rank()};
  for (int64_t i = 0; i < array.rank(); ++i) {
    const int64_t dim = array.layout().Major(i);
    side.order.push_back(perm == nullptr ? dim : (*perm)[dim]);
  }
  for (const TileLevel& level : tiling.levels) side.free = std::min(side.free, level.lead);
  if (tiling.levels.empty()) return side;
  side.lead = tiling.levels[0].lead;
  return tiling.levels[0].prepended > 0 ? std::nullopt : std::optional<JoinedSide>(side);
}

// next[d]: the dimension glued after d, or -1.
using Glue = std::vector<int64_t>;

// False if a star glues two dimensions in different ways.
bool AddStars(const JoinedSide& side, Glue* next) {
  for (int64_t place = 0; place + 1 < side.array.rank(); ++place) {
    if (!side.HasStar(place)) continue;
    int64_t& after = (*next)[side.order[place]];
    if (after >= 0 && after != side.order[place + 1]) return false;
    after = side.order[place + 1];
  }
  return true;
}

bool Keeps(const JoinedSide& side, const Glue& next) {
  for (size_t dim = 0; dim < next.size(); ++dim) {
    if (next[dim] < 0) continue;
    const int64_t place = side.PlaceOf(static_cast<int64_t>(dim));
    if (side.PlaceOf(next[dim]) != place + 1) return false;
    if (place + 1 >= side.free && !side.HasStar(place)) return false;
  }
  return true;
}

// The side with glued dimensions as one. `firsts` gets the first dimension of each.
Shape Joined(const JoinedSide& side, const Glue& next, Shape::Dims* firsts) {
  std::vector<int64_t> dims;
  bool open = false;
  for (int64_t place = 0; place < side.array.rank(); ++place) {
    const int64_t dim = side.order[place], size = side.array.dim(side.array.layout().Major(place));
    if (open) {
      dims.back() *= size;
    } else {
      dims.push_back(size);
      firsts->push_back(dim);
    }
    open = next[dim] >= 0;
  }
  Layout layout = side.array.layout();
  layout.minor_to_major = Layout::Descending(static_cast<int64_t>(dims.size())).minor_to_major;
  layout.splits.clear();
  if (!layout.tiles.empty()) {
    auto& entries = layout.tiles[0].dims;
    entries.erase(std::remove(entries.begin(), entries.end(), Tile::kCombine), entries.end());
  }
  return Shape::Array(side.array.element_type(), dims, std::move(layout));
}

}  // namespace

std::optional<Request> JoinStars(const Request& request) {
  const std::optional<JoinedSide> src = SideOf(request.src, request.src_map.tiling(), nullptr);
  const std::optional<JoinedSide> dst =
      SideOf(request.dst, request.dst_map.tiling(), &request.perm);
  if (!src.has_value() || !dst.has_value()) return std::nullopt;
  Glue next(request.perm.size(), -1);
  if (!AddStars(*src, &next) || !AddStars(*dst, &next)) return std::nullopt;
  if (std::all_of(next.begin(), next.end(), [](int64_t dim) { return dim < 0; })) {
    return std::nullopt;
  }
  if (!Keeps(*src, next) || !Keeps(*dst, next)) return std::nullopt;
  Shape::Dims src_firsts, dst_firsts, perm;
  Shape src_joined = Joined(*src, next, &src_firsts);
  Shape dst_joined = Joined(*dst, next, &dst_firsts);
  for (const int64_t first : dst_firsts) {
    perm.push_back(std::find(src_firsts.begin(), src_firsts.end(), first) - src_firsts.begin());
  }
  auto src_map = IndexMap::Create(src_joined), dst_map = IndexMap::Create(dst_joined);
  if (!src_map.ok() || !dst_map.ok()) return std::nullopt;
  return Request{std::move(src_joined), std::move(dst_joined), std::move(perm),
                 *std::move(src_map),   *std::move(dst_map),   request.src_bits,
                 request.dst_bits,      request.elements};
}

}  // namespace tessera::layout::relayout
