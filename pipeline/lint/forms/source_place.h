// A place in the user's program as a CI system wants it: relative to the root of the repository.
//
//   SourcePlace p = PlaceBelow("/home/me/project", "/home/me/project/model/net.py:41");
//   p.file;      // "model/net.py"
//   p.line;      // 41
//
// A module that was lowered elsewhere names files of that machine: the longest end of the path that
// is a file below the root is taken. A file that is not there stays as it is named. Looks only
// whether files exist, below the root; opens none.

#ifndef TESSERA_PIPELINE_LINT_FORMS_SOURCE_PLACE_H_
#define TESSERA_PIPELINE_LINT_FORMS_SOURCE_PLACE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace tessera::pipeline::lint {

struct SourcePlace {
  std::string file;          // "" for a place that is no FILE:LINE
  int64_t line = 0;          // from 1; 0: not known
  bool is_relative = false;  // to the root
};

SourcePlace PlaceBelow(const std::string& root, absl::string_view place);

}  // namespace tessera::pipeline::lint

#endif  // TESSERA_PIPELINE_LINT_FORMS_SOURCE_PLACE_H_
