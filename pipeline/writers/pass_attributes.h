// Frontend attributes that only speak to the pass, and end with it.

#ifndef TESSERA_PIPELINE_WRITERS_PASS_ATTRIBUTES_H_
#define TESSERA_PIPELINE_WRITERS_PASS_ATTRIBUTES_H_

#include "absl/strings/string_view.h"

namespace tessera::pipeline::writers {

// All of this kind go from instructions.
inline constexpr absl::string_view kPassPrefix = "xla.sdy.";

// Part of the names of shard_map bodies.
inline constexpr absl::string_view kManualBodyMark = "xla.sdy.manual_computation_body";

// These go from the module; others of their kind stay.
inline constexpr absl::string_view kPassModuleKeys[] = {
    "xla.sdy.meshes", "xla.sdy.use_tuple_args", "xla.sdy.import_mhlo_shardings",
    "xla.sdy.tuple_args_shardings", "xla.sdy.tuple_results_shardings"};

inline bool IsPassModuleKey(absl::string_view key) {
  for (absl::string_view known : kPassModuleKeys) {
    if (key == known) return true;
  }
  return false;
}

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_PASS_ATTRIBUTES_H_
