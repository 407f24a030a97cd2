#include "tessera/pipeline/verbs/golden/module_recording.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/leaves.h"
#include "tessera/pipeline/tensors.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
using sharding::MeshId;
using sharding::TensorSharding;
using sharding::golden::Entry;
using sharding::golden::Recording;

// More of them make long lines, and find nothing that these do not find.
constexpr size_t kMaxOperands = 4;

// One array of the value of an instruction.
struct Leaf {
  InstructionId id;
  size_t index;
};

// From an operand to the instruction that makes the array, through the tuples of the text.
class OperandFinder {
 public:
  explicit OperandFinder(const hlo::Module& module) : module_(module) {}

  // The source of array `index` of the instruction: that array of a lone operand with as many, else
  // the first arrays of all operands.
  std::vector<std::string> NamesOf(InstructionId id, size_t index) {
    const absl::Span<const InstructionId> operands = module_.operands(id);
    const size_t count = CountOf(id);
    if (count > 1 && operands.size() == 1 && CountOf(operands[0]) == count) {
      return {NameOf(Trace({operands[0], index}))};
    }
    std::vector<std::string> names;
    for (const InstructionId operand : operands) {
      for (size_t k = 0; k < CountOf(operand) && names.size() < kMaxOperands; ++k) {
        names.push_back(NameOf(Trace({operand, k})));
      }
    }
    return names;
  }

  std::string NameOf(const Leaf& leaf) {
    const std::string name(module_.instruction(leaf.id).name);
    return CountOf(leaf.id) == 1 ? name : absl::StrCat(name, "{", leaf.index, "}");
  }

  Leaf Trace(Leaf leaf) {
    while (true) {
      const Opcode opcode = module_.instruction(leaf.id).opcode;
      if (opcode == Opcode::kGetTupleElement) {
        const int64_t element = hlo::GetTupleIndex(module_, leaf.id);
        leaf.id = module_.operands(leaf.id)[0];
        leaf.index += numbers_.Of(module_.shape(leaf.id), {element});
      } else if (opcode == Opcode::kTuple) {
        const auto [element, index] = numbers_.ElementOf(module_.shape(leaf.id), leaf.index);
        leaf = {module_.operands(leaf.id)[element], index};
      } else {
        return leaf;
      }
    }
  }

 private:
  size_t CountOf(InstructionId id) { return numbers_.Count(module_.shape(id)); }

  const hlo::Module& module_;
  layout::LeafNumbers numbers_;
};

class Recorder {
 public:
  explicit Recorder(const PropagatedModule& sharded) : s_(sharded), operands_(sharded.module) {}

  Recording Record(std::string reference) {
    out_.reference = std::move(reference);
    AddMeshes();
    std::vector<Tensor> tensors = ListTensors(s_);
    // The parameters of the entry come first, by number.
    const auto others = std::stable_partition(
        tensors.begin(), tensors.end(), [&](const Tensor& t) { return ParameterNumber(t) >= 0; });
    std::stable_sort(tensors.begin(), others, [&](const Tensor& a, const Tensor& b) {
      return ParameterNumber(a) < ParameterNumber(b);
    });
    out_.entries.reserve(tensors.size());
    for (const Tensor& tensor : tensors) Add(tensor);
    tensors = {};
    AddResults();
    LinkOperands(&out_);
    KeepLinkedNames();
    return std::move(out_);
  }

 private:
  // -1 for what is no parameter of the entry.
  int64_t ParameterNumber(const Tensor& tensor) const {
    const hlo::Instruction& i = s_.module.instruction(tensor.instruction);
    const bool is_in_entry = &s_.module.computation(i.computation) == &s_.module.entry();
    if (i.opcode != Opcode::kParameter || !is_in_entry) return -1;
    return static_cast<int64_t>(i.parameter_number);
  }

