#include "tessera/target/dataflow/instantiate.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/call_limits.h"
#include "tessera/target/union_find.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {

using hlo::InstructionId;
using hlo::Opcode;

absl::StatusOr<Dataflow> FindDataflow(const hlo::Module& module, EqualGathers gathers) {
  TESSERA_RETURN_IF_ERROR(hlo::CheckNesting(module));
  const auto enters = [&](InstructionId id) {
    return hlo::IsControlFlow(module.instruction(id).opcode);
  };
  TESSERA_RETURN_IF_ERROR(
      hlo::CheckUnfolded(module, enters, "with a copy of what each call runs, the module"));
  return Instantiation(module, gathers).Run();
}

Instantiation::Instantiation(const hlo::Module& module, EqualGathers gathers)
    : module_(module), effects_(module), order_(module), keys_(module, gathers) {
  flow_.module = &module;
  flow_.values.reserve(module.num_instructions());
  flow_.nodes.reserve(module.num_instructions());
  same_.reserve(module.num_instructions());
}

Dataflow Instantiation::Run() {
  const ScopeId entry = AddScope(kNone, kNone);
  EqualNodes equal(flow_, &keys_);
  Leaves results = Enter(module_.entry_id(), entry, &equal, nullptr);
  flow_.scopes[entry].roots.assign(results.begin(), results.end());
  SortArguments();
  RemoveDead();
  return std::move(flow_);
}

// In the order of the parameters' numbers, as aliases count them.
void Instantiation::SortArguments() {
  absl::c_stable_sort(flow_.arguments, [&](ValueId a, ValueId b) {
    const auto number = [&](ValueId v) {
      return module_.instruction(flow_.NodeOf(v)->instruction).parameter_number;
    };
    return number(a) < number(b);
  });
}

Instantiation::Leaves Instantiation::Enter(hlo::ComputationId c, ScopeId scope, EqualNodes* equal,
                                           const std::vector<Leaves>* arguments) {
  Frame frame{scope, equal, arguments, {}};
  const std::vector<InstructionId> order = order_.Of(c);
  frame.leaves.reserve(order.size());
  for (const InstructionId id : order) frame.leaves[id] = Visit(id, &frame);
  return frame.leaves[module_.computation(c).root];
}

Instantiation::Leaves Instantiation::Visit(InstructionId id, Frame* frame) {
  const hlo::Instruction& i = module_.instruction(id);
  switch (i.opcode) {
    case Opcode::kParameter:
      if (frame->arguments != nullptr) return (*frame->arguments)[i.parameter_number];
      return Compute(id, {}, frame);
    case Opcode::kTuple:
    case Opcode::kCopy:
    case Opcode::kDomain:
      return AllOperands(id, *frame);
    case Opcode::kAddDependency:
      return frame->leaves[module_.operands(id)[0]];
    case Opcode::kGetTupleElement:
      return Element(id, *frame);
    case Opcode::kCall:
      return Call(id, frame);
    case Opcode::kWhile:
      return Loop(id, frame);
    case Opcode::kConditional:
      return Branches(id, frame);
    case Opcode::kSelect:
      return Choose(id, frame);
    case Opcode::kConvert:
      if (i.shape == module_.shape_id(module_.operands(id)[0])) return AllOperands(id, *frame);
      [[fallthrough]];
    default:
      return Compute(id, AllOperands(id, *frame), frame);
  }
}

Instantiation::Leaves Instantiation::AllOperands(InstructionId id, const Frame& frame) const {
  Leaves all;
  for (const InstructionId operand : module_.operands(id)) {
    const Leaves& leaves = frame.leaves.at(operand);
    all.insert(all.end(), leaves.begin(), leaves.end());
  }
  return all;
}

// Of two equal values XLA chooses none.
Instantiation::Leaves Instantiation::Choose(InstructionId id, Frame* frame) {
  Leaves operands = AllOperands(id, *frame);
  if (operands[1] == operands[2]) return {operands[1]};
  return Compute(id, std::move(operands), frame);
}

Instantiation::Leaves Instantiation::Element(InstructionId id, const Frame& frame) {
  const InstructionId tuple = module_.operands(id)[0];
  const size_t first = numbers_.Of(module_.shape(tuple), {hlo::GetTupleIndex(module_, id)});
  const auto begin = frame.leaves.at(tuple).begin() + static_cast<ptrdiff_t>(first);
  return Leaves(begin, begin + static_cast<ptrdiff_t>(numbers_.Count(module_.shape(id))));
}

Instantiation::Leaves Instantiation::Call(InstructionId id, Frame* frame) {
  std::vector<Leaves> arguments;
  for (const InstructionId operand : module_.operands(id)) {
    arguments.push_back(frame->leaves[operand]);
  }
  return Enter(module_.called(id)[0], frame->scope, frame->equal, &arguments);
}

