// The releases of the reference: which are known, and what each does.
//
//   absl::StatusOr<Reference> reference = FindReference("0.10");
//   reference->version;     // "0.10.2": the newest known that begins so
//   reference->behaviors;   // what it does
//   reference->note;        // what the user should know, mostly empty
//
// A version newer than all known ones is taken as the newest, with a note. InvalidArgument for
// versions that are older than all known ones, that do not exist, or that do what no table can say
// (0.8.1, 0.7.1, 0.7.0): the message says which are there.

#ifndef TESSERA_SHARDING_REFERENCE_REFERENCE_H_
#define TESSERA_SHARDING_REFERENCE_REFERENCE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/sharding/reference/behaviors.h"

namespace tessera::sharding::reference {

// The newest release that tessera was compared with, and what it is without being asked.
inline constexpr absl::string_view kNewest = "0.12.0.1";

struct Reference {
  std::string version = std::string(kNewest);
  Behaviors behaviors;
  std::string note;
};

absl::StatusOr<Reference> FindReference(absl::string_view version);

// All versions that FindReference knows, newest first.
absl::Span<const absl::string_view> KnownVersions();

}  // namespace tessera::sharding::reference

#endif  // TESSERA_SHARDING_REFERENCE_REFERENCE_H_
