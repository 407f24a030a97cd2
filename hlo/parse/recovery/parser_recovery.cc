// How the parser goes on after a mistake. A mistake in an instruction ends that instruction. The
// parser goes to the next line that begins like one (`[ROOT] name =`), or to the closing brace of
// the computation. It also stops at the head of the next computation: the brace may have stood in
// the line of the mistake. Names whose definitions failed are poisoned: an instruction that fails
// because it uses one is not reported again.

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/parse/module_parser.h"

namespace tessera::hlo {
namespace {

// Whether only blanks stand between the begin of its line and `p`; nothing before `from` is looked
// at.
bool BeginsLine(const char* p, const char* from) {
  while (p > from && (p[-1] == ' ' || p[-1] == '\t')) --p;
  return p > from && p[-1] == '\n';
}

}  // namespace

// After the last letter that is no blank.
uint32_t ModuleParser::TextEnd() {
  if (text_end_ == 0) {
    text_end_ = static_cast<uint32_t>(absl::StripTrailingAsciiWhitespace(source_->text()).size());
  }
  return text_end_;
}

// The part of a message about the end of the text; empty for a mistake before it. In a computation
// the whole last line counts as the end, unless it closes something.
std::string ModuleParser::EndText(uint32_t offset) {
  const uint32_t end = TextEnd();
  const bool in_body = depth_ > 0 && !single_;
  const absl::string_view rest = offset >= end ? "" : source_->text().substr(offset, end - offset);
  const bool is_cut = rest.empty() || (in_body && rest.find_first_of("}\n") == rest.npos);
  if (!is_cut) return "";
  return absl::StrCat("the text ends here",
                      in_body ? absl::StrCat(", inside computation '", body_name_, "'") : "");
}

// Mistakes that follow from the end of the text are not reported.
void ModuleParser::Report() {
  had_errors_ = true;
  const Reader::Error& error = in_.error();
  if (!cut_off_) {
    const std::string end = EndText(error.offset);
    const std::string message =
        end.empty() ? error.message : absl::StrCat(error.message, " (", end, ")");
    if (!cascading_) diagnostics_->Add({text::Severity::kError, error.offset, message});
    cut_off_ = !end.empty();
  }
  cascading_ = too_deep_ = false;
  in_.ClearError();
}

// Whether the reader stands at what looks like the head of a computation, in the first column.
bool ModuleParser::BeginsComputation() {
  if (in_.AtEnd()) return false;
  if (in_.PeekWord("ENTRY") || in_.PeekWord("HloModule")) return true;
  const char* at = in_.at();
  absl::string_view name;
  const bool head =
      at[-1] == '\n' && in_.ReadName(&name) && (in_.Peek() == '{' || in_.Peek() == '(');
  in_.Rewind(at);
  return head;
}

// True if something that can be read on stands after the mistake: then the reader is there.
bool ModuleParser::SkipToInstruction(const char* from) {
  in_.Rewind(std::max(from, in_.at()));
  bool at_line = in_.at() > from && BeginsLine(in_.at(), from);
  while (true) {
    const absl::string_view rest = in_.Rest();
    const size_t line = at_line ? 0 : rest.find('\n') + 1;
    if (line == 0 && !at_line) {
      in_.AdvanceTo(rest.data() + rest.size());
      return false;
    }
    at_line = false;
    in_.AdvanceTo(rest.data() + line);
    if (in_.AtEnd() || in_.Peek() == '}') return in_.Peek() == '}';
    if (BeginsComputation()) return false;
    const char* at = in_.at();
    absl::string_view name;
    in_.EatWord("ROOT");
    const bool instruction = in_.ReadName(&name) && in_.Peek() == '=';
    in_.Rewind(at);
    if (instruction) return true;
  }
}

// Moves to the next line that begins in its first column with something like the head of a
// computation, or to the end.
void ModuleParser::SkipToComputation() {
  while (!in_.AtEnd()) {
    const absl::string_view rest = in_.Rest();
    const size_t line = rest.find('\n');
    if (line == absl::string_view::npos) {
      in_.AdvanceTo(rest.data() + rest.size());
      return;
    }
    in_.AdvanceTo(rest.data() + line + 1);
    if (in_.AtEnd() || BeginsComputation()) return;
  }
}

}  // namespace tessera::hlo
