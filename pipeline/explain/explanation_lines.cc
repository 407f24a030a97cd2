#include "tessera/pipeline/explain/explanation_lines.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tessera::pipeline {

void TextLines::Add(absl::string_view, absl::string_view text) { absl::StrAppend(&text_, text); }

void TextLines::AddRows(const std::vector<Row>& rows) { absl::StrAppend(&text_, RowsText(rows)); }

void MessageLines::Add(absl::string_view kind, absl::string_view text) {
  if (kind == kHeadLine) return;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    answers::ExplanationLine* one = to_.add_lines();
    one->set_kind(std::string(kind));
    one->set_text(std::string(line));
    kind = "";
  }
}

void MessageLines::AddRows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    answers::ExplanationLine* one = to_.add_lines();
    one->set_text(absl::StrCat(row.target, row.source.empty() ? "" : " <- ", row.source));
    one->set_how(absl::StrCat(row.how, row.place.empty() ? "" : "  ", row.place));
  }
}

}  // namespace tessera::pipeline
