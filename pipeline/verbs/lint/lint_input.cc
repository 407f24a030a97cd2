#include "tessera/pipeline/verbs/lint/lint_input.h"

#include <memory>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "tessera/cost/memory/device_memory.h"
#include "tessera/cost/memory/peak_band.h"
#include "tessera/cost/memory/target_memory.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/tensors.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/costs/input/partitioned_program.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/input/spec_reader.h"
#include "tessera/pipeline/verbs/costs/reshard_list.h"
#include "tessera/pipeline/verbs/costs/target/target_lines.h"
#include "tessera/pipeline/verbs/costs/target/target_program.h"
#include "tessera/pipeline/verbs/costs/target/target_run.h"
#include "tessera/pipeline/verbs/module/shardings_answer.h"
#include "tessera/projection/cost/memory/entry_aliases.h"
#include "tessera/sharding/passes/import/import.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using lint::LintBuffer;
using lint::LintCollective;
using lint::LintProgram;
using lint::LintTensor;

// Who gives its memory to whom, by number.
struct Given {
  std::set<int64_t> donated,
      lost;                  // parameters; lost: donated, but no result is as large on a device
  std::set<int64_t> placed;  // results in the memory of a parameter
};

Given DonatedIn(const hlo::ModuleHeader& header) {
  Given given;
  for (const hlo::AliasEntry& alias : header.input_output_alias) {
    given.donated.insert(alias.parameter_number);
    given.placed.insert(alias.output_index.empty() ? 0 : alias.output_index.front());
  }
  for (const hlo::BufferDonor& donor : header.buffer_donor) {
    given.donated.insert(donor.parameter_number);
  }
  return given;
}

// XLA's placement of donors in the module of one device. Parameters that are tuples stay as they
// are.
absl::Status PlaceDonors(const hlo::Module& device, Given* given) {
  for (const hlo::InstructionId id : device.entry().parameters) {
    if (!device.shape(id).is_array()) return absl::OkStatus();
  }
  TESSERA_ASSIGN_OR_RETURN(const auto pairs, projection::EntryAliases(device));
  given->lost = given->donated;
  for (const auto& [result, parameter] : pairs) {
    given->placed.insert(result);
    given->lost.erase(parameter);
  }
  return absl::OkStatus();
}

int64_t NumShares(const Tensor& tensor) {
  int64_t shares = 1;
  if (tensor.sharding == nullptr) return shares;
  for (int d = 0; d < tensor.sharding->rank(); ++d) {
    for (const sharding::AxisRef axis : tensor.sharding->dim(d).axes) {
      shares *= axis.size(*tensor.mesh);
    }
  }
  return shares;
}

LintTensor ToLint(const Tensor& tensor, int64_t devices) {
  LintTensor t;
  t.name = tensor.name;
  t.shape = layout::ShapeToString(tensor.shape->WithoutLayout());
  t.spec = tensor.spec;
  t.op_name = tensor.op_name;
  t.location = tensor.location;
  t.bytes = ShareOf(tensor).bytes;
  Tensor whole = tensor;
  whole.sharding = nullptr;
  t.whole = ShareOf(whole).bytes;
  t.shares = NumShares(tensor);
  t.devices = devices;
  return t;
}

// A replicated constant, iota or broadcast costs nothing. Elements that a loop carries are listed
// with the loop: parameters of its body have no sharding of their own.
bool IsMade(hlo::Opcode opcode, bool is_in_entry) {
  if (opcode == hlo::Opcode::kParameter) return is_in_entry;
  return opcode != hlo::Opcode::kConstant && opcode != hlo::Opcode::kIota &&
         opcode != hlo::Opcode::kBroadcast;
}

void AddTensors(const PropagatedModule& sharded, const Given& given, LintProgram* program) {
  const std::vector<Tensor> tensors = ListTensors(sharded);
  int64_t devices = sharded.module.header().num_partitions;
  for (const Tensor& tensor : tensors) {
    if (tensor.mesh != nullptr) devices = std::max(devices, tensor.mesh->num_devices());
  }
  for (const Tensor& tensor : tensors) {
    const hlo::Instruction& i = sharded.module.instruction(tensor.instruction);
    LintTensor t = ToLint(tensor, devices);
    for (const int axis : tensor.manual_axes) {
      t.shares *= tensor.manual_mesh->axis(axis).size;
      t.whole *= tensor.manual_mesh->axis(axis).size;
    }
    const bool is_in_entry = i.computation == sharded.module.entry_id();
    t.is_made = IsMade(i.opcode, is_in_entry);
    if (is_in_entry && i.opcode == hlo::Opcode::kParameter) {
      t.argument = static_cast<int>(i.parameter_number);
      t.is_aliased = given.donated.count(t.argument) > 0;
      t.is_lost_donor = given.lost.count(t.argument) > 0;
    }
    program->tensors.push_back(std::move(t));
  }
  for (const Tensor& tensor : ListResults(sharded)) {
    LintTensor t = ToLint(tensor, devices);
    t.result = tensor.leaf;
    t.is_aliased = given.placed.count(t.result) > 0;
    program->tensors.push_back(std::move(t));
  }
}

