// The bytes of a file that gzip packed.

#ifndef TESSERA_COST_TRACE_UNPACK_H_
#define TESSERA_COST_TRACE_UNPACK_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera::cost {

bool IsPacked(absl::string_view bytes);

// All members of the file, one after the other. InvalidArgument for what is cut or damaged,
// OutOfRange for more than `most` bytes.
absl::StatusOr<std::string> Unpack(absl::string_view bytes, size_t most);

}  // namespace tessera::cost

#endif  // TESSERA_COST_TRACE_UNPACK_H_
