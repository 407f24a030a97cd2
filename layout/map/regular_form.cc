// Chains of "divide" and "remainder".
//
// Every final coordinate starts as an index of one dimension and is cut by tile after tile. The
// part that counts tiles is a quotient, the part inside a tile a remainder. Written as floor(e /
// div) mod mod, cutting by t gives
//
//   no mod:        outer (div*t, no mod)     inner (div, mod t)
//   t divides mod: outer (div*t, mod/t)      inner (div, mod t)
//   t >= mod:      outer always 0            inner (div, mod mod)
//   else:          not of this form, since carries out of `mod` would fall inside a tile
//
// The digits follow: the cuts of a dimension are all div and div*mod. If, sorted, each divides the
// next, they are the place values of a mixed radix. A term covers the digits with div <= radix <
// div*mod, and moves stride * radix/div for each. The values of an index below `size` are a box of
// digits for each place. All places above hold the digits of `size`, this one is smaller, those
// below are free.
//
// Cost: linear in the number of coordinates, a sort of a few cuts. Tested against IndexMap by
// regular_form_test.cc and, over random layouts, by index_map_fuzz.cc.

#include "tessera/layout/regular_form.h"

#include <algorithm>

#include "tessera/text/checked.h"

namespace tessera::layout {
namespace {

constexpr int64_t kConstant = -1;  // `dim` of a coordinate that is always 0

// The coordinates that `tile` makes of one.
struct Cut {
  Term outer;
  Term inner;
};

std::optional<Cut> CutBy(const Term& term, int64_t tile) {
  Cut cut{term, term};
  cut.outer.range = term.range / tile + (term.range % tile != 0);
  cut.inner.range = tile;
  if (term.dim == kConstant) return cut;
  if (term.mod != 0 && tile >= term.mod) {
    cut.outer.dim = kConstant;
    return cut;
  }
  if (term.mod != 0 && term.mod % tile != 0) return std::nullopt;
  if (!MultiplyFits(term.div, tile, &cut.outer.div)) return std::nullopt;
  cut.outer.mod = term.mod / tile;
  cut.inner.mod = tile;
  return cut;
}

bool ApplyLevel(const TileLevel& level, RegularForm* form) {
  Term constant;
  constant.dim = kConstant;
  form->insert(form->begin(), level.prepended, constant);
  absl::InlinedVector<Term, 4> inner;
  for (const TileGroup& group : level.groups) {
    if (group.count != 1) return false;
    const std::optional<Cut> cut = CutBy((*form)[group.first], group.tile);
    if (!cut.has_value()) return false;
    (*form)[group.first] = cut->outer;
    inner.push_back(cut->inner);
  }
  form->insert(form->end(), inner.begin(), inner.end());
  return true;
}

RegularForm PhysicalDimensions(const Shape& array) {
  RegularForm form;
  for (int64_t i = 0; i < array.rank(); ++i) {
    const int64_t dim = array.has_layout() ? array.layout().Major(i) : i;
    form.push_back({dim, 1, 0, array.dim(dim)});
  }
  return form;
}

// Gives each coordinate its stride and forgets those that are always 0.
void Finish(RegularForm* form) {
  int64_t stride = 1;
  for (size_t i = form->size(); i-- > 0;) {
    Term& term = (*form)[i];
    term.stride = stride;
    stride *= term.range;
    if (term.mod == 1) term.dim = kConstant;
  }
  const auto is_constant = [](const Term& term) { return term.dim == kConstant; };
  form->erase(std::remove_if(form->begin(), form->end(), is_constant), form->end());
}

void AddCuts(int64_t size, const RegularForm& form, int64_t dim, Sizes64* cuts) {
  const auto add = [&](int64_t cut) {
    if (cut < std::max<int64_t>(size, 2)) cuts->push_back(cut);
  };
  for (const Term& term : form) {
    if (term.dim != dim) continue;
    add(term.div);
    int64_t end = 0;
    if (term.mod != 0 && MultiplyFits(term.div, term.mod, &end)) add(end);
  }
}

std::optional<Sizes64> ToRadices(Sizes64 cuts) {
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  for (size_t i = 1; i < cuts.size(); ++i) {
    if (cuts[i] % cuts[i - 1] != 0) return std::nullopt;
  }
  return cuts;
}

}  // namespace

std::optional<RegularForm> RegularFormOf(const Shape& array, const Tiling& tiling) {
  if (tiling.elements == 0) return std::nullopt;
  RegularForm form = PhysicalDimensions(array.array());
  for (const TileLevel& level : tiling.levels) {
    if (!ApplyLevel(level, &form)) return std::nullopt;
  }
  Finish(&form);
  return form;
}

int64_t OffsetOf(const RegularForm& form, absl::Span<const int64_t> index) {
  int64_t offset = 0;
  for (const Term& term : form) {
    const int64_t quotient = index[term.dim] / term.div;
    offset += term.stride * (term.mod == 0 ? quotient : quotient % term.mod);
  }
  return offset;
}

std::optional<Sizes64> CommonRadices(int64_t size, const RegularForm& a, int64_t dim_a,
                                     const RegularForm& b, int64_t dim_b) {
  Sizes64 cuts = {1};
  AddCuts(size, a, dim_a, &cuts);
  AddCuts(size, b, dim_b, &cuts);
  return ToRadices(std::move(cuts));
}

int64_t DigitStride(const RegularForm& form, int64_t dim, int64_t radix) {
  int64_t stride = 0;
  for (const Term& term : form) {
    if (term.dim != dim || term.div > radix) continue;
    const int64_t quotient = radix / term.div;
    if (term.mod == 0 || quotient < term.mod) stride += term.stride * quotient;
  }
  return stride;
}

std::vector<DigitBox> DigitBoxes(int64_t size, absl::Span<const int64_t> radices) {
  std::vector<DigitBox> boxes;
  int64_t base = 0;
  for (size_t place = radices.size(); place-- > 0;) {
    const int64_t digit = (size - base) / radices[place];
    if (digit == 0) continue;
    DigitBox box;
    box.base = base;
    box.extents.assign(radices.size(), 1);
    for (size_t lower = 0; lower < place; ++lower) {
      box.extents[lower] = radices[lower + 1] / radices[lower];
    }
    box.extents[place] = digit;
    boxes.push_back(box);
    base += digit * radices[place];
  }
  return boxes;
}

}  // namespace tessera::layout
