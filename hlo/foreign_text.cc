#include "tessera/hlo/foreign_text.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace tessera::hlo {
namespace {

struct Kind {
  absl::string_view begin;
  absl::string_view advice;
};

constexpr absl::string_view kMlir =
    "this is MLIR; HLO text is wanted, which jax.jit(f).lower(..).as_text('hlo') gives";
constexpr Kind kKinds[] = {
    {"\x1f\x8b", "this is gzip, not text: unpack it first"},
    {"\xef\xbb\xbf", "a byte order mark stands in front of the text: take these three bytes away"},
    {"module @", kMlir},
    {"module attributes", kMlir},
    {"module {", kMlir},
    {"func.func", kMlir},
    {"#loc", kMlir},
    {"#map", kMlir},
    {"#sdy", kMlir},
};

}  // namespace

absl::string_view ForeignText(absl::string_view text) {
  constexpr size_t kLook = 256;
  const absl::string_view front = absl::StripLeadingAsciiWhitespace(text.substr(0, kLook));
  if (front.empty() && text.size() < kLook) return "the text is empty";
  for (const Kind& kind : kKinds) {
    if (absl::StartsWith(front, kind.begin)) return kind.advice;
  }
  if (front.find('\0') == absl::string_view::npos) return "";
  return "this is binary, not text; a file of HLO protos has a name that ends in .pb";
}

}  // namespace tessera::hlo
