// Gives every caller a computation of its own.
//
// Computations are visited callees first; the first caller keeps the computation, every further
// mention gets a clone of it and of all that it calls:
//
//   entry: call(f), call(f)     ->     entry: call(f), call(f.clone)
//
// Who calls whom is looked up once, before anything changes. That stays right: what is cloned for c
// are c and its callees, and these clones call one another, never a computation that is still to be
// visited. Linear in the size of the result. Tested by passes_test.cc.

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/pipeline/passes/passes.h"

namespace tessera::pipeline::passes {
namespace {

using hlo::ComputationId;
using hlo::InstructionId;

// An instruction that names a computation, and where among all that it names.
struct Caller {
  InstructionId id;
  std::vector<uint32_t> places;
};

void AddCaller(const hlo::Module& module, InstructionId id,
               std::vector<std::vector<Caller>>* callers) {
  const auto called = module.called(id);
  for (uint32_t place = 0; place < called.size(); ++place) {
    std::vector<Caller>& list = (*callers)[called[place]];
    if (list.empty() || list.back().id != id) list.push_back({id, {}});
    list.back().places.push_back(place);
  }
}

// Of each computation, in order of the text.
std::vector<std::vector<Caller>> CallersOfEach(const hlo::Module& module) {
  std::vector<std::vector<Caller>> callers(module.num_computations());
  for (ComputationId c = 0; c < module.num_computations(); ++c) {
    if (module.computation(c).removed) continue;
    for (InstructionId id : module.computation(c).instructions) AddCaller(module, id, &callers);
  }
  return callers;
}

ComputationId CloneWithCallees(hlo::Builder* builder, ComputationId c) {
  hlo::Module& module = builder->module();
  const ComputationId clone = builder->CloneComputation(c, "clone");
  for (InstructionId id : std::vector<InstructionId>(module.computation(clone).instructions)) {
    std::vector<ComputationId> called(module.called(id).begin(), module.called(id).end());
    if (called.empty()) continue;
    for (ComputationId& callee : called) callee = CloneWithCallees(builder, callee);
    module.SetCalled(id, called);
  }
  return clone;
}

class Flattener {
 public:
  explicit Flattener(hlo::Builder* builder)
      : builder_(*builder), module_(builder->module()), callers_(CallersOfEach(module_)) {}

  // Gives clones of `c` to all callers but the first; true if there were any.
  bool Visit(ComputationId c) {
    SetCallees(c);
    bool changed = false;
    for (size_t i = 0; i < callers_[c].size(); ++i) {
      const Caller& caller = callers_[c][i];
      if (i == 0 && caller.places.size() == 1) continue;
      GiveClones(caller, c);
      changed = true;
    }
    return changed;
  }

  // Sets the callees of computations that were visited after their callers.
  void Finish() {
    for (const auto& [id, called] : called_) module_.SetCalled(id, called);
  }

 private:
  // So that clones of `c` name what it names by now.
  void SetCallees(ComputationId c) {
    for (InstructionId id : module_.computation(c).instructions) {
      const auto changed = called_.find(id);
      if (changed != called_.end()) module_.SetCalled(id, changed->second);
    }
  }

  void GiveClones(const Caller& caller, ComputationId c) {
    std::vector<ComputationId>& called = called_[caller.id];
    if (called.empty()) {
      called.assign(module_.called(caller.id).begin(), module_.called(caller.id).end());
    }
    for (uint32_t place : caller.places) called[place] = CloneWithCallees(&builder_, c);
  }

  hlo::Builder& builder_;
  hlo::Module& module_;
  const std::vector<std::vector<Caller>> callers_;
  absl::flat_hash_map<InstructionId, std::vector<ComputationId>> called_;
};

}  // namespace

bool FlattenCalls(hlo::Builder* builder) {
  Flattener flattener(builder);
  bool changed = false;
  for (ComputationId c : hlo::ComputationPostOrder(builder->module())) {
    changed |= flattener.Visit(c);
  }
  flattener.Finish();
  return changed;
}

}  // namespace tessera::pipeline::passes
