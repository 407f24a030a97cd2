#include "tessera/pipeline/verbs/layout/predicted_layouts.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/leaves.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/target/layouts/array_sizes.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using hlo::ComputationId;
using hlo::InstructionId;
using hlo::Opcode;
using layout::Shape;

// Operations whose results no kernel takes in.
bool IsKept(Opcode opcode) {
  static const auto* const kOpcodes = new absl::flat_hash_set<Opcode>{Opcode::kDot,
                                                                      Opcode::kConvolution,
                                                                      Opcode::kAllGather,
                                                                      Opcode::kAllReduce,
                                                                      Opcode::kReduceScatter,
                                                                      Opcode::kAllToAll,
                                                                      Opcode::kCollectivePermute,
                                                                      Opcode::kSort,
                                                                      Opcode::kGather,
                                                                      Opcode::kScatter,
                                                                      Opcode::kReduce,
                                                                      Opcode::kReduceWindow,
                                                                      Opcode::kCustomCall,
                                                                      Opcode::kFft};
  return kOpcodes->contains(opcode);
}

// The numbers of the results that take the memory of an argument: by input_output_alias, then, in
// order, with the first free donor of the same shape.
absl::flat_hash_set<size_t> ResultsInArguments(const hlo::Module& module, const Shape& result) {
  absl::flat_hash_set<size_t> shared;
  absl::flat_hash_set<int64_t> taken;  // arguments
  layout::LeafNumbers numbers;
  for (const hlo::AliasEntry& alias : module.header().input_output_alias) {
    shared.insert(numbers.Of(result, alias.output_index));
    taken.insert(alias.parameter_number);
  }
  absl::flat_hash_map<std::string, std::vector<int64_t>> donors;  // by shape, the first one last
  const auto text = [](const Shape& shape) { return layout::ShapeToString(shape.WithoutLayout()); };
  const auto& list = module.header().buffer_donor;
  for (auto donor = list.rbegin(); donor != list.rend(); ++donor) {
    if (!donor->parameter_index.empty() || taken.contains(donor->parameter_number)) continue;
    const InstructionId id =
        module.entry().parameters[static_cast<size_t>(donor->parameter_number)];
    donors[text(module.shape(id))].push_back(donor->parameter_number);
  }
  const auto leaves = layout::LeafShapes(result);
  for (size_t k = 0; k < leaves.size(); ++k) {
    const auto it = donors.find(text(*leaves[k]));
    if (shared.contains(k) || it == donors.end() || it->second.empty()) continue;
    it->second.pop_back();
    shared.insert(k);
  }
  return shared;
}

class Predictor {
 public:
  Predictor(const hlo::Module& module, const target::Chip& chip)
      : module_(module), sizes_(chip), locations_(module) {}

  absl::StatusOr<ProgramLayouts> Run() {
    for (const InstructionId id : module_.entry().parameters) AddAll(id, "argument", {});
    const InstructionId root = module_.entry().root;
    AddAll(root, "result", ResultsInArguments(module_, module_.shape(root)));
    AddTemporaries(module_.entry_id());
    TESSERA_RETURN_IF_ERROR(Finish(&all_));
    return std::move(all_);
  }

 private:
  void AddAll(InstructionId id, const char* kind, const absl::flat_hash_set<size_t>& skipped) {
    const auto leaves = layout::LeafShapes(module_.shape(id));
    for (size_t k = 0; k < leaves.size(); ++k) {
      if (skipped.contains(k) || !leaves[k]->is_array()) continue;
      auto array = MakeProgramArray(sizes_.Laid(*leaves[k]));
      if (!array.ok()) continue;  // of a size that is not known
      array->name = std::string(module_.instruction(id).name);
      if (leaves.size() > 1) absl::StrAppend(&array->name, "{", k, "}");
      array->kind = kind;
      array->op_name = hlo::GetOpName(module_, id);
      array->location = locations_.UsersOwn(id);
      all_.arrays.push_back(*std::move(array));
    }
  }

  // Of a computation and those that run in its place: bodies, branches, calls.
  void AddTemporaries(ComputationId c) {
    if (!visited_.insert(c).second) return;
    for (const InstructionId id : module_.computation(c).instructions) {
      const Opcode opcode = module_.instruction(id).opcode;
      const bool is_result = c == module_.entry_id() && id == module_.entry().root;
      if (IsKept(opcode) && !is_result) AddAll(id, "temporary", {});
      if (!hlo::IsControlFlow(opcode)) continue;
      for (const ComputationId called : module_.called(id)) AddTemporaries(called);
    }
  }

  const hlo::Module& module_;
  const target::ArraySizes sizes_;
  const SourceLocations locations_;
  absl::flat_hash_set<ComputationId> visited_;
  ProgramLayouts all_;
};

}  // namespace

absl::StatusOr<ProgramLayouts> PredictLayouts(const hlo::Module& device, const target::Chip& chip) {
  return Predictor(device, chip).Run();
}

}  // namespace tessera::pipeline
