#include "tessera/text/fingerprint.h"

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace tessera::text {
namespace {

constexpr absl::uint128 kBasis = absl::MakeUint128(0x6c62272e07bb0142, 0x62b821756295c58d);
constexpr absl::uint128 kPrime = absl::MakeUint128(0x1000000, 0x13b);

absl::uint128 Add(absl::uint128 state, absl::string_view bytes) {
  for (const char byte : bytes) {
    state = (state ^ absl::uint128(static_cast<unsigned char>(byte))) * kPrime;
  }
  return state;
}

}  // namespace

absl::uint128 Fingerprint(const std::vector<absl::string_view>& texts) {
  absl::uint128 state = kBasis;
  for (const absl::string_view text : texts) {
    state = Add(Add(state, text), absl::StrCat(";", text.size(), ";"));
  }
  return state;
}

std::string FingerprintText(absl::uint128 fingerprint) {
  return absl::StrCat(absl::Hex(absl::Uint128High64(fingerprint), absl::kZeroPad16),
                      absl::Hex(absl::Uint128Low64(fingerprint), absl::kZeroPad16));
}

}  // namespace tessera::text
