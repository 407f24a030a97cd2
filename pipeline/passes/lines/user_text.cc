#include "tessera/pipeline/passes/lines/user_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "tessera/hlo/text_lines.h"

namespace tessera::pipeline::passes {
namespace {

using absl::string_view;

class UserTextCutter {
 public:
  UserTextCutter(const hlo::Module& module, bool compact)
      : module_(module), text_(module.source_text()), compact_(compact) {}

  std::optional<UserText> Cut() {
    for (hlo::ComputationId c : InOrderOfTheText()) {
      if (!CutComputation(module_.computation(c))) return std::nullopt;
    }
    cut_.foot = IsAlone(at_, text_.size()) ? text_.substr(at_) : "";
    return std::move(cut_);
  }

 private:
  std::vector<hlo::ComputationId> InOrderOfTheText() const {
    std::vector<hlo::ComputationId> order;
    for (hlo::ComputationId c = 0; c < module_.num_computations(); ++c) order.push_back(c);
    std::sort(order.begin(), order.end(), [&](hlo::ComputationId a, hlo::ComputationId b) {
      return module_.computation(a).source.begin < module_.computation(b).source.begin;
    });
    return order;
  }

  // No other module stands there.
  bool IsAlone(size_t begin, size_t end) const {
    return !absl::StrContains(text_.substr(begin, end - begin), "HloModule");
  }

  void TakeHead(size_t first_computation) {
    const size_t begin = module_.source().begin;
    const size_t from = IsAlone(0, begin) ? 0 : begin;
    cut_.head = text_.substr(from, first_computation - from);
    at_ = first_computation;
  }

  // Takes the text to after the line of `offset`; false if anything but a comment comes after it.
  bool TakeLines(size_t offset, string_view* lines) {
    const auto end = hlo::LineEndAfter(text_, offset);
    if (!end.has_value()) return false;
    *lines = text_.substr(at_, *end - at_);
    at_ = *end;
    return true;
  }

  bool CutComputation(const hlo::Computation& c) {
    if (c.is_inline || c.is_async_wrapper) return false;
    if (cut_.computations.empty()) TakeHead(c.source.begin);
    PrintedComputation cut;
    if (!TakeLines(c.body_open + 1, &cut.head)) return false;
    cut.lines.reserve(c.instructions.size());
    for (hlo::InstructionId id : c.instructions) {
      const hlo::Instruction& i = module_.instruction(id);
      if (compact_ && i.is_implied && i.opcode == hlo::Opcode::kGetTupleElement) continue;
      PrintedLine line = {i.name, ""};
      if (i.is_implied || i.is_async_sugar || !TakeLines(i.source.end, &line.text)) return false;
      cut.lines.push_back(line);
    }
    if (!TakeLines(c.source.end, &cut.foot)) return false;
    cut.name = c.name;
    return cut_.computations.emplace(c.name, std::move(cut)).second;
  }

  const hlo::Module& module_;
  const string_view text_;
  const bool compact_;
  size_t at_ = 0;  // up to where the text is cut
  UserText cut_;
};

}  // namespace

std::optional<UserText> CutUserText(const hlo::Module& module, bool compact) {
  return UserTextCutter(module, compact).Cut();
}

}  // namespace tessera::pipeline::passes
