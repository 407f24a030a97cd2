#include "tessera/sharding/axes.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tessera/testing/sharding/slow_placement.h"
#include "tessera/testing/sharding/small_meshes.h"

namespace tessera::sharding {
namespace {

using testing::AllParts;
using testing::Digit;

Mesh TwoAxes(int64_t size) { return *Mesh::Create({{"b", size}, {"a", size}}); }

std::string Text(std::optional<AxisRef> ref, const Mesh& mesh) {
  return ref ? AxisRefToString(*ref, mesh) : "none";
}

TEST(AxisRefTest, HoldsItsParts) {
  const AxisRef sub = AxisRef::Sub(7, 6, 1000);
  EXPECT_EQ(sub.axis(), 7);
  EXPECT_EQ(sub.pre_size(), 6);
  EXPECT_EQ(sub.sub_size(), 1000);
  EXPECT_EQ(sub.next_pre_size(12000), 6000);
  EXPECT_TRUE(sub.is_sub());
  const AxisRef full = AxisRef::Full(4095);
  EXPECT_EQ(full.axis(), 4095);
  EXPECT_EQ(full.pre_size(), 1);
  EXPECT_EQ(full.size(33), 33);
  EXPECT_EQ(sizeof(AxisRef), 8u);
}

TEST(AxisRefTest, OrdersByMeshAndByName) {
  const Mesh mesh = TwoAxes(8);  // "b" is before "a"
  const AxisRef b = AxisRef::Full(0), a = AxisRef::Full(1);
  const AxisNameLess by_name(mesh);
  EXPECT_LT(b, a);
  EXPECT_TRUE(by_name(a, b));
  EXPECT_FALSE(by_name(a, a));
  const AxisRef in_order[] = {AxisRef::Sub(0, 1, 2), AxisRef::Sub(0, 1, 4), b,
                              AxisRef::Sub(0, 2, 2), AxisRef::Sub(0, 4, 2), a};
  for (size_t i = 1; i < std::size(in_order); ++i) EXPECT_LT(in_order[i - 1], in_order[i]) << i;
  EXPECT_TRUE(by_name({a}, {a, b}));
  EXPECT_TRUE(by_name({a, a}, {a, b}));
  EXPECT_FALSE(by_name({b}, {a}));
}

TEST(AxisRefTest, Operates) {
  const Mesh mesh = TwoAxes(48);
  const AxisRef whole = AxisRef::Full(0);
  const AxisRef p12 = AxisRef::Sub(0, 1, 2), p26 = AxisRef::Sub(0, 2, 6),
                p44 = AxisRef::Sub(0, 4, 4);
  EXPECT_EQ(Text(Overlap(p26, p44), mesh), "none");  // 4 does not divide 12: they cannot coexist..
  EXPECT_FALSE(CanCoexist(p26, AxisRef::Sub(0, 3, 2)));
  EXPECT_EQ(Text(PrefixWithoutOverlap(whole, p26), mesh), "\"b\":(1)2");
  EXPECT_EQ(Text(SuffixWithoutOverlap(whole, p26, mesh), mesh), "\"b\":(12)4");
  EXPECT_EQ(Text(PrefixWithoutOverlap(whole, p12), mesh), "none");
  EXPECT_EQ(Text(GreatestCommonPrefix(whole, p12), mesh), "\"b\":(1)2");
  ASSERT_TRUE(CanMerge(p12, p26));
  EXPECT_FALSE(CanMerge(p26, p12));
  EXPECT_EQ(Text(Merge(p12, p26, mesh), mesh), "\"b\":(1)12");
  EXPECT_EQ(Merge(AxisRef::Sub(0, 1, 12), AxisRef::Sub(0, 12, 4), mesh), whole);
}

TEST(AxisRefTest, LeavesOtherAxesAlone) {
  const Mesh mesh = TwoAxes(4);
  const AxisRef b = AxisRef::Full(0), a = AxisRef::Sub(1, 2, 2);
  EXPECT_FALSE(Overlaps(a, b));
  EXPECT_TRUE(CanCoexist(a, b));
  EXPECT_FALSE(Contains(b, a));
  EXPECT_EQ(Overlap(a, b), std::nullopt);
  EXPECT_EQ(PrefixWithoutOverlap(a, b), a);
  EXPECT_EQ(SuffixWithoutOverlap(a, b, mesh), a);
  EXPECT_EQ(GreatestCommonPrefix(a, b), std::nullopt);
}

// Number of distinct pairs of digits that two references read off the positions of their axis.
int64_t CountPairs(AxisRef a, AxisRef b, const Mesh& mesh) {
  std::set<std::pair<int64_t, int64_t>> pairs;
  for (int64_t at = 0; at < mesh.axis_size(0); ++at) {
    pairs.emplace(Digit(a, at, mesh), Digit(b, at, mesh));
  }
  return static_cast<int64_t>(pairs.size());
}

// Whether `a` reads the digit that is `b`'s digit divided by `divisor`, modulo `size`.
bool ReadsOff(AxisRef a, AxisRef b, int64_t divisor, int64_t size, const Mesh& mesh) {
  for (int64_t at = 0; at < mesh.axis_size(0); ++at) {
    if (Digit(a, at, mesh) != Digit(b, at, mesh) / divisor % size) return false;
  }
  return true;
}

void CheckPair(AxisRef a, AxisRef b, const Mesh& mesh) {
  SCOPED_TRACE(AxisRefToString(a, mesh) + " and " + AxisRefToString(b, mesh));
  EXPECT_EQ(Overlaps(a, b), Overlaps(b, a));
  EXPECT_EQ(CanCoexist(a, b), CanCoexist(b, a));
  if (!CanCoexist(a, b)) return;
  const std::optional<AxisRef> common = Overlap(a, b);
  EXPECT_EQ(common.has_value(), Overlaps(a, b));
  EXPECT_EQ(CountPairs(a, b, mesh) * (common ? common->size(mesh) : 1),
            a.size(mesh) * b.size(mesh));
  if (IsPrefixOf(a, b)) {
    EXPECT_TRUE(ReadsOff(a, b, b.size(mesh) / a.size(mesh), a.size(mesh), mesh));
  }
  if (IsSuffixOf(a, b, mesh)) {
    EXPECT_TRUE(ReadsOff(a, b, 1, a.size(mesh), mesh));
  }
  const auto prefix = PrefixWithoutOverlap(a, b);
  const auto suffix = SuffixWithoutOverlap(a, b, mesh);
  if (prefix) {
    EXPECT_TRUE(IsPrefixOf(*prefix, a));
    EXPECT_FALSE(Overlaps(*prefix, b));
  }
  if (suffix) {
    EXPECT_TRUE(IsSuffixOf(*suffix, a, mesh));
    EXPECT_FALSE(Overlaps(*suffix, b));
  }
  if (common) {  // the three pieces make up `a`
    EXPECT_EQ(
        (prefix ? prefix->size(mesh) : 1) * common->size(mesh) * (suffix ? suffix->size(mesh) : 1),
        a.size(mesh));
  }
  if (CanMerge(a, b)) {
    const AxisRef merged = Merge(a, b, mesh);
    EXPECT_TRUE(IsPrefixOf(a, merged));
    EXPECT_TRUE(IsSuffixOf(b, merged, mesh));
  }
}

TEST(AxisRefTest, AgreesWithDigitsForAllPartsOfSmallAxes) {
  for (int64_t size = 2; size <= 24; ++size) {
    const Mesh mesh = *Mesh::Create({{"a", size}});
    for (AxisRef a : AllParts(0, size)) {
      for (AxisRef b : AllParts(0, size)) CheckPair(a, b, mesh);
    }
  }
}

}  // namespace
}  // namespace tessera::sharding
