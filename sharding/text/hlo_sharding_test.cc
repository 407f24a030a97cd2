#include "tessera/sharding/hlo_sharding.h"

#include "gtest/gtest.h"
#include "tessera/sharding/hlo_sharding_text.h"

namespace tessera::sharding {
namespace {

HloSharding Read(const char* text) { return *ParseHloSharding(text); }

TEST(HloShardingTest, ComparesMeanings) {
  const struct {
    const char *a, *b;
    bool equal;
  } cases[] = {
      {"{devices=[2,3]<=[6]}", "{devices=[2,3]0,1,2,3,4,5}", true},
      {"{devices=[2,3]<=[6]}", "{devices=[3,2]<=[6]}", false},
      {"{devices=[2,3]<=[6] last_tile_dim_replicate}",
       "{devices=[2,3]2,1,0,5,4,3 last_tile_dim_replicate}", true},
      {"{devices=[2,3]<=[6] last_tile_dim_replicate}",
       "{devices=[2,3]<=[6] last_tile_dims={manual}}", false},
      {"{replicated metadata={op_name=\"x\"}}", "{replicated}", true},
      {"{replicated shard_as 1}", "{replicated}", false},
      {"{replicated}", "{{replicated}}", false},
      {"{}", "{replicated}", false},
      {"{maximal device=1}", "{maximal device=2}", false},
      {"{mesh['q'=2,'r'=3], [{'q'}]}", "{mesh['s'=2,'t'=3], [{'s'}]}", true},
      {"{mesh['q'=2,'r'=3], [{'q'}]}", "{mesh['q'=2,'r'=3], [{'q', ?}]}", false},
      {"{mesh['q'=2,'r'=3], [{'q','r'}]}", "{mesh['q'=6], [{'q'}]}", false},
      {"{mesh['q'=2,'r'=3], [{'q','r'}]}", "{devices=[6]<=[6]}", true},
      {"{mesh['q'=2], [{}, {?}], replicated={'q'}}", "{mesh[], replicated}", true},
      {"{mesh['q'=2], manual}", "{manual}", true},
      {"{maximal_mesh[device_id=1]}", "{maximal device=1}", true},
      {"{maximal_mesh[device_id=1]}", "{maximal_mesh[device_id=2]}", false},
      {"{{mesh['q'=2], [{'q'}]}, {manual}}", "{{devices=[2]<=[2]}, {manual}}", true},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Read(c.a) == Read(c.b), c.equal) << c.a << " and " << c.b;
    EXPECT_EQ(Read(c.b) == Read(c.a), c.equal) << c.a << " and " << c.b;
  }
}

TEST(HloShardingTest, KnowsNamedKinds) {
  EXPECT_TRUE(Read("{mesh['q'=1], [{'q'}]}").IsReplicated());
  EXPECT_FALSE(Read("{maximal_mesh[device_id=1]}").IsReplicated());
  EXPECT_TRUE(Read("{maximal_mesh[device_id=1]}").IsMaximal());
  EXPECT_TRUE(Read("{mesh['q'=2,'one'=1], [{}], manual={'q'}}").IsManual());
  EXPECT_FALSE(Read("{mesh['q'=2,'r'=2], [{}], manual={'q'}}").IsManual());
  EXPECT_TRUE(Read("{mesh['q'=2], unreduced}").IsUnreduced());
  EXPECT_EQ(Read("{mesh['q'=2,'r'=3], []}").num_devices(), 6);
  EXPECT_EQ(Read("{devices=[2,2]<=[4]}").num_devices(), 4);
  EXPECT_EQ(Read("{manual}").num_devices(), 0);
  EXPECT_EQ(Read("{devices=[2,2]<=[4] last_tile_dim_replicate}").data_rank(), 1);
}

}  // namespace
}  // namespace tessera::sharding
