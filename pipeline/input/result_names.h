// What a program calls the arrays that it returns: HLO does not say, so a second file does.
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

namespace tessera::pipeline {

std::vector<std::string> ResultNamesOf(absl::string_view text);

// NotFound if there is no such file, InvalidArgument if it names nothing.
absl::StatusOr<std::vector<std::string>> ReadResultNames(const std::string& path);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_RESULT_NAMES_H_
