// A number that names texts: the same on every machine and in every release.
//
//   FingerprintText(Fingerprint({"a", "b"}));     // 32 hexadecimal digits
//
// FNV-1a with 128 bits, of each text and its length, so that {"a", "b"} is not {"ab"}. For keys of
// earlier results, not against an attacker. Two nanoseconds a byte. Tested by text_test.cc.

#ifndef TESSERA_TEXT_FINGERPRINT_H_
#define TESSERA_TEXT_FINGERPRINT_H_

#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/string_view.h"

namespace tessera::text {

absl::uint128 Fingerprint(const std::vector<absl::string_view>& texts);
std::string FingerprintText(absl::uint128 fingerprint);

}  // namespace tessera::text

#endif  // TESSERA_TEXT_FINGERPRINT_H_
