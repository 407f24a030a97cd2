#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/cost/step/opaque_calls.h"
#include "tessera/pipeline/input/final_shardings.h"
#include "tessera/pipeline/input/location_remapper.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::HloSharding;

// The first mesh with axes among the leaves.
absl::Status FindMesh(const HloSharding& sharding, std::optional<sharding::Mesh>* mesh) {
  if (sharding.IsTuple()) {
    for (const HloSharding& leaf : sharding.elements()) {
      TESSERA_RETURN_IF_ERROR(FindMesh(leaf, mesh));
    }
    return absl::OkStatus();
  }
  if (mesh->has_value() || !sharding.IsNamed()) return absl::OkStatus();
  sharding::MeshTable meshes;
  TESSERA_ASSIGN_OR_RETURN(const sharding::TensorSharding named,
                           sharding::NamedToTensorSharding(sharding, meshes));
  const sharding::Mesh& found = meshes.mesh(named.mesh_id());
  if (found.num_axes() > 0) *mesh = found;
  return absl::OkStatus();
}

absl::StatusOr<std::optional<sharding::Mesh>> MeshOf(const hlo::Module& module) {
  std::optional<sharding::Mesh> mesh;
  for (hlo::InstructionId id = 0; id < module.num_instructions() && !mesh.has_value(); ++id) {
    const auto text = module.FindAttribute(id, hlo::AttributeName::kSharding);
    if (!text.has_value() || !absl::StrContains(*text, "mesh[")) continue;
    const auto sharding = sharding::ParseHloSharding(*text);
    // The partitioner reports one that cannot be read, with its place.
    if (sharding.ok()) TESSERA_RETURN_IF_ERROR(FindMesh(*sharding, &mesh));
  }
  return mesh;
}

constexpr char kNoteOnFinal[] =
    "note: the shardings look final, as after propagation, and are not propagated again; "
    "--import=hlo propagates them\n";

absl::Status PropagateInto(hlo::Module module, ShardOptions options, PartitionerInput* input) {
  options.format = Format::kV3;
  TESSERA_ASSIGN_OR_RETURN(input->sharded, Propagate(std::move(module), options));
  TESSERA_RETURN_IF_ERROR(Finalize(options, input->sharded.get()));
  TESSERA_ASSIGN_OR_RETURN(Written written, WriteModule(options, input->sharded.get()));
  input->module = std::move(written.module);
  input->sources = std::move(written.sources);
  input->leaves = std::move(written.leaves);
  // Mistakes are shown where the instruction came from.
  for (hlo::InstructionId id = 0; id < input->module.num_instructions(); ++id) {
    const hlo::InstructionId source = input->sources[id];
    if (source == hlo::kNoId) continue;
    input->module.mutable_instruction(id).source =
        input->sharded->module.instruction(source).source;
  }
  input->notes = input->sharded->notes;
  return absl::OkStatus();
}

}  // namespace

void AddAsIsFlag(Verb* verb) {
  verb->flags.push_back(
      {"as-is", "", "treat the module's shardings as final; do not propagate", "", false});
  verb->conflicts.emplace_back("as-is", FlagsForPropagation());
}

absl::StatusOr<PartitionerInput> PreparePartitionerInput(hlo::Module module,
                                                         const ShardOptions& options,
                                                         ShardingState state) {
  PartitionerInput input;
  const bool as_is = state != ShardingState::kToPropagate;
  input.behaviors = options.reference.behaviors;
  if (as_is) {
    input.module = std::move(module);
    if (state == ShardingState::kSeemsFinal) input.notes.push_back(kNoteOnFinal);
  } else {
    TESSERA_RETURN_IF_ERROR(PropagateInto(std::move(module), options, &input));
  }
  TESSERA_ASSIGN_OR_RETURN(input.mesh, MeshOf(input.module));
  if (!input.mesh.has_value()) input.mesh = options.mesh;
  // A mesh that the user gave wins over the devices in the header, as in `shard`. Where shardings
  // are final it says only what a header of one device leaves out.
  const bool is_unsaid = input.module.header().num_partitions <= 1;
  if (options.mesh.has_value() && (!as_is || is_unsaid)) {
    input.module.mutable_header().num_partitions = options.mesh->num_devices();
  }
  return input;
}

ShardingState StateOf(const hlo::Module& module, const Arguments& arguments) {
  if (arguments.Has("as-is")) return ShardingState::kFinal;
  return !AsksToPropagate(arguments) && HasFinalShardings(module) ? ShardingState::kSeemsFinal
                                                                  : ShardingState::kToPropagate;
}

ShardOptions OptionsOfFinal(ShardOptions options) {
  options.import = sharding::passes::Encoding::kGspmd;
  options.stage = Stage::kPass;
  return options;
}

absl::Status LetCallsDecide(PartitionerInput* input) {
  TESSERA_ASSIGN_OR_RETURN(const int64_t calls, cost::LetCallsDecide(&input->module));
  // Added instructions stand for nothing.
  if (input->sharded != nullptr) {
    input->sources.resize(input->module.num_instructions(), hlo::kNoId);
  }
  input->opaque_calls = calls;
  if (calls > 0) input->notes.push_back(NoteOnOpaqueCalls(calls));
  return absl::OkStatus();
}

absl::StatusOr<PartitionerInput> PropagatedInput(hlo::Module module, const ShardOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(
      PartitionerInput input,
      PreparePartitionerInput(std::move(module), options, ShardingState::kToPropagate));
  TESSERA_RETURN_IF_ERROR(LetCallsDecide(&input));
  return input;
}

ShardOptions OptionsAfterCleanUps(ShardOptions options) {
  options.stage = Stage::kPass;
  return options;
}

std::string NoteOnOpaqueCalls(int64_t calls) {
  if (calls == 0) return "";
  return absl::StrCat("note: a callback of the program decides how ", calls,
                      calls == 1 ? " call is" : " calls are",
                      " partitioned (custom_partitioning); here they move nothing\n");
}

// A cleaned module is searched for the instructions of the original.
void ForgetPropagation(PartitionerInput* input) {
  if (input->sharded == nullptr || input->sharded->original.has_value()) return;
  hlo::Module text_alone;
  text_alone.SetSource(input->sharded->module.text(), input->sharded->module.source());
  input->sharded->module = std::move(text_alone);
}

absl::Status LocatedInInput(const absl::Status& status, const PartitionerInput& input) {
  if (input.sharded == nullptr) return LocatedInInput(status, input.module, std::nullopt);
  return LocatedInInput(status, input.sharded->module, input.sharded->original);
}

absl::StatusOr<PartitionerInput> ReadPartitionerInput(hlo::Module module,
                                                      const Arguments& arguments,
                                                      const ShardOptions& options) {
  const ShardingState state = StateOf(module, arguments);
  return PreparePartitionerInput(std::move(module), options, state);
}

std::string PartitionKey(const Arguments& arguments) {
  return absl::StrCat(arguments.Has("as-is") ? "as-is " : "", PropagationKey(arguments));
}

}  // namespace tessera::pipeline