// Of what a target made of several collectives, the first that has a place in the program.
void TakePlaceOfPart(const MadeByTarget& made, LintCollective* c) {
  for (const MadeByTarget::Part& part : made.parts) {
    if (c->consumer.empty() && !part.sources.empty()) c->consumer = part.sources.front();
    if (!c->location.empty() || part.locations.empty()) continue;
    c->location = part.locations.front();
    c->consumer = part.sources.front();
  }
}

LintCollective ToLint(const CollectiveLine& line) {
  LintCollective c = {line.op,       line.shape,   AxesText(line), line.consumer,
                      line.location, line.total(), line.runs,      ""};
  if (line.target.has_value()) TakePlaceOfPart(*line.target, &c);
  for (const CollectiveLevel& level : line.nesting) {
    if (level.kind == "loop") c.loop = level.instruction;
  }
  return c;
}

// Arrays of a device: those that are alive at the peak, and the arguments by their names in FILE.
// `memory`: a DeviceMemory or TargetMemory of `device`.
template <typename Memory>
void AddBuffers(const hlo::Module& device, const std::vector<EntryArgument>& entry_arguments,
                const Memory& memory, LintProgram* program) {
  const SourceLocations locations(device);
  const auto add = [&](const cost::DeviceBuffer& b) {
    LintBuffer buffer = {b.name,        b.shape,   locations.UsersOwn(b.instruction),
                         b.bytes,       b.padding, b.better_shape,
                         b.better_bytes};
    const hlo::Instruction& i = device.instruction(b.instruction);
    const bool is_argument =
        i.opcode == hlo::Opcode::kParameter && i.computation == device.entry_id();
    if (is_argument && i.parameter_number < entry_arguments.size()) {
      const EntryArgument& known = entry_arguments[i.parameter_number];
      buffer.name = known.op_name.empty() ? known.name : known.op_name;
      buffer.location = known.location;
    }
    program->buffers.push_back(std::move(buffer));
  };
  absl::c_for_each(memory.at_peak, add);
  absl::c_for_each(memory.argument_list, add);
}

void AddCollectives(const std::vector<CollectiveLine>& lines, LintProgram* program) {
  for (const CollectiveLine& line : lines) program->collectives.push_back(ToLint(line));
}

// Of the partitioner without a target, like the next. A consumer may have the axis: then the moved value lacks it.
void AskAboutProducers(const PartitionerInput& input, const std::vector<CollectiveLine>& lines,
                       LintProgram* program) {
  SpecReader specs(input);
  for (size_t k = 0; k < lines.size(); ++k) {
    if (lines[k].consumer.empty() || lines[k].producer.empty()) continue;
    const std::vector<std::string> axes = specs.AxesOf(lines[k].made.cause);
    const bool has_all = absl::c_all_of(lines[k].over->axis_names, [&](const std::string& axis) {
      return absl::c_linear_search(axes, axis);
    });
    if (has_all) program->collectives[k].asked = lines[k].producer;
  }
}

void AddRematerializations(const PartitionerInput& input, std::vector<CollectiveLine> lines,
                           LintProgram* program) {
  for (const Reshard& reshard : ListReshards(input, std::move(lines)).list) {
    if (reshard.rematerialized == 0) continue;
    program->rematerializations.push_back({reshard.value.empty() ? reshard.consumer : reshard.value,
                                           reshard.shape, reshard.from, reshard.to,
                                           reshard.location, reshard.rematerialized});
  }
}

