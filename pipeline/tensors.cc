#include "tessera/pipeline/tensors.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/stack_frames.h"
#include "tessera/pipeline/spec_text.h"
#include "tessera/sharding/graph/sharding_access.h"
#include "tessera/sharding/graph/walk.h"

namespace tessera::pipeline {
namespace {

using sharding::TensorSharding;
using sharding::graph::Graph;
using sharding::graph::LeafTable;
using sharding::graph::Op;
using sharding::graph::Value;

// file:line of an instruction, from its own metadata or the frame that it names.
class Locations {
 public:
  explicit Locations(const hlo::Module& module)
      : module_(module), frames_(hlo::ParseStackFrames(module.header().stack_frames)) {}

  std::string Of(hlo::InstructionId id) const {
    const hlo::Metadata metadata = hlo::GetMetadata(module_, id);
    if (!metadata.source_file.empty()) {
      return absl::StrCat(metadata.source_file, ":", metadata.source_line);
    }
    const hlo::StackFrame* frame = At(frames_.frames, metadata.stack_frame_id);
    const hlo::FileLocation* place =
        frame == nullptr ? nullptr : At(frames_.locations, frame->location);
    const std::string* file = place == nullptr ? nullptr : At(frames_.file_names, place->file);
    return file == nullptr ? "" : absl::StrCat(*file, ":", place->line);
  }

 private:
  // Numbers are from 1.
  template <typename T>
  static const T* At(const std::vector<T>& list, int64_t number) {
    const bool known = number >= 1 && number <= static_cast<int64_t>(list.size());
    return known ? &list[static_cast<size_t>(number - 1)] : nullptr;
  }

  const hlo::Module& module_;
  hlo::StackFrames frames_;
};

class Lister {
 public:
  explicit Lister(const Sharded& sharded)
      : module_(sharded.module), graph_(*sharded.graph), locations_(module_) {
    ForEachOp(graph_, [&](Op* op) {
      if (op->source != hlo::kNoId && op->num_results() > 0) copies_.try_emplace(op->source, op);
    });
  }

  std::vector<Tensor> List() {
    for (const LeafTable& table : graph_.leaf_tables()) {
      if (!IsLive(*table.block())) continue;
      for (hlo::InstructionId id : module_.computation(table.block()->source).instructions) {
        AddInstruction(table, id);
      }
    }
    return std::move(tensors_);
  }

 private:
  // The block still belongs to the graph.
  bool IsLive(const sharding::graph::Block& block) const {
    for (const auto* b = &block; b != nullptr; b = b->parent->block) {
      if (b->parent == nullptr) return b->function == graph_.entry();
    }
    return false;
  }

  // The value that stands for a leaf; null if it is gone.
  Value* Find(hlo::InstructionId id, Value* leaf) const {
    if (Value* value = leaf->Resolve(); value != nullptr) return value;
    const auto copy = copies_.find(id);
    if (copy == copies_.end()) return nullptr;
    return copy->second->result(copy->second->num_results() - 1);
  }

  void AddInstruction(const LeafTable& table, hlo::InstructionId id) {
    const hlo::Opcode opcode = module_.instruction(id).opcode;
    if (opcode == hlo::Opcode::kTuple || opcode == hlo::Opcode::kGetTupleElement) return;
    const absl::Span<Value* const> leaves = table.Get(id);
    for (size_t i = 0; i < leaves.size(); ++i) {
      Value* value = Find(id, leaves[i]);
      if (value == nullptr || !value->is_array()) continue;
      const std::string index = leaves.size() == 1 ? "" : absl::StrCat("{", i, "}");
      Add(id, index, value);
    }
  }

  void Add(hlo::InstructionId id, const std::string& index, Value* value) {
    Tensor tensor;
    tensor.name = absl::StrCat(module_.instruction(id).name, index);
    tensor.op_name = hlo::GetOpName(module_, id);
    tensor.location = locations_.Of(id);
    tensor.instruction = id;
    tensor.shape = &value->shape();
    tensor.sharding = graph_.Find(sharding::graph::HomeOf(value));
    if (tensor.sharding != nullptr) {
      tensor.mesh = &graph_.meshes().mesh(tensor.sharding->mesh_id());
      tensor.spec = SpecText(*tensor.sharding, graph_.meshes());
    }
    tensors_.push_back(std::move(tensor));
  }

  const hlo::Module& module_;
  const Graph& graph_;
  Locations locations_;
  absl::flat_hash_map<hlo::InstructionId, const Op*> copies_;
  std::vector<Tensor> tensors_;
};

}  // namespace

std::vector<Tensor> ListTensors(const Sharded& sharded) { return Lister(sharded).List(); }

}  // namespace tessera::pipeline
