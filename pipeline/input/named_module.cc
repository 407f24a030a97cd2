#include "tessera/pipeline/input/named_module.h"

#include <algorithm>
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

// Of the name that is found least surely.
NameKind KindOfAll(const hlo::Module& module, absl::Span<const std::string> names) {
  NameKind kind = NameKind::kName;
  for (const std::string& name : names) {
    kind = std::min(kind, KindOfName(module, WithoutLeaf(name)));
  }
  return kind;
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

absl::StatusOr<NamedModule> FindModuleOfNames(hlo::Module read,
                                              absl::Span<const std::string> names) {
  const NameKind kind = KindOfAll(read, names);
  if (kind == NameKind::kName) return NamedModule{std::move(read), ""};
  TESSERA_ASSIGN_OR_RETURN(std::optional<hlo::Module> cleaned, passes::CleanUp(read));
  const bool is_cleaned = cleaned.has_value() && KindOfAll(*cleaned, names) > kind;
  NamedModule named = {is_cleaned ? *std::move(cleaned) : std::move(read),
                       is_cleaned ? "note: this name is found only after calls are inlined\n" : ""};
  named.note += NotesOnPatterns(named.module, names);
  return named;
}

}  // namespace tessera::pipeline
