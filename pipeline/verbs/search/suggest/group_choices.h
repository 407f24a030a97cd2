// Where the axes of a mesh may lie on an array, as numbers.
//
//   const GroupChoices choices({8, 1, 16}, {2, 2});    // f32[8,1,16] on data=2,model=2
//   choices.ChoiceOf({0, 2});                          // 6: P('data', None, 'model')
//   choices.Next(6);                                   // one axis lies elsewhere
//
// The digits of a number say where the axes lie, the first axis first: 0 is nowhere, and the others
// are the dimensions that can be cut at all. In the example 8 is digit 1 and 16 is digit 2, so that
// the number is 1 + 1 * 3 + 2. Choice 0 is apart: it says nothing.
//
// So no table holds the choices: four axes on rank 20 have 194,481. Cost: axes times dimensions for
// the neighbours of a choice. Tested by group_choices_test.cc. Review: front D10.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_GROUP_CHOICES_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_GROUP_CHOICES_H_

#include <cstdint>
#include <vector>

#include "tessera/cost/search/descent.h"

namespace tessera::pipeline {

class GroupChoices {
 public:
  // For each axis the dimension that it lies on; kNowhere for none.
  using Layout = std::vector<int>;
  static constexpr int kNowhere = -1;

  static constexpr cost::Choice kOpen = -1;

  // At most four axes. Of more than a thousand dimensions the rest is never cut.
  GroupChoices(std::vector<int64_t> dims, std::vector<int64_t> axis_sizes);
  // Of constraints: what the module says is as near as `own`, and all dimensions may be open.
  GroupChoices(std::vector<int64_t> dims, std::vector<int64_t> axis_sizes, Layout own);

  Layout Nowhere() const { return Layout(axis_sizes_.size(), kNowhere); }
  // Of neither choice 0 nor kOpen.
  Layout LayoutOf(cost::Choice choice) const;
  cost::Choice ChoiceOf(const Layout& layout) const;

  // Choices in which one axis lies elsewhere, ascending. Nothing said is as near as nowhere is, and so is kOpen.
  std::vector<cost::Choice> Next(cost::Choice from) const;

  // Whether the axes that lie on the dimension divide it.
  bool Divides(const Layout& layout, int dim) const;

 private:
  cost::Choice Base() const { return static_cast<cost::Choice>(cut_.size()) + 1; }
  void AddMovesOf(size_t axis, Layout layout, std::vector<cost::Choice>* next) const;

  std::vector<int64_t> dims_, axis_sizes_;
  std::vector<int> cut_;  // the dimensions that can be
  Layout own_;            // as near as choice 0 is
  bool may_be_open_ = false;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_GROUP_CHOICES_H_
