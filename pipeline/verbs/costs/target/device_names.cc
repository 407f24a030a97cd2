#include "tessera/pipeline/verbs/costs/target/device_names.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/verbs/costs/collectives_answer.h"
#include "tessera/pipeline/verbs/costs/input/partitioned_program.h"
#include "tessera/pipeline/verbs/costs/target/target_lines.h"
#include "tessera/pipeline/verbs/costs/target/target_run.h"
#include "tessera/target/pass_lists.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;
using Ids = std::vector<InstructionId>;

constexpr size_t kMostNear = 64;

struct AskedName {
  absl::string_view name;
  size_t array = 0;
  bool is_array = false;  // the name has {K}
};

AskedName ReadName(absl::string_view text) {
  AskedName asked = {text};
  const size_t brace = text.find('{');
  if (brace == text.npos || !absl::ConsumeSuffix(&text, "}")) return asked;
  asked.is_array = absl::SimpleAtoi(text.substr(brace + 1), &asked.array);
  asked.name = text.substr(0, brace);
  return asked;
}

Ids Named(const hlo::Module& module, absl::string_view name) {
  Ids ids;
  for (InstructionId id = 0; id < module.num_instructions(); ++id) {
    if (module.instruction(id).name == name) ids.push_back(id);
  }
  return ids;
}

// The collectives of the partitioned program of which a pass made this one.
Ids MadeOf(const target::Context& context, InstructionId id, const AskedName& asked) {
  Ids sources;
  const auto& parts = context.origins.Of(id).parts;
  for (size_t k = 0; k < parts.size(); ++k) {
    if (asked.is_array && k != asked.array) continue;
    sources.insert(sources.end(), parts[k].sources.begin(), parts[k].sources.end());
  }
  return sources;
}

// The op_name of the instruction, or of the nearest first operand that has one: passes make copies without.
std::string OpNameNear(const hlo::Module& module, InstructionId id) {
  std::string op_name = hlo::GetOpName(module, id);
  while (op_name.empty() && !module.operands(id).empty()) {
    id = module.operands(id)[0];
    op_name = hlo::GetOpName(module, id);
  }
  return op_name;
}

// Passes name what they make anew, and keep other names. So an instruction of the partitioned program is near it, over
// operands and users with the same op_name or none: the layers of a network may share op_names. Empty if there is none.
Ids NearestOf(const target::DeviceProgram& program, InstructionId from, const std::string& op_name,
              const hlo::Module& device) {
  const hlo::Module& module = program.module();
  Ids near = {from};
  const auto add = [&](InstructionId id) {
    const std::string its = hlo::GetOpName(module, id);
    const bool is_near = its.empty() || its == op_name;
    if (is_near && !absl::c_linear_search(near, id)) near.push_back(id);
  };
  for (size_t k = 0; k < near.size() && near.size() < kMostNear; ++k) {
    const InstructionId id = near[k];
    const InstructionId named = device.FindInstruction(module.instruction(id).name);
    if (named != hlo::kNoId && hlo::GetOpName(device, named) == op_name) return {named};
    absl::c_for_each(module.operands(id), add);
    absl::c_for_each(program.Users(id), add);
  }
  return {};
}

// The counterparts of an instruction of one program.
struct Traced {
  Ids collectives;      // of the partitioned program; of that itself any instruction
  std::string op_name;  // of a tensor
  Ids nearest;          // of the partitioned program, where there are no collectives

  bool is_found() const { return !collectives.empty() || !op_name.empty(); }
};

Traced Trace(const target::Context& context, const AskedName& asked, const hlo::Module& device) {
  const hlo::Module& module = context.program.module();
  const InstructionId named = module.FindInstruction(asked.name);
  if (named == hlo::kNoId) return {};
  Traced traced = {MadeOf(context, named, asked), OpNameNear(module, named), {}};
  if (traced.collectives.empty() && !traced.op_name.empty()) {
    traced.nearest = NearestOf(context.program, named, traced.op_name, device);
  }
  return traced;
}

// The name of an instruction of the input in the module that was propagated; that of the input where it says its
// shardings itself. "" for one that propagation inserted.
std::string NameOfInput(const PartitionerInput& input, InstructionId id) {
  if (input.sharded == nullptr) return std::string(input.module.instruction(id).name);
  const InstructionId source = input.sources[id];
  return source == hlo::kNoId ? "" : std::string(input.sharded->module.instruction(source).name);
}

// The instructions for which the partitioner made them.
std::vector<std::string> Causes(const PartitionedProgram& program, const Ids& ids) {
  std::vector<std::string> names;
  for (const InstructionId id : ids) {
    const InstructionId cause = program.device.causes[id];
    std::string name = cause == hlo::kNoId ? "" : NameOfInput(program.input, cause);
    if (!name.empty() && !absl::c_linear_search(names, name)) names.push_back(std::move(name));
  }
  return names;
}

