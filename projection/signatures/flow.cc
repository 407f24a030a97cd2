// Idea. Operands stand before their users, so one walk from the root upwards sees every demand on
// an instruction before the instruction itself. It visits those alone that something is needed of:
// a loop asks its body once for each element. A demand is a set of cells of one array; the
// signature of the instruction, applied to each box of the set, turns it into demands on the
// operands. Composition is on sets, not on formulas: a chain of reshapes cancels by itself, and a
// parameter that is read along two paths gets the union.
//
// Tuples are wide: a loop of n arrays has n signatures of n operands each. So tuples, their elements
// and barriers have no signature: their arrays are passed on. Of a loop or a call one is kept, for
// what all say alike, and the others are made at their first use.
//
// Cost: for each array that is needed the boxes of its demand times the operands of what makes it,
// and a search in those that wait. Tested by signature_of_test.cc, growth by testing/hostile/verbs_growth_test.cc.
#include "tessera/projection/signatures/flow.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <set>
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

absl::Status Unite(const ZSet& cells, int64_t limit, ZSet* total) {
  absl::StatusOr<ZSet> sum = total->Union(cells, limit);
  if (ErrorCodeOf(sum.status()) == ErrorCode::kTooLarge) {
    TESSERA_ASSIGN_OR_RETURN(ZRange box, ZRange::Bounding({*total->bounding(), *cells.bounding()}));
    sum = ZSet::OfBox(box);
  }
  TESSERA_RETURN_IF_ERROR(sum.status());
  *total = *std::move(sum);
  return absl::OkStatus();
}

// Operations whose arrays of the result have signatures of one exactness and one note.
bool ArraysAreAlike(hlo::Opcode opcode) {
  constexpr hlo::Opcode kAlike[] = {hlo::Opcode::kAllReduce, hlo::Opcode::kCall,
                                    hlo::Opcode::kConditional, hlo::Opcode::kFusion,
                                    hlo::Opcode::kWhile};
  return std::find(std::begin(kAlike), std::end(kAlike), opcode) != std::end(kAlike);
}

// The first array that has an element: of one without there is nothing to say.
int FirstWithElements(const std::vector<const layout::Shape*>& leaves) {
  const auto found = std::find_if(leaves.begin(), leaves.end(), [](const layout::Shape* leaf) {
    return leaf->NumElements() != 0;
  });
  return found == leaves.end() ? 0 : static_cast<int>(found - leaves.begin());
}

}  // namespace

// The last answers, and how many there were.
struct Flow::Answers {
  struct Answer {
    int leaf;
    ZSet cells;
    int64_t limit;
    Needs needs;
  };
  absl::Mutex mutex;
  std::deque<Answer> last ABSL_GUARDED_BY(mutex);
  int64_t questions ABSL_GUARDED_BY(mutex) = 0;
};

// The demands so far, and the instructions that wait for their turn, the last of them first.
class Flow::Walk {
 public:
  explicit Walk(const Flow* flow) : flow_(*flow) {}

  // The needed cells of this array, for more to be added.
  ZSet* Of(InstructionId id, int leaf, int rank) {
    const auto [at, is_new] = demands_.try_emplace({id, leaf}, rank);
    if (is_new) waiting_.emplace(flow_.places_.at(id), id);
    return &at->second;
  }

  bool done() const { return waiting_.empty(); }
  InstructionId Next() {
    const auto last = std::prev(waiting_.end());
    const InstructionId id = last->second;
    waiting_.erase(last);
    return id;
  }

  Demands& demands() { return demands_; }

 private:
  const Flow& flow_;
  Demands demands_;
  std::set<std::pair<size_t, InstructionId>> waiting_;  // by place
};

absl::StatusOr<Flow> Flow::Create(const Module& module, hlo::ComputationId computation,
                                  const SignatureOptions& options) {
  return CreateTo(module, module.computation(computation).root, options);
}

absl::StatusOr<Flow> Flow::CreateTo(const Module& module, InstructionId last,
                                    const SignatureOptions& options) {
  Flow flow(&module);
  flow.computation_ = module.instruction(last).computation;
  flow.last_ = last;
  flow.answers_ = std::make_shared<Answers>();
  const hlo::Computation& c = module.computation(flow.computation_);
  for (InstructionId p : c.parameters) {
    flow.first_arrays_.push_back(flow.parameter_shapes_.size());
    for (const layout::Shape* leaf : ArrayLeaves(module.shape(p)))
      flow.parameter_shapes_.push_back(ZPoint(leaf->dims()));
  }
  flow.indices_ = options.indices;
  const auto reached = Reached(module, last);
  for (size_t place = 0; place < c.instructions.size(); ++place) {
    const InstructionId id = c.instructions[place];
    if (!reached.contains(id)) continue;
    flow.places_.emplace(id, place);
    TESSERA_RETURN_IF_ERROR(flow.Add(id, options));
  }
  return flow;
}

absl::Status Flow::Add(InstructionId id, const SignatureOptions& options) {
  const hlo::Opcode opcode = module_->instruction(id).opcode;
  if (passed_on_.Is(id)) {
    passed_on_.Read(id);
    return absl::OkStatus();
  }
  if (opcode == hlo::Opcode::kParameter) return SignatureOf(*module_, id).status();
  const std::vector<const layout::Shape*> leaves = ArrayLeaves(module_->shape(id));
  if (ArraysAreAlike(opcode)) {
    const int leaf = FirstWithElements(leaves);
    alike_.emplace(id, leaf);
    return leaves.empty() ? absl::OkStatus() : AddSignature(id, leaf, options);
  }
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    TESSERA_RETURN_IF_ERROR(AddSignature(id, static_cast<int>(leaf), options));
  }
  return absl::OkStatus();
}

