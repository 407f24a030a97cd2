#include "tessera/pipeline/report/pack.h"

#include <zlib.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace tessera::pipeline {
namespace {

constexpr char kReplacement[] = "\xEF\xBF\xBD";

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Bytes of the character at the front; 0 if there is none.
size_t CharacterSize(absl::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t size = first < 0x80   ? 1
                      : first < 0xC2 ? 0
                      : first < 0xE0 ? 2
                      : first < 0xF0 ? 3
                      : first < 0xF5 ? 4
                                     : 0;
  if (size == 0 || size > text.size()) return 0;
  for (size_t i = 1; i < size; ++i) {
    if (!IsContinuation(text[i])) return 0;
  }
  return size;
}

std::string ValidUtf8(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t size = CharacterSize(text);
    absl::StrAppend(&out, size == 0 ? absl::string_view(kReplacement) : text.substr(0, size));
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return out;
}

}  // namespace

std::string Pack(absl::string_view text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(&packed[0]), &size,
            reinterpret_cast<const Bytef*>(text.data()), static_cast<uLong>(text.size()),
            Z_BEST_COMPRESSION);
  packed.resize(size);
  return absl::Base64Escape(packed);
}

std::string EscapedForScript(absl::string_view json) {
  return absl::StrReplaceAll(ValidUtf8(json), {{"<", "\\u003c"},
                                               {">", "\\u003e"},
                                               {"&", "\\u0026"},
                                               {"\xE2\x80\xA8", "\\u2028"},
                                               {"\xE2\x80\xA9", "\\u2029"}});
}

std::string EscapedForHtml(absl::string_view text) {
  return absl::StrReplaceAll(
      ValidUtf8(text),
      {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

}  // namespace tessera::pipeline
