// The settings of the second side of `tessera diff`: those of the first, and --b-mesh, --b-annotate, --b-xla-flags
// and others.
//
//   const Arguments of_b = ArgumentsOfB(arguments);   // --mesh: what --b-mesh says

#ifndef TESSERA_PIPELINE_VERBS_GOLDEN_SETTINGS_OF_B_H_
#define TESSERA_PIPELINE_VERBS_GOLDEN_SETTINGS_OF_B_H_

#include <vector>

#include "absl/status/status.h"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

// Settings that B may have of its own.
std::vector<Flag> SettingsOfB();

// The arguments of a run of B: those of A, then the settings of B.
Arguments ArgumentsOfB(const Arguments& arguments);

// InvalidArgument for a setting of B, which is compiled.
absl::Status CheckNoSettingsOfB(const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GOLDEN_SETTINGS_OF_B_H_
