#include "tessera/sharding/mesh_sizes.h"

#include "gtest/gtest.h"

namespace tessera::sharding {
namespace {

TEST(MeshSizesTest, ReadsAndPrints) {
  EXPECT_EQ(PrintMeshSizes(*ParseMeshSizes("data=4, model=2")), "data=4,model=2");
  EXPECT_EQ(PrintMeshSizes(*ParseMeshSizes("\"two words\"=3")), "\"two words\"=3");
  EXPECT_EQ(PrintMeshSizes(*ParseMeshSizes("data =4, dp/0=2")), "data=4,\"dp/0\"=2");
  for (const char* text :
       {"", "data", "data=", "=4", "data=0", "data=2,data=2", "data=2,", "a=2 b=2"}) {
    EXPECT_FALSE(ParseMeshSizes(text).ok()) << text;
  }
}

}  // namespace
}  // namespace tessera::sharding
