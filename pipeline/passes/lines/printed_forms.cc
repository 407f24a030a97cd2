#include "tessera/pipeline/passes/lines/printed_forms.h"

#include <algorithm>
#include <cstddef>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/strip.h"

namespace tessera::pipeline::passes {
namespace {

using absl::string_view;

// But for empty lines in front of it and the line end.
bool IsAsItStands(string_view piece, string_view printed) {
  piece.remove_prefix(std::min(piece.find_first_not_of("\r\n"), piece.size()));
  if (!absl::ConsumeSuffix(&piece, "\n")) return false;
  absl::ConsumeSuffix(&piece, "\r");
  return piece == printed;
}

bool HaveSameNames(const PrintedComputation& a, const PrintedComputation& b) {
  return std::equal(a.lines.begin(), a.lines.end(), b.lines.begin(), b.lines.end(),
                    [](const PrintedLine& x, const PrintedLine& y) { return x.name == y.name; });
}

}  // namespace

std::optional<PrintedForms> PrintedForms::Of(string_view printed, const UserText& user) {
  PrintedForms forms;
  PrintedText text(printed);
  forms.head_ = std::string(text.head());
  absl::flat_hash_set<string_view> are_printed;
  for (PrintedComputation c; text.Next(&c);) {
    const auto users = user.computations.find(c.name);
    if (users == user.computations.end()) continue;
    forms.PutAll(users->second, c);
    are_printed.insert(users->first);
  }
  if (text.failed()) return std::nullopt;
  for (const auto& [name, users] : user.computations) {
    if (!are_printed.contains(name)) forms.PutAll(users, PrintedComputation());
  }
  return forms;
}

void PrintedForms::PutAll(const PrintedComputation& users, const PrintedComputation& printed) {
  Put(users.head, printed.head);
  PutLines(users, printed);
  Put(users.foot, printed.foot);
}

// Mostly the lines are printed in the order in which they stand.
void PrintedForms::PutLines(const PrintedComputation& users, const PrintedComputation& printed) {
  if (HaveSameNames(users, printed)) {
    for (size_t i = 0; i < users.lines.size(); ++i) {
      Put(users.lines[i].text, printed.lines[i].text);
    }
    return;
  }
  const LinesByName by_name = ByName(printed);
  for (const PrintedLine& line : users.lines) {
    const auto found = by_name.find(line.name);
    Put(line.text, found == by_name.end() ? string_view() : found->second);
  }
}

// Nothing is printed as an empty line.
void PrintedForms::Put(string_view piece, string_view printed) {
  if (IsAsItStands(piece, printed)) return;
  others_[piece.data()] = printed.empty() ? std::nullopt : std::optional(texts_.Keep(printed));
}

bool PrintedForms::AreSame(string_view piece, string_view printed) const {
  const auto other = others_.find(piece.data());
  return other == others_.end() ? IsAsItStands(piece, printed) : other->second == printed;
}

}  // namespace tessera::pipeline::passes
