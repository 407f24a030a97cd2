// A prediction beside the program that the compiler made: collectives, arguments, results, memory and
// time.
//
//   TESSERA_ASSIGN_OR_RETURN(Prediction predicted, Predict(std::move(step), choice, arguments));
//   absl::StatusOr<CompiledComparison> c =
//       CompareWithCompiled(std::move(predicted), std::move(compiled), choice.target);
//   c->IsEqual();                       // every call agrees, every array of the border has its shape
//   c->matches[0].differs;              // {"op"}: an all-reduce was predicted, a reduce-scatter runs
//   c->arguments.differ(0).compiled();  // "f32[16,32]"
//   c->measures[4].predicted();         // bytes of the peak
//
// A compiled module has no shardings. If an array of its border has the predicted shape on a device,
// each dimension is cut into as many parts. The axes may be others.
//
// Cost: that of the prediction, and linear in the compiled module. Tested by
// diff_compiled_test.cc, and on the compilers' modules by testing/compiled.

#ifndef TESSERA_PIPELINE_VERBS_COMPARE_COMPILED_COMPARISON_H_
#define TESSERA_PIPELINE_VERBS_COMPARE_COMPILED_COMPARISON_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/cost/schedule/target_step.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/schema/compiled_comparison_answer.pb.h"
#include "tessera/pipeline/verbs/compare/matched_calls.h"
#include "tessera/pipeline/verbs/compare/step_measures.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/sharding/mesh.h"
#include "tessera/target/target.h"

namespace tessera::pipeline {

// The arguments and results of a module of one device: shapes without layouts.
struct Border {
  std::vector<std::string> names;  // op_names of the arguments
  std::vector<std::string> arguments, results;
};

// tessera's prediction for a program before its compilation.
struct Prediction {
  std::vector<CollectiveLine> lines;
  Border border;
  StepMeasures measures;
  cost::CallCosts calls;  // of --kernel-cost
  std::optional<sharding::Mesh> mesh;
  int64_t partitions = 1;  // devices
  bool was_partitioned = false;
  std::string notes;  // for standard error
};

struct CompiledComparison {
  std::string target;                               // "tpu-v5e:2x4"
  std::vector<CollectiveLine> predicted, compiled;  // most bytes first
  std::vector<CallMatch> matches;                   // numbers are places in these two
  std::vector<answers::CallTotals> by_op;           // most bytes first
  answers::CallTotals total;
  answers::BorderComparison arguments, results;
  std::vector<answers::MeasureRow> measures;
  std::string notes;  // for standard error

  int64_t Count(CallVerdict verdict) const;
  // Of collectives, arguments and results. Memory and time are models, with an error of their own.
  bool IsEqual() const;
};

// Errors as of ReadTargetProgram().
absl::StatusOr<Prediction> Predict(hlo::Module step, const TargetChoice& choice,
                                   const Arguments& arguments);

// `report`: the compiler's own of its memory (TakeReport()), if it is known. InvalidArgument for a
// module that is not of stage final, or of another number of devices than the target has. Other
// errors as of StandingLines().
absl::StatusOr<CompiledComparison> CompareWithCompiled(Prediction prediction, hlo::Module compiled,
                                                       const target::Target& target,
                                                       absl::string_view report = "");

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COMPARE_COMPILED_COMPARISON_H_
