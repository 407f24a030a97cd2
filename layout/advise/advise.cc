#include "tessera/layout/advise.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/layout/error.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/layout/validate.h"
#include "tessera/text/status_macros.h"

namespace tessera::layout {
namespace {

using Order = absl::InlinedVector<int64_t, 6>;

struct Candidate {
  Shape shape;
  int64_t bytes = 0;
  int64_t rows = 0;  // first entry of the first tile
  int64_t inversions = 0;
};

bool IsBetter(const Candidate& a, const Candidate& b) {
  const auto& order_a = a.shape.layout().minor_to_major;
  const auto& order_b = b.shape.layout().minor_to_major;
  return std::tie(a.bytes, b.rows, a.inversions, order_b) <
         std::tie(b.bytes, a.rows, b.inversions, order_a);
}

// Pairs of dimensions that stand in another order in `a` than in `b`.
int64_t Inversions(const Order& a, const Order& b) {
  Order place(b.size());
  for (size_t i = 0; i < b.size(); ++i) place[b[i]] = i;
  int64_t count = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = i + 1; j < a.size(); ++j) count += place[a[i]] > place[a[j]];
  }
  return count;
}

std::vector<Order> CandidateOrders(const Order& current) {
  if (current.size() < 2) return {current};
  std::vector<Order> orders;
  for (int64_t minor : current) {
    for (int64_t second : current) {
      if (minor == second) continue;
      Order order = {minor, second};
      std::copy_if(current.begin(), current.end(), std::back_inserter(order),
                   [&](int64_t dim) { return dim != minor && dim != second; });
      orders.push_back(std::move(order));
    }
  }
  return orders;
}

absl::StatusOr<Candidate> MakeCandidate(const Shape& array, const Order& order,
                                        const TileChoice& choice) {
  const Layout& current = array.layout();
  Layout layout(order, choice.tiles);
  layout.element_bits = choice.element_bits;
  layout.memory_space = current.memory_space;
  Candidate candidate;
  candidate.shape = array;
  candidate.shape.set_layout(std::move(layout));
  TESSERA_ASSIGN_OR_RETURN(const MemorySizes sizes, SizesOf(candidate.shape));
  candidate.bytes = sizes.padded_bytes;
  candidate.rows = choice.tiles.empty() ? 0 : choice.tiles[0].dims[0];
  candidate.inversions = Inversions(order, current.minor_to_major);
  return candidate;
}

