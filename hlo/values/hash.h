// A fast hash of short texts and a comparison without a call, for tables that live no longer than
// one parse.

#ifndef TESSERA_HLO_VALUES_HASH_H_
#define TESSERA_HLO_VALUES_HASH_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"

namespace tessera::hlo {

// Reads eight bytes at a time; two overlapping words for texts of 8 to 16 bytes. Names of one
// module often differ in their last bytes only: all bits of a product are folded, so that these
// reach the low bits of the hash.
inline uint64_t WideHashText(absl::string_view text) {
  const char* p = text.data();
  size_t n = text.size();
  uint64_t h = n * 0x9e3779b97f4a7c15u;
  const auto mix = [&h](uint64_t word) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{h ^ word ^ 0x8ebc6af09c88c6e3u} * 0xff51afd7ed558ccdu;
    h = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  };
  uint64_t word = 0;
  if (n >= 8) {
    for (; n > 8; n -= 8, p += 8) {
      std::memcpy(&word, p, 8);
      mix(word);
    }
    std::memcpy(&word, p + n - 8, 8);
  } else if (n >= 4) {
    uint32_t low = 0, high = 0;
    std::memcpy(&low, p, 4);
    std::memcpy(&high, p + n - 4, 4);
    word = low | uint64_t{high} << 32;
  } else if (n > 0) {
    const auto byte = [p](size_t i) { return uint64_t{static_cast<unsigned char>(p[i])}; };
    word = byte(0) | byte(n / 2) << 8 | byte(n - 1) << 16;
  }
  mix(word);
  return h;
}

inline uint32_t HashText(absl::string_view text) {
  const uint64_t h = WideHashText(text);
  return static_cast<uint32_t>(h ^ (h >> 32));
}

inline bool SameText(absl::string_view a, absl::string_view b) {
  if (a.size() != b.size()) return false;
  const char *p = a.data(), *q = b.data();
  size_t n = a.size();
  uint64_t x = 0, y = 0;
  if (n < 8) {
    if (n < 4) return n == 0 || (p[0] == q[0] && p[n / 2] == q[n / 2] && p[n - 1] == q[n - 1]);
    uint32_t u[4];
    std::memcpy(&u[0], p, 4);
    std::memcpy(&u[1], p + n - 4, 4);
    std::memcpy(&u[2], q, 4);
    std::memcpy(&u[3], q + n - 4, 4);
    return u[0] == u[2] && u[1] == u[3];
  }
  for (; n > 8; n -= 8, p += 8, q += 8) {
    std::memcpy(&x, p, 8);
    std::memcpy(&y, q, 8);
    if (x != y) return false;
  }
  std::memcpy(&x, p + n - 8, 8);
  std::memcpy(&y, q + n - 8, 8);
  return x == y;
}

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_VALUES_HASH_H_
