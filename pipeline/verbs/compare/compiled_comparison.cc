#include "tessera/pipeline/verbs/compare/compiled_comparison.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/leaves.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/costs/target/standing_lines.h"
#include "tessera/pipeline/verbs/costs/target/target_lines.h"
#include "tessera/pipeline/verbs/costs/target/target_program.h"
#include "tessera/pipeline/verbs/costs/target/target_run.h"
#include "tessera/pipeline/verbs/costs/time/kernel_costs.h"
#include "tessera/sharding/partition/device_text.h"
#include "tessera/target/stage/stage.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

// --- calls ---------------------------------------------------------------------------------------

// The devices of a call as a text that is equal for equal groups: their order says nothing, nor that
// of the members where these are summed.
class DeviceTexts {
 public:
  const std::string& Of(const CollectiveLine& line) {
    const bool is_sum = !line.reduction.empty();
    const auto [it, is_new] = texts_.try_emplace(absl::StrCat(is_sum, line.over->devices));
    if (is_new) it->second = TextOf(line.made, is_sum);
    return it->second;
  }

 private:
  static std::string TextOf(const sharding::partition::Collective& c, bool is_sum) {
    if (c.groups.empty()) {
      auto pairs = c.pairs.list();
      absl::c_sort(pairs);
      return sharding::partition::PairsText(pairs);
    }
    auto groups = c.groups.list();
    if (is_sum) {
      for (auto& group : groups) absl::c_sort(group);
    }
    absl::c_sort(groups);
    return sharding::partition::GroupsText(groups);
  }

  absl::flat_hash_map<std::string, std::string> texts_;
};

std::vector<std::string> OriginsOf(const CollectiveLine& line) {
  std::vector<std::string> origins;
  absl::flat_hash_set<std::string> known;
  const auto add = [&](const std::string& origin) {
    if (!origin.empty() && known.insert(origin).second) origins.push_back(origin);
  };
  add(line.op_name);
  add(line.location);
  if (line.target.has_value()) {
    for (const MadeByTarget::Part& part : line.target->parts) {
      for (const std::string& op_name : part.op_names) add(op_name);
      for (const std::string& location : part.locations) add(location);
    }
  }
  return origins;
}

std::vector<ComparedCall> CallsOf(const std::vector<CollectiveLine>& lines, DeviceTexts* devices) {
  std::vector<ComparedCall> calls;
  for (const CollectiveLine& line : lines) {
    calls.push_back({line.op, devices->Of(line), line.sent, line.runs, OriginsOf(line)});
  }
  return calls;
}

void Add(int64_t predicted_calls, int64_t predicted_sent, int64_t compiled_calls,
         int64_t compiled_sent, answers::CallTotals* to) {
  to->set_predicted_calls(to->predicted_calls() + predicted_calls);
  to->set_compiled_calls(to->compiled_calls() + compiled_calls);
  to->set_predicted_sent(to->predicted_sent() + predicted_sent);
  to->set_compiled_sent(to->compiled_sent() + compiled_sent);
}

void AddTotals(CompiledComparison* all) {
  Add(0, 0, 0, 0, &all->total);
  std::map<std::string, answers::CallTotals> by_op;
  for (const CollectiveLine& line : all->predicted) {
    Add(1, line.total(), 0, 0, &by_op[line.op]);
    Add(1, line.total(), 0, 0, &all->total);
  }
  for (const CollectiveLine& line : all->compiled) {
    Add(0, 0, 1, line.total(), &by_op[line.op]);
    Add(0, 0, 1, line.total(), &all->total);
  }
  for (auto& [op, totals] : by_op) {
    totals.set_op(op);
    all->by_op.push_back(std::move(totals));
  }
  absl::c_stable_sort(all->by_op, [](const answers::CallTotals& a, const answers::CallTotals& b) {
    return std::max(a.predicted_sent(), a.compiled_sent()) >
           std::max(b.predicted_sent(), b.compiled_sent());
  });
}

// --- arrays of the border ------------------------------------------------------------------------

std::string TextOf(const layout::Shape& shape) {
  return layout::ShapeToString(shape.WithoutLayout());
}

Border BorderOf(const hlo::Module& module) {
  Border border;
  for (const hlo::InstructionId id : module.entry().parameters) {
    border.arguments.push_back(TextOf(module.shape(id)));
    border.names.push_back(hlo::GetOpName(module, id));
  }
  for (const layout::Shape* leaf : layout::LeafShapes(module.shape(module.entry().root))) {
    border.results.push_back(TextOf(*leaf));
  }
  return border;
}

