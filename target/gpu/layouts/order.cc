#include "tessera/target/gpu/layouts/order.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"

namespace tessera::target {

namespace {

Order WithoutOnes(const Order& order, Sizes sizes) {
  Order left;
  for (const int64_t d : order) {
    if (sizes[static_cast<size_t>(d)] != 1) left.push_back(d);
  }
  return left;
}

// Those in front of all others lie there, others behind the one in front of them.
Order WithOnes(Order order, Sizes sizes) {
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] != 1) continue;
    const auto before = absl::c_find(order, static_cast<int64_t>(d) - 1);
    order.insert(d == 0 || before == order.end() ? order.begin() : before + 1,
                 static_cast<int64_t>(d));
  }
  return order;
}

}  // namespace

Order DefaultOrder(size_t rank) {
  Order order;
  for (size_t d = 0; d < rank; ++d) order.push_back(static_cast<int64_t>(d));
  return order;
}

Order WithMajor(int64_t dimension, size_t rank) {
  Order order = DefaultOrder(rank);
  const auto found = absl::c_find(order, dimension);
  if (found != order.end()) std::rotate(order.begin(), found, found + 1);
  return order;
}

bool LiesAlike(const Order& a, const Order& b, Sizes sizes) {
  return WithoutOnes(a, sizes) == WithoutOnes(b, sizes);
}

Order Kept(const Order& order, absl::Span<const int64_t> kept) {
  Order left;
  for (const int64_t d : order) {
    const auto found = absl::c_find(kept, d);
    if (found != kept.end()) left.push_back(found - kept.begin());
  }
  return left;
}

Order Renumbered(const Order& order, absl::Span<const int64_t> to) {
  Order numbered;
  for (const int64_t d : order) numbered.push_back(to[static_cast<size_t>(d)]);
  return numbered;
}

std::optional<Order> Reshaped(const Order& given, Sizes from, Sizes to) {
  const Order order = WithoutOnes(given, from);
  const Order left = WithoutOnes(DefaultOrder(from.size()), from);
  const Order right = WithoutOnes(DefaultOrder(to.size()), to);
  // By dimension of `from`: the dimensions of `to` that its group becomes, said by the first of the group.
  std::vector<Order> becomes(from.size());
  std::vector<int64_t> group(from.size(), -1);
  size_t l = 0, r = 0;
  while (l < left.size() && r < right.size()) {
    const int64_t first = left[l];
    int64_t a = 1, b = 1;
    do {
      if (a <= b && l < left.size()) {
        group[static_cast<size_t>(left[l])] = first;
        a *= from[static_cast<size_t>(left[l++])];
      } else if (r < right.size()) {
        becomes[static_cast<size_t>(first)].push_back(right[r]);
        b *= to[static_cast<size_t>(right[r++])];
      } else {
        return std::nullopt;
      }
    } while (a != b);
  }
  if (l != left.size() || r != right.size()) return std::nullopt;
  Order reshaped;
  for (size_t k = 0; k < order.size();) {
    const int64_t first = group[static_cast<size_t>(order[k])];
    if (order[k] != first) return std::nullopt;
    absl::c_copy(becomes[static_cast<size_t>(first)], std::back_inserter(reshaped));
    const int64_t* const start = absl::c_find(left, first);
    for (const int64_t* d = start; d != left.end() && group[static_cast<size_t>(*d)] == first;
         ++d, ++k) {
      if (k >= order.size() || order[k] != *d) return std::nullopt;
    }
  }
  return WithOnes(std::move(reshaped), to);
}

}  // namespace tessera::target
