#include "tessera/sharding/mesh/common_factors.h"

#include <algorithm>

namespace tessera::sharding {

std::optional<Dims> CommonFactors(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  Dims factors;
  auto next_a = a.begin();
  auto next_b = b.begin();
  int64_t rest_a = 1;
  int64_t rest_b = 1;
  while (true) {
    while (rest_a == 1 && next_a != a.end()) rest_a = *next_a++;
    while (rest_b == 1 && next_b != b.end()) rest_b = *next_b++;
    if (rest_a == 1 && rest_b == 1) return factors;
    const int64_t factor = std::min(rest_a, rest_b);
    if (factor == 1 || rest_a % factor != 0 || rest_b % factor != 0) return std::nullopt;
    factors.push_back(factor);
    rest_a /= factor;
    rest_b /= factor;
  }
}

}  // namespace tessera::sharding
