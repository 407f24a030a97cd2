#include "tessera/pipeline/verbs/search/suggest/group_choices.h"

#include <algorithm>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using Layout = GroupChoices::Layout;

// Every layout that divides, by trying all: the slow way.
std::vector<Layout> AllLayouts(const GroupChoices& choices, size_t axes, int rank) {
  std::vector<Layout> all = {{}};
  for (size_t a = 0; a < axes; ++a) {
    std::vector<Layout> longer;
    for (const Layout& layout : all) {
      for (int dim = GroupChoices::kNowhere; dim < rank; ++dim) {
        longer.push_back(layout);
        longer.back().push_back(dim);
      }
    }
    all = longer;
  }
  const auto is_bad = [&](const Layout& layout) {
    return std::any_of(layout.begin(), layout.end(), [&](int dim) {
      return dim != GroupChoices::kNowhere && !choices.Divides(layout, dim);
    });
  };
  all.erase(std::remove_if(all.begin(), all.end(), is_bad), all.end());
  return all;
}

int Distance(const Layout& a, const Layout& b) {
  int distance = 0;
  for (size_t k = 0; k < a.size(); ++k) distance += a[k] != b[k] ? 1 : 0;
  return distance;
}

TEST(GroupChoicesTest, TheExampleOfTheHeader) {
  const GroupChoices choices({8, 1, 16}, {2, 2});
  EXPECT_EQ(choices.ChoiceOf({0, 2}), 6);
  EXPECT_THAT(choices.LayoutOf(6), ElementsAre(0, 2));
}

// Numbers are in the order of the layouts, and neighbours those that differ in one axis.
TEST(GroupChoicesTest, NeighboursAreWhatTryingAllFinds) {
  const std::vector<int64_t> dims = {8, 1, 6, 4};
  const GroupChoices choices(dims, {2, 4, 3});
  const std::vector<Layout> all = AllLayouts(choices, 3, static_cast<int>(dims.size()));
  ASSERT_EQ(all.size(), 22u);
  std::vector<cost::Choice> numbers;
  for (const Layout& layout : all) numbers.push_back(choices.ChoiceOf(layout));
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  for (size_t k = 0; k < all.size(); ++k) {
    std::vector<cost::Choice> near;
    for (size_t other = 0; other < all.size(); ++other) {
      if (Distance(all[k], all[other]) == 1) near.push_back(numbers[other]);
    }
    EXPECT_THAT(choices.Next(numbers[k]), ElementsAreArray(near)) << numbers[k];
    EXPECT_EQ(choices.LayoutOf(numbers[k]), all[k]);
  }
}

TEST(GroupChoicesTest, NothingSaidIsAsNearAsNowhere) {
  const GroupChoices choices({4}, {2, 2});
  const cost::Choice nowhere = choices.ChoiceOf(choices.Nowhere());
  EXPECT_THAT(choices.Next(0),
              ElementsAre(nowhere, choices.ChoiceOf({-1, 0}), choices.ChoiceOf({0, -1})));
}

TEST(GroupChoicesTest, ConstraintsMoveFromWhatTheySayAndMayBeOpen) {
  const GroupChoices choices({4}, {2, 2}, /*own=*/{0, -1});
  const cost::Choice own = choices.ChoiceOf({0, -1}), nowhere = choices.ChoiceOf({-1, -1});
  EXPECT_THAT(choices.Next(0),
              ElementsAre(GroupChoices::kOpen, nowhere, own, choices.ChoiceOf({0, 0})));
  EXPECT_THAT(choices.Next(GroupChoices::kOpen),
              ElementsAre(nowhere, choices.ChoiceOf({-1, 0}), own));
  EXPECT_THAT(choices.Next(nowhere),
              ElementsAre(GroupChoices::kOpen, choices.ChoiceOf({-1, 0}), own));
}

// Review: front D10. All pairs of 194,481 choices were compared.
TEST(GroupChoicesTest, RankTwenty) {
  const GroupChoices choices(std::vector<int64_t>(20, 2), {2, 2, 2, 2});
  EXPECT_EQ(choices.Next(0).size(), 1u + 4 * 20);
  EXPECT_EQ(choices.Next(choices.ChoiceOf({0, 1, 2, 3})).size(), 4u * (1 + 16));
}

}  // namespace
}  // namespace tessera::pipeline
