#include "tessera/pipeline/passes/one_partition.h"

#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/edit.h"
#include "tessera/hlo/error_at.h"
#include "tessera/hlo/unique_names.h"
#include "tessera/sharding/frontend.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline::passes {
namespace {

using hlo::AttributeName;
using hlo::ComputationId;
using hlo::InstructionId;

constexpr absl::string_view kInlineable = "inlineable";

bool CallsBody(const hlo::Module& module, InstructionId id) {
  const hlo::Instruction& i = module.instruction(id);
  return i.opcode == hlo::Opcode::kCall && !module.computation(i.computation).removed &&
         sharding::IsManualBodyName(module.computation(module.called(id)[0]).name);
}

absl::Status CheckValue(const hlo::Module& module, InstructionId id, absl::string_view value) {
  if (value == "false" || value == "xla_late" || value == "auto") return absl::OkStatus();
  const std::string message = absl::StrCat(
      "inlineable of a shard_map's body must be false, xla_late or auto, not '", value, "'");
  return hlo::ErrorAt(module, id, message);
}

class BodyRelease {
 public:
  explicit BodyRelease(const hlo::Module& module) : module_(module), edit_(module) {
    for (ComputationId c = 0; c < module.num_computations(); ++c) {
      (void)names_.Unique(module.computation(c).name);
    }
  }

  void Release(InstructionId call) {
    const ComputationId body = module_.called(call)[0];
    if (!new_names_.contains(body)) Rename(body);
    edit_.RemoveFrontendAttributes(call, kInlineable);
    edit_.SetAttribute(call, AttributeName::kToApply, edit_.Spell(new_names_.at(body)));
  }

  std::string Text() const { return edit_.Apply(); }

 private:
  void Rename(ComputationId body) {
    const std::string name = names_.Unique("inlineable_callee");
    const auto range = module_.RangeOf(module_.computation(body).name);
    if (range.has_value()) edit_.Replace(*range, name);
    new_names_[body] = name;
  }

  const hlo::Module& module_;
  hlo::Editor edit_;
  hlo::UniqueNames names_;
  absl::flat_hash_map<ComputationId, std::string> new_names_;
};

}  // namespace

absl::StatusOr<std::string> MakeShardMapBodiesInlineable(const hlo::Module& module) {
  BodyRelease release(module);
  for (InstructionId id = 0; id < module.num_instructions(); ++id) {
    if (!CallsBody(module, id)) continue;
    const std::optional<std::string> value = hlo::GetFrontendAttribute(module, id, kInlineable);
    if (!value.has_value()) continue;
    TESSERA_RETURN_IF_ERROR(CheckValue(module, id, *value));
    release.Release(id);
  }
  return release.Text();
}

}  // namespace tessera::pipeline::passes
