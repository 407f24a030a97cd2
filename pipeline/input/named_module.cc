#include "tessera/pipeline/input/named_module.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/input/named_instruction.h"
#include "tessera/pipeline/passes/clean_up.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

bool HasAll(const hlo::Module& module, absl::Span<const std::string> names) {
  return std::all_of(names.begin(), names.end(), [&](absl::string_view name) {
    return !FindAllNamed(module, name.substr(0, name.find('{'))).empty();
  });
}

}  // namespace

absl::StatusOr<NamedModule> FindModuleOfNames(hlo::Module read,
                                              absl::Span<const std::string> names) {
  if (!HasAll(read, names)) {
    TESSERA_ASSIGN_OR_RETURN(std::optional<hlo::Module> cleaned, passes::CleanUp(read));
    if (cleaned.has_value() && HasAll(*cleaned, names)) {
      return NamedModule{*std::move(cleaned),
                         "note: this name is found only after calls are inlined\n"};
    }
  }
  return NamedModule{std::move(read), ""};
}

}  // namespace tessera::pipeline
