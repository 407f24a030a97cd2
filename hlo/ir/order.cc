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

#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/ir/list_order.h"

namespace tessera::hlo {

UserMap FindUsers(const Module& module, ComputationId id) {
  UserMap users;
  users.reserve(module.computation(id).instructions.size());
  for (InstructionId user : module.computation(id).instructions) {
    for (InstructionId operand : module.operands(user)) users[operand].push_back(user);
  }
  return users;
}

// A depth-first walk from the root. Only if it misses instructions, walks begin also at each one
// without users (a control successor is no user).
const std::vector<InstructionId>& PostOrderWalk::Of(ComputationId id) {
  const Computation& computation = module_.computation(id);
  const std::vector<InstructionId>& list = computation.instructions;
  order_.clear();
  if (list.empty()) return order_;
  if (const auto* found = ListOrder(module_, computation).Find(&order_)) return *found;
  const auto [low, high] = std::minmax_element(list.begin(), list.end());
  base_ = *low;
  marks_.assign(*high - *low + 1, Mark::kNew);
  order_.reserve(list.size());
  has_predecessors_ = false;
  if (computation.root - base_ < marks_.size()) Visit(computation.root);
  if (order_.size() == list.size() && !has_predecessors_) return order_;
  order_.clear();
  std::fill(marks_.begin(), marks_.end(), Mark::kNew);
  for (InstructionId user : list) {
    for (InstructionId operand : module_.operands(user)) {
      if (operand - base_ < marks_.size()) marks_[operand - base_] = Mark::kUsed;
    }
  }
  for (InstructionId i : list) {
    if (marks_[i - base_] == Mark::kNew) Visit(i);
  }
  return order_;
}

void PostOrderWalk::Visit(InstructionId root) {
  size_t top = 0;  // one above the topmost
  if (stack_.empty()) stack_.resize(64);
  stack_[top++] = root;
  while (top != 0) {
    const InstructionId id = stack_[top - 1];
    Mark& mark = marks_[id - base_];
    if (mark < Mark::kEntered) {
      mark = Mark::kEntered;
      const auto operands = module_.operands(id);
      const auto predecessors = module_.control_predecessors(id);
      has_predecessors_ |= !predecessors.empty();
      const size_t needed = top + operands.size() + predecessors.size();
      if (needed > stack_.size()) stack_.resize(2 * needed);
      const size_t before = top;
      const auto push = [&](InstructionId other) {
        const size_t place = other - base_;
        if (place < marks_.size() && marks_[place] != Mark::kFinished) stack_[top++] = other;
      };
      for (size_t i = operands.size(); i-- > 0;) push(operands[i]);
      for (InstructionId predecessor : predecessors) push(predecessor);
      if (top != before) continue;
    }
    --top;
    if (mark == Mark::kFinished) continue;
    mark = Mark::kFinished;
    order_.push_back(id);
  }
}

std::vector<InstructionId> PostOrder(const Module& module, ComputationId id) {
  return PostOrderWalk(module).Of(id);
}

namespace {

bool HasOperandsFirst(const Module& module, const std::vector<InstructionId>& list) {
  absl::flat_hash_set<InstructionId> seen;
  for (InstructionId id : list) {
    for (InstructionId operand : module.operands(id)) {
      if (!seen.contains(operand)) return false;
    }
    for (InstructionId predecessor : module.control_predecessors(id)) {
      if (!seen.contains(predecessor)) return false;
    }
    seen.insert(id);
  }
  return true;
}

}  // namespace

std::vector<InstructionId> ProgramOrder(const Module& module, ComputationId id) {
  const Computation& c = module.computation(id);
  if (c.names_elements && HasOperandsFirst(module, c.instructions)) return c.instructions;
  return PostOrder(module, id);
}

CallSites::CallSites(const Module& module) {
  for (ComputationId c = 0; c < module.num_computations(); ++c) {
    Begin();
    for (InstructionId i : module.computation(c).instructions) {
      if (!module.called(i).empty()) Add(i);
    }
  }
  Begin();
}

namespace {

class CallWalk {
 public:
  CallWalk(const Module& module, const CallSites& sites)
      : module_(module), sites_(sites), visited_(module.num_computations(), false) {}

  // Callees of `root`, itself left out.
  std::vector<ComputationId> Embedded(ComputationId root) {
    std::fill(visited_.begin(), visited_.end(), false);
    std::vector<ComputationId> result;
    for (InstructionId i : sites_.Of(root)) {
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
    const auto sites = sites_.Of(top.computation);
    if (top.next == sites.size()) {
      result->push_back(top.computation);
      stack_.pop_back();
      return;
    }
    PushCallees(sites[top.next++]);
  }

  const Module& module_;
  const CallSites& sites_;
  std::vector<bool> visited_;
  std::vector<Frame> stack_;
};

}  // namespace

std::vector<ComputationId> ComputationPostOrder(const Module& module) {
  return ComputationPostOrder(module, CallSites(module));
}

std::vector<ComputationId> ComputationPostOrder(const Module& module, const CallSites& sites) {
  const size_t n = module.num_computations();
  std::vector<bool> called(n), done(n);
  for (InstructionId i : sites.all()) {
    for (ComputationId callee : module.called(i)) called[callee] = true;
  }
  CallWalk walk(module, sites);
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
