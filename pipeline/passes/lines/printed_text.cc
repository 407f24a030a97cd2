#include "tessera/pipeline/passes/lines/printed_text.h"

#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace tessera::pipeline::passes {
namespace {

using absl::string_view;

// Takes the next line off `rest`, without its end.
string_view TakeLine(string_view* rest) {
  const size_t end = rest->find('\n');
  const string_view line = rest->substr(0, end);
  rest->remove_prefix(end == string_view::npos ? rest->size() : end + 1);
  return line;
}

bool OpensComputation(string_view line) {
  return absl::EndsWith(line, " {") && line[0] != ' ' && !absl::StartsWith(line, "HloModule ");
}

string_view ComputationName(string_view line) {
  absl::ConsumePrefix(&line, "ENTRY ");
  absl::ConsumePrefix(&line, "%");
  return line.substr(0, line.find(' '));
}

bool ClosesComputation(string_view line) {
  return line == "}" || absl::StartsWith(line, "}, execution_thread=") ||
         absl::StartsWith(line, "}, backend_config=");
}

// "  ROOT %name = .."; no name for the rest of an instruction that goes on after a line end.
string_view InstructionName(string_view line) {
  if (!absl::ConsumePrefix(&line, "  ")) return "";
  absl::ConsumePrefix(&line, "ROOT ");
  absl::ConsumePrefix(&line, "%");
  const string_view name = line.substr(0, line.find(' '));
  return absl::StartsWith(line.substr(name.size()), " = ") ? name : "";
}

// False if a line is neither an instruction nor the end.
bool TakeBody(string_view* rest, PrintedComputation* c) {
  while (!rest->empty()) {
    const string_view line = TakeLine(rest);
    if (ClosesComputation(line)) {
      c->foot = line;
      return absl::StartsWith(*rest, "\n");
    }
    const string_view name = InstructionName(line);
    if (name.empty()) return false;
    c->lines.push_back({name, line});
  }
  return false;
}

// `text` from the next line on that opens a computation; empty if there is none.
string_view ToNextComputation(string_view text) {
  while (!text.empty()) {
    const string_view from = text;
    if (OpensComputation(TakeLine(&text))) return from;
  }
  return text;
}

}  // namespace

LinesByName ByName(const PrintedComputation& c) {
  LinesByName lines;
  lines.reserve(c.lines.size());
  for (const PrintedLine& line : c.lines) lines[line.name] = line.text;
  return lines;
}

PrintedText::PrintedText(string_view text) : rest_(ToNextComputation(text)) {
  if (!rest_.empty()) head_ = text.substr(0, text.size() - rest_.size());
}

bool PrintedText::Next(PrintedComputation* c) {
  if (rest_.empty() || failed_) return false;
  c->head = TakeLine(&rest_);
  c->name = ComputationName(c->head);
  c->lines.clear();
  failed_ = !TakeBody(&rest_, c);
  rest_ = ToNextComputation(rest_);
  return !failed_;
}

}  // namespace tessera::pipeline::passes
