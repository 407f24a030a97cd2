// tessera.toml: settings of a project, in place of flags on each command.
//
//   mesh = "pod"                         # a name of [meshes], or "data=4,model=2"
//   target = "tpu-v5p:4x4x4"
//   memory-limit = "90GiB"
//   annotate = ["^w1$=P(None, 'model')"]
//
//   [meshes]
//   pod = { data = 16, model = 4 }       # or "data=16,model=4"
//
//   [lint]                               # a table with the name of a verb: flags of that verb alone
//   max-replicated = "1GiB"
//   ignore = ["loop-gather:attention"]
//
//   absl::StatusOr<ProjectFile> file = ParseProjectFile(source);
//   file->flags["mesh"].values[0].text   // "pod"
//   file->meshes["pod"].text             // "data=16,model=4"
//
// Keys are names of flags. A string or a number is a value, true a switch, an array the values of a
// flag that may be repeated. toml++ reads TOML; which keys there are is settings.h's part. Tested by
// project_file_test.cc.

#ifndef TESSERA_PIPELINE_PROJECT_FILE_PROJECT_FILE_H_
#define TESSERA_PIPELINE_PROJECT_FILE_PROJECT_FILE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/text/source.h"

namespace tessera::pipeline {

struct ProjectValue {
  std::string text;
  size_t offset = 0;  // in the file, of the value
};

struct ProjectFlag {
  std::vector<ProjectValue> values;  // of a switch: "true", or none where the file says false
  bool is_switch = false;
  bool is_array = false;
  size_t offset = 0;  // of the key
};

using ProjectFlags = std::map<std::string, ProjectFlag, std::less<>>;

struct ProjectFile {
  std::shared_ptr<const text::Source> source;
  ProjectFlags flags;                          // of all verbs
  std::map<std::string, ProjectFlags> verbs;   // of one verb each
  std::map<std::string, size_t> verb_offsets;  // where each table stands
  std::map<std::string, ProjectValue> meshes;  // as of --mesh
};

// InvalidArgument with file, line, column and caret for what is no TOML, and for values that no flag
// can have.
absl::StatusOr<ProjectFile> ParseProjectFile(std::shared_ptr<const text::Source> source);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_PROJECT_FILE_PROJECT_FILE_H_
