// Frontend attributes that only speak to the pass, and end with it.

#ifndef TESSERA_PIPELINE_WRITERS_PASS_ATTRIBUTES_H_
#define TESSERA_PIPELINE_WRITERS_PASS_ATTRIBUTES_H_

#include "absl/strings/string_view.h"
#include "tessera/sharding/frontend.h"

namespace tessera::pipeline::writers {

// All of this kind go from instructions.
inline constexpr absl::string_view kPassPrefix = "xla.sdy.";

// These go from the module; others of their kind stay.
inline constexpr absl::string_view kPassModuleKeys[] = {
    sharding::kMeshesAttribute, sharding::kUseTupleArgsAttribute, sharding::kImportMhloAttribute,
    sharding::kTupleArgsAttribute, sharding::kTupleResultsAttribute};

inline bool IsPassModuleKey(absl::string_view key) {
  for (absl::string_view known : kPassModuleKeys) {
    if (key == known) return true;
  }
  return false;
}

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_PASS_ATTRIBUTES_H_
