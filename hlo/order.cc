// Both orders are XLA's, and both mark in their own way.
//
// Instructions: a plain depth-first post-order with a stack on which an instruction may stand
// several times; what is finished is skipped when it comes up again.
//
// Computations: callees are marked when they are *pushed*, so that a computation that is named
// twice keeps its first place on the stack. That differs from a recursive post-order:
// branch_computations={t1, f1, t1} gives f1 before t1.

#include "tessera/hlo/order.h"

#include <algorithm>

namespace tessera::hlo {

UserMap FindUsers(const Module& module, ComputationId id) {
  UserMap users;
  for (InstructionId user : module.computation(id).instructions) {
    for (InstructionId operand : module.operands(user)) users[operand].push_back(user);
  }
  return users;
}

namespace {

enum class Mark : uint8_t { kNew, kEntered, kFinished };

// Marks are kept for the range of ids that the computation spans.
class PostOrderWalk {
 public:
  PostOrderWalk(const Module& module, const Computation& c)
      : module_(module), list_(c.instructions) {
    if (list_.empty()) return;
    const auto [low, high] = std::minmax_element(list_.begin(), list_.end());
    base_ = *low;
    marks_.assign(*high - *low + 1, Mark::kNew);
    order_.reserve(list_.size());
  }

  std::vector<InstructionId> Walk() {
    std::vector<bool> used(marks_.size());
    for (InstructionId user : list_) {
      for (InstructionId operand : module_.operands(user)) {
        if (operand - base_ < used.size()) used[operand - base_] = true;
      }
    }
    for (InstructionId i : list_) {
      if (!used[i - base_]) Visit(i);
    }
    return std::move(order_);
  }

 private:
  void Visit(InstructionId root) {
    stack_.push_back(root);
    while (!stack_.empty()) {
      const InstructionId top = stack_.back();
      Mark& mark = marks_[top - base_];
      if (mark == Mark::kNew) {
        mark = Mark::kEntered;
        PushNeeds(top);
        continue;
      }
      stack_.pop_back();
      if (mark == Mark::kFinished) continue;
      mark = Mark::kFinished;
      order_.push_back(top);
    }
  }
  void PushNeeds(InstructionId id) {
    const auto operands = module_.operands(id);
    for (size_t i = operands.size(); i-- > 0;) Push(operands[i]);
    for (InstructionId before : module_.control_predecessors(id)) Push(before);
  }
  void Push(InstructionId id) {
    const size_t place = id - base_;
    if (place < marks_.size() && marks_[place] != Mark::kFinished) stack_.push_back(id);
  }

  const Module& module_;
  const std::vector<InstructionId>& list_;
  InstructionId base_ = 0;
  std::vector<Mark> marks_;
  std::vector<InstructionId> stack_, order_;
};

}  // namespace

std::vector<InstructionId> PostOrder(const Module& module, ComputationId id) {
  PostOrderWalk walk(module, module.computation(id));
  return walk.Walk();
}

namespace {

class CallWalk {
 public:
  explicit CallWalk(const Module& module)
      : module_(module), visited_(module.num_computations(), false) {}

  // Callees of `root`, itself left out.
  std::vector<ComputationId> Embedded(ComputationId root) {
    std::fill(visited_.begin(), visited_.end(), false);
    std::vector<ComputationId> result;
    for (InstructionId i : module_.computation(root).instructions) {
      PushCallees(i);
      while (!stack_.empty()) Step(&result);
    }
    return result;
  }

 private:
  struct Frame {
    ComputationId computation;
    size_t next;
  };

  void PushCallees(InstructionId i) {
    const auto called = module_.called(i);
    for (size_t k = called.size(); k-- > 0;) {
      if (visited_[called[k]]) continue;
      visited_[called[k]] = true;
      stack_.push_back({called[k], 0});
    }
  }
  void Step(std::vector<ComputationId>* result) {
    Frame& top = stack_.back();
    const auto& instructions = module_.computation(top.computation).instructions;
    if (top.next == instructions.size()) {
      result->push_back(top.computation);
      stack_.pop_back();
      return;
    }
    PushCallees(instructions[top.next++]);
  }

  const Module& module_;
  std::vector<bool> visited_;
  std::vector<Frame> stack_;
};

}  // namespace

std::vector<ComputationId> ComputationPostOrder(const Module& module) {
  const size_t n = module.num_computations();
  std::vector<bool> called(n), done(n);
  for (ComputationId c = 0; c < n; ++c) {
    for (InstructionId i : module.computation(c).instructions) {
      for (ComputationId callee : module.called(i)) called[callee] = true;
    }
  }
  CallWalk walk(module);
  std::vector<ComputationId> order;
  const auto add = [&](ComputationId c) {
    if (!done[c] && !module.computation(c).removed) order.push_back(c);
    done[c] = true;
  };
  for (ComputationId root = 0; root < n; ++root) {
    if (called[root] || module.computation(root).removed) continue;
    for (ComputationId c : walk.Embedded(root)) add(c);
    add(root);
  }
  return order;
}

}  // namespace tessera::hlo
