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
  std::string note;  // for the user: the module is not what was read, or a name is a pattern
};

// The module in which the surest kind finds all of `names` ("%" in front and "{1}" behind do not
// count): a name that only the cleaned module has goes before a pattern that fits in `read`. `read`
// where both are alike.
absl::StatusOr<NamedModule> FindModuleOfNames(hlo::Module read,
                                              absl::Span<const std::string> names);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_NAMED_MODULE_H_
