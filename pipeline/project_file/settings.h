// The settings of a project, put where the user gave no flag.
//
//   verb.complete = CompleteFromProject;
//   ...
//   // tessera.toml beside step.hlo says target = "tpu-v5e:4x4":
//   // `tessera memory step.hlo` answers as `tessera memory step.hlo --target=tpu-v5e:4x4`
//
// The file is that of --config, else tessera.toml in the folder of the first word or in the nearest
// one above. The search ends at the root of the repository (the folder with .git). A flag wins over
// the file. Annotations of the file stand before those of flags, so that the flag's counts if both
// name a tensor. --mesh=NAME may name a mesh of the file. A question in a session reads no file but
// that of --config. Tested by settings_test.cc.

#ifndef TESSERA_PIPELINE_PROJECT_FILE_SETTINGS_H_
#define TESSERA_PIPELINE_PROJECT_FILE_SETTINGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

// Returns a note on the settings taken, "" if there are none. `verbs` are all verbs, whose flags
// may stand in tables of the file. InvalidArgument with file, line and caret for an unknown key, or
// a value that its flag does not take.
absl::StatusOr<std::string> CompleteFromProject(std::vector<Verb> (*verbs)(), const Verb& verb,
                                                Arguments* arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_PROJECT_FILE_SETTINGS_H_
