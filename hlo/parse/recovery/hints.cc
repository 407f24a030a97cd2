#include "tessera/hlo/parse/recovery/hints.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "tessera/hlo/opcode.h"
#include "tessera/text/near_names.h"

namespace tessera::hlo {
namespace {

struct Kind {
  absl::string_view begin;
  absl::string_view advice;
};

constexpr absl::string_view kMlir =
    "this is MLIR; give HLO, in JAX that of jax.jit(f).lower(..).as_text(\"hlo\")";
constexpr absl::string_view kPython =
    "this is Python; give HLO, in JAX that of jax.jit(f).lower(..).as_text(\"hlo\")";
constexpr absl::string_view kOther =
    "this is no HLO text, whose first line begins with HloModule, or with the name of a "
    "computation";
constexpr Kind kKinds[] = {
    {"<", kOther},    // HTML
    {"{\"", kOther},  // JSON
    {"[", kOther},
    {"\xfd"
     "7zXZ",
     "this is compressed by xz; give the text of `xz -dc`"},
    {"\x1f\x8b", "this is compressed by gzip; give the text of `gzip -dc`"},
    {"\x28\xb5\x2f\xfd", "this is compressed by zstd; give the text of `zstd -dc`"},
    {"\xef\xbb\xbf", "a byte order mark stands before the text: remove these three bytes"},
    {"\xff\xfe", "this is UTF-16; give the text in UTF-8"},
    {"\xfe\xff", "this is UTF-16; give the text in UTF-8"},
    {"module @", kMlir},
    {"module attributes", kMlir},
    {"module {", kMlir},
    {"func.func", kMlir},
    {"#loc", kMlir},
    {"#map", kMlir},
    {"#sdy", kMlir},
    {"sdy.mesh", kMlir},
    {"\"\"\"", kPython},
    {"import ", kPython},
    {"from ", kPython},
    {"#!", kPython},
    {"def ", kPython},
};

absl::string_view Front(absl::string_view text) {
  constexpr size_t kLook = 256;
  return absl::StripLeadingAsciiWhitespace(text.substr(0, kLook));
}

}  // namespace

absl::string_view OtherForm(absl::string_view text) {
  const absl::string_view front = Front(text);
  for (const Kind& kind : kKinds) {
    if (absl::StartsWith(front, kind.begin)) return kind.advice;
  }
  return "";
}

absl::string_view ForeignText(absl::string_view text) {
  if (absl::StripAsciiWhitespace(text).empty()) return "the text is empty";
  if (const absl::string_view advice = OtherForm(text); !advice.empty()) return advice;
  const absl::string_view front = Front(text);
  constexpr size_t kFirst = 8;
  const auto is_control = [](char c) {
    const unsigned char u = static_cast<unsigned char>(c);
    return absl::ascii_iscntrl(u) && !absl::ascii_isspace(u);
  };
  const absl::string_view first = front.substr(0, kFirst);
  if (std::none_of(first.begin(), first.end(), is_control)) return "";
  return "this is binary, not text; a file of HLO protos has a name that ends in .pb";
}

std::string NearestOpcode(absl::string_view word) {
  std::vector<absl::string_view> names;
  for (int i = 0; i < kNumOpcodes; ++i) names.push_back(OpcodeName(static_cast<Opcode>(i)));
  return text::DidYouMean(word, names);
}

}  // namespace tessera::hlo
