// Orders that loops and their bodies tell each other (layout_constraints.h).
//
//   w = (s32[], f32[8,64]) while(t), body=b, ..    // what t has at 1, b takes and gives there, w has there: one order
//
// An array that a loop carries has one order wherever it is. When orders spread no further, the places
// without one take that of the body's argument. Then they take that of the result, then that of the loop's
// initial value. A body whose result has another order than its argument takes the argument in that of the
// result.
//
// The sequence was found in the log of XLA's compiler. Cost: linear in what loops carry, for each round in
// which something was told. Tested by layout_assignment_test.cc.

#include <utility>
#include <vector>

#include "tessera/target/gpu/layouts/layout_constraints.h"

namespace tessera::target {

std::vector<BufferId> LayoutConstraints::SourcesOf(InstructionId tuple) const {
  std::vector<BufferId> sources;
  for (size_t leaf = 0; leaf < LeavesOf(program_.shape(tuple)); ++leaf)
    sources.push_back(buffers_.Of(tuple, static_cast<int64_t>(leaf)));
  return sources;
}

void LayoutConstraints::AddCalls(ComputationId c) {
  for (const InstructionId id : program_.PostOrder(c)) {
    if (program_.opcode(id) == Opcode::kWhile) AddLoop(id);
    if (program_.opcode(id) == Opcode::kConditional) AddBranches(id);
  }
}

void LayoutConstraints::AddLoop(InstructionId loop) {
  const auto& callees = program_.module().called(loop);
  const hlo::Computation& body = program_.module().computation(callees[0]);
  const hlo::Computation& condition = program_.module().computation(callees[1]);
  Carried carried;
  carried.at[Carried::kInit] = SourcesOf(program_.operand(loop, 0));
  carried.at[Carried::kTaken] = SourcesOf(body.parameters.front());
  carried.at[Carried::kTested] = SourcesOf(condition.parameters.front());
  carried.at[Carried::kGiven] = SourcesOf(body.root);
  carried.at[Carried::kResult] = SourcesOf(loop);
  if (program_.opcode(body.root) == Opcode::kTuple) {
    for (size_t k = 0; k < program_.operands(body.root).size(); ++k)
      next_.try_emplace(program_.operand(body.root, k), carried.at[Carried::kTaken][k]);
  }
  AddCarried(std::move(carried));
  caller_[callees[0]] = loop;
}

// Arguments of a branch, and results of all.
void LayoutConstraints::AddBranches(InstructionId conditional) {
  const auto& callees = program_.module().called(conditional);
  for (size_t b = 0; b < callees.size(); ++b) {
    const hlo::Computation& branch = program_.module().computation(callees[b]);
    Carried taken, given;
    taken.at[Carried::kInit] = SourcesOf(program_.operand(conditional, b + 1));
    taken.at[Carried::kTaken] = SourcesOf(branch.parameters.front());
    given.at[Carried::kTaken] = SourcesOf(branch.root);
    given.at[Carried::kResult] = SourcesOf(conditional);
    AddCarried(std::move(taken));
    AddCarried(std::move(given));
    caller_[callees[b]] = conditional;
  }
}

void LayoutConstraints::AddCarried(Carried carried) {
  for (size_t place = 0; place < Carried::kPlaces; ++place) {
    const std::vector<BufferId>& at = carried.at[place];
    carried.has_news[place].assign(at.size(), true);
    carried.has_any_news[place] = true;
    for (size_t leaf = 0; leaf < at.size(); ++leaf) {
      places_[at[leaf]].emplace_back(carried_.size(), leaf);
    }
  }
  carried_.push_back(std::move(carried));
}

// Every place may have to tell the others again.
void LayoutConstraints::NoteNews(const BufferId& buffer) {
  const auto found = places_.find(buffer);
  if (found == places_.end()) return;
  has_news_ = true;
  for (const auto& [loop, leaf] : found->second) {
    Carried& carried = carried_[loop];
    for (size_t place = 0; place < Carried::kPlaces; ++place) {
      if (leaf >= carried.has_news[place].size()) continue;
      carried.has_news[place][leaf] = carried.has_any_news[place] = true;
    }
  }
}

// A body takes an element in the order in which it gives it.
void LayoutConstraints::SpreadToCarried(const BufferId& buffer, const Order& order) {
  const auto taken = next_.find(buffer.first);
  if (taken == next_.end() || !program_.shape(buffer.first).is_array()) return;
  SetBuffer(taken->second, order, kMay);
}

// Whether the place takes the order. `replaces` another one, where that need not be.
bool LayoutConstraints::TellPlace(const BufferId& place, const Order& order, bool replaces) {
  const auto found = orders_.find(place);
  if (found == orders_.end()) {
    SetBuffer(place, order, kMay);
    return true;
  }
  if (!replaces || found->second.force.must || found->second.order == order) return false;
  const Force force = {true, true, found->second.force.rank + 1};
  SetBuffer(place, order, force);
  for (const OperandId& use : buffers_.UsesOf(place)) SetOperand(use, order, force);
  return true;
}

bool LayoutConstraints::TellElement(const Carried& loop, Carried::Place from, size_t leaf) {
  const BufferId& told = loop.at[from][leaf];
  const auto found = orders_.find(told);
  if (found == orders_.end()) return false;
  const Order order = found->second.order;
  bool is_taken = false;
  for (const auto& place : loop.at) {
    if (!place.empty() && place[leaf] != told)
      is_taken |= TellPlace(place[leaf], order, from == Carried::kTaken);
  }
  return is_taken;
}

// What was told, and none took, need not be told again until something is settled.
void LayoutConstraints::Tell(Carried& loop, Carried::Place from) {
  if (!std::exchange(loop.has_any_news[from], false)) return;
  bool told = false;
  for (size_t leaf = 0; leaf < loop.at[from].size(); ++leaf) {
    if (!loop.has_news[from][leaf]) continue;
    const bool is_taken = TellElement(loop, from, leaf);
    loop.has_news[from][leaf] = is_taken;
    told |= is_taken;
  }
  loop.has_any_news[from] |= told;
  if (told) Spread();
}

void LayoutConstraints::TellLoops() {
  for (Carried& loop : carried_) Tell(loop, Carried::kTaken);
  for (auto loop = carried_.rbegin(); loop != carried_.rend(); ++loop) {
    Tell(*loop, Carried::kResult);
    Tell(*loop, Carried::kInit);
    Tell(*loop, Carried::kTaken);
  }
}

void LayoutConstraints::SpreadAll() {
  Spread();
  while (has_news_) {
    has_news_ = false;
    TellLoops();
  }
}

// A computation that is called gives what its caller has.
void LayoutConstraints::Agree() {
  for (const Carried& loop : carried_) {
    for (size_t leaf = 0; leaf < loop.at[Carried::kGiven].size(); ++leaf) {
      const auto given = orders_.find(loop.at[Carried::kGiven][leaf]);
      if (given == orders_.end()) continue;
      const Order order = given->second.order;
      for (const auto place : {Carried::kTaken, Carried::kTested, Carried::kResult})
        SetBuffer(loop.at[place][leaf], order, kMust);
    }
    Spread();
  }
}

std::vector<Order> LayoutConstraints::ResultsOf(ComputationId c) const {
  const InstructionId root = program_.module().computation(c).root;
  const auto caller = caller_.find(c);
  if (caller != caller_.end()) return OrdersOf(caller->second);
  if (c != program_.module().entry_id()) return OrdersOf(root);
  std::vector<Order> rows;
  for (const BufferId& buffer : SourcesOf(root))
    rows.push_back(DefaultOrder(buffers_.ShapeOf(buffer).dims().size()));
  return rows;
}

}  // namespace tessera::target