// The collectives that the target's compiler leaves, the peak that it will report, and its arrays in
// the layouts that it will choose.
absl::Status AddOfTarget(hlo::Module module, const Arguments& arguments, const TargetChoice& choice,
                         const std::vector<EntryArgument>& entry_arguments, LintInput* input) {
  TESSERA_ASSIGN_OR_RETURN(PartitionedForTarget partitioned,
                           PartitionForTarget(std::move(module), choice, arguments));
  TESSERA_ASSIGN_OR_RETURN(
      const auto front,
      RunBeforeKernels(partitioned.device.module, partitioned.was_partitioned, choice, arguments));
  const hlo::Module& device = front->program.module();
  TESSERA_ASSIGN_OR_RETURN(const cost::TargetMemory memory, cost::MemoryOnTarget(*front));
  input->program.memory = memory.peak;
  const cost::PeakRange range = cost::PeakRangeOnTarget(*front, memory);
  input->program.memory_low = range.low;
  input->program.memory_high = range.high;
  if (!memory.peak_at.empty()) {
    input->program.peak_at = std::string(device.instruction(memory.peak_at.back()).name);
  }
  AddBuffers(device, entry_arguments, memory, &input->program);
  TESSERA_ASSIGN_OR_RETURN(TargetProgram program,
                           RunAfterPartitioner(std::move(partitioned), choice, arguments));
  TESSERA_ASSIGN_OR_RETURN(auto lines, TargetLines(std::move(*program.context), program.mesh));
  TESSERA_ASSIGN_OR_RETURN(const cost::Machine machine, cost::MachineOf(choice.target));
  TESSERA_RETURN_IF_ERROR(TakeSentOn(machine, &lines));
  AddCollectives(lines, &input->program);
  return absl::OkStatus();
}

absl::Status AddPartitioned(hlo::Module module, const PartitionedProgram& partitioned,
                            const Arguments& arguments, const std::optional<target::Target>& target,
                            LintInput* input) {
  input->notes = partitioned.input.notes;
  TESSERA_ASSIGN_OR_RETURN(std::vector<CollectiveLine> lines,
                           ListCollectives(partitioned.input, partitioned.device.found));
  AddRematerializations(partitioned.input, lines, &input->program);
  if (target.has_value() && target->chip->platform != target::Platform::kCpu) {
    return AddOfTarget(std::move(module), arguments, {*target, {}}, partitioned.entry_arguments,
                       input);
  }
  AddCollectives(lines, &input->program);
  AskAboutProducers(partitioned.input, lines, &input->program);
  TESSERA_ASSIGN_OR_RETURN(const cost::DeviceMemory memory, cost::MemoryOf(partitioned.device));
  input->program.memory = memory.total();
  input->program.memory_low = input->program.memory_high = memory.total();
  input->program.peak_at = memory.peak_at;
  AddBuffers(partitioned.device.module, partitioned.entry_arguments, memory, &input->program);
  return absl::OkStatus();
}

// InvalidArgument for a target of another number of devices; what the partitioner refuses is in program.partitioned.
absl::Status GatherPartitioned(const hlo::Module& module, const Arguments& arguments,
                               const ShardOptions& options,
                               const std::optional<target::Target>& target, Given* given,
                               LintInput* input) {
  const auto partitioned = PartitionProgram(module, arguments, options);
  if (!partitioned.ok()) {
    input->program.partitioned = partitioned.status();
    return absl::OkStatus();
  }
  if (target.has_value()) {
    TESSERA_RETURN_IF_ERROR(CheckDevices(partitioned->input.module, *target));
  }
  input->program.partitioned = AddPartitioned(module, *partitioned, arguments, target, input);
  return PlaceDonors(partitioned->device.module, given);
}

}  // namespace

absl::StatusOr<LintInput> GatherLint(hlo::Module module, const Arguments& arguments,
                                     const ShardOptions& options,
                                     const std::optional<target::Target>& target) {
  if (IsOfOneDevice(module)) {
    return absl::InvalidArgumentError(
        "this is the module of one device; lint reads the program before the partitioner, as "
        "jax.jit(f).lower() gives it. `tessera collectives` and `tessera memory` read this one");
  }
  LintInput input;
  Given given = DonatedIn(module.header());
  TESSERA_RETURN_IF_ERROR(GatherPartitioned(module, arguments, options, target, &given, &input));
  const bool is_final = StateOf(module, arguments) != ShardingState::kToPropagate;
  const ShardOptions to_propagate = is_final ? OptionsOfFinal(options) : options;
  TESSERA_ASSIGN_OR_RETURN(const auto sharded, Propagate(std::move(module), to_propagate));
  TESSERA_RETURN_IF_ERROR(Finalize(to_propagate, sharded.get()));
  ReleaseRun(sharded.get());
  AddTensors(*sharded, given, &input.program);
  for (const std::string& note : sharded->notes) {
    if (!absl::c_linear_search(input.notes, note)) input.notes.push_back(note);
  }
  return input;
}

}  // namespace tessera::pipeline
