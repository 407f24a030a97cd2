#include "tessera/layout/layout.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "tessera/layout/shape.h"

namespace tessera::layout {
namespace {

auto ScalarFields(const Layout& x) {
  return std::tie(x.tail_alignment, x.element_bits, x.metadata_prefix_bytes, x.index_type,
                  x.pointer_type, x.memory_space);
}

bool ExactPhysicalShape(const Layout& a, const Layout& b) {
  if (a.physical_shape == nullptr || b.physical_shape == nullptr) {
    return a.physical_shape == b.physical_shape;
  }
  return *a.physical_shape == *b.physical_shape;
}

}  // namespace

Layout Layout::Descending(int64_t rank) {
  Layout layout = Ascending(rank);
  std::reverse(layout.minor_to_major.begin(), layout.minor_to_major.end());
  return layout;
}

Layout Layout::Ascending(int64_t rank) {
  Layout layout;
  layout.minor_to_major.resize(rank);
  std::iota(layout.minor_to_major.begin(), layout.minor_to_major.end(), 0);
  return layout;
}

bool operator==(const Layout& a, const Layout& b) {
  return a.minor_to_major == b.minor_to_major && a.tiles == b.tiles &&
         ScalarFields(a) == ScalarFields(b) && a.splits == b.splits && ExactPhysicalShape(a, b);
}

}  // namespace tessera::layout
