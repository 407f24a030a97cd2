// Variants beside the real compiler's results for them (--confirm=N).
//
//   TESSERA_ASSIGN_OR_RETURN(const int64_t most, ReadConfirm(arguments, target));
//   TESSERA_ASSIGN_OR_RETURN(const Confirmed confirmed,
//                            Confirm(costs, read, std::move(rows), *target, arguments));
//   confirmed.rows[0].predicted, confirmed.rows[0].compiled
//
// The compiler gets the text that was read, with the annotations in it (annotated_text.h). Where that cannot be
// written, it gets the program with the shardings of its arguments, results and constraints, as propagation
// leaves them, and propagates again. Its numbers are those of its final module: the peak of its memory report,
// what the collectives send, and the cycles that it states of kernels (docs/cost.md for those without). The
// last one is what its schedule leaves exposed. Every program is compiled once for each contents
// (confirm/compile_cache.h).

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_CONFIRMED_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_CONFIRMED_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/schema/suggest_answer.pb.h"
#include "tessera/pipeline/verbs/search/variants/variant_cost.h"

namespace tessera::pipeline {

struct ConfirmedRow {
  Variant variant;
  std::string what;  // for the user
  absl::StatusOr<cost::StepCost> predicted;
  absl::StatusOr<cost::StepCost> compiled = absl::UnknownError("not asked");
};

struct Confirmed {
  std::vector<ConfirmedRow> rows;
  std::string note;  // who compiled them
};

// --confirm, --python, --timeout and --no-cache.
std::vector<Flag> ConfirmFlags();

// How many to ask about; 0 without the flag. InvalidArgument without a target.
absl::StatusOr<int64_t> ReadConfirm(const Arguments& arguments,
                                    const std::optional<TargetChoice>& target);

// `read`: the module as it was parsed. What the compiler refuses, a program that does not fit for one, has its reason in `compiled`.
// Errors of CompileOrFind().
absl::StatusOr<Confirmed> Confirm(const VariantCosts& costs, const hlo::Module& read,
                                  std::vector<ConfirmedRow> rows, const TargetChoice& target,
                                  const Arguments& arguments);

// The row that is fastest by the compiler; none where it refuses all.
std::optional<size_t> FastestCompiled(const Confirmed& confirmed);

std::string ConfirmedText(const Confirmed& confirmed);
// The list `confirmed`.
void FillConfirmed(const Confirmed& confirmed, answers::SuggestAnswer* answer);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_CONFIRMED_H_
