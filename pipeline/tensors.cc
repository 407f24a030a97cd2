#include "tessera/pipeline/tensors.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/pipeline/answer/spec_text.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/writers/text_leaves.h"
#include "tessera/sharding/passes/emit/laid_out_results.h"
#include "tessera/sharding/passes/program/loop_captures.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/program/payload.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/sharding/trim.h"
#include "tessera/text/checked.h"

namespace tessera::pipeline {
namespace {

using sharding::TensorSharding;
using sharding::passes::HloProgram;
using sharding::passes::InstructionValues;
using sharding::passes::Op;
using sharding::passes::OpKind;
using sharding::passes::Value;

class Lister {
 public:
  explicit Lister(const PropagatedModule& sharded)
      : module_(sharded.module),
        program_(*sharded.program),
        names_(sharded.result_names),
        locations_(module_),
        captures_(program_) {
    ForEachOp(program_, [&](Op* op) {
      if (op->source != hlo::kNoId && op->num_results() == 1) copies_.try_emplace(op->source, op);
    });
  }

  std::vector<Tensor> ListResults() {
    const sharding::passes::Function* entry = program_.entry();
    const Op* ret = entry->body->terminator();
    for (size_t i = 0; i < entry->result_shardings.size(); ++i) {
      const layout::Shape& shape = ret->operand(static_cast<int>(i))->shape();
      if (!shape.is_array()) continue;
      Tensor tensor;
      tensor.name =
          entry->result_shardings.size() == 1 ? "result" : absl::StrCat("result{", i, "}");
      tensor.instruction = module_.entry().root;
      tensor.leaf = static_cast<int>(i);
      tensor.shape = &shape;
      if (!names_.empty()) tensor.op_name = names_[i];
      SetSharding(program_.Find(entry->result_shardings[i]), &tensor);
      tensors_.push_back(std::move(tensor));
    }
    return std::move(tensors_);
  }

  std::vector<Tensor> List() {
    FindLaidOut();
    size_t instructions = 0;  // most are one array
    for (const InstructionValues& table : program_.leaf_tables()) {
      instructions += module_.computation(table.block()->source).instructions.size();
    }
    tensors_.reserve(instructions);
    for (const InstructionValues& table : program_.leaf_tables()) {
      if (!IsLive(*table.block())) continue;
      EnterManual(*table.block());
      for (hlo::InstructionId id : module_.computation(table.block()->source).instructions) {
        AddInstruction(table, id);
      }
    }
    return std::move(tensors_);
  }

 private:
  // The block still belongs to the program.
  bool IsLive(const sharding::passes::Block& block) const {
    for (const auto* b = &block; b != nullptr; b = b->parent->block) {
      if (b->parent == nullptr) return absl::c_linear_search(program_.functions(), b->function);
    }
    return false;
  }

  // The axes of the shard_maps around a block.
  void EnterManual(const sharding::passes::Block& block) {
    manual_mesh_ = nullptr;
    manual_axes_.clear();
    for (const Op* op = block.parent; op != nullptr; op = op->block->parent) {
      if (op->kind != OpKind::kManualComputation) continue;
      const auto& info = *op->As<sharding::program::ManualInfo>();
      if (info.manual_axes.empty()) continue;
      if (manual_mesh_ == nullptr) manual_mesh_ = &program_.meshes().mesh(info.mesh);
      manual_axes_.insert(manual_axes_.end(), info.manual_axes.begin(), info.manual_axes.end());
    }
    absl::c_sort(manual_axes_);
  }

  // A reshape of the text that only changes a layout has no op. One that a result names is the
  // reshape by which lowering lays out that result, and has the result's sharding.
  void FindLaidOut() {
    const sharding::passes::Function& entry = *program_.entry();
    const InstructionValues* const table = program_.TableOf(entry.body);
    std::vector<writers::TextLeaf> leaves;
    writers::AddResultLeaves(module_, module_.entry().root, &leaves);
    for (size_t i = 0; i < leaves.size() && i < entry.result_shardings.size(); ++i) {
      const hlo::InstructionId id = leaves[i].source;
      if (module_.instruction(id).opcode != hlo::Opcode::kReshape || HasOp(*table, id)) continue;
      if (!sharding::passes::IsLaidOut(program_, static_cast<int>(i))) continue;
      laid_out_.try_emplace(id, entry.result_shardings[i]);
    }
  }

  static bool HasOp(const InstructionValues& table, hlo::InstructionId id) {
    const Value* const value = table.Get(id)[0]->Resolve();
    return value != nullptr && value->def() != nullptr && value->def()->source == id;
  }

