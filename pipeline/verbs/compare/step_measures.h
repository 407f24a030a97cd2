// Memory and time of a step, as predicted and as compiled: the rows of a comparison.
//
//   StepMeasures predicted = MeasurePrediction(*before_kernels, *finished, calls);
//   StepMeasures compiled = MeasureCompiled(module, target, calls);
//   TakeReport("peak_memory 123\n..", &compiled);      // confirm: the compiler's own report
//   MeasureRows(predicted, compiled)[0].predicted();   // 123, bytes of the arguments
//
// A measure without a model for the target is absent, and so is its row. Tested by
// diff_compiled_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COMPARE_STEP_MEASURES_H_
#define TESSERA_PIPELINE_VERBS_COMPARE_STEP_MEASURES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/cost/schedule/target_step.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/schema/compiled_comparison_answer.pb.h"
#include "tessera/target/pass.h"
#include "tessera/target/target.h"

namespace tessera::pipeline {

struct StepMeasures {
  // Bytes of a device. aliased: results in the memory of arguments.
  std::optional<int64_t> arguments, results, aliased, peak;
  std::string memory_by;  // "module": counted in it; "compiler": its report
  // Seconds: of all kernels, and of waiting for collectives.
  std::optional<double> kernels_s, exposed_s;
  std::string kernels_by;  // "model", as of `tessera cost`; "compiler": its estimates
};

// `calls`: of --kernel-cost. Of the program after RunBeforeKernels(), and of what the target's passes made of it. Where a
// model has no answer its rows are absent; `memory` and `cost` say why.
StepMeasures MeasurePrediction(const target::Context& before_kernels,
                               const target::Context& finished, const cost::CallCosts& calls);
// Of a module that a compiler has finished.
StepMeasures MeasureCompiled(const hlo::Module& compiled, const target::Target& target,
                             const cost::CallCosts& calls);

// Lines "peak_memory 123", as compile.py writes them: they take the place of what was counted.
void TakeReport(absl::string_view report, StepMeasures* compiled);

// The measures that both sides have. `temporaries` is the peak without the arguments.
std::vector<answers::MeasureRow> MeasureRows(const StepMeasures& predicted,
                                             const StepMeasures& compiled);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COMPARE_STEP_MEASURES_H_
