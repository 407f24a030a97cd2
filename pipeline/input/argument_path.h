// The path of an argument, as JAX writes it into the op_name of a parameter.
//
//   ArgumentOfPath("mom['w']")           // "mom", an argument of the function; the array is one of its
//   ArgumentOfPath("state.params['w']")  // "state"

#ifndef TESSERA_PIPELINE_INPUT_ARGUMENT_PATH_H_
#define TESSERA_PIPELINE_INPUT_ARGUMENT_PATH_H_

#include "absl/strings/string_view.h"

namespace tessera::pipeline {

inline absl::string_view ArgumentOfPath(absl::string_view path) {
  return path.substr(0, path.find_first_of("[."));
}

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_ARGUMENT_PATH_H_
