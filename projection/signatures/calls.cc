// Operations that run computations.
//
//   call, fusion, async-start   what the callee's root needs of its parameters is what the result
//                               needs of the operands
//   conditional                 the union over the branches, and the predicate
//   while                       a fix point: what one result element needs of the carried ones, one
//                               step of the body after another, until nothing is added. Boxes grow
//                               fast or not at all, so after a few rounds an element that still
//                               grows is taken whole.

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "tessera/projection/signatures/flow.h"
#include "tessera/projection/signatures/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

constexpr int kRoundsBeforeWidening = 4;

// Whose computations are followed here.
bool IsFollowed(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::kCall || opcode == hlo::Opcode::kFusion ||
         opcode == hlo::Opcode::kConditional || opcode == hlo::Opcode::kWhile ||
         opcode == hlo::Opcode::kAsyncStart;
}

void AddCallees(const OpContext& op, hlo::ComputationId caller,
                std::vector<hlo::ComputationId>* callees) {
  for (const hlo::InstructionId id : op.module.computation(caller).instructions) {
    if (!IsFollowed(op.module.instruction(id).opcode)) continue;
    const auto called = op.module.called(id);
    callees->insert(callees->end(), called.begin(), called.end());
  }
}

// Callees first, on a stack of its own: calls may be a thousand deep. What is wrong with a callee is
// said by the instruction that needs it, if there is one.
absl::StatusOr<SharedFlow> MakeFlow(const OpContext& op, hlo::ComputationId computation) {
  auto& made = op.options.flows->made;
  absl::flat_hash_set<hlo::ComputationId> entered;
  std::vector<hlo::ComputationId> stack = {computation};
  while (!made.contains(computation)) {
    const hlo::ComputationId next = stack.back();
    if (!made.contains(next) && entered.insert(next).second) {
      AddCallees(op, next, &stack);
      continue;
    }
    stack.pop_back();
    if (made.contains(next)) continue;
    absl::StatusOr<Flow> flow = Flow::Create(op.module, next, op.options);
    if (flow.ok()) made.emplace(next, std::make_shared<const Flow>(*std::move(flow)));
    if (!flow.ok() && next == computation) return flow.status();
  }
  return made.at(computation);
}

// The needs of all operands for the block of the last question. Questions about one operand and
// about the others come together, with the same way through the computation.
template <typename Needs>
class LastNeeds {
 public:
  using Find = std::function<absl::StatusOr<Needs>(const ZRange& block, int64_t limit)>;
  explicit LastNeeds(Find find) : find_(std::move(find)) {}

  absl::StatusOr<std::shared_ptr<const Needs>> Of(const ZRange& block, int64_t limit) {
    const absl::MutexLock lock(&mutex_);
    if (needs_ == nullptr || limit != limit_ || !(block == *block_)) {
      TESSERA_ASSIGN_OR_RETURN(Needs needs, find_(block, limit));
      needs_ = std::make_shared<const Needs>(std::move(needs));
      block_ = block;
      limit_ = limit;
    }
    return needs_;
  }

 private:
  const Find find_;
  absl::Mutex mutex_;
  std::shared_ptr<const Needs> needs_ ABSL_GUARDED_BY(mutex_);  // for block_ and limit_
  std::optional<ZRange> block_ ABSL_GUARDED_BY(mutex_);
  int64_t limit_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Entry `first + parameter` of the operands is read as parameter array `parameter` of the flow.
void ReadThrough(const SharedFlow& flow, int leaf, int first, const char* text, Signature* s) {
  const auto last =
      std::make_shared<LastNeeds<Flow::Needs>>([flow, leaf](const ZRange& block, int64_t limit) {
        return flow->Parameters(leaf, ZSet::OfBox(block), limit);
      });
  for (size_t parameter = 0; parameter < flow->parameter_shapes().size(); ++parameter) {
    const int rank = flow->parameter_shapes()[parameter].rank();
    NeedFunction need = [=](const ZRange& block, int64_t limit) -> absl::StatusOr<ZSet> {
      TESSERA_ASSIGN_OR_RETURN(const auto sets, last->Of(block, limit));
      const auto found = sets->find(parameter);
      return found == sets->end() ? ZSet(rank) : found->second;
    };
    s->operands[static_cast<size_t>(first) + parameter].maps.push_back(
        ComposedAccess(std::move(need), text));
  }
}

using Boxes = std::vector<std::optional<ZRange>>;  // the need of each carried array

// The needs of a loop for the arrays that it carries, as far as they are known. An array is asked
// about again once its box has grown, in rounds and in order within a round.
class FixPoint {
 public:
  FixPoint(const Flow* body, int64_t limit)
      : body_(*body), shapes_(body->parameter_shapes()), limit_(limit), boxes_(shapes_.size()) {}

  // Grows the boxes by `needs`; to whole arrays where they still grow after a few rounds.
  absl::Status Add(const Flow::Needs& needs) {
    for (const auto& [array, cells] : needs) {
      TESSERA_RETURN_IF_ERROR(Add(array, *cells.bounding()));
    }
    return absl::OkStatus();
  }

