// Both modules are printed in the same form. A line of the new text may also stand in the old one,
// in a computation and for an instruction of the same names. Then it says what the user's line
// says. That is put in its place, together with all in front of it up to the end of the user's
// previous instruction:
//
//   user             before, printed         after, printed           result
//   // weights       %w.1 = .. parameter(1)  %w.1 = .. parameter(1)   // weights
//   w.1=..                                                            w.1=..
//   y = .. call(w)   %y = .. call(%w)        %z = .. negate(%w)       %z = .. negate(%w)
//
// Linear. Of the old printed text only those lines stay in memory that say otherwise what the user's
// say (printed_forms.h). Of the new one a computation at a time is cut. Tested by
// kept_lines_test.cc.

#include "tessera/pipeline/passes/lines/kept_lines.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/printer.h"
#include "tessera/pipeline/passes/hidden_elements.h"
#include "tessera/pipeline/passes/lines/printed_text.h"
#include "tessera/pipeline/passes/lines/user_text.h"

namespace tessera::pipeline::passes {
namespace {

using absl::string_view;

class Merger {
 public:
  Merger(const UserText& user, const PrintedForms& before) : user_(user), before_(before) {}

  // `expected`: about as many bytes has the result. Nothing if `printed` cannot be cut.
  std::optional<std::string> Merge(string_view printed, size_t expected) {
    out_.reserve(expected);
    PrintedText after(printed);
    absl::StrAppend(&out_, after.head() == before_.head() ? user_.head : after.head());
    for (PrintedComputation c; after.Next(&c);) AddComputation(c);
    if (after.failed()) return std::nullopt;
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
    const auto users = user_.computations.find(c.name);
    if (users == user_.computations.end()) return AddNew(c);
    const LinesByName users_lines = ByName(users->second);
    const bool is_old_head = before_.AreSame(users->second.head, c.head);
    const string_view head = Separated(is_old_head ? users->second.head : c.head);
    Add(is_old_head, head, head);
    for (const PrintedLine& line : c.lines) {
      const auto users_line = users_lines.find(line.name);
      const bool is_old =
          users_line != users_lines.end() && before_.AreSame(users_line->second, line.text);
      Add(is_old, is_old ? users_line->second : "", line.text);
    }
    Add(before_.AreSame(users->second.foot, c.foot), users->second.foot, c.foot);
  }

  void AddNew(const PrintedComputation& c) {
    Add(false, "", Separated(c.head));
    for (const PrintedLine& line : c.lines) Add(false, "", line.text);
    Add(false, "", c.foot);
  }

  // With one empty line before it: the user's first computation brings none, nor does a new one.
  string_view Separated(string_view head) {
    const size_t first = std::min(head.find_first_not_of("\r\n"), head.size());
    if (absl::EndsWith(out_, "\n\n") || absl::EndsWith(out_, "\n\r\n")) return head.substr(first);
    if (first == 0) out_ += "\n";
    return head;
  }

  const UserText& user_;
  const PrintedForms& before_;
  std::string out_;
};

// A change of a root or a parameter shows in them.
bool HasProgramShapes(const hlo::Module& module) {
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    if (!module.computation(c).program_shape.empty()) return true;
  }
  return false;
}

hlo::PrintOptions FormOf(const hlo::Module& module) {
  const hlo::SourceRange name = module.RangeOf(module.entry().name).value_or(hlo::SourceRange());
  const bool percent = name.begin > 0 && module.source_text()[name.begin - 1] == '%';
  hlo::PrintOptions form = hlo::PrintOptions::Default();
  form.large_constants = true;
  form.load_like_xla = false;
  form.percent = percent;
  form.compact_get_tuple_elements = HasNoElementLines(module);
  form.program_shape = HasProgramShapes(module);
  return form;
}

}  // namespace

KeptLines::KeptLines(const hlo::Module& module)
    : form_(FormOf(module)),
      text_(module.text()),
      users_size_(module.source().size()),
      user_(CutUserText(module, form_.compact_get_tuple_elements)) {
  if (!user_.has_value()) return;
  const std::string printed = hlo::PrintModule(module, form_);
  printed_size_ = printed.size();
  printed_ = PrintedForms::Of(printed, *user_);
}

std::string KeptLines::TextOf(hlo::Module changed) const {
  std::string printed = hlo::PrintModule(changed, form_);
  if (!printed_.has_value()) return printed;
  changed = hlo::Module();  // its lines are all that is needed from here on
  const size_t added = printed.size() - std::min(printed.size(), printed_size_);
  const size_t expected = users_size_ + added;
  auto merged = Merger(*user_, *printed_).Merge(printed, expected + expected / 16);
  return merged.has_value() ? *std::move(merged) : printed;
}

}  // namespace tessera::pipeline::passes
