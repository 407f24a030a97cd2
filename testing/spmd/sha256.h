// SHA-256, for lists that a truth file names by their digest.
//
//   Sha256Hex("abc");   // "ba7816bf8f01cfea..."

#ifndef TESSERA_TESTING_SPMD_SHA256_H_
#define TESSERA_TESTING_SPMD_SHA256_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tessera::testing {

std::string Sha256Hex(absl::string_view text);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SPMD_SHA256_H_
