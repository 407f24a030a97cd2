#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/repeated_field.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/opcode.h"
#include "tessera/hlo/printer.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/command_line/process/heap.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/schema/partition_answer.pb.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/input/array_names.h"
#include "tessera/pipeline/verbs/costs/input/cleaned_device.h"
#include "tessera/pipeline/verbs/costs/input/device_arrays.h"
#include "tessera/pipeline/verbs/costs/input/device_module.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/target/target_program.h"
#include "tessera/pipeline/verbs/costs/target/target_run.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/sharding/partition/options.h"
#include "tessera/target/pass.h"
#include "tessera/target/pass_lists.h"
#include "tessera/target/target.h"
#include "tessera/text/message_json/message_json.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

void AddNames(const ArrayPlaces& places, ArrayNames* names,
              google::protobuf::RepeatedPtrField<std::string>* to) {
  for (const ArrayPlace place : places) *to->Add() = names->Of(place);
}

// The per-device module with the tensors that its arrays come from.
std::string PartitionAnswer(const TracedDevice& device, const PartitionerInput& input,
                            absl::string_view text) {
  const hlo::Module& module = device.module;
  ArrayNames names(module), tensors(NamingModule(input));
  answers::PartitionAnswer answer;
  answer.set_module(std::string(module.header().name));
  answer.set_num_partitions(module.header().num_partitions);
  answer.set_text(std::string(text));
  for (const DeviceArray& array : ListDeviceArrays(device, input)) {
    const hlo::Instruction& instruction = module.instruction(array.place.instruction);
    answers::DeviceTensor* tensor = answer.add_tensors();
    tensor->set_name(names.Of(array.place));
    tensor->set_computation(std::string(module.computation(instruction.computation).name));
    tensor->set_opcode(std::string(hlo::OpcodeName(instruction.opcode)));
    tensor->set_shape(layout::ShapeToString(array.shape->WithoutLayout()));
    AddNames(array.value_of, &tensors, tensor->mutable_value_of());
    AddNames(array.made_for, &tensors, tensor->mutable_made_for());
  }
  return text::JsonOf(answer);
}

// Tables of offsets are large constants.
hlo::PrintOptions WithAllConstants() {
  hlo::PrintOptions options = hlo::PrintOptions::Default();
  options.large_constants = true;
  return options;
}

// The module alone: what it was made of is gone before it is cleaned up and printed.
struct MadeModule {
  hlo::Module device;
  std::string notes;
};

absl::StatusOr<MadeModule> Make(hlo::Module module, const Arguments& arguments,
                                const ShardOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(PartitionerInput input,
                           ReadPartitionerInput(std::move(module), arguments, options));
  ForgetPropagation(&input);
  GiveBackFreePages();
  sharding::partition::Options partitioner;
  partitioner.lists_collectives = false;
  partitioner.on_visited = GiveBackFreePages;
  TESSERA_ASSIGN_OR_RETURN(auto made, MakeDeviceModule(input, partitioner));
  return MadeModule{std::move(made.module), absl::StrJoin(input.notes, "")};
}

absl::StatusOr<VerbResult> AsText(hlo::Module module, const Arguments& arguments,
                                  const ShardOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(MadeModule made, Make(std::move(module), arguments, options));
  GiveBackFreePages();  // of the partitioner
  TESSERA_ASSIGN_OR_RETURN(hlo::Module cleaned, CleanedUp(std::move(made.device)));
  GiveBackFreePages();  // of passes
  VerbResult result = Done("", made.notes);
  result.rest = [device = std::make_shared<const hlo::Module>(std::move(cleaned))](auto write) {
    hlo::PrintModuleTo(*device, WithAllConstants(), write);
  };
  return result;
}

// With the tensors that its arrays come from.
absl::StatusOr<VerbResult> AsJson(hlo::Module module, const Arguments& arguments,
                                  ShardOptions options) {
  options.traces_leaves = true;
  TESSERA_ASSIGN_OR_RETURN(const PartitionerInput input,
                           ReadPartitionerInput(std::move(module), arguments, options));
  sharding::partition::Options partitioner;
  partitioner.lists_collectives = false;
  partitioner.lists_causes = true;
  TESSERA_ASSIGN_OR_RETURN(auto made, MakeDeviceModule(input, partitioner));
  TESSERA_ASSIGN_OR_RETURN(const TracedDevice device, CleanedUpAndTraced(std::move(made)));
  const std::string text = hlo::PrintModule(device.module, WithAllConstants());
  return Done(PartitionAnswer(device, input, text) + "\n", absl::StrJoin(input.notes, ""));
}

