#include "tessera/sharding/explain/annotations.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::explain {
namespace {

using passes::Op;
using passes::OpKind;
using propagation::ValueId;

class StartFinder {
 public:
  StartFinder(const passes::HloProgram& program, const propagation::NumberedProgram& numbered,
              const std::vector<ShardingId>& shardings)
      : program_(program),
        numbered_(numbered),
        shardings_(shardings),
        said_(shardings.size(), false) {}

  Start Find() {
    ForEachOpPostOrder(program_.entry()->body, [&](Op* op) { ops_.push_back(op); });
    FindConstraints();
    FindManual();
    const std::vector<Push> pushes = FindPushes();
    FindParameters();
    FindResults();
    FindOthers();
    for (const Push& push : pushes) AddPush(push);
    return std::move(start_);
  }

 private:
  // `op` bound its operand of that number.
  struct Push {
    const Op* op = nullptr;
    int operand = 0;
  };

  SlotId SlotOf(const passes::Value* value) const {
    return numbered_.sharding_owner(value->number());
  }

  void FindConstraints() {
    int number = 0;
    for (const Op* op : ops_) {
      if (op->kind != OpKind::kConstraint) continue;
      Annotation a;
      a.kind = AnnotationKind::kConstraint;
      a.number = number++;
      a.slot = SlotOf(op->result());
      a.op = op->number;
      a.instruction = op->source;
      a.sharding = shardings_[a.slot];
      Say(a);
    }
  }

  void FindManual() {
    int number = 0;
    for (const Op* op : ops_) {
      if (op->kind != OpKind::kManualComputation) continue;
      for (const passes::Value* arg : op->blocks()[0]->args) {
        AddManual(*op, AnnotationKind::kManualIn, number, *arg);
      }
      for (const passes::Value& result : op->results) {
        AddManual(*op, AnnotationKind::kManualOut, number, result);
      }
      ++number;
    }
  }

  // The in- or out-sharding as the outside sees it; the slot may hold less of it.
  void AddManual(const Op& op, AnnotationKind kind, int number, const passes::Value& border) {
    Annotation a;
    a.kind = kind;
    a.number = number;
    a.index = border.index();
    a.slot = SlotOf(&border);
    a.op = op.number;
    a.instruction = op.source;
    const propagation::EdgeId edge = numbered_.edge(numbered_.def(a.slot));
    a.sharding = edge == propagation::kNone ? shardings_[a.slot] : numbered_.edges()[edge].boundary;
    if (a.sharding != kNoSharding) Say(a);
  }

  // In the order in which the import bound them; no slot twice.
  std::vector<Push> FindPushes() {
    std::vector<Push> pushes;
    for (const Op* op : ops_) {
      if (op->kind == OpKind::kConstraint && op->attribute == passes::kBoundItsOperand) {
        AddIfNew({op, 0}, &pushes);
      } else if (op->kind == OpKind::kManualComputation) {
        for (const int k : op->As<passes::ManualInfo>()->bound_operands) AddIfNew({op, k}, &pushes);
      }
    }
    return pushes;
  }

  void AddIfNew(const Push& push, std::vector<Push>* pushes) {
    const SlotId slot = SlotOf(push.op->operand(push.operand));
    if (said_[slot] || shardings_[slot] == kNoSharding) return;
    said_[slot] = true;
    pushes->push_back(push);
  }

  // By argument of the body, the parameter that it is a leaf of.
  void FindArgs(const passes::InstructionValues& table, const passes::Block* body,
                std::vector<hlo::InstructionId>* instructions) const {
    for (const hlo::InstructionId id : program_.module().entry().parameters) {
      for (passes::Value* leaf : table.Get(id)) {
        const bool is_arg = leaf != nullptr && leaf->owner() == body;
        if (is_arg) (*instructions)[static_cast<size_t>(leaf->index())] = id;
      }
    }
  }

  void FindParameters() {
    const passes::Function& entry = *program_.entry();
    std::vector<hlo::InstructionId> instructions(entry.body->args.size(), hlo::kNoId);
    for (const passes::InstructionValues& table : program_.leaf_tables()) {
      if (table.block() != entry.body) continue;
      FindArgs(table, entry.body, &instructions);
    }
    for (const passes::Value* arg : entry.body->args) {
      Annotation a;
      a.kind = AnnotationKind::kParameter;
      a.number = arg->index();
      a.slot = SlotOf(arg);
      a.instruction = instructions[static_cast<size_t>(arg->index())];
      a.sharding = shardings_[a.slot];
      if (a.sharding != kNoSharding && !said_[a.slot]) Say(a);
    }
  }

