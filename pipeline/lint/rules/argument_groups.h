// Arrays of one argument of the function: v['w'] and v['b'] are of v.
//
//   ArgumentGroups groups;
//   groups.Add(tensor);                     // v['w'], then v['b']
//   const ArgumentGroup& v = groups.all()[0];
//   v.Subject("is", "are") + " replicated"  // "2 arrays of the argument v are replicated"
//   v.Example();                            // ", such as v['w'] f32[512,512] P()"
//
// A mistake in the shardings of an argument, or in donate_argnums, is one mistake. An array without a path is a group of its own.

#ifndef TESSERA_PIPELINE_LINT_RULES_ARGUMENT_GROUPS_H_
#define TESSERA_PIPELINE_LINT_RULES_ARGUMENT_GROUPS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/pipeline/lint/program.h"
#include "tessera/pipeline/lint/rule.h"

namespace tessera::pipeline::lint {

struct ArgumentGroup {
  std::string argument;  // "v"; "" if the module does not say
  const LintTensor* largest = nullptr;
  int64_t arrays = 0, bytes = 0;

  // Of one array its path, shape and spec.
  std::string Subject(absl::string_view is, absl::string_view are) const;
  // The largest of several arrays; "" of one.
  std::string Example() const;
  // With name, location and amount.
  Finding FindingOf(std::string message, std::string fix) const;
};

class ArgumentGroups {
 public:
  void Add(const LintTensor& array);
  const std::vector<ArgumentGroup>& all() const { return groups_; }

 private:
  std::vector<ArgumentGroup> groups_;
  std::map<std::string, size_t> places_;  // by argument
};

}  // namespace tessera::pipeline::lint

#endif  // TESSERA_PIPELINE_LINT_RULES_ARGUMENT_GROUPS_H_
