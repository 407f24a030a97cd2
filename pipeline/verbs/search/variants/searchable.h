// Groups of tensors as a space that can be searched (cost/search/descent.h).
//
//   const Searchable groups(mesh, search_groups);        // arguments first
//   cost::Search(groups.Arguments(), groups.Starts(), options, evaluate);
//   groups.AnnotationsOf(point);                         // {^w$=P('data',)}
//
// A choice of a group says for each axis of the mesh on which dimension it lies, if on any; sizes
// must divide. Choice 0 says nothing, so that the module's own annotations count. Of the axes the four largest move.
// Tested by suggest_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_SEARCHABLE_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_SEARCHABLE_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "tessera/cost/search/descent.h"
#include "tessera/pipeline/pattern_annotation.h"
#include "tessera/pipeline/verbs/search/suggest/group_choices.h"
#include "tessera/pipeline/verbs/search/suggest/search_group.h"
#include "tessera/sharding/mesh.h"

namespace tessera::pipeline {

class Searchable {
 public:
  // Both must outlive this.
  Searchable(const sharding::Mesh& mesh, const std::vector<SearchGroup>& groups);
  Searchable(const Searchable&) = delete;
  Searchable& operator=(const Searchable&) = delete;

  cost::Space Arguments() const { return {arguments_, NextOf(), {}}; }
  // Arguments of one shape that share a relative, and these only as one.
  cost::Space ArgumentsTogether() const { return {0, NextOf(), Families(0, arguments_)}; }
  // Constraints, too. Those of equal size that say the same may move as one.
  cost::Space All() const {
    return {groups_.size(), NextOf(), Families(arguments_, groups_.size())};
  }

  // Nothing said; batches cut over all axes; and all other arguments as well, along the longest dimension.
  std::vector<cost::Point> Starts() const;
  // `best`, and that and each of Starts() without constraints.
  std::vector<cost::Point> StartsOfAll(const cost::Point& best) const;

  bool has_constraints() const { return arguments_ < groups_.size(); }

  std::vector<PatternAnnotation> AnnotationsOf(const cost::Point& point) const;
  // Not of choice 0.
  PatternAnnotation AnnotationOf(size_t group, cost::Choice choice) const;

 private:
  std::function<std::vector<cost::Choice>(size_t, cost::Choice)> NextOf() const {
    return [this](size_t g, cost::Choice choice) { return choices_[g].Next(choice); };
  }
  // Of the groups from `begin` to `end`, those that may move as one.
  std::vector<std::vector<size_t>> Families(size_t begin, size_t end) const;
  cost::Point Opened(cost::Point point) const;
  GroupChoices::Layout OwnLayout(const SearchGroup& group) const;
  cost::Choice WidestChoice(size_t g) const;

  const sharding::Mesh& mesh_;
  const std::vector<int> axes_;
  const std::vector<SearchGroup>& groups_;
  std::vector<GroupChoices> choices_;
  size_t arguments_ = 0;  // groups, in front of the constraints
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_SEARCHABLE_H_
