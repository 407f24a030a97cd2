#include "tessera/sharding/reshard/to_target.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/testing/propagation/short_sharding.h"

namespace tessera::sharding::reshard {
namespace {

using propagation::ParseShort;
using propagation::ToShort;

class ToTargetTest : public ::testing::Test {
 protected:
  ToTargetTest() {
    meshes_.Add("mesh", Mesh::Create({{"a", 2}, {"b", 2}, {"c", 4}}).value()).value();
  }

  std::string Run(const char* from, const char* to, Version version,
                  const reference::Behaviors& behaviors = {}) {
    const TensorSharding in = Parse(from), out = Parse(to);
    return Text(ToTarget(*from == '\0' ? nullptr : &in, *to == '\0' ? nullptr : &out, version,
                         meshes_, behaviors));
  }
  std::string Become(const char* from, const char* to, reference::BecomingUnreduced how) {
    const TensorSharding in = Parse(from);
    return Text(BecomeUnreduced(&in, Parse(to), meshes_, how));
  }
  std::string Text(const absl::StatusOr<std::vector<Conversion>>& steps) const {
    if (!steps.ok()) return "error";
    std::string text;
    for (const Conversion& c : *steps) {
      static constexpr const char* kNames[] = {"sum", "reshard", "replicated", "sharded"};
      absl::StrAppend(&text, kNames[static_cast<int>(c.kind)], " ",
                      ToShort(c.sharding, meshes_.mesh(0)), "; ");
    }
    return text;
  }
  TensorSharding Parse(const char* text) {
    return *text == '\0' ? TensorSharding() : ParseShort(text, 0, meshes_.mesh(0)).value();
  }

  MeshTable meshes_;
};

TEST_F(ToTargetTest, Conversions) {
  struct Case {
    const char* from;
    const char* to;
    const char* minimal;
    const char* full;
  };
  const Case cases[] = {
      {"[{a}]", "[{a}]", "", ""},
      {"[{a}]", "[{b}]", "", "reshard [{b}]; "},
      {"[{a}]", "", "", "reshard [{}]; "},
      {"", "[{a}]", "", "reshard [{a}]; "},
      {"", "[{}] unred{a}", "", "reshard [{}] unred{a}; "},
      // Partial sums are added up.
      {"[{b}] unred{a}", "[{b}]", "sum [{b}]; ", "sum [{b}]; "},
      {"[{b}] unred{a,c}", "[{b}] unred{c}", "sum [{b}] unred{c}; ", "sum [{b}] unred{c}; "},
      {"[{b}] unred{a}", "", "sum [{b}]; ", "sum [{b}]; reshard [{}]; "},
      // Axes become unreduced.
      {"[{b}]", "[{b}] unred{a}", "replicated [{b}] unred{a}; ", "replicated [{b}] unred{a}; "},
      {"[{b,a}]", "[{b}] unred{a}", "sharded [{b}] unred{a}; ", "sharded [{b}] unred{a}; "},
      {"[{b,a}]", "[{b}] unred{a,c}", "replicated [{b,a}] unred{c}; sharded [{b}] unred{a,c}; ",
       "replicated [{b,a}] unred{c}; sharded [{b}] unred{a,c}; "},
      {"[{c}]", "[{c:(1)2}] unred{c:(2)2}", "sharded [{c:(1)2}] unred{c:(2)2}; ",
       "sharded [{c:(1)2}] unred{c:(2)2}; "},
      {"[{a,b}]", "[{b}] unred{a}", "reshard [{b}]; replicated [{b}] unred{a}; ",
       "reshard [{b}]; replicated [{b}] unred{a}; "},
      {"[{a}] unred{b}", "[{a}] unred{b,c}", "replicated [{a}] unred{b,c}; ",
       "replicated [{a}] unred{b,c}; "},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Run(c.from, c.to, Version::kMinimal), c.minimal) << c.from << " -> " << c.to;
    EXPECT_EQ(Run(c.from, c.to, Version::kFull), c.full) << c.from << " -> " << c.to;
  }
}

TEST_F(ToTargetTest, BecomingUnreducedInOlderWays) {
  struct Case {
    const char* from;
    const char* to;
    const char* copy;
    const char* sharded_first;
    const char* no_reshard;
  };
  const Case cases[] = {
      {"[{}]", "[{}] unred{a}", "", "sharded [{}]; reshard [{}] unred{a}; ",
       "replicated [{}] unred{a}; "},
      {"[{b,a}]", "[{b}] unred{a}", "", "sharded [{b}] unred{a}; ", "sharded [{b}] unred{a}; "},
      {"[{b,a}]", "[{b}] unred{a,c}", "", "sharded [{b}] unred{a}; reshard [{b}] unred{a,c}; ",
       "replicated [{b,a}] unred{c}; sharded [{b}] unred{a,c}; "},
      {"[{a,b}]", "[{b}] unred{a}", "", "error", "error"},
      {"[{b,a}]", "[{b}] unred{c}", "", "error", "error"},
  };
  using reference::BecomingUnreduced;
  for (const Case& c : cases) {
    EXPECT_EQ(Become(c.from, c.to, BecomingUnreduced::kCopy), c.copy) << c.from;
    EXPECT_EQ(Become(c.from, c.to, BecomingUnreduced::kShardedFirst), c.sharded_first) << c.from;
    EXPECT_EQ(Become(c.from, c.to, BecomingUnreduced::kNoReshard), c.no_reshard) << c.from;
  }
}

TEST_F(ToTargetTest, WhereValuesFlowWithoutConversions) {
  reference::Behaviors older;
  older.convert_where_values_flow = false;
  EXPECT_EQ(Run("[{b}]", "[{b}] unred{a}", Version::kMinimal, older), "");
  EXPECT_EQ(Run("[{b}] unred{a}", "[{b}]", Version::kMinimal, older), "sum [{b}]; ");
}

TEST_F(ToTargetTest, Faults) {
  const TensorSharding unreduced = Parse("[{}] unred{a}");
  const TensorSharding other = Parse("[{}] unred{b}");
  EXPECT_FALSE(BecomeUnreduced(&unreduced, other, meshes_).ok());
  const TensorSharding wider = Parse("[{},{}]");
  EXPECT_FALSE(BecomeUnreduced(&wider, other, meshes_).ok());
}

}  // namespace
}  // namespace tessera::sharding::reshard
