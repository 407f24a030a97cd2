// A rule of lint: what it finds above its budget, as data.
//
//   const Rule* rule = FindRule("replicated-array");
//   std::vector<Finding> found;
//   rule->check(program, /*budget=*/64 << 20, &found);
//   found[0].message;      // "params['w'] f32[4096,4096] is replicated on 8 devices: 64 MiB on each"
//
// To add one: README.md.

#ifndef TESSERA_PIPELINE_LINT_RULE_H_
#define TESSERA_PIPELINE_LINT_RULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/pipeline/lint/program.h"

namespace tessera::pipeline::lint {

enum class Severity : uint8_t { kWarning, kError };

struct Finding {
  std::string name;      // of the tensor or the instruction
  std::string location;  // "model.py:41", "" if the module does not say
  std::string message;   // a sentence without its period
  std::string fix;       // what to try, "" if nothing is known
  double amount = 0;     // what is held against the budget
  // Filled by Lint().
  std::string rule;
  Severity severity = Severity::kWarning;
  // Set by rules: a prediction whose error band holds the budget, which is never an error.
  bool is_uncertain = false;
};

enum class Unit : uint8_t { kBytes, kFactor };

struct Rule {
  absl::string_view id;           // "replicated-array"
  absl::string_view budget_flag;  // "max-replicated"
  Unit unit = Unit::kBytes;
  absl::string_view default_budget;  // as of the flag; "": no findings without the flag
  absl::string_view summary;         // what it finds, for --help, docs/reference.md and SARIF
  // Adds what is above the budget.
  void (*check)(const LintProgram& program, double budget, std::vector<Finding>* found) = nullptr;
  bool needs_partition = false;  // has no findings of a program that the partitioner refuses
};

absl::Span<const Rule> Rules();
// Null if there is none.
const Rule* FindRule(absl::string_view id);

}  // namespace tessera::pipeline::lint

#endif  // TESSERA_PIPELINE_LINT_RULE_H_
