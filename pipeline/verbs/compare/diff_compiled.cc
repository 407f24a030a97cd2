#include "tessera/pipeline/verbs/compare/diff_compiled.h"

#include <utility>

#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/verbs/compare/comparison_answer.h"
#include "tessera/pipeline/verbs/compare/compiled_comparison.h"
#include "tessera/pipeline/verbs/costs/time/time_note.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
VerbResult DiffWithCompiled(const Arguments& arguments, hlo::Module compiled) {
  const auto choice = ReadTarget(arguments);
  if (!choice.ok()) return BadInput(choice.status());
  return OnModule(arguments, [&](hlo::Module step) -> absl::StatusOr<VerbResult> {
    TESSERA_ASSIGN_OR_RETURN(Prediction predicted, Predict(std::move(step), **choice, arguments));
    const TimedForm form = {false, predicted.was_partitioned};
    TESSERA_ASSIGN_OR_RETURN(
        CompiledComparison all,
        CompareWithCompiled(std::move(predicted), std::move(compiled), (*choice)->target));
    all.notes += NoteOnTimes((*choice)->target, form);
    return ComparisonResult(arguments, all);
  });
}

}  // namespace tessera::pipeline