  // The value that stands for a leaf; null if it is gone. Constants have copies for their users; an
  // element of a loop that was sunk into its body has none.
  Value* Find(hlo::InstructionId id, absl::Span<Value* const> leaves, size_t leaf) const {
    if (Value* value = leaves[leaf]->Resolve(); value != nullptr) return value;
    const auto copy = copies_.find(id);
    if (copy == copies_.end() || leaves.size() != 1) return nullptr;
    return copy->second->result(0);
  }

  void AddInstruction(const InstructionValues& table, hlo::InstructionId id) {
    const hlo::Opcode opcode = module_.instruction(id).opcode;
    if (opcode == hlo::Opcode::kTuple || opcode == hlo::Opcode::kGetTupleElement) return;
    const absl::Span<Value* const> leaves = table.Get(id);
    for (size_t i = 0; i < leaves.size(); ++i) {
      Value* value = Find(id, leaves, i);
      if (value == nullptr || !value->is_array()) continue;
      value = captures_.Inside(table, id, value);
      const std::string index = leaves.size() == 1 ? "" : absl::StrCat("{", i, "}");
      Add(id, static_cast<int>(i), index, value);
    }
  }

  void Add(hlo::InstructionId id, int leaf, const std::string& index, Value* value) {
    Tensor tensor;
    tensor.name = absl::StrCat(module_.instruction(id).name, index);
    tensor.op_name = hlo::GetOpName(module_, id);
    tensor.location = locations_.UsersOwn(id);
    tensor.instruction = id;
    tensor.leaf = leaf;
    tensor.shape = &value->shape();
    const auto laid_out = laid_out_.find(id);
    SetSharding(laid_out == laid_out_.end() ? ShardingOf(value) : program_.Find(laid_out->second),
                &tensor);
    tensor.manual_mesh = manual_mesh_;
    tensor.manual_axes = manual_axes_;
    tensors_.push_back(std::move(tensor));
  }

  // An argument of a loop's body has that of the loop's result. Inside a shard_map an argument is
  // one shard along the manual axes, so it has none of them.
  const TensorSharding* ShardingOf(Value* value) {
    const Value* owner = sharding::passes::ShardingOwnerOf(value);
    return program_.Find(sharding::passes::EffectiveSharding(program_, owner));
  }

  void SetSharding(const TensorSharding* sharding, Tensor* tensor) {
    tensor->spec = kWholeSpec;
    if (sharding == nullptr) return;
    tensor->sharding = sharding;
    tensor->mesh = &program_.meshes().mesh(sharding->mesh_id());
    const auto [spec, is_new] = specs_.try_emplace(sharding);
    if (is_new) spec->second = SpecText(*sharding, program_.meshes());
    tensor->spec = spec->second;
  }

  const hlo::Module& module_;
  HloProgram& program_;
  const std::vector<std::string>& names_;  // of results
  SourceLocations locations_;
  const sharding::passes::LoopCaptures captures_;
  absl::flat_hash_map<hlo::InstructionId, const Op*> copies_;
  absl::flat_hash_map<hlo::InstructionId, sharding::ShardingId> laid_out_;  // reshapes
  absl::flat_hash_map<const TensorSharding*, std::string>
      specs_;                                    // equal shardings lie in one place
  const sharding::Mesh* manual_mesh_ = nullptr;  // of the block that is listed
  std::vector<int> manual_axes_;
  std::vector<Tensor> tensors_;
};

// The largest number stands for all that leave 64 bits; a dynamic size counts as none.
int64_t Bytes(const layout::Shape& shape, absl::Span<const int64_t> sizes) {
  int64_t elements = 1;
  for (const int64_t size : sizes) {
    elements = SaturatingProduct(elements, std::max<int64_t>(size, 0));
  }
  return layout::ElementBytes(shape, elements);
}

}  // namespace

std::string SpecWithManual(const Tensor& tensor) {
  if (tensor.manual_axes.empty()) return tensor.spec;
  const auto name = [&](std::string* out, int axis) {
    absl::StrAppend(out, "'", tensor.manual_mesh->axis(axis).name, "'");
  };
  return absl::StrCat(tensor.spec, " manual={", absl::StrJoin(tensor.manual_axes, ", ", name), "}");
}

DeviceShare ShareOf(const Tensor& tensor) {
  const absl::Span<const int64_t> whole = tensor.shape->dims();
  DeviceShare share;
  share.sizes.assign(whole.begin(), whole.end());
  if (tensor.sharding != nullptr) {
    share.sizes = sharding::LocalShape(*tensor.sharding, *tensor.mesh, whole);
  }
  share.bytes = Bytes(*tensor.shape, share.sizes);
  return share;
}

std::vector<Tensor> ListTensors(const PropagatedModule& sharded) { return Lister(sharded).List(); }

std::vector<Tensor> ListResults(const PropagatedModule& sharded) {
  return Lister(sharded).ListResults();
}

}  // namespace tessera::pipeline