  void FindResults() {
    for (size_t k = 0; k < numbered_.outputs().size(); ++k) {
      Annotation a;
      a.kind = AnnotationKind::kResult;
      a.number = static_cast<int>(k);
      a.slot = numbered_.num_values() + a.number;
      a.instruction = program_.module().entry().root;
      a.sharding = shardings_[a.slot];
      if (a.sharding != kNoSharding) Say(a);
    }
  }

  void FindOthers() {
    for (ValueId v = 0; v < numbered_.num_values(); ++v) {
      if (numbered_.sharding_owner(v) != v || said_[v] || shardings_[v] == kNoSharding) continue;
      if (IsOpened(v)) {
        Add(EventCause::kOpenFilling, Stage::kImport, v, shardings_[v]);
        continue;
      }
      Annotation a;
      a.slot = v;
      const Op* op = numbered_.op(numbered_.def(v));
      const Op* owner =
          op != nullptr && op->kind == OpKind::kDataFlowEdge ? op->operand(0)->def() : op;
      a.instruction = owner == nullptr ? hlo::kNoId : owner->source;
      a.sharding = shardings_[v];
      Say(a);
    }
  }

  // Open throughout, as the siblings of a result that has a sharding are.
  bool IsOpened(ValueId v) const {
    return program_.shardings()[shardings_[v]].IsFullyOpen() &&
           (numbered_.edge(numbered_.def(v)) != propagation::kNone ||
            numbered_.results(numbered_.def(v)).size() > 1);
  }

  void Say(const Annotation& a) {
    said_[a.slot] = true;
    Event& event = Add(EventCause::kAnnotation, Stage::kAnnotation, a.slot, a.sharding);
    event.annotation = static_cast<int32_t>(start_.annotations.size());
    start_.annotations.push_back(a);
  }

  // The whole of `said` is gained; the slot may hold its part inside a shard_map only.
  Event& Add(EventCause cause, Stage stage, SlotId slot, ShardingId said) {
    Event event;
    event.cause = cause;
    event.time.stage = stage;
    event.target = slot;
    event.bound = static_cast<int32_t>(start_.events.size());
    event.after = shardings_[slot];
    const TensorSharding& sharding = program_.shardings()[said];
    for (int d = 0; d < sharding.rank(); ++d) {
      const AxisList& axes = sharding.dim(d).axes;
      if (!axes.empty()) event.gains.push_back({d, axes, kNoIndex, {}});
    }
    start_.events.push_back(std::move(event));
    return start_.events.back();
  }

  void AddPush(const Push& push) {
    const passes::Value* x = push.op->operand(push.operand);
    const bool is_constraint = push.op->kind == OpKind::kConstraint;
    const size_t operand = static_cast<size_t>(push.operand);
    const passes::Value* by =
        is_constraint ? push.op->result() : push.op->blocks()[0]->args[operand];
    const int result = push.op->num_operands();  // the tensor after all operands
    Event& event =
        Add(EventCause::kConstraintPushed, Stage::kImport, SlotOf(x), shardings_[SlotOf(x)]);
    event.tensor = push.operand;
    event.step = static_cast<int32_t>(start_.steps.size());
    Step step;
    step.op = push.op->number;
    step.mesh = &program_.meshes().mesh(program_.shardings()[event.after].mesh_id());
    for (Gain& gain : event.gains) {
      gain.from.push_back({SlotOf(by), by->number(), is_constraint ? result : kNoIndex, gain.dim});
      gain.factor = gain.dim;
      step.takes.push_back({push.operand, gain.dim, gain.dim, {}, gain.axes, {result}});
    }
    step.number = next_step_;
    event.time.step = next_step_;
    if (is_constraint) {
      ++next_step_;
      if (!step.takes.empty()) start_.first_step = next_step_;
    }
    start_.steps.push_back(std::move(step));
  }

  const passes::HloProgram& program_;
  const propagation::NumberedProgram& numbered_;
  const std::vector<ShardingId>& shardings_;
  std::vector<Op*> ops_;    // in post-order
  std::vector<bool> said_;  // by slot: an event gives it its sharding
  int64_t next_step_ = 0;
  Start start_;
};

}  // namespace

Start FindStart(const passes::HloProgram& program, const propagation::NumberedProgram& numbered,
                const std::vector<ShardingId>& shardings) {
  return StartFinder(program, numbered, shardings).Find();
}

}  // namespace tessera::sharding::explain
