// The examples at the head of the public headers, as they stand there: each compiles, and gives what
// its comment says.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/answer/sharding_lookup.h"
#include "tessera/pipeline/pattern_annotation.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/shard_options.h"
#include "tessera/pipeline/sharded_module.h"
#include "tessera/pipeline/tensors.h"
#include "tessera/sharding/device_tiles.h"
#include "tessera/sharding/mesh.h"

namespace tessera::pipeline {
namespace {

using sharding::Mesh;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

hlo::Module Layer() {
  return *hlo::ParseModule(R"(HloModule layer
ENTRY main {
  x = f32[16,32] parameter(0)
  w1 = f32[32,64] parameter(1)
  ROOT dot.7 = f32[16,64] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={source_file="model.py" source_line=41}
})");
}

ShardOptions Options() {
  ShardOptions options;
  options.mesh = *Mesh::Create({{"data", 4}, {"model", 2}});
  options.annotations = {*ParseAnnotation("w.*=P(None, 'model')")};
  return options;
}

TEST(HeaderExamples, PatternAnnotation) {
  const hlo::Module module = Layer();
  PatternAnnotation annotation = *ParseAnnotation("w.*=P(None, 'model')");
  auto found = FindAnnotated(module, {annotation});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->size(), 1u);
}

TEST(HeaderExamples, Shard) {
  const ShardOptions options = Options();
  absl::StatusOr<ShardResult> result = ShardModule(Layer(), options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->text, HasSubstr("sharding="));
  EXPECT_THAT(result->notes, ::testing::IsEmpty());

  absl::StatusOr<std::unique_ptr<PropagatedModule>> s = Propagate(Layer(), options);
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_NE((*s)->program->entry(), nullptr);
  EXPECT_TRUE(Finalize(options, s->get()).ok());
}

TEST(HeaderExamples, Tensors) {
  const auto sharded = Propagate(Layer(), Options());
  ASSERT_TRUE(sharded.ok()) << sharded.status();
  std::vector<std::string> lines;
  for (const Tensor& t : ListTensors(**sharded)) {
    lines.push_back(t.name + " " + t.spec + " " + t.location);
  }
  EXPECT_THAT(lines, ElementsAre("x P() ", "w1 P(None, 'model') ",
                                 "dot.7 P(UNCONSTRAINED, 'model'?) model.py:41"));
}

TEST(HeaderExamples, ShardedModule) {
  hlo::Module module = Layer();
  const ShardOptions options = Options();
  absl::StatusOr<ShardedModule> m = Shard(std::move(module), options);
  ASSERT_TRUE(m.ok()) << m.status();
  EXPECT_EQ(m->Find("dot.7")->spec, "P(None, 'model')");
  EXPECT_THAT(m->results()[0].sharding->dim(0).axes, ::testing::IsEmpty());
  EXPECT_EQ(m->ToHlo().value(), ShardModule(Layer(), options)->text);
}

TEST(HeaderExamples, ShardingLookup) {
  const hlo::Module module = Layer();
  absl::StatusOr<ShardingLookup> placement = ShardingLookup::Create(module, Options());
  ASSERT_TRUE(placement.ok()) << placement.status();
  const hlo::InstructionId dot = placement->module().FindInstruction("dot.7");
  const sharding::TensorSharding* s = placement->Of(dot, 0);
  sharding::DeviceGrid grid(*placement->mesh(), placement->meshes());
  EXPECT_THAT(*grid.Tile({16, 64}, *s, 1),
              ElementsAre(sharding::TileRange{0, 16}, sharding::TileRange{32, 64}));
}

}  // namespace
}  // namespace tessera::pipeline
