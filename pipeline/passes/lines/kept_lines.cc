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
// Linear; two printed texts beside the user's. Tested by kept_lines_test.cc.

#include "tessera/pipeline/passes/lines/kept_lines.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/printer.h"
#include "tessera/hlo/text_lines.h"
#include "tessera/pipeline/passes/hidden_elements.h"
#include "tessera/pipeline/passes/lines/printed_text.h"

namespace tessera::pipeline::passes {
namespace {

using absl::string_view;

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

// The user's text of one computation, cut at the line ends behind its instructions.
struct UserComputation {
  string_view head;  // with what stands before it
  string_view foot;
  absl::flat_hash_map<string_view, string_view> lines;  // by name of the instruction
};

class UserText {
 public:
  explicit UserText(const hlo::Module& module) : module_(module), text_(module.source_text()) {}

  // False if the text does not have one line for each instruction that a `compact` form prints.
  bool Cut(bool compact) {
    std::vector<hlo::ComputationId> order;
    for (hlo::ComputationId c = 0; c < module_.num_computations(); ++c) order.push_back(c);
    std::sort(order.begin(), order.end(), [&](hlo::ComputationId a, hlo::ComputationId b) {
      return module_.computation(a).source.begin < module_.computation(b).source.begin;
    });
    size_t at = 0;
    for (hlo::ComputationId c : order) {
      if (!CutComputation(module_.computation(c), compact, &at)) return false;
    }
    foot_ = IsAlone(at, text_.size()) ? text_.substr(at) : "";
    return true;
  }

  string_view head() const { return head_; }
  string_view foot() const { return foot_; }
  const UserComputation* Find(string_view name) const {
    const auto found = computations_.find(name);
    return found == computations_.end() ? nullptr : &found->second;
  }

 private:
  // No other module stands there.
  bool IsAlone(size_t begin, size_t end) const {
    return !absl::StrContains(text_.substr(begin, end - begin), "HloModule");
  }

  void TakeHead(size_t first_computation) {
    const size_t begin = module_.source().begin;
    const size_t from = IsAlone(0, begin) ? 0 : begin;
    head_ = text_.substr(from, first_computation - from);
  }

  // To behind the line of `offset`; false if anything but a comment comes behind it.
  bool Advance(size_t offset, size_t* at) const {
    const auto end = hlo::LineEndBehind(text_, offset);
    if (end.has_value()) *at = *end;
    return end.has_value();
  }

  bool CutComputation(const hlo::Computation& c, bool compact, size_t* at) {
    if (c.is_inline || c.is_async_wrapper) return false;
    if (computations_.empty()) TakeHead(*at = c.source.begin);
    UserComputation cut;
    const size_t begin = *at;
    if (!Advance(c.body_open + 1, at)) return false;
    cut.head = text_.substr(begin, *at - begin);
    for (hlo::InstructionId id : c.instructions) {
      const hlo::Instruction& i = module_.instruction(id);
      if (compact && i.is_implied && i.opcode == hlo::Opcode::kGetTupleElement) continue;
      const size_t line = *at;
      if (i.is_implied || i.is_async_sugar || !Advance(i.source.end, at)) return false;
      cut.lines[i.name] = text_.substr(line, *at - line);
    }
    const size_t foot = *at;
    if (!Advance(c.source.end, at)) return false;
    cut.foot = text_.substr(foot, *at - foot);
    return computations_.emplace(c.name, std::move(cut)).second;
  }

  const hlo::Module& module_;
  string_view text_;
  string_view head_, foot_;
  absl::flat_hash_map<string_view, UserComputation> computations_;
};

class Merger {
 public:
  Merger(const UserText& user, const PrintedText& before) : user_(user), before_(before) {
    for (const PrintedComputation& c : before.computations) old_[c.name] = &c;
  }

  // The result has at most `most` bytes, or little more.
  std::string Merge(const PrintedText& after, size_t most) {
    out_.reserve(most);
    absl::StrAppend(&out_, after.head == before_.head ? user_.head() : after.head);
    for (const PrintedComputation& c : after.computations) AddComputation(c);
    absl::StrAppend(&out_, user_.foot());
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
    const UserComputation* users = old == old_.end() ? nullptr : user_.Find(c.name);
    if (users == nullptr) return AddNew(c);
    absl::flat_hash_map<string_view, string_view> old_lines;
    for (const PrintedLine& line : old->second->lines) old_lines[line.name] = line.text;
    Add(old->second->head == c.head, Separated(users->head), Separated(c.head));
    for (const PrintedLine& line : c.lines) {
      const auto same = old_lines.find(line.name);
      const auto users_line = users->lines.find(line.name);
      const bool is_old =
          same != old_lines.end() && same->second == line.text && users_line != users->lines.end();
      Add(is_old, is_old ? users_line->second : "", line.text);
    }
    Add(old->second->foot == c.foot, users->foot, c.foot);
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

}  // namespace

std::string TextKeepingLines(const hlo::Module& before, const hlo::Module& after) {
  const hlo::PrintOptions form = FormOf(before);
  std::string new_text = hlo::PrintModule(after, form);
  const std::string old_text = hlo::PrintModule(before, form);
  const auto new_lines = CutPrinted(new_text), old_lines = CutPrinted(old_text);
  UserText user(before);
  if (!new_lines.has_value() || !old_lines.has_value() ||
      !user.Cut(form.compact_get_tuple_elements)) {
    return new_text;
  }
  return Merger(user, *old_lines).Merge(*new_lines, before.source().size() + new_text.size());
}

}  // namespace tessera::pipeline::passes
