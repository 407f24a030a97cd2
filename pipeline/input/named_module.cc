#include "tessera/pipeline/input/named_module.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/input/named_instruction.h"
#include "tessera/pipeline/passes/clean_up.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

std::string WithoutLeaf(absl::string_view name) {
  return std::string(name.substr(0, name.find('{')));
}

NameKind KindIn(const hlo::Module& module, absl::string_view name) {
  return KindOfName(module, WithoutLeaf(name));
}

// Patterns that read as a name, and are none. Others are meant to be patterns.
std::string NotesOnPatterns(const hlo::Module& module, absl::Span<const std::string> names) {
  std::string notes;
  for (const std::string& name : names) {
    const bool reads_as_name = absl::c_all_of(
        name, [](char c) { return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-'; });
    if (!reads_as_name || KindOfName(module, name) != NameKind::kPattern) continue;
    absl::StrAppend(&notes, "note: no instruction is named '", name,
                    "': it is read as a pattern\n");
  }
  return notes;
}

}  // namespace

absl::StatusOr<std::vector<NamedModule>> FindModulesOfNames(hlo::Module read,
                                                            absl::Span<const std::string> names) {
  const auto is_unsure = [&](const std::string& name) {
    return KindIn(read, name) != NameKind::kName;
  };
  std::optional<hlo::Module> cleaned;
  if (absl::c_any_of(names, is_unsure)) {
    TESSERA_ASSIGN_OR_RETURN(cleaned, passes::CleanUp(read));
  }
  NamedModule here, inlined;
  for (const std::string& name : names) {
    const bool is_inlined = cleaned.has_value() && KindIn(*cleaned, name) > KindIn(read, name);
    (is_inlined ? inlined : here).names.push_back(name);
    if (!is_inlined) continue;
    absl::StrAppend(&inlined.note, "note: '", name, "' is found only after calls are inlined\n");
  }
  std::vector<NamedModule> found;
  const auto add = [&](hlo::Module module, NamedModule of) {
    absl::StrAppend(&of.note, NotesOnPatterns(module, of.names));
    of.module = std::move(module);
    found.push_back(std::move(of));
  };
  if (!here.names.empty() || inlined.names.empty()) add(std::move(read), std::move(here));
  if (!inlined.names.empty()) add(*std::move(cleaned), std::move(inlined));
  return found;
}

}  // namespace tessera::pipeline
