// The checks of all rules; rules.cc has the table with their names and budgets.

#ifndef TESSERA_PIPELINE_LINT_RULES_RULES_H_
#define TESSERA_PIPELINE_LINT_RULES_RULES_H_

#include <string>
#include <vector>

#include "tessera/pipeline/lint/rule.h"

namespace tessera::pipeline::lint {

void CheckReplicatedArrays(const LintProgram& program, double budget, std::vector<Finding>* found);
void CheckLoopGathers(const LintProgram& program, double budget, std::vector<Finding>* found);
void CheckRematerializations(const LintProgram& program, double budget,
                             std::vector<Finding>* found);
void CheckUnevenShards(const LintProgram& program, double budget, std::vector<Finding>* found);
void CheckPadding(const LintProgram& program, double budget, std::vector<Finding>* found);
void CheckDonation(const LintProgram& program, double budget, std::vector<Finding>* found);
void CheckCollectives(const LintProgram& program, double budget, std::vector<Finding>* found);
void CheckSentBytes(const LintProgram& program, double budget, std::vector<Finding>* found);
void CheckMemory(const LintProgram& program, double budget, std::vector<Finding>* found);

// The name of a tensor in a finding: its path in the user's program, else its name in the module.
const std::string& DisplayName(const LintTensor& tensor);

// Where to look for annotations without a collective that moves an array.
std::string AnnotationsFix(const LintCollective& collective);

}  // namespace tessera::pipeline::lint

#endif  // TESSERA_PIPELINE_LINT_RULES_RULES_H_
