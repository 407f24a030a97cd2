// Results that need the sharding of the donated argument whose memory they take: JAX's out_shardings.
//
//   const std::vector<TiedResult> tied = TiedResults(costs, variant);   // {1, "cache['k']"}
//   TiedText(tied)       // "result 1 as cache['k']"
//   TiedPython(tied)     // "results = {\n    1: \"cache['k']\",\n}\n", with a comment in front
//
// Results are numbered as in `shardings`: arrays of the result, from 0. Tested by suggest_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_TIED_RESULTS_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_TIED_RESULTS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/verbs/search/variants/variant_cost.h"

namespace tessera::pipeline {

struct TiedResult {
  int result = 0;
  std::string argument;  // ArgumentName()
};

// The path of a parameter; its name, where it has none.
std::string ArgumentName(const hlo::Module& module, hlo::InstructionId parameter);
// As a string of Python.
std::string Quoted(absl::string_view text);

// Of a variant that ties donated results; without arguments that have no sharding.
std::vector<TiedResult> TiedResults(const VariantCosts& costs, const Variant& variant);

// The first ones; says how many more there are.
std::string TiedText(const std::vector<TiedResult>& tied);
// All, as a dictionary; "" for none.
std::string TiedPython(const std::vector<TiedResult>& tied);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_TIED_RESULTS_H_