  absl::Status Add(size_t array, ZRange more) {
    std::optional<ZRange>& box = boxes_[array];
    if (box.has_value()) {
      if (box->Contains(more)) return absl::OkStatus();
      TESSERA_ASSIGN_OR_RETURN(more, ZRange::Bounding({*box, more}));
    }
    box = round_ >= kRoundsBeforeWidening ? ZRange::FromShape(shapes_[array]) : more;
    grown_.insert(array);
    return absl::OkStatus();
  }

  absl::StatusOr<Boxes> Find() {
    for (; !grown_.empty(); ++round_) {
      for (auto at = grown_.begin(); at != grown_.end(); at = grown_.upper_bound(asked_)) {
        asked_ = *at;
        grown_.erase(at);
        const ZSet cells = ZSet::OfBox(*boxes_[asked_]);
        TESSERA_ASSIGN_OR_RETURN(const Flow::Needs needs,
                                 body_.Parameters(static_cast<int>(asked_), cells, limit_));
        TESSERA_RETURN_IF_ERROR(Add(needs));
      }
    }
    return std::move(boxes_);
  }

 private:
  const Flow& body_;
  const std::vector<ZPoint>& shapes_;
  const int64_t limit_;
  Boxes boxes_;
  std::set<size_t> grown_;  // since they were asked about
  size_t asked_ = 0;
  int round_ = 0;
};

absl::StatusOr<Boxes> NeedsOfLoop(const Flow& body, const Flow& condition, int leaf,
                                  const ZRange& block, int64_t limit) {
  FixPoint needs(&body, limit);
  TESSERA_RETURN_IF_ERROR(needs.Add(static_cast<size_t>(leaf), block));
  // The condition decides how often the body runs: whatever it reads is needed.
  TESSERA_ASSIGN_OR_RETURN(const Flow::Needs tested,
                           condition.Parameters(0, ZSet::OfAxes({}), limit));
  TESSERA_RETURN_IF_ERROR(needs.Add(tested));
  return needs.Find();
}

}  // namespace

absl::Status CallRule(const OpContext& op, Signature* s) {
  if (op.module.called(op.id).empty()) return OpaqueRule(op, s);
  TESSERA_ASSIGN_OR_RETURN(SharedFlow flow, MakeFlow(op, op.module.called(op.id)[0]));
  const int root_leaves = static_cast<int>(
      ArrayLeaves(op.module.shape(op.module.computation(op.module.called(op.id)[0]).root)).size());
  if (flow->parameter_shapes().size() != s->operands.size()) return OpaqueRule(op, s);
  int leaf = op.options.leaf;
  if (op.opcode() == hlo::Opcode::kAsyncStart) {  // (operands, results, context)
    const int operand_leaves = static_cast<int>(s->operands.size());
    if (leaf < operand_leaves || leaf - operand_leaves >= root_leaves) return StartRule(op, s);
    leaf -= operand_leaves;
  }
  s->exactness = flow->exactness();
  ReadThrough(flow, leaf, 0, "through the called computation", s);
  return absl::OkStatus();
}

absl::Status ConditionalRule(const OpContext& op, Signature* s) {
  TESSERA_RETURN_IF_ERROR(op.ReadWhole(0, s));
  op.Role(0, "branch", s);
  const auto branches = op.module.called(op.id);
  for (size_t b = 0; b < branches.size(); ++b) {
    TESSERA_ASSIGN_OR_RETURN(SharedFlow flow, MakeFlow(op, branches[b]));
    s->exactness = std::max({s->exactness, flow->exactness(), Exactness::kBound});
    ReadThrough(flow, op.options.leaf, op.entries[b + 1], "through a branch", s);
  }
  s->note = "union over the branches";
  return absl::OkStatus();
}

absl::Status WhileRule(const OpContext& op, Signature* s) {
  const auto called = op.module.called(op.id);
  TESSERA_ASSIGN_OR_RETURN(SharedFlow body, MakeFlow(op, called[0]));
  TESSERA_ASSIGN_OR_RETURN(SharedFlow condition, MakeFlow(op, called[1]));
  s->exactness = std::max({Exactness::kBound, body->exactness(), condition->exactness()});
  s->note = "every number of steps of the loop";
  for (Axis& axis : s->axes) axis.kind = AxisKind::kOrdered;
  const int leaf = op.options.leaf;
  const auto last = std::make_shared<LastNeeds<Boxes>>([=](const ZRange& block, int64_t limit) {
    return NeedsOfLoop(*body, *condition, leaf, block, limit);
  });
  for (size_t carried = 0; carried < s->operands.size(); ++carried) {
    const int rank = s->operands[carried].shape.rank();
    NeedFunction need = [=](const ZRange& block, int64_t limit) -> absl::StatusOr<ZSet> {
      TESSERA_ASSIGN_OR_RETURN(const auto boxes, last->Of(block, limit));
      const std::optional<ZRange>& box = (*boxes)[carried];
      return box.has_value() ? ZSet::OfBox(*box) : ZSet(rank);
    };
    s->operands[carried].maps.push_back(
        ComposedAccess(std::move(need), "through every number of steps"));
  }
  return absl::OkStatus();
}

}  // namespace tessera::projection
