#include "tessera/target/buffers/spans.h"

#include <algorithm>
#include <cstddef>

#include "absl/algorithm/container.h"

namespace tessera::target {

void Merge(Spans* spans) {
  absl::c_sort(*spans);
  size_t kept = 0;
  for (size_t k = 1; k < spans->size(); ++k) {
    if ((*spans)[k].first <= (*spans)[kept].second) {
      (*spans)[kept].second = std::max((*spans)[kept].second, (*spans)[k].second);
    } else {
      (*spans)[++kept] = (*spans)[k];
    }
  }
  if (!spans->empty()) spans->resize(kept + 1);
}

}  // namespace tessera::target
