#include "tessera/pipeline/passes/calls/op_names.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"

namespace tessera::pipeline::passes {
namespace {

constexpr size_t kMaxOpName = 1024;

// End of the quoted string that begins at `begin`; the end of the text if it is not closed.
size_t EndOfString(absl::string_view text, size_t begin) {
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

// Where `op_name=` stands outside of strings; npos if nowhere.
size_t FindKey(absl::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      i = EndOfString(text, i) - 1;
    } else if (absl::StartsWith(text.substr(i), "op_name=\"")) {
      return i;
    }
  }
  return absl::string_view::npos;
}

}  // namespace

std::string WithOpName(absl::string_view metadata, absl::string_view op_name) {
  const std::string entry = absl::StrCat("op_name=\"", hlo::CEscape(op_name), "\"");
  const size_t key = FindKey(metadata);
  if (key == absl::string_view::npos) {
    const absl::string_view rest = metadata.empty() ? "}" : metadata.substr(1);
    return absl::StrCat("{", entry, rest == "}" ? "" : " ", rest);
  }
  const size_t end = EndOfString(metadata, key + sizeof("op_name=") - 1);
  return absl::StrCat(metadata.substr(0, key), entry, metadata.substr(end));
}

void PrefixOpNames(hlo::Module* module, hlo::InstructionId id, absl::string_view prefix) {
  if (prefix.empty()) return;
  const std::string old = hlo::GetOpName(*module, id);
  const bool fits = prefix.size() + old.size() + 1 < kMaxOpName;
  if (!absl::StartsWith(old, prefix) && fits) {
    const auto metadata = module->FindAttribute(id, hlo::AttributeName::kMetadata);
    const std::string name = old.empty() ? std::string(prefix) : absl::StrCat(prefix, "/", old);
    module->SetAttribute(id, hlo::AttributeName::kMetadata,
                         WithOpName(metadata.value_or(""), name));
  }
  const hlo::Opcode opcode = module->instruction(id).opcode;
  if (opcode != hlo::Opcode::kWhile && opcode != hlo::Opcode::kConditional) return;
  const std::vector<hlo::ComputationId> called(module->called(id).begin(),
                                               module->called(id).end());
  for (hlo::ComputationId c : called) {
    for (hlo::InstructionId inner : module->computation(c).instructions) {
      PrefixOpNames(module, inner, prefix);
    }
  }
}

}  // namespace tessera::pipeline::passes
