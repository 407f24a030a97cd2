#include "tessera/cost/search/descent.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::cost {
namespace {

using ::testing::ElementsAre;

// Groups of four choices in a row, each a step from its neighbours.
Space Rows(size_t groups) {
  return {groups, [](size_t, Choice at) {
            if (at == 0) return std::vector<Choice>{1};
            if (at == 3) return std::vector<Choice>{2};
            return std::vector<Choice>{at - 1, at + 1};
          }};
}

StepCost Cost(double seconds, int64_t memory) {
  StepCost cost;
  cost.device_s = seconds;
  cost.memory = memory;
  return cost;
}

// Best at (2, 3); the third group means nothing, and choice 1 of it is refused.
Outcomes Bowl(const std::vector<Point>& points) {
  Outcomes outcomes;
  for (const Point& p : points) {
    if (p[2] == 1) {
      outcomes.push_back(absl::InvalidArgumentError("refused"));
    } else {
      outcomes.push_back(
          Cost(static_cast<double>(10 + (p[0] - 2) * (p[0] - 2) + (p[1] - 3) * (p[1] - 3)), p[0]));
    }
  }
  return outcomes;
}

TEST(DescentTest, GoesDownAndDropsWhatDoesNotHelp) {
  const SearchResult r = Search(Rows(3), {{0, 0, 0}, {3, 3, 3}}, {}, Bowl);
  EXPECT_THAT(r.points[r.best], ElementsAre(2, 3, 0));
  EXPECT_EQ(r.points.size(), r.outcomes.size());
  const SearchResult again = Search(Rows(3), {{0, 0, 0}, {3, 3, 3}}, {}, Bowl);
  EXPECT_EQ(r.points, again.points);
}

TEST(DescentTest, WhatGainsNextToNothingGoes) {
  const auto slope = [](const std::vector<Point>& points) {
    Outcomes outcomes;
    for (const Point& p : points)
      outcomes.push_back(
          Cost(10 - static_cast<double>(p[0]) - static_cast<double>(p[1]) * 1e-5, 0));
    return outcomes;
  };
  const SearchResult r = Search(Rows(2), {{0, 0}}, {}, slope);
  EXPECT_THAT(r.points[r.best], ElementsAre(3, 0));
  // It stays where it saves memory.
  const auto less_memory = [&](const std::vector<Point>& points) {
    Outcomes outcomes = slope(points);
    for (size_t k = 0; k < points.size(); ++k) outcomes[k]->memory = 1000 - 20 * points[k][1];
    return outcomes;
  };
  const SearchResult small = Search(Rows(2), {{0, 0}}, {}, less_memory);
  EXPECT_THAT(small.points[small.best], ElementsAre(3, 3));
  // Not where that would lose all there is to gain.
  const SearchResult little = Search(Rows(2), {{0, 3}}, {}, [](const std::vector<Point>& points) {
    Outcomes outcomes;
    for (const Point& p : points)
      outcomes.push_back(Cost(10 - static_cast<double>(p[1]) * 1e-5, 0));
    return outcomes;
  });
  EXPECT_THAT(little.points[little.best], ElementsAre(0, 3));
}

TEST(DescentTest, ALimitComesFirst) {
  SearchOptions options;
  options.limit = 1;
  const SearchResult r = Search(Rows(3), {{3, 0, 0}}, options, Bowl);
  EXPECT_THAT(r.points[r.best], ElementsAre(1, 3, 0));
}

TEST(DescentTest, TriesAreCounted) {
  SearchOptions options;
  options.tries = 4;
  const SearchResult r = Search(Rows(3), {{0, 0, 0}}, options, Bowl);
  EXPECT_LE(r.points.size(), 1 + 4 + 3);
}

// Each of two groups alone gains nothing.
TEST(DescentTest, GroupsThatMoveAsOne) {
  const auto equal = [](const std::vector<Point>& points) {
    Outcomes outcomes;
    for (const Point& p : points) {
      outcomes.push_back(Cost(p[0] == p[1] ? static_cast<double>(10 - p[0]) : 20, 0));
    }
    return outcomes;
  };
  Space space = Rows(3);
  EXPECT_EQ(Search(space, {{0, 0, 0}}, {}, equal).best, 0);
  space.together = {{0, 1}};
  const SearchResult r = Search(space, {{0, 0, 0}}, {}, equal);
  EXPECT_THAT(r.points[r.best], ElementsAre(3, 3, 0));
}

TEST(DescentTest, NothingHasACost) {
  const SearchResult r = Search(Rows(3), {{0, 0, 1}}, {}, [](const std::vector<Point>& points) {
    return Outcomes(points.size(), absl::InvalidArgumentError("refused"));
  });
  EXPECT_EQ(r.best, 0);
}

}  // namespace
}  // namespace tessera::cost
