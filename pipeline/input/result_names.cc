#include "tessera/pipeline/input/result_names.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tessera::pipeline {
namespace {

constexpr absl::string_view kResultInfo = "jax.result_info = \"";

// Up to the quote that ends it; one after a backslash does not.
absl::string_view InQuotes(absl::string_view text) {
  size_t end = 0;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return text.substr(0, end);
}

// result['w1'], and ['w1'] of releases that left the word away, as out['w1'].
std::string NameOf(absl::string_view escaped) {
  std::string path;
  if (!absl::CUnescape(escaped, &path)) path = std::string(escaped);
  return absl::StrCat("out", absl::StripPrefix(path, "result"));
}

}  // namespace

std::vector<std::string> ResultNamesOf(absl::string_view text) {
  std::vector<std::string> names;
  for (size_t at = text.find(kResultInfo); at != absl::string_view::npos;
       at = text.find(kResultInfo, at)) {
    at += kResultInfo.size();
    names.push_back(NameOf(InQuotes(text.substr(at))));
  }
  if (!names.empty()) return names;
  return absl::StrSplit(absl::StripTrailingAsciiWhitespace(text), absl::ByAnyChar("\r\n"),
                        absl::SkipWhitespace());
}

absl::StatusOr<std::vector<std::string>> ResultNamesOfFile(const text::Source& file) {
  std::vector<std::string> names = ResultNamesOf(file.text());
  if (!names.empty()) return names;
  return absl::InvalidArgumentError(
      absl::StrCat(file.name(),
                   ": expected jax.result_info, as in what lowered.as_text() returns, or a "
                   "name of a result a line"));
}

}  // namespace tessera::pipeline
