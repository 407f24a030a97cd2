#include "tessera/pipeline/explain/chain_rows.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::pipeline {
namespace {

using sharding::explain::Chain;
using sharding::explain::Event;
using sharding::explain::EventCause;
using sharding::explain::Link;
using sharding::explain::Step;
using sharding::passes::OpKind;
using sharding::propagation::kNone;

// Runs of at least so many steps that only pass the axis on are one row.
constexpr size_t kShortestFold = 2;
constexpr size_t kWidestColumn = 44;

class RowMaker {
 public:
  RowMaker(const Explained& explained, const Labels& labels, const Chain& chain)
      : log_(*explained.log), labels_(labels), chain_(chain) {}

  // Runs of links, each of which becomes a row: where they begin, and the end of the last.
  std::vector<size_t> Runs(bool fold) const {
    std::vector<size_t> begins = {0};
    while (begins.back() < chain_.links.size()) {
      begins.push_back(fold ? EndOfRun(begins.back()) : begins.back() + 1);
    }
    return begins;
  }

  Row Make(size_t begin, size_t end) const {
    return end - begin < kShortestFold ? RowOf(begin) : Folded(begin, end);
  }

 private:
  const Event& EventAt(size_t i) const { return log_.event(chain_.links[i].event); }

  std::string Target(size_t i) const {
    const Link& link = chain_.links[i];
    return absl::StrCat(link.value == kNone ? labels_.Slot(link.slot) : labels_.Value(link.value),
                        " dim ", link.dim);
  }
  std::string Source(size_t i) const { return i + 1 < chain_.links.size() ? Target(i + 1) : ""; }

  // Element-wise ops, transposes, reshapes, edges: nothing to decide there.
  bool PassesOn(size_t i) const {
    const Event& event = EventAt(i);
    const bool is_flow =
        event.cause == EventCause::kFlow || event.cause == EventCause::kOverwritten;
    if (!is_flow || log_.StepOf(event).op == kNone) return false;
    const OpKind kind = log_.OpOf(log_.StepOf(event).op)->kind;
    if (kind == OpKind::kConstraint || kind == OpKind::kReshard) return false;
    const sharding::propagation::OpId op = log_.StepOf(event).op;
    const sharding::OpTraits& traits = log_.numbered().traits(op);
    return traits.element_wise || traits.flow == sharding::OpPriorityClass::kPassThrough ||
           log_.numbered().kind(op) == OpKind::kDataFlowEdge;
  }

  size_t EndOfRun(size_t begin) const {
    size_t end = begin;
    while (end < chain_.links.size() && PassesOn(end)) ++end;
    return std::max(end, begin + 1);
  }

  std::string OpAt(size_t i) const {
    const Step& step = log_.StepOf(EventAt(i));
    return labels_.Op(step.op, step.output);
  }

  Row Folded(size_t begin, size_t end) const {
    Row row;
    row.target = Target(begin);
    row.source = Source(end - 1);
    row.how =
        absl::StrCat("passed on by ", end - begin, " ops (", OpAt(begin), " to ", OpAt(end - 1),
                     "), steps ", EventAt(end - 1).time.step, " to ", EventAt(begin).time.step);
    row.level = EventAt(begin).time.level;
    return row;
  }

  Row RowOf(size_t i) const {
    Row row;
    row.target = Target(i);
    row.source = Source(i);
    row.how = How(i);
    row.level = EventAt(i).time.level;
    row.place = labels_.Place(InstructionAt(i));
    return row;
  }

  hlo::InstructionId InstructionAt(size_t i) const {
    const Event& event = EventAt(i);
    if (event.annotation >= 0) {
      return log_.annotations()[static_cast<size_t>(event.annotation)].instruction;
    }
    if (event.step >= 0) return labels_.InstructionOfOp(log_.StepOf(event).op);
    return labels_.InstructionOf(event.target);
  }

  std::string How(size_t i) const {
    const Event& event = EventAt(i);
    switch (event.cause) {
      case EventCause::kAnnotation:
        return labels_.Annotation(log_.annotations()[static_cast<size_t>(event.annotation)]);
      case EventCause::kConstraintPushed:
        return absl::StrCat(OpAt(i), " sets the sharding of its operand before propagation");
      case EventCause::kGroupSync:
        return "a member of its sharding group has it from the start";
      case EventCause::kGroupWrite:
        return "a member of its sharding group got it";
      case EventCause::kRestorePriority:
        return absl::StrCat("comes back when priority ", event.time.round, " begins");
      case EventCause::kBoundaryCut:
        return "takes it at the boundary";
      case EventCause::kReshard:
        return "resharded for the operation";
      default:
        return Flow(i);
    }
  }

  std::string Flow(size_t i) const {
    const Event& event = EventAt(i);
    if (event.step < 0) return "";
    const Step& step = log_.StepOf(event);
    const int factor = event.gains[static_cast<size_t>(chain_.links[i].gain)].factor;
    std::string how = OpAt(i);
    if (step.op != kNone && !PassesOn(i)) {
      absl::StrAppend(&how, " ", labels_.Rule(step.rule), " factor ", Labels::Factor(factor));
    }
    return absl::StrCat(how, ", step ", event.time.step, ", level ", event.time.level);
  }

  const sharding::explain::EventLog& log_;
  const Labels& labels_;
  const Chain& chain_;
};

// In place of `count` rows.
Row Gap(size_t count) {
  Row row;
  row.how = absl::StrCat(".. ", count, " more steps ..");
  return row;
}

size_t Width(const std::vector<Row>& rows, std::string Row::*column) {
  size_t width = 0;
  for (const Row& row : rows) {
    if ((row.*column).size() <= kWidestColumn) width = std::max(width, (row.*column).size());
  }
  return width;
}

}  // namespace

std::vector<Row> ChainRows(const Explained& explained, const Labels& labels, const Chain& chain,
                           const TextStyle& style) {
  const RowMaker maker(explained, labels, chain);
  const std::vector<size_t> runs = maker.Runs(!style.all);
  const size_t size = runs.size() - 1;
  const size_t kept = style.most_rows == 0 ? size : std::min(size, style.most_rows);
  std::vector<Row> rows;
  for (size_t i = 0; i < size; ++i) {
    const bool is_left_out = kept < size && i >= kept / 2 && i + (kept - kept / 2) < size;
    if (!is_left_out)
      rows.push_back(maker.Make(runs[i], runs[i + 1]));
    else if (i == kept / 2)
      rows.push_back(Gap(size - kept));
  }
  if (style.forward) std::reverse(rows.begin(), rows.end());
  return rows;
}

std::string RowsText(const std::vector<Row>& rows) {
  const int target = static_cast<int>(Width(rows, &Row::target));
  const int source = static_cast<int>(Width(rows, &Row::source));
  std::string out;
  for (const Row& row : rows) {
    absl::StrAppendFormat(&out, "  %-*s %s %-*s  %s", target, row.target,
                          row.source.empty() ? "  " : "<-", source, row.source, row.how);
    absl::StrAppend(&out, row.place.empty() ? "" : "  ", row.place, "\n");
  }
  return out;
}

}  // namespace tessera::pipeline
