// The files of page/ and the JavaScript libraries, as texts in the program; BUILD makes them.

#ifndef TESSERA_PIPELINE_REPORT_RESOURCES_H_
#define TESSERA_PIPELINE_REPORT_RESOURCES_H_

#include "absl/strings/string_view.h"

namespace tessera::pipeline {

absl::string_view Template();
absl::string_view Style();
absl::string_view Libraries();  // of JavaScript
absl::string_view Script();
absl::string_view Licences();  // of the libraries

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_REPORT_RESOURCES_H_
