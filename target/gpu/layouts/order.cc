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

// Each in front of the dimension that follows it; the last ones are the most minor ones.
Order WithOnes(Order order, Sizes sizes) {
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] != 1) continue;
    order.insert(absl::c_find(order, static_cast<int64_t>(d) + 1), static_cast<int64_t>(d));
  }
  return order;
}

// Dimensions that become others, of as many elements.
struct Group {
  Order from, to;
};

// The smallest ones, in order. None where there are no two lists of as many elements.
std::optional<std::vector<Group>> GroupsOf(Sizes from, Sizes to) {
  const Order left = WithoutOnes(DefaultOrder(from.size()), from);
  const Order right = WithoutOnes(DefaultOrder(to.size()), to);
  std::vector<Group> groups;
  for (size_t l = 0, r = 0; l < left.size() || r < right.size();) {
    groups.emplace_back();
    int64_t a = 1, b = 1;
    do {
      if (a <= b && l < left.size()) {
        groups.back().from.push_back(left[l]);
        a *= from[static_cast<size_t>(left[l++])];
      } else if (r < right.size()) {
        groups.back().to.push_back(right[r]);
        b *= to[static_cast<size_t>(right[r++])];
      } else {
        return std::nullopt;
      }
    } while (a != b);
  }
  return groups;
}

bool StartsWith(const int64_t* begin, const int64_t* end, const Order& start) {
  return end - begin >= static_cast<int64_t>(start.size()) &&
         std::equal(start.begin(), start.end(), begin);
}

}  // namespace

Order DefaultOrder(size_t rank) {
  Order order;
  for (size_t d = 0; d < rank; ++d) order.push_back(static_cast<int64_t>(d));
  return order;
}

bool IsDefault(const Order& order) { return absl::c_is_sorted(order); }

Order WithMajor(int64_t dimension, size_t rank) {
  Order order = DefaultOrder(rank);
  const auto found = absl::c_find(order, dimension);
  if (found != order.end()) std::rotate(order.begin(), found, found + 1);
  return order;
}

bool LiesAlike(const Order& a, const Order& b, Sizes sizes) {
  return a == b || WithoutOnes(a, sizes) == WithoutOnes(b, sizes);
}

bool DiffersByOnes(Sizes a, Sizes b) {
  const auto is_one = [](int64_t size) { return size == 1; };
  Order left, right;
  absl::c_remove_copy_if(a, std::back_inserter(left), is_one);
  absl::c_remove_copy_if(b, std::back_inserter(right), is_one);
  return left == right;
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
  const auto groups = GroupsOf(from, to);
  if (!groups.has_value()) return std::nullopt;
  std::vector<const Group*> starts(from.size());  // by the first dimension of a group
  for (const Group& group : *groups) {
    if (!group.from.empty()) starts[static_cast<size_t>(group.from[0])] = &group;
  }
  Order rest = WithoutOnes(given, from), reshaped;
  for (auto d = rest.begin(); d != rest.end();) {
    const Group* const group = starts[static_cast<size_t>(*d)];
    if (group == nullptr || !StartsWith(d, rest.end(), group->from)) return std::nullopt;
    absl::c_copy(group->to, std::back_inserter(reshaped));
    d += static_cast<int64_t>(group->from.size());
  }
  return WithOnes(std::move(reshaped), to);
}

}  // namespace tessera::target
