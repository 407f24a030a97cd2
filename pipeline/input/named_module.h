// The module in which the instructions stand that a user named: the one that was read, or what is
// propagated, where XLA's first clean-ups have inlined calls (passes/clean_up.h). `tessera
// shardings` prints names of the second.
//
//   TESSERA_ASSIGN_OR_RETURN(auto found, FindModulesOfNames(std::move(read), {"dot.3{1}"}));

#ifndef TESSERA_PIPELINE_INPUT_NAMED_MODULE_H_
#define TESSERA_PIPELINE_INPUT_NAMED_MODULE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"

namespace tessera::pipeline {

struct NamedModule {
  hlo::Module module;
  std::vector<std::string> names;  // that are found here, or nowhere
  std::string note;  // for the user: the module is not what was read, or a name is a pattern
};

// `read` and the cleaned module, where any of `names` is found there ("%" in front and "{1}" after it do not
// count): each name where the surest kind finds it. A name that only the cleaned module has goes before a
// pattern that fits in `read`. `read` where both are alike, and without names.
absl::StatusOr<std::vector<NamedModule>> FindModulesOfNames(hlo::Module read,
                                                            absl::Span<const std::string> names);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_NAMED_MODULE_H_
