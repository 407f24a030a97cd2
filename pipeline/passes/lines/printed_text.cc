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

// "  ROOT %name = .."; no name for the rest of an instruction that goes on behind a line end.
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

}  // namespace

std::optional<PrintedText> CutPrinted(string_view text) {
  PrintedText cut;
  string_view rest = text;
  while (!rest.empty()) {
    const string_view before = rest;
    const string_view line = TakeLine(&rest);
    if (!OpensComputation(line)) continue;
    if (cut.computations.empty()) cut.head = text.substr(0, text.size() - before.size());
    PrintedComputation c;
    c.name = ComputationName(line);
    c.head = line;
    if (!TakeBody(&rest, &c)) return std::nullopt;
    cut.computations.push_back(std::move(c));
  }
  return cut;
}

}  // namespace tessera::pipeline::passes
