#include "tessera/text/diagnostic.h"

#include <algorithm>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tessera::text {
namespace {

constexpr absl::string_view kOffsetPayload = "tessera/offset";
constexpr size_t kWindow = 120;  // bytes of a source line that are shown

absl::string_view SeverityName(Severity severity) {
  constexpr absl::string_view kNames[] = {"error", "warning", "note"};
  return kNames[static_cast<int>(severity)];
}

struct Excerpt {
  std::string line;
  size_t caret = 0;
};

// The part of `line` around `column` (from 0); tabs become blanks so that the caret stands below.
Excerpt Around(absl::string_view line, size_t column) {
  const size_t begin = line.size() <= kWindow || column < kWindow / 2 ? 0 : column - kWindow / 2;
  Excerpt excerpt{std::string(line.substr(begin, kWindow)), column - begin};
  std::replace(excerpt.line.begin(), excerpt.line.end(), '\t', ' ');
  if (begin > 0) {
    excerpt.line.insert(0, "...");
    excerpt.caret += 3;
  }
  if (begin + kWindow < line.size()) excerpt.line += "...";
  return excerpt;
}

}  // namespace

std::string Render(const Source& source, const Diagnostic& diagnostic) {
  const Position at = source.PositionOf(diagnostic.offset);
  const Excerpt excerpt = Around(source.LineAt(diagnostic.offset), at.column - 1);
  return absl::StrCat(source.name(), ":", at.line, ":", at.column, ": ",
                      SeverityName(diagnostic.severity), ": ", diagnostic.message, "\n  ",
                      excerpt.line, "\n  ", std::string(excerpt.caret, ' '), "^\n");
}

void Diagnostics::Add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::kError) ++errors_;
  if (all_.size() < kMost) all_.push_back(std::move(diagnostic));
}

std::string Diagnostics::Render(const Source& source) const {
  std::string out;
  for (const Diagnostic& diagnostic : all_) absl::StrAppend(&out, text::Render(source, diagnostic));
  if (errors_ > all_.size()) {
    absl::StrAppend(&out, "and ", errors_ - all_.size(), " more errors\n");
  }
  return out;
}

absl::Status Diagnostics::ToStatus(const Source& source) const {
  return ok() ? absl::OkStatus() : absl::InvalidArgumentError(Render(source));
}

absl::Status ErrorAt(size_t offset, absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kOffsetPayload, absl::Cord(absl::StrCat(offset)));
  return status;
}

size_t ErrorOffset(const absl::Status& status) {
  size_t offset = 0;
  const auto payload = status.GetPayload(kOffsetPayload);
  if (payload.has_value() && !absl::SimpleAtoi(std::string(*payload), &offset)) offset = 0;
  return offset;
}

absl::Status Rebase(const absl::Status& status, size_t base) {
  return status.ok() ? status : ErrorAt(base + ErrorOffset(status), status.message());
}

Diagnostic ToDiagnostic(const absl::Status& status) {
  return {Severity::kError, ErrorOffset(status), std::string(status.message())};
}

absl::Status Located(const absl::Status& status, const Source& source) {
  if (status.ok()) return status;
  return absl::InvalidArgumentError(Render(source, ToDiagnostic(status)));
}

}  // namespace tessera::text
