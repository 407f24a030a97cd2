#include "tessera/pipeline/verbs/search/suggest/group_choices.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tessera::pipeline {
namespace {

constexpr size_t kMaxDims = 1000;  // so that numbers of four digits fit 63 bits

}  // namespace

GroupChoices::GroupChoices(std::vector<int64_t> dims, std::vector<int64_t> axis_sizes)
    : dims_(std::move(dims)), axis_sizes_(std::move(axis_sizes)) {
  for (size_t dim = 0; dim < dims_.size() && cut_.size() < kMaxDims; ++dim) {
    if (dims_[dim] != 1) cut_.push_back(static_cast<int>(dim));
  }
  own_ = Nowhere();
}

GroupChoices::GroupChoices(std::vector<int64_t> dims, std::vector<int64_t> axis_sizes, Layout own)
    : GroupChoices(std::move(dims), std::move(axis_sizes)) {
  own_ = std::move(own);
  may_be_open_ = true;
}

cost::Choice GroupChoices::ChoiceOf(const Layout& layout) const {
  cost::Choice number = 0;
  for (const int dim : layout) {
    const auto digit = std::lower_bound(cut_.begin(), cut_.end(), dim) - cut_.begin();
    number = number * Base() + (dim == kNowhere ? 0 : 1 + digit);
  }
  return number + 1;
}

GroupChoices::Layout GroupChoices::LayoutOf(cost::Choice choice) const {
  Layout layout = Nowhere();
  cost::Choice rest = choice - 1;
  for (size_t axis = layout.size(); axis-- > 0; rest /= Base()) {
    const auto digit = static_cast<size_t>(rest % Base());
    if (digit > 0) layout[axis] = cut_[digit - 1];
  }
  return layout;
}

std::vector<cost::Choice> GroupChoices::Next(cost::Choice from) const {
  const Layout layout = from == 0 ? own_ : from == kOpen ? Nowhere() : LayoutOf(from);
  std::vector<cost::Choice> next;
  if (from <= 0) next.push_back(ChoiceOf(layout));
  if (may_be_open_ && from != kOpen) next.push_back(kOpen);
  for (size_t axis = 0; axis < layout.size(); ++axis) AddMovesOf(axis, layout, &next);
  std::sort(next.begin(), next.end());
  return next;
}

void GroupChoices::AddMovesOf(size_t axis, Layout layout, std::vector<cost::Choice>* next) const {
  const int old = layout[axis];
  layout[axis] = kNowhere;
  if (old != kNowhere) next->push_back(ChoiceOf(layout));
  for (const int dim : cut_) {
    layout[axis] = dim;
    if (dim != old && Divides(layout, dim)) next->push_back(ChoiceOf(layout));
  }
}

bool GroupChoices::Divides(const Layout& layout, int dim) const {
  if (!std::binary_search(cut_.begin(), cut_.end(), dim)) return false;
  int64_t parts = 1;
  for (size_t axis = 0; axis < layout.size(); ++axis) {
    if (layout[axis] == dim) parts *= axis_sizes_[axis];
  }
  return dims_[static_cast<size_t>(dim)] % parts == 0;
}

}  // namespace tessera::pipeline
