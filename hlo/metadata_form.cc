// One walk over the text: the fields must come in the order in which they are printed, one blank
// between them, strings with nothing that would be escaped otherwise, numbers without signs and
// zeros in front.

#include "tessera/hlo/metadata_form.h"

#include "absl/strings/numbers.h"
#include "tessera/hlo/scanner.h"

namespace tessera::hlo {
namespace {

struct Field {
  absl::string_view name;  // with '='
  bool is_string;
  bool keeps_metadata;  // metadata without any such field is not printed
};

constexpr Field kFields[] = {{"op_type=", true, true},
                             {"op_name=", true, true},
                             {"source_file=", true, true},
                             {"source_line=", false, false},
                             {"source_end_line=", false, false},
                             {"source_column=", false, false},
                             {"source_end_column=", false, false},
                             {"deduplicated_name=", true, false},
                             {"stack_frame_id=", false, true}};

// Behind a string that is printed as it is written; 0 if it is not.
size_t PlainStringEnd(absl::string_view text, size_t at) {
  constexpr absl::string_view kEscaped = "nrt\"'\\";
  if (text[at] != '"' || text[at + 1] == '"') return 0;
  for (++at; at < text.size(); ++at) {
    const unsigned char c = static_cast<unsigned char>(text[at]);
    if (c == '"') return at + 1;
    if (c < 32 || c >= 127 || c == '\'') return 0;
    if (c != '\\') continue;
    if (kEscaped.find(text[++at]) == absl::string_view::npos) return 0;
  }
  return 0;
}

size_t PlainNumberEnd(absl::string_view text, size_t at) {
  if (text[at] == '0') return 0;
  const size_t begin = at;
  while (HasClass(text[at], kDigitChar)) ++at;
  return at == begin ? 0 : at;
}

}  // namespace

bool IsPrintedMetadata(absl::string_view text, int64_t stack_frame_id) {
  if (text.size() < 3 || text[0] != '{' || text.back() != '}') return false;
  size_t at = 1;
  bool keeps = false, has_frame = false;
  for (const Field& field : kFields) {
    if (text.substr(at, field.name.size()) != field.name) continue;
    const size_t value = at + field.name.size();
    if (value + 1 >= text.size()) return false;
    const size_t end = field.is_string ? PlainStringEnd(text, value) : PlainNumberEnd(text, value);
    if (end == 0 || end >= text.size()) return false;
    keeps |= field.keeps_metadata;
    if (field.name[1] == 't' && field.name[0] == 's') {
      int64_t frame = 0;
      has_frame = true;
      if (!absl::SimpleAtoi(text.substr(value, end - value), &frame)) return false;
      if (frame != stack_frame_id) return false;
    }
    if (end + 1 == text.size()) return keeps && (has_frame || stack_frame_id == 0);
    if (text[end] != ' ') return false;
    at = end + 1;
  }
  return false;
}

}  // namespace tessera::hlo
