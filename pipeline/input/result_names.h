// The program's names of the arrays that it returns: HLO does not have them, so a second file does.
//
//   ResultNamesOf("jax.result_info = \"result[0]['w1']\"");   // {"out[0]['w1']"}
//   ResultNamesOf("out['w1']\nout['loss']\n");                // {"out['w1']", "out['loss']"}
//
// The first is StableHLO as lowered.as_text() of JAX returns it for the same program, the second a
// name a line. Tested by result_names_test.cc.

#ifndef TESSERA_PIPELINE_INPUT_RESULT_NAMES_H_
#define TESSERA_PIPELINE_INPUT_RESULT_NAMES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/text/source.h"

namespace tessera::pipeline {

std::vector<std::string> ResultNamesOf(absl::string_view text);

// The same of a file; InvalidArgument if it names nothing.
absl::StatusOr<std::vector<std::string>> ResultNamesOfFile(const text::Source& file);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_RESULT_NAMES_H_
