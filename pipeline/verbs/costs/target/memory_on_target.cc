#include "tessera/pipeline/verbs/costs/target/memory_on_target.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/cost/memory/peak_band.h"
#include "tessera/cost/memory/target_memory.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/input/location_remapper.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/pipeline/verbs/costs/input/device_module.h"
#include "tessera/pipeline/verbs/costs/input/spec_reader.h"
#include "tessera/pipeline/verbs/costs/memory/buffer_rows.h"
#include "tessera/pipeline/verbs/costs/memory_limit.h"
#include "tessera/pipeline/verbs/costs/target/target_memory_report.h"
#include "tessera/pipeline/verbs/costs/target/target_program.h"
#include "tessera/pipeline/verbs/costs/target/target_run.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

// Whose value a buffer is, in the program that was sharded: an instruction of the same name, or the
// argument of the same number.
class Origins {
 public:
  Origins(const hlo::Module& module, const PartitionerInput* input)
      : module_(module), locations_(module), input_(input) {
    if (input == nullptr) return;
    specs_.emplace(*input);
    for (hlo::InstructionId id = 0; id < input->module.num_instructions(); ++id) {
      by_name_.emplace(input->module.instruction(id).name, id);
    }
  }

  // Of all arrays of each.
  std::vector<std::vector<BufferOrigin>> OfFindings(
      const std::vector<cost::PeakFinding>& findings) {
    std::vector<std::vector<BufferOrigin>> origins;
    for (const cost::PeakFinding& finding : findings) {
      auto& arrays = origins.emplace_back();
      for (const auto& array : finding.arrays) arrays.push_back(Of(array.instruction, array.leaf));
    }
    return origins;
  }

  std::string LineOf(hlo::InstructionId id) const { return locations_.UsersOwn(id); }

  BufferOrigin Of(hlo::InstructionId id, size_t leaf) {
    BufferOrigin origin;
    const hlo::InstructionId maker = MakerOf(id, leaf);
    if (maker != id) origin.stacked = std::string(module_.instruction(maker).name);
    origin.op_name = hlo::GetOpName(module_, maker);
    origin.location = locations_.UsersOwn(maker);
    if (input_ == nullptr) return origin;
    const hlo::InstructionId own = InProgram(id);
    origin.sharding = specs_->SpecOf(own, leaf);
    origin.axes = specs_->AxesOf(own, leaf);
    return origin;
  }

 private:
  // Of a stack that a loop fills, what its body writes into it; else the instruction itself.
  hlo::InstructionId MakerOf(hlo::InstructionId id, size_t leaf) const {
    if (module_.instruction(id).opcode != hlo::Opcode::kWhile) return id;
    const auto root = module_.operands(module_.computation(module_.called(id)[0]).root);
    if (leaf >= root.size() || !IsUpdate(root[leaf])) return id;
    hlo::InstructionId made = module_.operands(root[leaf])[1];
    while (IsView(made)) made = module_.operands(made)[0];
    return locations_.UsersOwn(made).empty() ? id : made;
  }

  bool IsUpdate(hlo::InstructionId id) const {
    return module_.instruction(id).opcode == hlo::Opcode::kDynamicUpdateSlice;
  }

  bool IsView(hlo::InstructionId id) const {
    const hlo::Opcode opcode = module_.instruction(id).opcode;
    return opcode == hlo::Opcode::kReshape || opcode == hlo::Opcode::kBitcast ||
           (opcode == hlo::Opcode::kBroadcast &&
            module_.shape(id).NumElements() ==
                module_.shape(module_.operands(id)[0]).NumElements());
  }

  // kNoId for what is not there.
  hlo::InstructionId InProgram(hlo::InstructionId id) const {
    const hlo::Instruction& i = module_.instruction(id);
    const auto& parameters = input_->module.entry().parameters;
    if (i.opcode == hlo::Opcode::kParameter && i.computation == module_.entry_id() &&
        i.parameter_number < parameters.size()) {
      return parameters[i.parameter_number];
    }
    const auto found = by_name_.find(i.name);
    const bool is_same =
        found != by_name_.end() && input_->module.instruction(found->second).opcode == i.opcode;
    return is_same ? found->second : hlo::kNoId;
  }

  const hlo::Module& module_;
  const SourceLocations locations_;
  const PartitionerInput* const input_;
  std::optional<SpecReader> specs_;
  absl::flat_hash_map<absl::string_view, hlo::InstructionId> by_name_;
};

absl::StatusOr<TargetMemoryReport> Measure(const target::Context& context,
                                           const DeviceModule& device, const TargetChoice& choice,
                                           const std::optional<MemoryLimit>& limit,
                                           bool tries_changes) {
  const hlo::Module& module = context.program.module();
  TargetMemoryReport report;
  report.target = choice.target;
  report.module = &module;
  auto memory = cost::MemoryOnTarget(context, tries_changes);
  if (!memory.ok()) return LocatedInInput(memory.status(), module, std::nullopt);
  report.memory = *std::move(memory);
  report.band = cost::PeakBandOf(module, *choice.target.chip, report.memory.peak);
  report.usable = limit.has_value() ? limit->bytes : cost::UsableMemory(choice.target);
  report.limit = limit.has_value() ? limit->said : std::string(choice.target.chip->name);
  Origins origins(module, device.input.get());
  if (!report.memory.peak_at.empty()) {
    report.peak_location = origins.LineOf(report.memory.peak_at.back());
  }
  const auto of = [&](const cost::DeviceBuffer& buffer) {
    return origins.Of(buffer.instruction, buffer.leaf);
  };
  report.at_peak = RowsOf(std::move(report.memory.at_peak), of);
  report.in_vmem = RowsOf(std::move(report.memory.in_vmem), of);
  report.arguments = RowsOf(std::move(report.memory.argument_list), of);
  report.findings = origins.OfFindings(report.memory.findings);
  return report;
}

}  // namespace

absl::StatusOr<VerbResult> MemoryOnTargetAnswer(hlo::Module module, const Arguments& arguments,
                                                const ListFilter& filter,
                                                const TargetChoice& choice) {
  TESSERA_ASSIGN_OR_RETURN(const auto limit, ReadMemoryLimit(arguments));
  TESSERA_ASSIGN_OR_RETURN(PartitionedForTarget partitioned,
                           PartitionForTarget(std::move(module), choice, arguments));
  DeviceModule& device = partitioned.device;
  TESSERA_ASSIGN_OR_RETURN(
      const std::unique_ptr<target::Context> context,
      RunBeforeKernels(std::move(device.module), partitioned.was_partitioned, choice, arguments));
  if (arguments.Has("stop-after")) {
    return Done(PrintedProgram(*context), absl::StrJoin(device.notes, ""));
  }
  TESSERA_RETURN_IF_ERROR(
      filter.CheckAxis(AxesOfMesh(device.input == nullptr ? std::nullopt : device.input->mesh)));
  TESSERA_ASSIGN_OR_RETURN(TargetMemoryReport report,
                           Measure(*context, device, choice, limit, !arguments.Has("no-fixes")));
  const std::string note = Keep(filter, {&report.at_peak, &report.in_vmem, &report.arguments});
  VerbResult result = InBothForms(
      arguments, [&] { return TargetMemoryJson(report, arguments.Has("top") ? filter.top() : 0); },
      [&] { return TargetMemoryText(report, filter.top()); },
      absl::StrCat(absl::StrJoin(device.notes, ""), note));
  if (report.verdict() == cost::FitVerdict::kDoesNotFit) result.exit = Exit::kFinding;
  return result;
}

}  // namespace tessera::pipeline
