// Sharding takes four times the work, and not much more, for a module four times as large
// (growth_check.h says what work is). Bytes alone see tables and lists that grow too fast; only
// instructions see loops that look at everything again.

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/layout/shape.h"
#include "tessera/pipeline/shard.h"
#include "tessera/sharding/program/program.h"
#include "tessera/testing/hostile/generators.h"
#include "tessera/testing/hostile/growth_check.h"
#include "tessera/testing/hostile/work_counter.h"

namespace tessera::testing::hostile {
namespace {

Work WorkOf(const std::string& text, bool as_passed) {
  absl::StatusOr<hlo::Module> module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  pipeline::ShardOptions options;
  if (as_passed) options.stage = pipeline::Stage::kPass;
  const WorkCounter counter;
  const auto result = pipeline::ShardModule(*std::move(module), options);
  EXPECT_TRUE(result.ok()) << result.status();
  return counter.SoFar();
}

TEST(GrowthTest, WorkIsLinear) {
  for (const Generator& generator : Generators()) {
    const std::string small = generator.make(generator.n);
    const std::string large = generator.make(4 * generator.n);
    EXPECT_TRUE(GrowsAtMost(
        generator.most, [&] { return WorkOf(small, generator.as_passed); },
        [&] { return WorkOf(large, generator.as_passed); }))
        << generator.name;
  }
}

// An op is erased in whose block stands an op with a block, and so on; in the last one are 200 for
// each of them. Review: sharding, Program::Erase.
Work WorkOfErasing(int depth) {
  namespace program = sharding::program;
  const layout::Shape shape = layout::Shape::Array(layout::ElementType::kF32, {8});
  program::Program of;
  program::Function* const f = of.AddFunction("f", program::kNoOrigin);
  program::Block* inner = f->body;
  program::Op* outer = nullptr;
  for (int d = 0; d < depth; ++d) {
    program::Op* const op = of.AddOp({}, {}, {}, program::InsertPoint::AtEnd(inner));
    inner = of.NewBlock(f, program::kNoOrigin);
    of.AddBlock(op, inner);
    if (d == 0) outer = op;
  }
  program::Value* const x = of.AddArg(inner, &shape);
  for (int i = 0; i < 200 * depth; ++i) {
    of.AddOp({}, {x, x}, {&shape}, program::InsertPoint::AtEnd(inner));
  }
  const WorkCounter counter;
  of.Erase(outer);
  return counter.SoFar();
}

TEST(GrowthTest, BlocksInBlocksAreErasedOnce) {
  EXPECT_TRUE(GrowsAtMost(
      kLinear, [] { return WorkOfErasing(250); }, [] { return WorkOfErasing(1000); }));
}

}  // namespace
}  // namespace tessera::testing::hostile
