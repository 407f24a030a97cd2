#include "tessera/text/diagnostic.h"

#include <algorithm>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/text/error_place.h"

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

// The line of the mistake and a caret below it.
std::string ExcerptText(const Source& source, size_t offset, const Position& at) {
  const Excerpt excerpt = Around(source.LineAt(offset), at.column - 1);
  return absl::StrCat("  ", excerpt.line, "\n  ", std::string(excerpt.caret, ' '), "^");
}

// InvalidArgument with that message, which also has the place of one mistake as data.
absl::Status ErrorWithPlace(absl::string_view message, const Source& source,
                            const Diagnostic& mistake) {
  const Position at = source.PositionOf(mistake.offset);
  absl::Status status = absl::InvalidArgumentError(message);
  SetErrorPlace({std::string(source.name()), at.line, at.column, mistake.message,
                 ExcerptText(source, mistake.offset, at)},
                &status);
  return status;
}

}  // namespace

std::string Render(const Source& source, const Diagnostic& diagnostic) {
  const Position at = source.PositionOf(diagnostic.offset);
  return absl::StrCat(
      absl::StrCat(source.name(), ":", at.line, ":", at.column, ": "),
      absl::StrCat(SeverityName(diagnostic.severity), ": ", diagnostic.message, "\n"),
      ExcerptText(source, diagnostic.offset, at), "\n");
}

void Diagnostics::Add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::kError) ++errors_;
  if (all_.size() < kMost) all_.push_back(std::move(diagnostic));
}

std::string Diagnostics::Render(const Source& source) const {
  std::string out;
  for (const Diagnostic& diagnostic : all_) absl::StrAppend(&out, text::Render(source, diagnostic));
  if (errors_ > all_.size()) {
    const size_t more = errors_ - all_.size();
    absl::StrAppend(&out, "and ", more, more == 1 ? " more error\n" : " more errors\n");
  }
  return out;
}

absl::Status Diagnostics::ToStatus(const Source& source) const {
  const auto first = std::find_if(all_.begin(), all_.end(), [](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::kError;
  });
  if (ok()) return absl::OkStatus();
  if (first == all_.end()) return absl::InvalidArgumentError(Render(source));  // was not kept
  return ErrorWithPlace(Render(source), source, *first);
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
  const Diagnostic mistake = ToDiagnostic(status);
  return ErrorWithPlace(Render(source, mistake), source, mistake);
}

}  // namespace tessera::text
