// The search for annotations of a program's arguments and constraints on one mesh.
//
//   const Suggestion found = Suggest(costs, read, {mesh, {}}, mesh, groups, options, done);
//   found.annotations[0].text, found.annotations[0].without
//
// A step moves one axis of one group (searchable.h). A result in the place of a donated argument has the sharding of
// that argument in all that is tried: the next step would have to move it otherwise. The module as it is comes last,
// and stays if nothing looks better. Annotations without which the figures look the same are dropped.
//
// Three searches (cost/search/descent.h) follow each other:
//
//   arguments alone   from the module's own annotations, from batches cut over all devices, and from all arguments cut;
//                     with half as many tries again, from the module's own those that are alike as one
//   constraints, too  with as many tries again; from what the first one found, from that without constraints, and from
//                     each start of the first one without constraints. So it is never worse than the first one
//   new constraints   with half as many tries (new_constraints.h), from the best so far. They must gain a hundredth
//
// Constraints of equal size and spec may move as one: those of a residual stream gain nothing one by one.
// Tested by suggest_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_SUGGEST_SEARCH_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_SUGGEST_SEARCH_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/cost/search/descent.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/verbs/search/suggest/search_group.h"
#include "tessera/pipeline/verbs/search/suggest/tied_results.h"
#include "tessera/pipeline/verbs/search/variants/variant_cost.h"
#include "tessera/sharding/mesh.h"

namespace tessera::pipeline {

using MaybeCost = absl::StatusOr<cost::StepCost>;

struct SuggestedAnnotation {
  PatternAnnotation annotation;
  SearchGroup group;
  MaybeCost without;  // what the other annotations cost alone
  std::string place;  // of constraints: PlaceText()
};

struct SuggestedVariant {
  std::vector<PatternAnnotation> annotations;
  cost::StepCost cost;
  bool ties_donated = false;  // as of Variant
};

struct Suggestion {
  sharding::Mesh mesh;
  MaybeCost own, found;
  // The module's annotations, and donated results in the shardings of their arguments; where this looks different.
  std::optional<MaybeCost> tied;
  std::vector<SuggestedAnnotation> annotations;
  std::vector<SuggestedVariant> front;  // by ascending time
  size_t tries = 0;
  std::vector<TiedResult> results;  // that `found` ties; none if it is the module as it is
  MaybeCost untied;                 // what was found without these ties
};

// `base`: what is in every variant. Its mesh may be none, if `mesh` is the module's own. `done` is
// told of each try, from any thread. `groups` has the arguments first; `read` is the module as it was parsed.
Suggestion Suggest(const VariantCosts& costs, const hlo::Module& read, const Variant& base,
                   const sharding::Mesh& mesh, std::vector<SearchGroup> groups,
                   const cost::SearchOptions& options, const std::function<void()>& done);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_SUGGEST_SEARCH_H_