bool IsMadeOf(const CollectiveLine& line, const std::vector<std::string>& sources) {
  return absl::c_any_of(line.target->parts, [&](const MadeByTarget::Part& part) {
    return absl::c_any_of(part.sources, [&](const std::string& source) {
      return absl::c_linear_search(sources, source);
    });
  });
}

// The program on both sides of the partitioner, with its causes.
absl::StatusOr<PartitionedProgram> Partition(hlo::Module module, const ShardOptions& options,
                                             const TargetChoice& choice,
                                             const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(
      PartitionerInput input,
      ReadPartitionerInput(std::move(module), arguments, OptionsAfterCleanUps(options)));
  auto partitioner = target::PartitionerOptions(choice.target, choice.flags);
  partitioner.lists_causes = true;
  return PartitionInput(std::move(input), partitioner);
}

// In the partitioned program, else in the final one, else in the one of which memory is predicted.
absl::StatusOr<Traced> TraceIn(const hlo::Module& device, const target::Context& final,
                               const AskedName& asked, const TargetChoice& choice,
                               const Arguments& arguments) {
  Traced traced = {Named(device, asked.name), "", {}};
  if (traced.is_found()) traced.op_name = OpNameNear(device, traced.collectives[0]);
  if (!traced.is_found()) traced = Trace(final, asked, device);
  if (traced.is_found()) return traced;
  TESSERA_ASSIGN_OR_RETURN(const auto of_memory,
                           RunBeforeKernels(device, false, choice, arguments));
  return Trace(*of_memory, asked, device);
}

template <typename Keeps>
void KeepIf(const Keeps& keeps, std::vector<CollectiveLine>* lines) {
  const auto is_other = [&](const CollectiveLine& line) { return !keeps(line); };
  lines->erase(std::remove_if(lines->begin(), lines->end(), is_other), lines->end());
}

// Those that the partitioner inserts where it makes `ids`.
absl::StatusOr<std::vector<CollectiveLine>> InsertedWith(const PartitionedProgram& program,
                                                         const Ids& ids) {
  TESSERA_ASSIGN_OR_RETURN(auto lines, ListCollectives(program.input, program.device.found));
  const auto is_made_there = [&](const CollectiveLine& line) {
    return line.made.cause != hlo::kNoId && absl::c_any_of(ids, [&](InstructionId id) {
             return program.device.causes[id] == line.made.cause;
           });
  };
  KeepIf(is_made_there, &lines);
  return lines;
}

// Those that run for `ids`.
absl::StatusOr<std::vector<CollectiveLine>> RunningFor(const PartitionedProgram& program,
                                                       target::Context final, const Ids& ids) {
  std::vector<std::string> sources;
  for (const InstructionId id : ids) {
    sources.emplace_back(program.device.module.instruction(id).name);
  }
  TESSERA_ASSIGN_OR_RETURN(auto lines, TargetLines(std::move(final), program.input.mesh));
  KeepIf([&](const CollectiveLine& line) { return IsMadeOf(line, sources); }, &lines);
  return lines;
}

std::string ListText(absl::string_view heading, const std::vector<CollectiveLine>& lines) {
  if (lines.empty()) return "";
  std::string out = absl::StrCat(heading, "\n");
  for (const CollectiveLine& line : lines) out += CollectiveText(line);
  return out;
}

}  // namespace

absl::StatusOr<OnDevice> FindOnDevice(hlo::Module module, const ShardOptions& options,
                                      const TargetChoice& choice, const Arguments& arguments,
                                      absl::string_view name) {
  TESSERA_ASSIGN_OR_RETURN(const PartitionedProgram program,
                           Partition(std::move(module), options, choice, arguments));
  const hlo::Module& device = program.device.module;
  TESSERA_ASSIGN_OR_RETURN(auto final, RunTarget(device, false, choice, arguments));
  TESSERA_ASSIGN_OR_RETURN(const Traced traced,
                           TraceIn(device, *final, ReadName(name), choice, arguments));
  const Ids& ids = traced.collectives;
  OnDevice found = {std::string(name), Causes(program, ids), {}, {}};
  if (found.made_for.empty()) found.made_for = Causes(program, traced.nearest);
  if (found.made_for.empty() && !traced.op_name.empty()) found.made_for = {traced.op_name};
  if (found.made_for.empty()) return absl::NotFoundError("");
  TESSERA_ASSIGN_OR_RETURN(found.inserted, InsertedWith(program, ids));
  TESSERA_ASSIGN_OR_RETURN(found.running, RunningFor(program, std::move(*final), ids));
  return found;
}

std::string OnDeviceText(const OnDevice& found, const TargetChoice& choice) {
  return absl::StrCat(
      found.name, " is made for ", absl::StrJoin(found.made_for, ", "), ", after the partitioner\n",
      ListText("the partitioner inserts", found.inserted),
      ListText(absl::StrCat("on ", choice.target.ToString(), " runs"), found.running), "\n");
}

}  // namespace tessera::pipeline
