// Both modules are printed in the same form. A line of the new text that also stands in the old
// one, in a computation and for an instruction of the same names, says what the user's line says,
// which is put in its place together with all that stands before it back to the end of the user's
// previous instruction:
//
//   user             before, printed         after, printed           result
//   // weights       %w.1 = .. parameter(1)  %w.1 = .. parameter(1)   // weights
//   w.1=..                                                            w.1=..
//   y = .. call(w)   %y = .. call(%w)        %z = .. negate(%w)       %z = .. negate(%w)
//
// Linear; two printed texts beside the user's, without the modules that they say. Tested by
// kept_lines_test.cc.

#include "tessera/pipeline/passes/lines/kept_lines.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/printer.h"
#include "tessera/pipeline/passes/hidden_elements.h"
#include "tessera/pipeline/passes/lines/printed_text.h"
#include "tessera/pipeline/passes/lines/user_text.h"

namespace tessera::pipeline::passes {
namespace {

using absl::string_view;

// By name; what is looked up in a computation.
absl::flat_hash_map<string_view, string_view> LinesOf(const PrintedComputation& c) {
  absl::flat_hash_map<string_view, string_view> lines;
  lines.reserve(c.lines.size());
  for (const PrintedLine& line : c.lines) lines[line.name] = line.text;
  return lines;
}

class Merger {
 public:
  Merger(const UserText& user, const PrintedText& before) : user_(user), before_(before) {
    for (const PrintedComputation& c : before.computations) old_[c.name] = &c;
  }

  // `expected`: about as many bytes has the result.
  std::string Merge(const PrintedText& after, size_t expected) {
    out_.reserve(expected);
    absl::StrAppend(&out_, after.head == before_.head ? user_.head : after.head);
    for (const PrintedComputation& c : after.computations) AddComputation(c);
    absl::StrAppend(&out_, user_.foot);
    return std::move(out_);
  }

 private:
  void Add(bool is_old, string_view users, string_view printed) {
    if (is_old) {
      absl::StrAppend(&out_, users);
    } else {
      absl::StrAppend(&out_, printed, "\n");
    }
  }

  void AddComputation(const PrintedComputation& c) {
    const auto old = old_.find(c.name);
    const auto users = user_.computations.find(c.name);
    if (old == old_.end() || users == user_.computations.end()) return AddNew(c);
    const auto old_lines = LinesOf(*old->second), users_lines = LinesOf(users->second);
    Add(old->second->head == c.head, Separated(users->second.head), Separated(c.head));
    for (const PrintedLine& line : c.lines) {
      const auto same = old_lines.find(line.name);
      const auto users_line = users_lines.find(line.name);
      const bool is_old =
          same != old_lines.end() && same->second == line.text && users_line != users_lines.end();
      Add(is_old, is_old ? users_line->second : "", line.text);
    }
    Add(old->second->foot == c.foot, users->second.foot, c.foot);
  }

  void AddNew(const PrintedComputation& c) {
    Add(false, "", Separated(c.head));
    for (const PrintedLine& line : c.lines) Add(false, "", line.text);
    Add(false, "", c.foot);
  }

  // With one empty line before it: the user's first computation brings none, nor does a new one.
  string_view Separated(string_view head) {
    if (!absl::EndsWith(out_, "\n\n")) {
      if (!absl::StartsWith(head, "\n")) out_ += "\n";
      return head;
    }
    return head.substr(std::min(head.find_first_not_of('\n'), head.size()));
  }

  const UserText& user_;
  const PrintedText& before_;
  absl::flat_hash_map<string_view, const PrintedComputation*> old_;
  std::string out_;
};

hlo::PrintOptions FormOf(const hlo::Module& module) {
  const hlo::SourceRange name = module.RangeOf(module.entry().name).value_or(hlo::SourceRange());
  const bool percent = name.begin > 0 && module.source_text()[name.begin - 1] == '%';
  hlo::PrintOptions form = hlo::PrintOptions::Default();
  form.large_constants = true;
  form.load_like_xla = false;
  form.percent = percent;
  form.compact_get_tuple_elements = HasNoElementLines(module);
  form.program_shape = !module.entry().program_shape.empty();
  return form;
}

}  // namespace

KeptLines::KeptLines(const hlo::Module& module)
    : form_(FormOf(module)),
      text_(module.text()),
      users_size_(module.source().size()),
      user_(CutUserText(module, form_.compact_get_tuple_elements)) {
  if (user_.has_value()) printed_ = hlo::PrintModule(module, form_);
}

std::string KeptLines::TextOf(hlo::Module changed) const {
  std::string printed = hlo::PrintModule(changed, form_);
  if (!user_.has_value()) return printed;
  changed = hlo::Module();  // its lines are all that is needed from here on
  const auto new_lines = CutPrinted(printed), old_lines = CutPrinted(printed_);
  if (!new_lines.has_value() || !old_lines.has_value()) return printed;
  const size_t added = printed.size() - std::min(printed.size(), printed_.size());
  const size_t expected = users_size_ + added;
  return Merger(*user_, *old_lines).Merge(*new_lines, expected + expected / 16);
}

}  // namespace tessera::pipeline::passes
