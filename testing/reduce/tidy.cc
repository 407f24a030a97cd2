#include "tessera/testing/reduce/tidy.h"

#include <algorithm>
#include <vector>

#include "tessera/layout/leaves.h"

namespace tessera::testing::reduce {
namespace {

using hlo::InstructionId;
using hlo::Module;

// Users of each instruction of the module, a root having one more.
std::vector<int> CountUsers(const Module& module) {
  std::vector<int> users(module.num_instructions(), 0);
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    if (module.computation(c).removed) continue;
    ++users[module.computation(c).root];
    for (InstructionId id : module.computation(c).instructions) {
      for (InstructionId operand : module.operands(id)) ++users[operand];
      for (InstructionId p : module.control_predecessors(id)) ++users[p];
    }
  }
  return users;
}

class Sweep {
 public:
  Sweep(const Module& before, Module& module)
      : module_(module), users_(CountUsers(module)), is_dead_(module.num_instructions(), false) {
    had_users_.assign(module.num_instructions(), 1);
    const std::vector<int> old = CountUsers(before);
    std::copy(old.begin(), old.end(), had_users_.begin());
  }

  void Run() {
    for (hlo::ComputationId c = 0; c < module_.num_computations(); ++c) {
      if (module_.computation(c).removed) continue;
      for (InstructionId id : module_.computation(c).instructions) Look(id);
      auto& list = module_.mutable_computation(c).instructions;
      list.erase(
          std::remove_if(list.begin(), list.end(), [&](InstructionId id) { return is_dead_[id]; }),
          list.end());
    }
  }

 private:
  // An instruction that dies may leave others without users.
  void Look(InstructionId first) {
    std::vector<InstructionId> todo = {first};
    while (!todo.empty()) {
      const InstructionId id = todo.back();
      todo.pop_back();
      const bool is_input = module_.instruction(id).opcode == hlo::Opcode::kParameter;
      if (is_dead_[id] || is_input || users_[id] > 0 || had_users_[id] == 0) continue;
      is_dead_[id] = true;
      for (InstructionId operand : module_.operands(id)) Release(operand, todo);
      for (InstructionId p : module_.control_predecessors(id)) Release(p, todo);
    }
  }

  void Release(InstructionId id, std::vector<InstructionId>& todo) {
    if (--users_[id] == 0) todo.push_back(id);
  }

  Module& module_;
  std::vector<int> users_, had_users_;
  std::vector<bool> is_dead_;
};

// One flag for all, or one for each.
void Fit(size_t n, std::vector<bool>& flags) {
  if (flags.size() > 1 && flags.size() != n) flags.resize(std::max<size_t>(n, 1), false);
}

std::vector<hlo::ShapeId> Signature(const Module& module) {
  std::vector<hlo::ShapeId> shapes;
  for (InstructionId id : module.entry().parameters) shapes.push_back(module.shape_id(id));
  shapes.push_back(module.shape_id(module.entry().root));
  return shapes;
}

}  // namespace

void Tidy(const Module& before, hlo::Builder& builder) {
  Module& module = builder.module();
  Sweep(before, module).Run();
  builder.RemoveUnreachableComputations();
  if (Signature(before) == Signature(module)) return;
  hlo::ModuleHeader& header = module.mutable_header();
  header.entry_layout.reset();
  header.input_output_alias.clear();
  header.buffer_donor.clear();
  Fit(module.entry().parameters.size(), header.spmd_propagation_to_parameters);
  Fit(layout::NumLeaves(module.shape(module.entry().root)), header.spmd_propagation_to_output);
}

}  // namespace tessera::testing::reduce
