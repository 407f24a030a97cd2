// A compiler without MLIR or XLA uses tessera. It shards a module, looks at its tensors, and asks why
// and which collectives follow. It asks for the cost of a step on a machine and the cells that a block
// needs. It turns a sharding in the user's axis names into tiles of devices.

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tessera/cost/cost.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/explained_module.h"
#include "tessera/pipeline/pattern_annotation.h"
#include "tessera/pipeline/sharded_module.h"
#include "tessera/projection/cost/network/collective_bytes.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/sharding/passes/pass_lists.h"
#include "tessera/sharding/passes/text/program_text.h"
#include "tessera/sharding/sdy_text.h"

namespace {

constexpr char kLayer[] = R"(HloModule layer, num_partitions=8
ENTRY main {
  x = f32[16,32] parameter(0), sharding={mesh['data'=4,'model'=2], [{'data'}, {}]}
  w = f32[32,64] parameter(1), sharding={mesh['data'=4,'model'=2], [{'model'}, {}]}
  ROOT y = f32[16,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})";

tessera::hlo::Module Parse(const char* text) {
  auto module = tessera::hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

TEST(Consumer, ShardsAModule) {
  const auto sharded = tessera::pipeline::Shard(Parse(kLayer));
  ASSERT_TRUE(sharded.ok()) << sharded.status();
  std::vector<std::string> specs;
  for (const auto& tensor : sharded->tensors()) specs.push_back(tensor.name + " " + tensor.spec);
  EXPECT_EQ(specs, (std::vector<std::string>{"x P('data', None)", "w P('model', None)",
                                             "y P('data', None)"}));
}

TEST(Consumer, AnnotatesAModule) {
  const auto module = Parse(R"(ENTRY main {
  x = f32[16,32] parameter(0)
  ROOT y = f32[16,32] tanh(x)
})");
  tessera::pipeline::ShardOptions options;
  options.mesh = *tessera::sharding::Mesh::Create({{"data", 4}, {"model", 2}});
  options.annotations = {*tessera::pipeline::ParseAnnotation("^x$=P('data')")};
  const auto sharded = tessera::pipeline::Shard(module, options);
  ASSERT_TRUE(sharded.ok()) << sharded.status();
  EXPECT_EQ(sharded->Find("y")->spec, "P('data', None)");
}

TEST(Consumer, RunsThePassesOneByOne) {
  namespace passes = tessera::sharding::passes;
  passes::Context context;
  context.module = Parse(kLayer);
  const absl::Status run = passes::RunPasses(passes::UpToPropagation({}), &context);
  ASSERT_TRUE(run.ok()) << run;
  EXPECT_NE(passes::ProgramOutline(*context.program).find("dot"), std::string::npos);
}

TEST(Consumer, SaysWhyATensorHasItsSharding) {
  const auto explained = tessera::pipeline::ExplainModule(Parse(kLayer));
  ASSERT_TRUE(explained.ok()) << explained.status();
  const auto why = explained->Explain("y:0", "data");
  ASSERT_TRUE(why.ok()) << why.status();
  EXPECT_NE(why->find("y dim 0 <- x dim 0"), std::string::npos) << *why;
}

TEST(Consumer, FindsTheCollectivesAndTheirCost) {
  const auto sharded = tessera::pipeline::Shard(Parse(kLayer));
  ASSERT_TRUE(sharded.ok()) << sharded.status();
  const auto text = sharded->ToHlo();
  ASSERT_TRUE(text.ok()) << text.status();
  const auto found = tessera::sharding::partition::FindCollectives(Parse(text->c_str()), {});
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->collectives.size(), 1u);  // x is cut to fit w, the parts of the sum are added
  const auto& sum = found->collectives[0];
  EXPECT_EQ(sum.opcode, tessera::hlo::Opcode::kAllReduce);
  const auto kind = tessera::projection::CollectiveKindOf(sum.opcode);
  const auto bill = tessera::projection::PriceCollective(
      *kind, *sum.shape.NumElements() * 4, 4, static_cast<int64_t>(sum.groups[0].size()));
  ASSERT_TRUE(bill.ok()) << bill.status();
  EXPECT_EQ(bill->sent, 1024);  // of f32[4,64] on each of two devices
}

TEST(Consumer, SaysWhatAStepNeeds) {
  tessera::pipeline::ShardOptions as_compiled;
  as_compiled.structure = tessera::pipeline::Structure::kXla;
  const auto sharded = tessera::pipeline::Shard(Parse(kLayer), as_compiled);
  ASSERT_TRUE(sharded.ok()) << sharded.status();
  const auto module = Parse(sharded->ToHlo()->c_str());
  const auto device = tessera::sharding::partition::PartitionModule(module);
  ASSERT_TRUE(device.ok()) << device.status();
  const auto mesh = tessera::sharding::Mesh::Create({{"data", 4}, {"model", 2}});
  const auto machine = tessera::cost::ReadMachine("tpu-v5e:4x2", *mesh, 8);
  ASSERT_TRUE(machine.ok()) << machine.status();
  const auto step = tessera::cost::CostOfStep(module, *device, &*machine);
  ASSERT_TRUE(step.ok()) << step.status();
  EXPECT_EQ(step->sent, 1024);
  EXPECT_GT(step->seconds(), 0);
  const auto memory = tessera::cost::MemoryOf(*device);
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_EQ(memory->total(), step->memory);
}

TEST(Consumer, ProjectsABlock) {
  const auto module = Parse(kLayer);
  const auto signature = tessera::projection::SignatureOf(module, module.FindInstruction("y"));
  ASSERT_TRUE(signature.ok()) << signature.status();
  const auto needs =
      tessera::projection::Project(*signature, *tessera::projection::ZRange::Parse("zr[0:4, 0:8]"));
  ASSERT_TRUE(needs.ok()) << needs.status();
  EXPECT_EQ((*needs)[0].bounding->ToString(), "zr[0:4, 0:32]");  // of x
}

TEST(Consumer, TurnsAxesIntoDevices) {
  tessera::sharding::MeshTable meshes;
  const auto mesh = tessera::sharding::Mesh::Create({{"data", 4}, {"model", 2}});
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  ASSERT_TRUE(meshes.Add("mesh", *mesh).ok());
  const auto sharding =
      tessera::sharding::ParseSharding("<@mesh, [{\"model\"}, {\"data\"}]>", meshes);
  ASSERT_TRUE(sharding.ok()) << sharding.status();
  EXPECT_EQ(tessera::sharding::ToTiledSharding(*sharding, *mesh).ToString(),
            "{devices=[2,4]<=[4,2]T(1,0)}");
}

}  // namespace