  void AddMeshes() {
    const sharding::MeshTable& meshes = s_.program->meshes();
    mesh_ids_.assign(meshes.size(), sharding::kNoMesh);
    for (MeshId id = 0; id < meshes.size(); ++id) {
      const sharding::Mesh& mesh = meshes.mesh(id);
      if (mesh.num_axes() == 0) continue;
      const auto known = out_.meshes.FindEqual(mesh);
      mesh_ids_[id] = known.has_value() ? *known : AddMesh(mesh);
    }
    for (MeshId id = 0; id < meshes.size(); ++id) {
      if (meshes.mesh(id).is_maximal()) mesh_ids_[id] = out_.meshes.AddInlined(meshes.mesh(id));
    }
  }

  MeshId AddMesh(const sharding::Mesh& mesh) {
    const size_t number = out_.meshes.size();
    return *out_.meshes.Add(number == 0 ? "mesh" : absl::StrCat("mesh", number), mesh);
  }

  void SetSharding(const Tensor& tensor, Entry* entry) const {
    entry->shape = tensor.shape->WithoutLayout();
    if (tensor.sharding == nullptr) return;
    TensorSharding sharding = sharding::ClosedLike(*tensor.sharding);
    if (sharding.mesh_id() != sharding::kNoMesh)
      sharding.set_mesh_id(mesh_ids_[sharding.mesh_id()]);
    if (sharding::golden::DeviceOf(out_.meshes, sharding).has_value()) {
      sharding = TensorSharding(sharding.mesh_id(), static_cast<int>(entry->shape.rank()));
    }
    entry->sharding = std::move(sharding);
  }

  static bool HasNothingToShard(const Entry& entry) {
    if (entry.shape.rank() > 0) return false;
    return !entry.sharding.has_value() || entry.sharding->unreduced_axes().empty();
  }

  void Add(const Tensor& tensor) {
    Entry entry;
    SetSharding(tensor, &entry);
    if (HasNothingToShard(entry)) return;
    entry.name = tensor.name;
    const bool is_argument = ParameterNumber(tensor) >= 0;
    const hlo::Instruction& i = s_.module.instruction(tensor.instruction);
    entry.opcode =
        std::string(is_argument ? sharding::golden::kArgument : hlo::OpcodeName(i.opcode));
    entry.operand_names = operands_.NamesOf(tensor.instruction, IndexOf(tensor));
    entry.op_name = tensor.op_name;
    entry.source = tensor.location;
    out_.entries.push_back(std::move(entry));
  }

  // The array that a tensor is of its instruction: K of `NAME{K}`.
  size_t IndexOf(const Tensor& tensor) const {
    const size_t name = s_.module.instruction(tensor.instruction).name.size();
    size_t index = 0;
    for (size_t at = name + 1; at + 1 < tensor.name.size(); ++at) {
      index = index * 10 + static_cast<size_t>(tensor.name[at] - '0');
    }
    return index;
  }

  void AddResults() {
    const InstructionId root = s_.module.entry().root;
    size_t index = 0;
    for (const Tensor& tensor : ListResults(s_)) {
      Entry entry;
      SetSharding(tensor, &entry);
      const Leaf leaf = operands_.Trace({root, index++});
      if (HasNothingToShard(entry)) continue;
      entry.name = tensor.name;
      entry.opcode = std::string(sharding::golden::kResult);
      entry.op_name = tensor.op_name;
      entry.operand_names = {operands_.NameOf(leaf)};
      out_.entries.push_back(std::move(entry));
    }
  }

  // A reader finds every operand in the file.
  void KeepLinkedNames() {
    for (Entry& entry : out_.entries) {
      std::vector<std::string> names;
      std::vector<int> operands;
      for (size_t k = 0; k < entry.operands.size(); ++k) {
        if (entry.operands[k] < 0) continue;
        names.push_back(std::move(entry.operand_names[k]));
        operands.push_back(entry.operands[k]);
      }
      entry.operand_names = std::move(names);
      entry.operands = std::move(operands);
    }
  }

  const PropagatedModule& s_;
  OperandFinder operands_;
  Recording out_;
  std::vector<MeshId> mesh_ids_;  // of the program's meshes in the recording
};

}  // namespace

Recording RecordingOf(const PropagatedModule& sharded, std::string reference) {
  return Recorder(sharded).Record(std::move(reference));
}

}  // namespace tessera::pipeline