// Its header says for which target the passes ran.
std::string PrintedFinal(const target::Context& context) {
  hlo::Module module = context.program.module();
  module.mutable_header().frontend_attributes.emplace_back(kPassesRanFor,
                                                           context.target.ToString());
  return PrintedProgram(module);
}

// As the target's compiler partitions it, and with --stage=final as it leaves it.
VerbResult OnTarget(Arguments arguments, const TargetChoice& choice) {
  if (!arguments.Has("stage")) {
    const bool is_looked_into = arguments.Has("dump-after") || arguments.Has("stop-after");
    arguments.Set("stage", {is_looked_into ? "final" : "partitioned"}, /*given=*/false);
  }
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    TESSERA_ASSIGN_OR_RETURN(const TargetProgram program,
                             ReadTargetProgram(std::move(module), choice, arguments));
    if (arguments.Get("stage") == "partitioned") {
      TESSERA_RETURN_IF_ERROR(target::RunPasses(target::SpmdCleanUp(), program.context.get()));
    }
    const bool is_final = arguments.Get("stage") == "final" && !arguments.Has("stop-after");
    return Done(is_final ? PrintedFinal(*program.context) : PrintedProgram(*program.context),
                program.notes + target::CollectivesCaveat(choice.target, program.was_partitioned));
  });
}

VerbResult RunPartition(const Arguments& arguments) {
  const auto choice = ReadTarget(arguments);
  if (!choice.ok()) return BadInput(choice.status());
  const bool is_changed =
      choice->has_value() && (*choice)->target.chip->platform != target::Platform::kCpu;
  const absl::Status stage = CheckTargetStage(arguments, is_changed);
  if (!stage.ok()) return BadInput(stage);
  if (is_changed && arguments.Has("json")) {
    return BadInput(
        "--json: expected no --target: after the passes of a machine's compiler, arrays "
        "are not traced to the tensors of FILE");
  }
  if (is_changed) return OnTarget(arguments, **choice);
  const auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    // --as-is says that one which looks partitioned is not.
    if (IsFinal(module) || !arguments.Has("as-is")) {
      TESSERA_RETURN_IF_ERROR(CheckSaysShardings(module, *options));
    }
    if (arguments.Has("json")) return AsJson(std::move(module), arguments, *options);
    return AsText(std::move(module), arguments, *options);
  });
}

}  // namespace

Verb PartitionVerb() {
  Verb verb;
  verb.name = "partition";
  verb.summary = "the module that one device runs, after the partitioner";
  verb.description =
      "Prints the per-device module: arrays have the shapes of shards, collectives move the data, "
      "and offsets, masks and halos are computed from partition-id. XLA compiles it with the "
      "num_partitions of its header and with partitioning switched off. If instructions other "
      "than parameters have shardings, these are final; otherwise the module is propagated first. "
      "An instruction "
      "without a per-device form in tessera is an error with its place. Without --target it is the "
      "partition of CPUs and GPUs, without the windowed einsums of a TPU. With --target, it is the "
      "partition by this machine's compiler. With --stage=final it is the module after the passes "
      "that decide the collectives. See docs/partition.md.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = FlagsWithTargetStages();
  AddAsIsFlag(&verb);
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "",
                        "the module with the tensors of FILE that its arrays come from, as JSON",
                        "", false});
  verb.examples = {
      {"tessera partition step.hlo -o device.hlo",
       "the module that each device of a training step runs"},
      {"tessera partition module_0002.sharded.hlo", "a dump after propagation"},
      {"tessera partition step.hlo --json",
       "the same, and for each array the tensor that it is a shard of, or that needs it"},
      {"tessera partition step.hlo --target=tpu-v5e:4x4 --stage=partitioned -o device.hlo",
       "what sixteen TPUs run, with products in windows in place of all-gathers"},
  };
  verb.run = RunPartition;
  return verb;
}

}  // namespace tessera::pipeline
