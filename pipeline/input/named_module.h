// The module in which the instructions stand that a user named: the one that was read, or what is
// propagated, where XLA's first clean-ups have inlined calls (passes/clean_up.h). `tessera
// shardings` prints names of the second.
//
//   TESSERA_ASSIGN_OR_RETURN(NamedModule named, FindModuleOfNames(std::move(read), {"dot.3{1}"}));

#ifndef TESSERA_PIPELINE_INPUT_NAMED_MODULE_H_
#define TESSERA_PIPELINE_INPUT_NAMED_MODULE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"

namespace tessera::pipeline {

struct NamedModule {
  hlo::Module module;
  std::string note;  // for the user, if it is not what was read
};

// `read` if it has all of `names` ("%" in front and "{1}" behind do not count) or if the cleaned
// module has not all of them either.
absl::StatusOr<NamedModule> FindModuleOfNames(hlo::Module read,
                                              absl::Span<const std::string> names);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_NAMED_MODULE_H_