Instantiation::Leaves Instantiation::Loop(InstructionId id, Frame* frame) {
  const NodeId loop = AddNode(id, frame->scope);
  flow_.nodes[loop].operands = AllOperands(id, *frame);
  const ScopeId body = AddScope(loop, frame->scope);
  flow_.nodes[loop].bodies.push_back(body);
  std::vector<Leaves> parameters(1);
  layout::ForEachLeaf(module_.shape(id), [&](const layout::Shape& leaf) {
    const auto number = static_cast<uint32_t>(parameters[0].size());
    parameters[0].push_back(AddValue({&leaf, kNone, body, number}));
  });
  flow_.scopes[body].parameters.assign(parameters[0].begin(), parameters[0].end());
  EqualNodes equal(flow_, &keys_);
  const Leaves goes_on = Enter(module_.called(id)[1], body, &equal, &parameters);
  flow_.scopes[body].condition = goes_on[0];
  const Leaves roots = Enter(module_.called(id)[0], body, &equal, &parameters);
  flow_.scopes[body].roots.assign(roots.begin(), roots.end());
  SettleLoop(loop, 0);
  flow_.scopes[frame->scope].nodes.push_back(loop);
  Leaves results = flow_.nodes[loop].results;
  Replace(&results);
  return results;
}

Instantiation::Leaves Instantiation::Branches(InstructionId id, Frame* frame) {
  const NodeId node = AddNode(id, frame->scope);
  const auto operands = module_.operands(id);
  flow_.nodes[node].operands = frame->leaves[operands[0]];
  for (size_t k = 0; k < module_.called(id).size(); ++k) {
    const ScopeId branch = AddScope(node, frame->scope);
    flow_.nodes[node].bodies.push_back(branch);
    EqualNodes equal(flow_, &keys_);
    const std::vector<Leaves> arguments = {frame->leaves[operands[k + 1]]};
    const Leaves roots = Enter(module_.called(id)[k], branch, &equal, &arguments);
    flow_.scopes[branch].roots.assign(roots.begin(), roots.end());
  }
  flow_.scopes[frame->scope].nodes.push_back(node);
  return flow_.nodes[node].results;
}

Instantiation::Leaves Instantiation::Compute(InstructionId id, Leaves operands, Frame* frame) {
  const bool renumbers = module_.instruction(id).opcode == Opcode::kReshape;
  const Node* from = renumbers ? flow_.NodeOf(operands[0]) : nullptr;
  if (from != nullptr && from->opcode == Opcode::kReshape) operands = from->operands;
  const NodeId node = AddNode(id, frame->scope);
  flow_.nodes[node].operands = std::move(operands);
  const NodeId same = frame->equal->FindOrAdd(node);
  if (same != node) {  // the values of `node` stay, unused
    for (size_t k = 0; k < flow_.nodes[node].results.size(); ++k) {
      same_[flow_.nodes[node].results[k]] = flow_.nodes[same].results[k];
    }
  } else {
    flow_.scopes[frame->scope].nodes.push_back(node);
  }
  const Leaves results = flow_.nodes[same].results;
  if (flow_.nodes[same].opcode == Opcode::kParameter) {
    flow_.arguments.insert(flow_.arguments.end(), results.begin(), results.end());
  }
  return results;
}

ScopeId Instantiation::AddScope(NodeId owner, ScopeId parent) {
  flow_.scopes.push_back({owner, parent, {}, {}, {}, kNone});
  return static_cast<ScopeId>(flow_.scopes.size() - 1);
}

NodeId Instantiation::AddNode(InstructionId id, ScopeId scope) {
  const auto number = static_cast<NodeId>(flow_.nodes.size());
  Node& node = flow_.nodes.emplace_back();
  node.opcode = module_.instruction(id).opcode;
  node.instruction = id;
  node.scope = scope;
  node.has_side_effects = effects_.Of(id);
  layout::ForEachLeaf(module_.shape(id), [&](const layout::Shape& leaf) {
    const auto k = static_cast<uint32_t>(node.results.size());
    node.results.push_back(AddValue({&leaf, number, scope, k}));
  });
  return number;
}

ValueId Instantiation::AddValue(Value value) {
  const auto id = static_cast<ValueId>(flow_.values.size());
  flow_.values.push_back(value);
  same_.push_back(id);
  return id;
}

ValueId Instantiation::Find(ValueId v) { return RootOf(v, &same_); }

void Instantiation::Replace(Leaves* leaves) {
  for (ValueId& v : *leaves) v = Find(v);
}

}  // namespace tessera::target
