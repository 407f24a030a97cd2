#include "tessera/text/error_list.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tessera::text {
namespace {

// Holds the mistakes after the first: "OFFSET SIZE MESSAGE" each, SIZE being that of MESSAGE.
constexpr absl::string_view kMorePayload = "tessera/more_errors";

void Append(const Diagnostic& diagnostic, absl::Cord* more) {
  more->Append(absl::StrCat(diagnostic.offset, " ", diagnostic.message.size(), " "));
  more->Append(diagnostic.message);
}

size_t TakeNumber(absl::string_view* rest) {
  const size_t blank = rest->find(' ');
  size_t number = 0;
  if (!absl::SimpleAtoi(rest->substr(0, blank), &number)) number = 0;
  rest->remove_prefix(std::min(blank, rest->size() - 1) + 1);
  return number;
}

Diagnostic TakeDiagnostic(absl::string_view* rest) {
  Diagnostic diagnostic;
  diagnostic.offset = TakeNumber(rest);
  const size_t size = std::min(TakeNumber(rest), rest->size());
  diagnostic.message = std::string(rest->substr(0, size));
  rest->remove_prefix(size);
  return diagnostic;
}

}  // namespace

void Collect(const absl::Status& status, absl::Status* found) {
  if (found->ok()) {
    *found = status;
    return;
  }
  size_t count = ErrorList(*found).size();
  absl::Cord more = found->GetPayload(kMorePayload).value_or(absl::Cord());
  for (const Diagnostic& diagnostic : ErrorList(status)) {
    if (count++ < Diagnostics::kMost) Append(diagnostic, &more);
  }
  found->SetPayload(kMorePayload, more);
}

std::vector<Diagnostic> ErrorList(const absl::Status& status) {
  if (status.ok()) return {};
  std::vector<Diagnostic> list = {ToDiagnostic(status)};
  const std::string more(status.GetPayload(kMorePayload).value_or(absl::Cord()));
  for (absl::string_view rest = more; !rest.empty();) list.push_back(TakeDiagnostic(&rest));
  return list;
}

absl::Status LocatedAll(const absl::Status& status, const Source& source) {
  std::vector<Diagnostic> list = ErrorList(status);
  std::stable_sort(list.begin(), list.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.offset < b.offset; });
  Diagnostics found;
  for (Diagnostic& diagnostic : list) found.Add(std::move(diagnostic));
  return found.ToStatus(source);
}

}  // namespace tessera::text