absl::StatusOr<std::vector<Candidate>> AllCandidates(const Shape& array, const TileRules& rules) {
  std::vector<Candidate> candidates;
  const std::vector<TileChoice> choices = rules.ChoicesFor(array.element_type(), array.rank());
  for (const Order& order : CandidateOrders(array.layout().minor_to_major)) {
    for (const TileChoice& choice : choices) {
      TESSERA_ASSIGN_OR_RETURN(Candidate candidate, MakeCandidate(array, order, choice));
      candidates.push_back(std::move(candidate));
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(), IsBetter);
  return candidates;
}

std::string PlaceName(int64_t places_from_minor) {
  if (places_from_minor == 0) return "minor";
  return places_from_minor == 1 ? "second minor" : absl::StrCat("minor + ", places_from_minor);
}

// One sentence for each dimension that the first tile of `array` pads.
void AddPaddingRemarks(const Shape& array, std::vector<std::string>* remarks) {
  const absl::StatusOr<Tiling> tiling = TilingOf(array);
  if (!tiling.ok() || tiling->levels.empty() || tiling->elements == 0) return;
  const TileLevel& level = tiling->levels[0];
  for (size_t i = level.groups.size(); i-- > 0;) {
    const TileGroup& group = level.groups[i];
    if (group.padded() == group.size) continue;
    const std::string growth = absl::StrCat(" is padded to ", group.padded(), ": ",
                                            FormatRatio(group.padded(), group.size));
    const int64_t from_minor = static_cast<int64_t>(level.input.size()) - group.first - group.count;
    if (group.count > 1 || group.first < level.prepended) {
      remarks->push_back(
          absl::StrCat("the combined or added dimension of size ", group.size, growth));
    } else {
      remarks->push_back(absl::StrCat("dimension ", array.layout().minor_to_major[from_minor], " (",
                                      PlaceName(from_minor), ") of size ", group.size, growth));
    }
  }
}

void AddFix(const Shape& array, const Advice& advice, std::vector<std::string>* remarks) {
  if (advice.already_optimal) {
    remarks->push_back("already optimal: no allowed layout takes less");
    return;
  }
  if (advice.same_order_bytes == advice.best_bytes) {
    remarks->push_back("another tile suffices; the order of dimensions may stay");
    return;
  }
  if (advice.best.layout().minor_to_major[0] == array.layout().minor_to_major[0]) {
    remarks->push_back(absl::StrCat("making dimension ", advice.best.layout().minor_to_major[1],
                                    " second minor helps"));
    return;
  }
  remarks->push_back(
      absl::StrCat("making dimension ", advice.best.layout().minor_to_major[0], " minor helps"));
}

// Where no order helps, because all sizes are small: the pair of dimensions whose product, as one
// dimension, fills most of the minor side of the tile.
void AddMergeProposal(const Shape& array, const Advice& advice, std::vector<std::string>* remarks) {
  const auto& tiles = advice.best.layout().tiles;
  if (tiles.empty() || array.rank() < 2) return;
  if (advice.best_bytes < 2 * advice.data_bytes || advice.data_bytes == 0) return;
  const int64_t row = tiles[0].dims.back();
  const auto& order = advice.best.layout().minor_to_major;
  if (array.dim(order[0]) >= row) return;
  remarks->push_back(absl::StrCat(
      "every order wastes memory: reshape so that dimensions ", std::min(order[0], order[1]),
      " and ", std::max(order[0], order[1]), " become one of size ",
      array.dim(order[0]) * array.dim(order[1]), ", nearer to a row of ", row));
}

void AddCaveats(const Shape& array, const TileRules& rules, std::vector<std::string>* remarks) {
  if (rules.split_above_bits > 0 && BitWidth(array.element_type()) > rules.split_above_bits) {
    remarks->push_back(absl::StrCat("an estimate: this hardware keeps wider elements as parts of ",
                                    rules.split_above_bits, " bits"));
  }
  remarks->push_back(
      "other users of the array are not considered: a dot, say, may want its operand's order");
}

// The array with a layout, if it has none the default one.
Shape WithLayout(const Shape& array) {
  Shape result = array;
  if (!result.has_layout()) result.set_layout(Layout::Descending(array.rank()));
  return result;
}

}  // namespace

absl::StatusOr<Advice> Advise(const Shape& shape, const TileRules& rules) {
  if (!shape.array().is_array()) {
    return MakeError("kNotArray", absl::StrCat(ShapeToString(shape), " is not an array"));
  }
  const Shape array = WithLayout(shape.array());
  TESSERA_ASSIGN_OR_RETURN(const MemorySizes current, SizesOf(array));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Candidate> candidates, AllCandidates(array, rules));
  Advice advice;
  advice.current_bytes = current.padded_bytes;
  advice.best = candidates[0].shape;
  advice.best_bytes = candidates[0].bytes;
  TESSERA_ASSIGN_OR_RETURN(const MemorySizes best, SizesOf(advice.best));
  advice.data_bytes = best.data_bytes;
  for (const Candidate& candidate : candidates) {
    if (candidate.bytes == advice.best_bytes) advice.equals.push_back(candidate.shape);
  }
  const auto same_order =
      std::find_if(candidates.begin(), candidates.end(),
                   [](const Candidate& candidate) { return candidate.inversions == 0; });
  advice.same_order_best = same_order->shape;
  advice.same_order_bytes = same_order->bytes;
  // Untiled text says nothing about what the hardware would do; its own choice for that order does.
  const bool untiled = array.layout().tiles.empty();
  const Shape& judged = untiled ? advice.same_order_best : array;
  const int64_t judged_bytes = untiled ? advice.same_order_bytes : advice.current_bytes;
  advice.already_optimal = judged_bytes == advice.best_bytes;
  AddPaddingRemarks(judged, &advice.remarks);
  if (judged_bytes < advice.best_bytes) {
    advice.remarks.push_back("the given layout takes less than any that these rules allow");
  } else {
    AddFix(judged, advice, &advice.remarks);
  }
  AddMergeProposal(array, advice, &advice.remarks);
  AddCaveats(array, rules, &advice.remarks);
  return advice;
}

}  // namespace tessera::layout