answers::BorderComparison Compare(const std::vector<std::string>& predicted,
                                  const std::vector<std::string>& compiled,
                                  const std::vector<std::string>& names) {
  answers::BorderComparison all;
  all.set_same(0);
  for (size_t k = 0; k < std::max(predicted.size(), compiled.size()); ++k) {
    const auto at = [k](const std::vector<std::string>& list) {
      return k < list.size() ? list[k] : std::string();
    };
    if (at(predicted) == at(compiled)) {
      all.set_same(all.same() + 1);
      continue;
    }
    answers::BorderArray* array = all.add_differ();
    array->set_number(static_cast<int64_t>(k));
    array->set_name(at(names));
    array->set_predicted(at(predicted));
    array->set_compiled(at(compiled));
  }
  return all;
}

// --- both ----------------------------------------------------------------------------------------

absl::Status CheckStage(const hlo::Module& compiled) {
  const target::StageReading read = target::ReadStage(compiled);
  if (read.stage == target::Stage::kFinal) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--target: the second module is ", target::StageName(read.stage),
      ", expected one that a compiler has finished, as compiled.as_text() of JAX gives it"));
}

// Less than half of the arguments are as predicted.
std::string NoteOnOtherProgram(const answers::BorderComparison& arguments,
                               const hlo::Module& compiled) {
  const int64_t differ = arguments.differ_size();
  if (differ <= arguments.same()) return "";
  return absl::StrCat("note: ", arguments.same(), " of ", arguments.same() + differ,
                      " arguments are as predicted; the compiled module, ", compiled.header().name,
                      ", may be of another program\n");
}

}  // namespace

int64_t CompiledComparison::Count(CallVerdict verdict) const {
  return absl::c_count_if(matches,
                          [&](const CallMatch& match) { return match.verdict == verdict; });
}

bool CompiledComparison::IsEqual() const {
  return Count(CallVerdict::kAgrees) == static_cast<int64_t>(matches.size()) &&
         arguments.differ().empty() && results.differ().empty();
}

absl::StatusOr<Prediction> Predict(hlo::Module step, const TargetChoice& choice,
                                   const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(PartitionedForTarget partitioned,
                           PartitionForTarget(std::move(step), choice, arguments));
  // Memory is predicted from the module in front of the target's passes, time from the one after it.
  TESSERA_ASSIGN_OR_RETURN(
      const auto front,
      RunBeforeKernels(partitioned.device.module, partitioned.was_partitioned, choice, arguments));
  TESSERA_ASSIGN_OR_RETURN(TargetProgram program,
                           RunAfterPartitioner(std::move(partitioned), choice, arguments));
  Prediction prediction;
  const hlo::Module& device = program.context->program.module();
  TESSERA_ASSIGN_OR_RETURN(prediction.calls, ReadKernelCosts(arguments));
  prediction.measures = MeasurePrediction(*front, *program.context, prediction.calls);
  prediction.border = BorderOf(device);
  prediction.partitions = device.header().num_partitions;
  prediction.mesh = program.mesh;
  prediction.was_partitioned = program.was_partitioned;
  prediction.notes = std::move(program.notes);
  TESSERA_ASSIGN_OR_RETURN(prediction.lines,
                           TargetLines(std::move(*program.context), program.mesh));
  return prediction;
}

absl::StatusOr<CompiledComparison> CompareWithCompiled(Prediction prediction, hlo::Module compiled,
                                                       const target::Target& target,
                                                       absl::string_view report) {
  TESSERA_RETURN_IF_ERROR(CheckStage(compiled));
  TESSERA_RETURN_IF_ERROR(target::CheckCompiledDevices(target, compiled.header().num_partitions,
                                                       "the compiled module runs on"));
  CompiledComparison all;
  all.target = target.ToString();
  all.notes = std::move(prediction.notes);
  const Border actual = BorderOf(compiled);
  all.arguments = Compare(prediction.border.arguments, actual.arguments, actual.names);
  all.results = Compare(prediction.border.results, actual.results, {});
  absl::StrAppend(&all.notes, NoteOnNoSchedule(compiled), NoteOnCompiler(compiled, target),
                  NoteOnOtherProgram(all.arguments, compiled),
                  NoteOnKernelCosts(compiled, prediction.calls));
  StepMeasures made = MeasureCompiled(compiled, target, prediction.calls);
  TakeReport(report, &made);
  all.measures = MeasureRows(prediction.measures, made);
  all.predicted = std::move(prediction.lines);
  TESSERA_ASSIGN_OR_RETURN(all.compiled, StandingLines(std::move(compiled), prediction.mesh));
  if (const auto machine = cost::MachineOf(target); machine.ok()) {
    TESSERA_RETURN_IF_ERROR(TakeSentOn(*machine, &all.predicted));
    TESSERA_RETURN_IF_ERROR(TakeSentOn(*machine, &all.compiled));
  }
  DeviceTexts devices;
  all.matches = MatchCalls(CallsOf(all.predicted, &devices), CallsOf(all.compiled, &devices));
  AddTotals(&all);
  return all;
}

}  // namespace tessera::pipeline
