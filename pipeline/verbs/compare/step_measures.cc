#include "tessera/pipeline/verbs/compare/step_measures.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "tessera/cost/memory/compiled_memory.h"
#include "tessera/cost/memory/modelled_schedule.h"
#include "tessera/cost/memory/target_memory.h"
#include "tessera/cost/schedule/stated_time.h"
#include "tessera/cost/schedule/target_step.h"
#include "tessera/target/collectives/standing.h"

namespace tessera::pipeline {
namespace {

void MeasureTime(const hlo::Module& module, const target::Target& target,
                 const cost::StepOptions& options, StepMeasures* measures) {
  const auto standing = target::FindStanding(module);
  if (!standing.ok()) return;
  const auto step = cost::StepOnTarget(module, *standing, target, options);
  if (!step.ok()) return;
  const auto stated = cost::StatedSeconds(module, *step, target);
  measures->kernels_s = stated.value_or(step->device_s);
  measures->kernels_by = stated.has_value() ? "compiler" : "model";
  measures->exposed_s = step->exposed_s;
}

std::optional<int64_t> TemporariesOf(const StepMeasures& measures) {
  if (!measures.peak.has_value() || !measures.arguments.has_value()) return std::nullopt;
  return *measures.peak - *measures.arguments;
}

template <typename Number>
void AddRow(const char* name, const char* unit, const std::optional<Number>& predicted,
            const std::optional<Number>& compiled, const std::string& by,
            std::vector<answers::MeasureRow>* rows) {
  if (!predicted.has_value() || !compiled.has_value()) return;
  answers::MeasureRow& row = rows->emplace_back();
  row.set_name(name);
  row.set_unit(unit);
  row.set_predicted(static_cast<double>(*predicted));
  row.set_compiled(static_cast<double>(*compiled));
  row.set_compiled_by(by);
}

}  // namespace

StepMeasures MeasurePrediction(const target::Context& before_kernels,
                               const target::Context& finished, const cost::CallCosts& calls) {
  StepMeasures measures;
  const auto memory = cost::MemoryOnTarget(before_kernels);
  if (memory.ok()) {
    measures.arguments = memory->arguments;
    measures.results = memory->results;
    measures.aliased = memory->aliased;
    measures.peak = memory->peak;
  }
  const cost::ModelledSchedule schedule = cost::ScheduleOf(finished);
  cost::StepOptions options;
  options.schedule = &schedule;
  options.calls = calls;
  MeasureTime(finished.program.module(), finished.target, options, &measures);
  return measures;
}

StepMeasures MeasureCompiled(const hlo::Module& compiled, const target::Target& target,
                             const cost::CallCosts& calls) {
  StepMeasures measures;
  const auto memory = cost::MemoryOfCompiled(compiled);
  if (memory.ok()) {
    measures.arguments = memory->device.arguments;
    measures.results = memory->device.results;
    measures.aliased = memory->device.aliased;
    measures.peak = cost::ReportedPeak(*memory);
    measures.memory_by = "module";
  }
  cost::StepOptions options;
  options.calls = calls;
  MeasureTime(compiled, target, options, &measures);
  return measures;
}

void TakeReport(absl::string_view report, StepMeasures* compiled) {
  absl::flat_hash_map<absl::string_view, int64_t> numbers;
  for (const absl::string_view line : absl::StrSplit(report, '\n')) {
    const std::pair<absl::string_view, absl::string_view> words = absl::StrSplit(line, ' ');
    int64_t number = 0;
    if (absl::SimpleAtoi(words.second, &number) && number >= 0) numbers[words.first] = number;
  }
  const auto take = [&](absl::string_view key, std::optional<int64_t>* value) {
    const auto found = numbers.find(key);
    if (found == numbers.end()) return false;
    *value = found->second;
    return true;
  };
  if (!take("peak_memory", &compiled->peak)) return;
  take("argument_size", &compiled->arguments);
  take("output_size", &compiled->results);
  take("alias_size", &compiled->aliased);
  compiled->memory_by = "compiler";
}

std::vector<answers::MeasureRow> MeasureRows(const StepMeasures& predicted,
                                             const StepMeasures& compiled) {
  std::vector<answers::MeasureRow> rows;
  const std::string& memory = compiled.memory_by;
  AddRow("arguments", "bytes", predicted.arguments, compiled.arguments, memory, &rows);
  AddRow("results", "bytes", predicted.results, compiled.results, memory, &rows);
  AddRow("aliased", "bytes", predicted.aliased, compiled.aliased, memory, &rows);
  AddRow("temporaries", "bytes", TemporariesOf(predicted), TemporariesOf(compiled), memory, &rows);
  AddRow("peak", "bytes", predicted.peak, compiled.peak, memory, &rows);
  AddRow("kernels", "seconds", predicted.kernels_s, compiled.kernels_s, compiled.kernels_by, &rows);
  AddRow("exposed", "seconds", predicted.exposed_s, compiled.exposed_s, "model", &rows);
  return rows;
}

}  // namespace tessera::pipeline
