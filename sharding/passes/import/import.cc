#include "tessera/sharding/passes/import/import.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/sharding/frontend.h"

namespace tessera::sharding::passes {
namespace {

bool ModuleHas(const hlo::Module& module, absl::string_view key) {
  for (const auto& [name, value] : module.header().frontend_attributes) {
    if (name == key) return true;
  }
  return false;
}

bool AnyAttributeHas(const hlo::Module& module, hlo::AttributeName name, absl::string_view part) {
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    const auto text = module.FindAttribute(id, name);
    if (text.has_value() && absl::StrContains(*text, part)) return true;
  }
  return false;
}

// `[` is next, after blanks and comments.
bool OpensBracket(absl::string_view text) {
  for (;;) {
    text = absl::StripLeadingAsciiWhitespace(text);
    const bool is_line = absl::StartsWith(text, "//");
    if (!is_line && !absl::StartsWith(text, "/*")) return absl::StartsWith(text, "[");
    const absl::string_view close = is_line ? "\n" : "*/";
    const size_t end = text.find(close, 2);
    if (end == absl::string_view::npos) return false;
    text.remove_prefix(end + close.size());
  }
}

// A sharding in named form begins with mesh[, maximal_mesh[ or single_device[.
bool IsNamedForm(absl::string_view sharding) {
  for (absl::string_view word : {"mesh", "single_device"}) {
    for (size_t at = sharding.find(word); at != absl::string_view::npos;
         at = sharding.find(word, at + 1)) {
      if (OpensBracket(sharding.substr(at + word.size()))) return true;
    }
  }
  return false;
}

bool AnyShardingIsNamed(const hlo::Module& module) {
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    const auto text = module.FindAttribute(id, hlo::AttributeName::kSharding);
    if (text.has_value() && IsNamedForm(*text)) return true;
  }
  return false;
}

}  // namespace

bool HasSdyAnnotations(const hlo::Module& module) {
  return ModuleHas(module, kMeshesAttribute) ||
         AnyAttributeHas(module, hlo::AttributeName::kFrontendAttributes,
                         absl::StrCat(kShardingAttribute, "="));
}

Encoding FindEncoding(const hlo::Module& module) {
  if (ModuleHas(module, kImportMhloAttribute)) return Encoding::kGspmd;
  if (HasSdyAnnotations(module)) return Encoding::kSdy;
  return AnyShardingIsNamed(module) ? Encoding::kNamed : Encoding::kSdy;
}

}  // namespace tessera::sharding::passes