absl::Status Flow::AddSignature(InstructionId id, int leaf, const SignatureOptions& options) {
  SignatureOptions inner;
  inner.leaf = leaf;
  inner.indices = indices_;
  inner.flows = options.flows;
  TESSERA_ASSIGN_OR_RETURN(Signature s, SignatureOf(*module_, id, inner));
  exactness_ = std::max(exactness_, s.exactness);
  signatures_.emplace(std::make_pair(id, leaf), std::move(s));
  for (hlo::ComputationId called : module_->called(id)) {
    const auto flow = options.flows->made.find(called);
    if (flow != options.flows->made.end()) called_.insert(*flow);
  }
  return absl::OkStatus();
}

const Signature* Flow::signature(InstructionId id, int leaf) const {
  const auto alike = alike_.find(id);
  const auto found = signatures_.find({id, alike == alike_.end() ? leaf : alike->second});
  return found == signatures_.end() ? nullptr : &found->second;
}

// The called computations are read already.
absl::StatusOr<Signature> Flow::SignatureAgain(InstructionId id, int leaf) const {
  FlowMemo flows;
  for (hlo::ComputationId called : module_->called(id)) {
    const auto flow = called_.find(called);
    if (flow != called_.end()) flows.made.insert(*flow);
  }
  SignatureOptions options;
  options.leaf = leaf;
  options.indices = indices_;
  options.flows = &flows;
  return SignatureOf(*module_, id, options);
}

absl::Status Flow::Pass(InstructionId id, int leaf, const ZSet& cells, int64_t limit,
                        Walk* walk) const {
  if (passed_on_.Is(id)) {
    const ResultArray array = passed_on_.OperandArray(id, leaf);
    ZSet* const total = walk->Of(array.id, array.leaf, cells.rank());
    for (const ZRange& box : BoxesOrBound(cells, limit)) {
      TESSERA_RETURN_IF_ERROR(Unite(ZSet::OfBox(box), limit, total));
    }
    return absl::OkStatus();
  }
  const auto kept = signatures_.find({id, leaf});
  if (kept != signatures_.end()) return PassThrough(kept->second, id, cells, limit, walk);
  TESSERA_ASSIGN_OR_RETURN(const Signature made, SignatureAgain(id, leaf));
  return PassThrough(made, id, cells, limit, walk);
}

absl::Status Flow::PassThrough(const Signature& s, InstructionId id, const ZSet& cells,
                               int64_t limit, Walk* walk) const {
  const std::vector<ZRange> boxes = BoxesOrBound(cells, limit);
  size_t entry = 0;
  for (InstructionId operand : module_->operands(id)) {
    const int leaves = static_cast<int>(ArrayLeaves(module_->shape(operand)).size());
    for (int l = 0; l < leaves; ++l, ++entry) {
      if (s.operands[entry].maps.empty()) continue;
      ZSet* const total = walk->Of(operand, l, s.operands[entry].shape.rank());
      for (const ZRange& box : boxes) {
        TESSERA_ASSIGN_OR_RETURN(Need need, ProjectOperand(s, static_cast<int>(entry), box, limit));
        TESSERA_RETURN_IF_ERROR(Unite(need.cells, limit, total));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Flow::Needs> Flow::Parameters(int leaf, const ZSet& cells, int64_t limit) const {
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
  TESSERA_ASSIGN_OR_RETURN(Needs needs, Trace(leaf, cells, limit));
  absl::MutexLock lock(&answers_->mutex);
  if (answers_->last.size() == kKeptAnswers) answers_->last.pop_front();
  answers_->last.push_back({leaf, cells, limit, needs});
  return needs;
}

absl::StatusOr<Flow::Demands> Flow::Arrays(int leaf, const ZSet& cells, int64_t limit) const {
  Walk walk(this);
  *walk.Of(last_, leaf, cells.rank()) = cells;
  Demands& demands = walk.demands();
  while (!walk.done()) {
    const InstructionId id = walk.Next();
    if (module_->instruction(id).opcode == hlo::Opcode::kParameter) continue;
    for (auto at = demands.lower_bound({id, 0}); at != demands.end() && at->first.first == id;
         ++at) {
      const ZSet wanted = at->second;
      if (!wanted.empty())
        TESSERA_RETURN_IF_ERROR(Pass(id, at->first.second, wanted, limit, &walk));
    }
  }
  return std::move(demands);
}

absl::StatusOr<Flow::Needs> Flow::Trace(int leaf, const ZSet& cells, int64_t limit) const {
  TESSERA_ASSIGN_OR_RETURN(Demands demands, Arrays(leaf, cells, limit));
  Needs out;
  for (auto& [array, needed] : demands) {
    const hlo::Instruction& p = module_->instruction(array.first);
    if (p.opcode != hlo::Opcode::kParameter || needed.empty()) continue;
    const size_t first = first_arrays_[static_cast<size_t>(p.parameter_number)];
    out.emplace(first + static_cast<size_t>(array.second), std::move(needed));
  }
  return out;
}

}  // namespace tessera::projection
