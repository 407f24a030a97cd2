// Idea. Operands stand before their users, so one walk from the root upwards sees every demand on
// an instruction before the instruction itself. A demand is a set of cells of one array; the
// signature of the instruction, applied to each box of the set, turns it into demands on the
// operands. Composition is on sets, not on formulas: a chain of reshapes cancels by itself, and a
// parameter that is read along two paths gets the union.
//
// Cost: for each instruction the boxes of its demand times its operands. Tested by
// signature_of_test.cc.
#include "tessera/projection/signatures/flow.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;

constexpr int64_t kMaxQuestions = 1'000'000;
constexpr size_t kKeptAnswers = 8;

// The instructions that `last` depends on, and itself.
absl::flat_hash_set<InstructionId> Reached(const Module& module, InstructionId last) {
  absl::flat_hash_set<InstructionId> reached;
  std::vector<InstructionId> stack = {last};
  while (!stack.empty()) {
    const InstructionId id = stack.back();
    stack.pop_back();
    if (!reached.insert(id).second) continue;
    for (InstructionId operand : module.operands(id)) stack.push_back(operand);
  }
  return reached;
}

// Boxes that make up `cells`, or one around it when they are too many.
std::vector<ZRange> BoxesOrBound(const ZSet& cells, int64_t limit) {
  absl::StatusOr<std::vector<ZRange>> boxes = cells.Slabs(limit);
  if (boxes.ok()) return *std::move(boxes);
  return {*cells.bounding()};
}

absl::Status Add(const ZSet& cells, int64_t limit, ZSet* total) {
  absl::StatusOr<ZSet> sum = total->Union(cells, limit);
  if (ErrorCodeOf(sum.status()) == ErrorCode::kTooLarge) {
    TESSERA_ASSIGN_OR_RETURN(ZRange box, ZRange::Bounding({*total->bounding(), *cells.bounding()}));
    sum = ZSet::OfBox(box);
  }
  TESSERA_RETURN_IF_ERROR(sum.status());
  *total = *std::move(sum);
  return absl::OkStatus();
}

}  // namespace

// The last answers, and how many there were.
struct Flow::Answers {
  struct Answer {
    int leaf;
    ZSet cells;
    int64_t limit;
    std::vector<ZSet> needs;
  };
  absl::Mutex mutex;
  std::deque<Answer> last ABSL_GUARDED_BY(mutex);
  int64_t questions ABSL_GUARDED_BY(mutex) = 0;
};

absl::StatusOr<Flow> Flow::Create(const Module& module, hlo::ComputationId computation,
                                  const SignatureOptions& options) {
  return CreateTo(module, module.computation(computation).root, options);
}

absl::StatusOr<Flow> Flow::CreateTo(const Module& module, InstructionId last,
                                    const SignatureOptions& options) {
  Flow flow;
  flow.module_ = &module;
  flow.computation_ = module.instruction(last).computation;
  flow.last_ = last;
  flow.answers_ = std::make_shared<Answers>();
  const hlo::Computation& c = module.computation(flow.computation_);
  for (InstructionId p : c.parameters) {
    for (const layout::Shape* leaf : ArrayLeaves(module.shape(p)))
      flow.parameter_shapes_.push_back(ZPoint(leaf->dims()));
  }
  const auto reached = Reached(module, last);
  for (InstructionId id : c.instructions) {
    if (!reached.contains(id) || module.instruction(id).opcode == hlo::Opcode::kParameter) continue;
    const int leaves = static_cast<int>(ArrayLeaves(module.shape(id)).size());
    for (int leaf = 0; leaf < leaves; ++leaf) {
      SignatureOptions inner;
      inner.leaf = leaf;
      inner.indices = options.indices;
      inner.flows = options.flows;
      TESSERA_ASSIGN_OR_RETURN(Signature s, SignatureOf(module, id, inner));
      flow.exactness_ = std::max(flow.exactness_, s.exactness);
      flow.signatures_.emplace(std::make_pair(id, leaf), std::move(s));
    }
  }
  return flow;
}

absl::Status Flow::Pass(InstructionId id, int leaf, const ZSet& cells, int64_t limit,
                        Demands* demands) const {
  const Signature& s = signatures_.at({id, leaf});
  const std::vector<ZRange> boxes = BoxesOrBound(cells, limit);
  size_t entry = 0;
  for (InstructionId operand : module_->operands(id)) {
    const int leaves = static_cast<int>(ArrayLeaves(module_->shape(operand)).size());
    for (int l = 0; l < leaves; ++l, ++entry) {
      if (s.operands[entry].maps.empty()) continue;
      ZSet& total =
          demands->try_emplace({operand, l}, s.operands[entry].shape.rank()).first->second;
      for (const ZRange& box : boxes) {
        TESSERA_ASSIGN_OR_RETURN(Need need, ProjectOperand(s, static_cast<int>(entry), box, limit));
        TESSERA_RETURN_IF_ERROR(Add(need.cells, limit, &total));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ZSet>> Flow::Parameters(int leaf, const ZSet& cells,
                                                   int64_t limit) const {
  {
    absl::MutexLock lock(&answers_->mutex);
    for (const Answers::Answer& a : answers_->last) {
      if (a.leaf == leaf && a.limit == limit && a.cells == cells) return a.needs;
    }
    if (++answers_->questions > kMaxQuestions) {
      return MakeError(ErrorCode::kTooLarge,
                       absl::StrCat("'", module_->computation(computation_).name,
                                    "' is asked about more than ", kMaxQuestions, " regions"));
    }
  }
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZSet> needs, Trace(leaf, cells, limit));
  absl::MutexLock lock(&answers_->mutex);
  if (answers_->last.size() == kKeptAnswers) answers_->last.pop_front();
  answers_->last.push_back({leaf, cells, limit, needs});
  return needs;
}

absl::StatusOr<Flow::Demands> Flow::Arrays(int leaf, const ZSet& cells, int64_t limit) const {
  const hlo::Computation& c = module_->computation(computation_);
  Demands demands;
  demands.emplace(std::make_pair(last_, leaf), cells);
  for (auto id = c.instructions.rbegin(); id != c.instructions.rend(); ++id) {
    if (module_->instruction(*id).opcode == hlo::Opcode::kParameter) continue;
    for (auto at = demands.lower_bound({*id, 0}); at != demands.end() && at->first.first == *id;
         ++at) {
      const ZSet wanted = at->second;
      if (!wanted.empty())
        TESSERA_RETURN_IF_ERROR(Pass(*id, at->first.second, wanted, limit, &demands));
    }
  }
  return demands;
}

absl::StatusOr<std::vector<ZSet>> Flow::Trace(int leaf, const ZSet& cells, int64_t limit) const {
  const hlo::Computation& c = module_->computation(computation_);
  TESSERA_ASSIGN_OR_RETURN(const Demands demands, Arrays(leaf, cells, limit));
  std::vector<ZSet> out;
  for (InstructionId p : c.parameters) {
    const int leaves = static_cast<int>(ArrayLeaves(module_->shape(p)).size());
    for (int l = 0; l < leaves; ++l) {
      const auto found = demands.find({p, l});
      out.push_back(found != demands.end() ? found->second
                                           : ZSet(parameter_shapes_[out.size()].rank()));
    }
  }
  return out;
}

}  // namespace tessera::projection
