#include "tessera/target/kernels/fused.h"

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/leaves.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

// The nodes of a value, one for each array of it.
using Nodes = absl::InlinedVector<int32_t, 1>;

class Inliner {
 public:
  explicit Inliner(const hlo::Module& module) : module_(module) {}

  // An array is read once, however many operands it is.
  int32_t Input(InstructionId id) {
    const auto [it, is_new] = inputs_.try_emplace(id, 0);
    if (is_new) it->second = body_.AddInput(id, IsInFastMemory(module_.shape(id)));
    return it->second;
  }

  Nodes Inline(InstructionId fusion, const std::vector<Nodes>& arguments) {
    if (module_.called(fusion).empty()) return {};
    const hlo::Computation& callee = module_.computation(module_.called(fusion)[0]);
    absl::flat_hash_map<InstructionId, Nodes> known;
    for (const InstructionId id : callee.instructions) {
      known.emplace(id, NodesOf(id, arguments, known));
    }
    const auto root = known.find(callee.root);
    return root == known.end() ? Nodes() : root->second;
  }

  Body& body() { return body_; }

 private:
  Nodes NodesOf(InstructionId id, const std::vector<Nodes>& arguments,
                const absl::flat_hash_map<InstructionId, Nodes>& known) {
    const hlo::Instruction& instruction = module_.instruction(id);
    if (instruction.opcode == Opcode::kParameter) {
      const uint32_t number = instruction.parameter_number;
      return number < arguments.size() ? arguments[number] : Nodes();
    }
    std::vector<Nodes> operands;
    for (const InstructionId operand : module_.operands(id)) {
      const auto it = known.find(operand);
      operands.push_back(it == known.end() ? Nodes() : it->second);
    }
    switch (instruction.opcode) {
      case Opcode::kFusion:
      case Opcode::kCall:
        return Inline(id, operands);
      case Opcode::kBitcast:
      case Opcode::kOptBarrier:
        return operands.empty() ? Nodes() : operands[0];
      case Opcode::kTuple:
        return Joined(operands);
      case Opcode::kGetTupleElement:
        return Element(id, operands);
      default:
        return Nodes({body_.Add(id, Joined(operands))});
    }
  }

  static Nodes Joined(const std::vector<Nodes>& operands) {
    Nodes all;
    for (const Nodes& nodes : operands) all.insert(all.end(), nodes.begin(), nodes.end());
    return all;
  }

  // What has several results without a tuple instruction is one node.
  Nodes Element(InstructionId id, const std::vector<Nodes>& operands) const {
    if (operands.empty() || operands[0].empty()) return {};
    const int64_t index = hlo::GetTupleIndex(module_, id);
    if (index < 0 || static_cast<size_t>(index) >= operands[0].size()) return {operands[0][0]};
    return {operands[0][static_cast<size_t>(index)]};
  }

  const hlo::Module& module_;
  Body body_;
  absl::flat_hash_map<InstructionId, int32_t> inputs_;
};

void AddOutputs(const layout::Shape& shape, const Nodes& nodes, Body* body) {
  size_t k = 0;
  layout::ForEachLeaf(shape, [&](const layout::Shape& leaf) {
    if (k < nodes.size()) body->AddOutput(nodes[k], IsInFastMemory(leaf));
    ++k;
  });
}

}  // namespace

bool IsInFastMemory(const layout::Shape& array) {
  return array.is_array() && array.has_layout() && array.layout().memory_space == 1;
}

Body BodyOfFusion(const hlo::Module& module, InstructionId fusion) {
  Inliner inliner(module);
  std::vector<Nodes> arguments;
  for (const InstructionId operand : module.operands(fusion)) {
    arguments.push_back({inliner.Input(operand)});
  }
  const Nodes results = inliner.Inline(fusion, arguments);
  AddOutputs(module.shape(fusion), results, &inliner.body());
  return std::move(inliner.body());
}

Body BodyOfOne(const hlo::Module& module, InstructionId id) {
  Inliner inliner(module);
  Nodes operands;
  for (const InstructionId operand : module.operands(id)) {
    operands.push_back(inliner.Input(operand));
  }
  Body& body = inliner.body();
  const int32_t node = body.Add(id, operands);
  bool is_fast = false;
  layout::ForEachLeaf(module.shape(id),
                      [&](const layout::Shape& leaf) { is_fast |= IsInFastMemory(leaf); });
  body.AddOutput(node, is_fast);
  return std::move(body);
}

}  // namespace tessera::target
