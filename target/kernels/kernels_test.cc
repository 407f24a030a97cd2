#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/order.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/kernels/clusters/cluster_graph.h"
#include "tessera/target/kernels/clusters/clusters.h"
#include "tessera/target/kernels/few_rows.h"
#include "tessera/target/kernels/products/products.h"
#include "tessera/target/kernels/products/registers.h"
#include "tessera/target/kernels/program_kernels.h"

namespace tessera::target {
namespace {

using ::testing::Contains;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::UnorderedElementsAre;

hlo::Module Parse(const std::string& text) {
  auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

hlo::InstructionId Named(const hlo::Module& module, const std::string& name) {
  return module.FindInstruction(name);
}

// The members of each cluster of the entry, by name.
std::vector<std::string> Clusters(const std::string& body, const std::string& chip = "tpu-v5e") {
  const hlo::Module module = Parse(
      "HloModule m\n"
      "sum { l = f32[] parameter(0) r = f32[] parameter(1) ROOT s = f32[] add(l, r) }\n"
      "sum16 { l = bf16[] parameter(0) r = bf16[] parameter(1) ROOT s = bf16[] add(l, r) }\n"
      "most { l = f32[] parameter(0) r = f32[] parameter(1) ROOT s = f32[] maximum(l, r) }\n"
      "ENTRY e {\n" +
      body + "}\n");
  std::vector<std::string> found;
  const auto order = hlo::PostOrder(module, module.entry_id());
  for (const Cluster& cluster : FindClusters(module, order, **ParseChip(chip))) {
    std::string names;
    for (const hlo::InstructionId id : cluster.members) {
      if (module.instruction(id).opcode == hlo::Opcode::kBroadcast) continue;
      names += (names.empty() ? "" : " ") + std::string(module.instruction(id).name);
    }
    for (const hlo::InstructionId id : cluster.outputs) {
      names += " ->" + std::string(module.instruction(id).name);
    }
    found.push_back(names);
  }
  return found;
}

const DeviceKernel& Only(const ProgramKernels& program) {
  EXPECT_EQ(program.computations.size(), 1u);
  EXPECT_EQ(program.computations[0].kernels.size(), 1u);
  return program.computations[0].kernels[0];
}

// The walk as it reads: each step asks whether a place is in a cluster.
bool ReachesSlowly(ClusterGraph& graph, ClusterId from, ClusterId to, bool counts_direct) {
  std::vector<Place> work;
  for (const Place p : graph.cluster(from).members) {
    if (!graph.node(p).is_written) continue;
    for (const Place user : graph.node(p).users) {
      if (graph.IsIn(user, from)) continue;
      if (graph.IsIn(user, to) && counts_direct) return true;
      if (!graph.IsIn(user, to)) work.push_back(user);
    }
  }
  for (size_t k = 0; k < work.size(); ++k) {
    if (graph.IsIn(work[k], to)) return true;
    work.insert(work.end(), graph.node(work[k]).users.begin(), graph.node(work[k]).users.end());
  }
  return false;
}

TEST(ClusterGraphTest, MarkedWalksFindWhatPlainOnesDo) {
  std::mt19937 random(1);
  const auto below = [&](size_t n) { return static_cast<uint32_t>(random() % n); };
  for (int round = 0; round < 20; ++round) {
    constexpr uint32_t kOps = 12;
    std::string body = "  x = f32[8] parameter(0)\n  v0 = f32[8] negate(x)\n";
    for (uint32_t k = 1; k < kOps; ++k) {
      body += absl::StrCat(k + 1 < kOps ? "  v" : "  ROOT v", k, " = f32[8] add(v", below(k), ", v",
                           below(k), ")\n");
    }
    const hlo::Module module = Parse("HloModule m\nENTRY e {\n" + body + "}\n");
    const auto order = hlo::PostOrder(module, module.entry_id());
    ClusterGraph graph(module, order);
    for (Place p = 0; p < order.size(); ++p) {
      graph.nodes()[p].is_written = below(2) == 0;
      graph.New(p, 8);
      if (p > 2 && below(2) == 0) graph.Put(p, graph.Find(below(p)));
      if (p > 2 && below(3) == 0) graph.Join(graph.Find(below(p)), graph.Find(below(p)));
    }
    for (Place a = 0; a < order.size(); ++a) {
      for (Place b = 0; b < order.size(); ++b) {
        const ClusterId from = graph.Find(a), to = graph.Find(b);
        EXPECT_EQ(graph.Needs(to, from), ReachesSlowly(graph, from, to, true));
        EXPECT_EQ(graph.NeedsByOthers(to, from), ReachesSlowly(graph, from, to, false));
      }
    }
  }
}

TEST(RegistersTest, TilesPadAndLayoutsToComeWasteLeast) {
  const hlo::Module module = Parse(
      "HloModule m\n"
      "ENTRY e {\n"
      "  a = f32[1024,3]{1,0:T(8,128)} parameter(0)\n"
      "  b = f32[1024,3] parameter(1)\n"
      "  c = f32[2,1024]{1,0:T(2,128)} parameter(2)\n"
      "  ROOT d = f32[] parameter(3)\n"
      "}\n");
  EXPECT_THAT(Registers(module.shape(Named(module, "a"))), DoubleEq(128));
  EXPECT_THAT(Registers(module.shape(Named(module, "b"))), DoubleEq(8));
  EXPECT_THAT(Registers(module.shape(Named(module, "c"))), DoubleEq(2));
  EXPECT_THAT(Registers(module.shape(Named(module, "d"))), DoubleEq(1.0 / 1024));
}

Product Of(const std::string& instructions) {
  const hlo::Module module = Parse("HloModule m\nENTRY e {\n" + instructions + "}\n");
  return *ProductOf(module, Named(module, "p"));
}

std::vector<double> Sizes(const Product& p) { return {p.batch, p.m, p.n, p.k, p.multiplies}; }

TEST(RegistersTest, TilesWithFewerRowsThanARegister) {
  const hlo::Module module = Parse(
      "HloModule m\nENTRY e { a = bf16[4096,2,1024]{2,1,0:T(2,128)(2,1)} parameter(0)\n"
      "  b = bf16[4096,8,1024]{2,1,0:T(8,128)(2,1)} parameter(1)\n"
      "  ROOT c = f32[4096,2,1024] parameter(2) }\n");
  EXPECT_THAT(LowTiles(module.shape(Named(module, "a"))), DoubleEq(32768));
  EXPECT_THAT(LowTiles(module.shape(Named(module, "b"))), DoubleEq(0));
  EXPECT_THAT(LowTiles(module.shape(Named(module, "c"))), DoubleEq(0));
}

// A walk over both results, and over a slice that is written. 32 bits take an operation each, 16 do not.
TEST(FinalKernelsTest, WhatAFusionWalksOverAndHowManyOperationsItTakes) {
  const std::string low = "f32[256,2,128]{2,1,0:T(2,128)}";
  const std::string half = "bf16[256,2,128]{2,1,0:T(2,128)(2,1)}";
  const std::string stack = "f32[512,2,128]{2,1,0:T(2,128)}";
  const hlo::Module module = Parse(absl::StrCat(
      "HloModule m, is_scheduled=true\nf { p = ", low, " parameter(0)\n  a = ", low,
      " add(p, p)\n  b = ", low, " multiply(a, p)\n  c = ", half, " convert(b)\n  d = ", half,
      " negate(c)\n  ROOT t = (", low, ", ", half, ") tuple(b, d) }\ng { p = ", stack,
      " parameter(0)\n  z = s32[] parameter(1)\n  ROOT s = ", low,
      " dynamic-slice(p, z, z, z), dynamic_slice_sizes={256,2,128} }\nENTRY e { q = ", stack,
      " parameter(0)\n  i = s32[] parameter(1)\n  s = ", low,
      " fusion(q, i), kind=kLoop, calls=g\n  ROOT w = (", low, ", ", half,
      ") fusion(s), kind=kLoop, calls=f }\n"));
  const auto program = FindKernels(module);
  ASSERT_TRUE(program.ok()) << program.status();
  ASSERT_EQ(program->computations[0].kernels.size(), 2u);
  EXPECT_THAT(program->computations[0].kernels[0].low_tiles, DoubleEq(256));
  const DeviceKernel& kernel = program->computations[0].kernels[1];
  EXPECT_THAT(kernel.low_tiles, DoubleEq(256));
  EXPECT_THAT(kernel.other_low_tiles, DoubleEq(256));
  EXPECT_THAT(kernel.work[kOperations], DoubleEq(2 * 64));
}

// A slice that becomes a part of another array is only moved.
TEST(FinalKernelsTest, AnUpdateWithASliceIsNoWalkOverTiles) {
  const std::string stack = "f32[512,2,128]{2,1,0:T(2,128)}";
  const hlo::Module module = Parse(absl::StrCat(
      "HloModule m, is_scheduled=true\ng { p = ", stack, " parameter(0)\n  q = ", stack,
      " parameter(1)\n  z = s32[] parameter(2)\n  s = f32[256,2,128]{2,1,0:T(2,128)} "
      "dynamic-slice(p, z, z, z), dynamic_slice_sizes={256,2,128}\n  ROOT u = ",
      stack, " dynamic-update-slice(q, s, z, z, z) }\nENTRY e { a = ", stack,
      " parameter(0)\n  b = ", stack, " parameter(1)\n  i = s32[] parameter(2)\n  ROOT u = ", stack,
      " fusion(a, b, i), kind=kLoop, calls=g }\n"));
  const auto program = FindKernels(module);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_THAT(program->computations[0].kernels[0].low_tiles, DoubleEq(0));
}

// A slice of whole rows is one piece; a pad and a slice of each row move row by row.
TEST(FinalKernelsTest, ASliceOfEachRowIsALoneOperation) {
  const auto kind = [](const std::string& text) {
    const hlo::Module module =
        Parse("HloModule m, is_scheduled=true\nENTRY e { p = bf16[64,256]{1,0} parameter(0)\n" +
              text + " }\n");
    const auto program = FindKernels(module);
    EXPECT_TRUE(program.ok());
    return program->computations[0].kernels.back().kind;
  };
  EXPECT_EQ(kind("ROOT s = bf16[32,256]{1,0} slice(p), slice={[0:32], [0:256]}"),
            KernelKind::kLoop);
  EXPECT_EQ(kind("ROOT s = bf16[64,128]{1,0} slice(p), slice={[0:64], [128:256]}"),
            KernelKind::kLone);
  EXPECT_EQ(kind("z = bf16[] constant(0) ROOT s = bf16[64,384]{1,0} pad(p, z), padding=0_0x0_128"),
            KernelKind::kLone);
}

// Between collectives: nothing to fuse with.
// The exchange takes float32 and sends bf16.
TEST(ProgramKernelsTest, AnAllReduceNarrowsWhatItTakes) {
  const hlo::Module module = Parse(
      "HloModule m\nsum { l = bf16[] parameter(0) r = bf16[] parameter(1) ROOT s = bf16[] add(l, "
      "r) }\n"
      "ENTRY e {\n  x = f32[64,128] parameter(0)\n"
      "  p = f32[64,128] collective-permute(x), source_target_pairs={{0,1},{1,0}}\n"
      "  c = bf16[64,128] convert(p)\n"
      "  ROOT r = bf16[64,128] all-reduce(c), replica_groups={}, to_apply=sum\n}\n");
  const auto program = FindKernels(module);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_TRUE(program->computations[0].kernels.empty());
}

TEST(ProgramKernelsTest, AnOperationThatStaysByItselfIsLone) {
  const auto kinds = [](const std::string& last) {
    const hlo::Module module = Parse(
        "HloModule m, num_partitions=4\nsum { l = f32[] parameter(0) r = f32[] parameter(1) "
        "ROOT s = f32[] add(l, r) }\nENTRY e { p = f32[64,256] parameter(0)\n"
        "  a = f32[64,256] all-reduce(p), replica_groups={{0,1,2,3}}, to_apply=sum\n" +
        last + " }\n");
    const auto program = FindKernels(module);
    EXPECT_TRUE(program.ok());
    return program->computations.back().kernels.back().kind;
  };
  EXPECT_EQ(kinds("ROOT b = f32[64,256] add(a, p)"), KernelKind::kLone);
  EXPECT_EQ(kinds("c = f32[64,256] negate(a) ROOT b = f32[64,256] add(c, p)"), KernelKind::kLoop);
}

TEST(ProductsTest, OfADot) {
  EXPECT_THAT(Sizes(Of("  a = f32[2,64,256] parameter(0)\n  b = f32[2,256,128] parameter(1)\n"
                       "  ROOT p = f32[2,64,128] dot(a, b), lhs_batch_dims={0}, "
                       "rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}\n")),
              ElementsAre(2, 64, 128, 256, 2.0 * 64 * 128 * 256));
}

// As TPU compilers write dots: 4 heads as columns, contracted, and as batches.
TEST(ProductsTest, PassesByPrecision) {
  const auto passes = [](const std::string& type, const std::string& precision) {
    const hlo::Module module = Parse(absl::StrReplaceAll(
        "HloModule m\nENTRY e {\n  a = TYPE[8,8] parameter(0)\n  ROOT d = f32[8,8] dot(a, a), "
        "lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={PRECISION}\n}\n",
        {{"TYPE", type}, {"PRECISION", precision}}));
    return ProductOf(module, Named(module, "d"))->passes;
  };
  EXPECT_THAT(passes("f32", "default,default"), DoubleEq(1));
  EXPECT_THAT(passes("f32", "high,high"), DoubleEq(3));
  EXPECT_THAT(passes("f32", "highest,highest"), DoubleEq(6));
  EXPECT_THAT(passes("bf16", "highest,highest"), DoubleEq(1));
}

TEST(ProductsTest, OfAConvolutionThatIsADot) {
  const Product columns =
      Of("  a = bf16[4,1024,1024,1] parameter(0)\n  b = bf16[1024,4,64,1] parameter(1)\n"
         "  ROOT p = bf16[4,1024,4,64] convolution(a, b), window={size=1x4 pad=0_0x3_3 "
         "rhs_reversal=0x1}, dim_labels=0bf1_i1o0->0b1f\n");
  EXPECT_THAT(Sizes(columns), ElementsAre(1, 4096, 256, 1024, 4096.0 * 256 * 1024));
  EXPECT_FALSE(columns.is_window);
  const Product batches =
      Of("  a = bf16[4,128,64] parameter(0)\n  b = bf16[4,64,32] parameter(1)\n"
         "  ROOT p = bf16[4,128,32] convolution(a, b), window={size=4 stride=3 lhs_dilate=4}, "
         "dim_labels=0bf_0io->0bf\n");
  EXPECT_THAT(Sizes(batches), ElementsAre(4, 128, 32, 64, 4.0 * 128 * 32 * 64));
}

TEST(ProductsTest, OfAWindowOnlyTapsThatMeetAnElement) {
  const Product p =
      Of("  a = f32[1,8,16] parameter(0)\n  b = f32[3,16,32] parameter(1)\n"
         "  ROOT p = f32[1,8,32] convolution(a, b), window={size=3 pad=1_1}, "
         "dim_labels=b0f_0io->b0f\n");
  EXPECT_TRUE(p.is_window);
  EXPECT_THAT(p.multiplies, DoubleEq((3 * 8 - 2) * 16.0 * 32));
}

// Two images: the holes of the dilated one are multiplied, too. Of eight they are not.
TEST(ProductsTest, OfADilatedInput) {
  const auto of_images = [](const std::string& images) {
    return Of("  a = f32[" + images + ",8,16] parameter(0)\n  b = f32[3,16,32] parameter(1)\n" +
              "  ROOT p = f32[" + images + ",16,32] convolution(a, b), window={size=3 pad=1_2 " +
              "lhs_dilate=2}, dim_labels=b0f_0io->b0f\n");
  };
  const Product two = of_images("2"), eight = of_images("8");
  EXPECT_THAT(two.multiplies, DoubleEq(2 * 3 * 16 * 16.0 * 32));
  EXPECT_THAT(two.with_holes, DoubleEq(1));
  EXPECT_THAT(eight.multiplies, DoubleEq(8 * (3 * 16 / 2 - 1) * 16.0 * 32));
  EXPECT_THAT(eight.multiplies * eight.with_holes, DoubleEq(8 * 3 * 16 * 16.0 * 32));
}

// Four images of 8 x 8 are rows of a register, 96 features its lanes.
TEST(ProductsTest, OfEachFeatureByItself) {
  const Product image =
      Of("  a = f32[4,8,8,96] parameter(0)\n  b = f32[3,3,1,96] parameter(1)\n"
         "  ROOT p = f32[4,8,8,96] convolution(a, b), window={size=3x3 pad=1_1x1_1}, "
         "dim_labels=b01f_01io->b01f, feature_group_count=96\n");
  EXPECT_THAT(image.depthwise.registers, DoubleEq(8 * 8));
  EXPECT_THAT(image.depthwise.taps, DoubleEq(9));
  EXPECT_FALSE(image.depthwise.is_of_kernel);
  const Product kernel =
      Of("  a = f32[4,8,8,96] parameter(0)\n  b = f32[4,8,8,96] parameter(1)\n"
         "  ROOT p = f32[3,3,1,96] convolution(a, b), window={size=8x8 pad=1_1x1_1}, "
         "dim_labels=f01b_i01o->01bf, batch_group_count=96\n");
  EXPECT_THAT(kernel.depthwise.registers, DoubleEq(8 * 8));
  EXPECT_THAT(kernel.depthwise.taps, DoubleEq(9));
  EXPECT_TRUE(kernel.depthwise.is_of_kernel);
  const Product groups =
      Of("  a = f32[4,8,8,96] parameter(0)\n  b = f32[3,3,4,96] parameter(1)\n"
         "  ROOT p = f32[4,8,8,96] convolution(a, b), window={size=3x3 pad=1_1x1_1}, "
         "dim_labels=b01f_01io->b01f, feature_group_count=24\n");
  EXPECT_THAT(groups.depthwise.registers, DoubleEq(0));
}

// Three columns at once, one where the window is read backwards, all images in the gradient of a kernel.
TEST(ProductsTest, OfAWindowWhatIsContractedAtOnce) {
  const auto convolution = [](const std::string& window, const std::string& labels) {
    return Of(
        "  a = f32[4,8,8,16] parameter(0)\n  b = f32[3,3,16,16] parameter(1)\n"
        "  ROOT p = f32[4,8,8,16] convolution(a, b), window={size=3x3 pad=1_1x1_1" +
        window + "}, dim_labels=b01f_01" + labels + "->b01f\n");
  };
  EXPECT_THAT(convolution("", "io").packed, DoubleEq(48));
  EXPECT_THAT(convolution(" rhs_reversal=1x1", "oi").packed, DoubleEq(16));
  EXPECT_THAT(convolution("", "io").rows, DoubleEq(4));
  const Product gradient =
      Of("  a = f32[4,8,8,16] parameter(0)\n  b = f32[4,8,8,32] parameter(1)\n"
         "  ROOT p = f32[3,3,16,32] convolution(a, b), window={size=8x8 pad=1_1x1_1}, "
         "dim_labels=f01b_i01o->01bf\n");
  EXPECT_THAT(gradient.packed, DoubleEq(gradient.k));
  EXPECT_THAT(gradient.rows, DoubleEq(16));
}

TEST(FactorsTest, WhatIsReadForEachSide) {
  const hlo::Module module = Parse(
      "HloModule m\nENTRY e { x = bf16[8,64] parameter(0)\n  p = f32[64,32] parameter(1)\n"
      "  b = f32[32] parameter(2)\n  s = f32[64,32] broadcast(b), dimensions={1}\n"
      "  a = f32[64,32] add(p, s)\n  w = bf16[64,32] convert(a)\n"
      "  ROOT d = bf16[8,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0} }\n");
  const auto program = FindKernels(module);
  ASSERT_TRUE(program.ok());
  const DeviceKernel& kernel = Only(*program);
  ASSERT_EQ(kernel.products.size(), 1u);
  EXPECT_THAT(kernel.products[0].factors[0].bytes, DoubleEq(1024));
  EXPECT_THAT(kernel.products[0].factors[0].from_memory, DoubleEq(1024));
  EXPECT_THAT(kernel.products[0].factors[1].bytes, DoubleEq(4096));
  EXPECT_THAT(kernel.products[0].factors[1].from_memory, DoubleEq(8192));
}

TEST(FinalKernelsTest, AFusionReadsOnlyWhatItSlices) {
  const hlo::Module module = Parse(
      "HloModule m, is_scheduled=true\n"
      "f {\n"
      "  p = f32[8,1024]{1,0:T(8,128)} parameter(0)\n"
      "  i = s32[] parameter(1)\n"
      "  z = s32[] constant(0)\n"
      "  s = f32[1,1024]{1,0:T(1,128)} dynamic-slice(p, i, z), dynamic_slice_sizes={1,1024}\n"
      "  ROOT n = f32[1,1024]{1,0:T(1,128)} negate(s)\n"
      "}\n"
      "ENTRY e {\n"
      "  x = f32[8,1024]{1,0:T(8,128)} parameter(0)\n"
      "  i = s32[] parameter(1)\n"
      "  ROOT k = f32[1,1024]{1,0:T(1,128)S(1)} fusion(x, i), kind=kLoop, calls=f\n"
      "}\n");
  const auto program = FindKernels(module);
  ASSERT_TRUE(program.ok());
  const DeviceKernel& kernel = Only(*program);
  EXPECT_EQ(kernel.kind, KernelKind::kLoop);
  ASSERT_EQ(kernel.accesses.size(), 3u);
  EXPECT_THAT(kernel.accesses[0].registers, DoubleEq(1));  // of eight
  EXPECT_TRUE(kernel.accesses[2].is_written);
  EXPECT_TRUE(kernel.accesses[2].is_fast);
  EXPECT_THAT(kernel.work[kSimple], DoubleEq(1));
}

TEST(FinalKernelsTest, AFusionThatEndsACollectiveTouchesNothing) {
  const hlo::Module module = Parse(
      "HloModule m, is_scheduled=true\n"
      "f {\n"
      "  p = f32[8,1024]{1,0:T(8,128)} parameter(0)\n"
      "  q = f32[16,1024]{1,0:T(8,128)} parameter(1)\n"
      "  g = f32[16,1024]{1,0:T(8,128)} all-gather(p), dimensions={0}, replica_groups={}\n"
      "  ROOT d = f32[16,1024]{1,0:T(8,128)} custom-call(p, q, g), "
      "custom_call_target=\"AsyncCollectiveDone\"\n"
      "}\n"
      "ENTRY e {\n"
      "  x = f32[8,1024]{1,0:T(8,128)} parameter(0)\n"
      "  y = f32[16,1024]{1,0:T(8,128)} parameter(1)\n"
      "  ROOT k = f32[16,1024]{1,0:T(8,128)} fusion(x, y), kind=kCustom, calls=f\n"
      "}\n");
  const auto program = FindKernels(module);
  ASSERT_TRUE(program.ok());
  EXPECT_TRUE(Only(*program).accesses.empty());
}

TEST(FinalKernelsTest, AnUpdateInPlaceWritesTheUpdate) {
  const hlo::Module module = Parse(
      "HloModule m, is_scheduled=true\n"
      "f {\n"
      "  p = f32[8,1024]{1,0:T(8,128)} parameter(0)\n"
      "  u = f32[1,1024]{1,0:T(1,128)} parameter(1)\n"
      "  z = s32[] constant(0)\n"
      "  d = f32[8,1024]{1,0:T(8,128)} dynamic-update-slice(p, u, z, z)\n"
      "  ROOT b = f32[8,1024]{1,0:T(8,128)} bitcast(d)\n"
      "}\n"
      "ENTRY e {\n"
      "  x = f32[8,1024]{1,0:T(8,128)} parameter(0)\n"
      "  u = f32[1,1024]{1,0:T(1,128)} parameter(1)\n"
      "  ROOT k = f32[8,1024]{1,0:T(8,128)} fusion(x, u), kind=kLoop, calls=f\n"
      "}\n");
  const auto program = FindKernels(module);
  ASSERT_TRUE(program.ok());
  double read = 0, written = 0;
  for (const Access& access : Only(*program).accesses) {
    (access.is_written ? written : read) += access.bytes;
  }
  EXPECT_THAT(written, DoubleEq(4096));
  EXPECT_LT(read, 4096 + 64);  // the update, and where it goes
}

// A cache with a place for each of four sequences. `inserted`: whether the place is no dimension of the update.
std::string ScatterOfRows(const std::string& update, const std::string& window,
                          const std::string& inserted) {
  return absl::StrCat(
      "HloModule m\nset { l = f32[] parameter(0) ROOT r = f32[] parameter(1) }\nENTRY e {\n"
      "  c = f32[4,64,128] parameter(0)\n  i = s32[4,2] parameter(1)\n  u = f32[",
      update, "] parameter(2)\n  ROOT s = f32[4,64,128] scatter(c, i, u), update_window_dims={",
      window, "}, inserted_window_dims={", inserted,
      "}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=set\n}\n");
}

TEST(FinalKernelsTest, AScatterWritesItsUpdates) {
  const hlo::Module module = Parse(ScatterOfRows("4,128", "1", "0,1"));
  const auto program = FindKernels(module);
  ASSERT_TRUE(program.ok()) << program.status();
  const DeviceKernel& kernel = Only(*program);
  EXPECT_THAT(kernel.kind, KernelKind::kIndexed);
  EXPECT_THAT(kernel.count, DoubleEq(4));
  EXPECT_THAT(kernel.steps, DoubleEq(1));
  double written = 0, read = 0;
  for (const Access& access : kernel.accesses) (access.is_written ? written : read) += access.bytes;
  EXPECT_THAT(written, DoubleEq(4 * 128 * 4));
  EXPECT_THAT(read, DoubleEq(4 * 128 * 4 + 4 * 2 * 4));
}

// Four small kernels for each of four slices.
TEST(FinalKernelsTest, AScatterOfSlicesAtAnyPlaceIsALoop) {
  const hlo::Module module = Parse(ScatterOfRows("4,1,128", "1,2", "0"));
  const auto program = FindKernels(module);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_THAT(Only(*program).steps, DoubleEq(16));
}

TEST(FinalKernelsTest, LoopsRunTheirTrips) {
  const hlo::Module module = Parse(
      "HloModule m, is_scheduled=true\n"
      "body { p = (s32[], f32[8,128]) parameter(0)\n"
      "  i = s32[] get-tuple-element(p), index=0\n"
      "  x = f32[8,128]{1,0:T(8,128)} get-tuple-element(p), index=1\n"
      "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n"
      "  n = f32[8,128]{1,0:T(8,128)} negate(x)\n"
      "  ROOT t = (s32[], f32[8,128]) tuple(j, n) }\n"
      "cond { p = (s32[], f32[8,128]) parameter(0)\n"
      "  i = s32[] get-tuple-element(p), index=0\n"
      "  five = s32[] constant(5)\n  ROOT c = pred[] compare(i, five), direction=LT }\n"
      "ENTRY e { z = s32[] constant(0) x = f32[8,128]{1,0:T(8,128)} parameter(0)\n"
      "  t = (s32[], f32[8,128]) tuple(z, x)\n"
      "  ROOT w = (s32[], f32[8,128]) while(t), condition=cond, body=body }\n");
  const auto program = FindKernels(module);
  ASSERT_TRUE(program.ok());
  ASSERT_EQ(program->computations.size(), 3u);
  ASSERT_EQ(program->computations.back().calls.size(), 1u);
  EXPECT_EQ(program->computations.back().calls[0].runs, 5);
  std::vector<KernelKind> kinds;
  for (const DeviceKernel& kernel : program->computations[0].kernels) kinds.push_back(kernel.kind);
  EXPECT_THAT(kinds, UnorderedElementsAre(KernelKind::kScalar, KernelKind::kLone));
}

// 4 x 512 x 512 x 4 elements in tiles of four rows, and a copy that turns rows to columns.
TEST(FinalKernelsTest, ACopyThatKeepsTheMinorDimensionMovesTiles) {
  const auto module = Parse(
      "HloModule m, is_scheduled=true\n"
      "ENTRY e {\n"
      "  x = bf16[4,512,4,512]{3,1,2,0:T(8,128)(2,1)} parameter(0)\n"
      "  c = bf16[4,512,4,512]{3,2,1,0:T(4,128)(2,1)} copy(x)\n"
      "  ROOT t = bf16[4,512,4,512]{1,2,3,0:T(4,128)(2,1)} copy(c)\n"
      "}\n");
  const auto program = FindKernels(module);
  ASSERT_TRUE(program.ok());
  const auto& kernels = program->computations[0].kernels;
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].kind, KernelKind::kTileCopy);
  EXPECT_EQ(kernels[0].count, 8192);
  // 8192 tiles of four rows are read, and as many written.
  EXPECT_EQ(kernels[1].kind, KernelKind::kLaneCopy);
  EXPECT_EQ(kernels[1].count, 2 * 8192);
}

// The copies of tiles in the entry of a partitioned module, as tiles of an array.
std::vector<std::string> TileCopies(const std::string& header, const std::string& text,
                                    const std::string& target = "tpu-v5e:2x2") {
  const auto module = Parse("HloModule m, num_partitions=4" + header + "\n" + text);
  const auto program = FindKernels(module, ParseTarget(target)->chip);
  EXPECT_TRUE(program.ok());
  std::vector<std::string> found;
  for (const DeviceKernel& kernel : program->computations.back().kernels) {
    if (kernel.kind != KernelKind::kTileCopy) continue;
    found.push_back(std::to_string(static_cast<int>(kernel.count)) + " " +
                    std::string(module.instruction(kernel.instruction).name));
  }
  return found;
}

// A weight that is cut in both dimensions: tiles of four rows become parts of rows.
TEST(LayoutCopiesTest, PartsOfAGatheredArrayArePutTogether) {
  const std::string gathered =
      "ENTRY e {\n"
      "  w = bf16[1,512,2048] parameter(0)\n"
      "  g = bf16[16,512,2048] all-gather(w), dimensions={0}, replica_groups={}\n"
      "  s = bf16[4,4,512,2048] reshape(g)\n";
  EXPECT_THAT(
      TileCopies("", gathered + "  t = bf16[4,512,4,2048] transpose(s), dimensions={0,2,1,3}\n"
                                "  ROOT r = bf16[2048,8192] reshape(t)\n}\n"),
      ElementsAre("32768 r"));
  // Rows stay together.
  EXPECT_THAT(
      TileCopies("", gathered + "  t = bf16[4,4,512,2048] transpose(s), dimensions={1,0,2,3}\n"
                                "  ROOT r = bf16[8192,2048] reshape(t)\n}\n"),
      ElementsAre());
}

// Chunks of 256 positions in heads of 64: tiles move and lanes turn, at once or where each of the two changes.
TEST(LayoutCopiesTest, FeaturesThatBecomeHeadsOfChunksAreCopied) {
  const auto copies = [](const std::string& body) {
    const hlo::Module module = Parse(
        absl::StrCat("HloModule m, num_partitions=4\nENTRY e { x = bf16[8,2048,768] parameter(0)\n",
                     body, "}\n"));
    const auto program = FindKernels(module, ParseTarget("tpu-v5e:2x2")->chip);
    std::vector<std::string> found;
    for (const DeviceKernel& kernel : program->computations[0].kernels) {
      const bool turns = kernel.kind == KernelKind::kLaneCopy;
      if (!turns && kernel.kind != KernelKind::kTileCopy) continue;
      found.push_back(
          absl::StrCat(turns ? "turn " : "move ", module.instruction(kernel.instruction).name));
    }
    return found;
  };
  EXPECT_THAT(copies("  ROOT r = bf16[8,8,256,12,64] reshape(x)\n"),
              UnorderedElementsAre("move r", "turn r"));
  EXPECT_THAT(copies("  h = bf16[8,2048,12,64] reshape(x)\n  n = bf16[8,2048,12,64] negate(h)\n"
                     "  ROOT r = bf16[8,8,256,12,64] reshape(n)\n"),
              UnorderedElementsAre("turn h", "move r"));
  EXPECT_THAT(copies("  ROOT h = bf16[8,2048,12,64] reshape(x)\n"), ElementsAre());
  EXPECT_THAT(copies("  ROOT r = bf16[8,8,256,6,128] reshape(x)\n"), ElementsAre());
}

TEST(LayoutCopiesTest, WhatAnAllToAllSendsComesFirst) {
  const auto sent = [](const std::string& dimension) {
    return "ENTRY e {\n"
           "  x = bf16[8,4,512,256] parameter(0)\n"
           "  ROOT a = bf16[8,4,512,256] all-to-all(x), dimensions={" +
           dimension +
           "}, replica_groups={{0,1,2,3}}\n"
           "}\n";
  };
  EXPECT_THAT(TileCopies("", sent("1")), ElementsAre("4096 x"));
  EXPECT_THAT(TileCopies("", sent("0")), ElementsAre());
  EXPECT_THAT(TileCopies("", sent("1"), "h100:4"), ElementsAre());
}

// Heads of four senders: each becomes a part of one of 16 again. As parts of lanes they come another way.
TEST(LayoutCopiesTest, WhatAnAllToAllBringsIsCopiedToItsPlace) {
  const auto received = [](const std::string& order, const std::string& turned,
                           const std::string& joined) {
    return "ENTRY e {\n"
           "  x = bf16[2,4,4,512,256] parameter(0)\n"
           "  a = bf16[2,4,4,512,256] all-to-all(x), dimensions={2}, "
           "replica_groups={{0,1,2,3}}\n"
           "  t = " +
           turned + " transpose(a), dimensions={" + order + "}\n  ROOT r = " + joined +
           " reshape(t)\n}\n";
  };
  EXPECT_THAT(TileCopies("", received("0,2,1,3,4", "bf16[2,4,4,512,256]", "bf16[2,16,512,256]")),
              UnorderedElementsAre("4096 x", "4096 r"));
  EXPECT_THAT(TileCopies("", received("0,1,3,2,4", "bf16[2,4,512,4,256]", "bf16[2,4,512,1024]")),
              UnorderedElementsAre("4096 x", "8192 r"));
}

// The loop fills `zeros`, and its result takes the place of `old`.
TEST(LayoutCopiesTest, AResultThatALoopMakesElsewhereIsCopied) {
  const std::string text =
      "body { p = (s32[], f32[8,1024,128]) parameter(0)\n"
      "  i = s32[] get-tuple-element(p), index=0\n  c = f32[8,1024,128] get-tuple-element(p), "
      "index=1\n"
      "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  n = f32[8,1024,128] negate(c)\n"
      "  ROOT t = (s32[], f32[8,1024,128]) tuple(j, n) }\n"
      "cond { p = (s32[], f32[8,1024,128]) parameter(0)\n  i = s32[] get-tuple-element(p), "
      "index=0\n"
      "  five = s32[] constant(5)\n  ROOT c = pred[] compare(i, five), direction=LT }\n"
      "ENTRY e { z = s32[] constant(0) zero = f32[] constant(0)\n"
      "  old = f32[8,1024,128] parameter(0)\n  zeros = f32[8,1024,128] broadcast(zero), "
      "dimensions={}\n"
      "  t = (s32[], f32[8,1024,128]) tuple(z, START)\n"
      "  w = (s32[], f32[8,1024,128]) while(t), condition=cond, body=body\n"
      "  g = f32[8,1024,128] get-tuple-element(w), index=1\n"
      "  ROOT r = (f32[8,1024,128]) tuple(g) }\n";
  const auto from = [&](const std::string& start, const std::string& target) {
    std::string program = text;
    program.replace(program.find("START"), 5, start);
    return TileCopies(", input_output_alias={ {0}: (0, {}, may-alias) }", program, target);
  };
  for (const char* const target : {"tpu-v5e:2x2", "h100:4"}) {
    EXPECT_THAT(from("zeros", target), ElementsAre("1024 g"));
    EXPECT_THAT(from("old", target), ElementsAre());
  }
  const auto of_two_heads = TileCopies(
      ", input_output_alias={ {0}: (0, {}, may-alias) }",
      absl::StrReplaceAll(text, {{"[8,1024,128]", "[8,512,2,128]"}, {"START", "zeros"}}));
  EXPECT_THAT(of_two_heads, ElementsAre("4096 g"));  // tiles of two rows
}

// A cache whose positions are rows of tiles; one of layers stays as it is.
TEST(LayoutCopiesTest, ACacheThatALoopWritesRowByRowIsCopiedThereAndBack) {
  const auto copies = [](const std::string& part, const std::string& place) {
    return TileCopies(
        ", input_output_alias={ {0}: (0, {}, may-alias) }",
        "body { p = (s32[], bf16[8,1024,128]) parameter(0)\n"
        "  i = s32[] get-tuple-element(p), index=0\n  c = bf16[8,1024,128] get-tuple-element(p), "
        "index=1\n"
        "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  z = s32[] constant(0)\n"
        "  v = bf16[] convert(i)\n  n = " +
            part +
            " broadcast(v), dimensions={}\n  u = bf16[8,1024,128] dynamic-update-slice(c, n, " +
            place +
            ")\n  ROOT t = (s32[], bf16[8,1024,128]) tuple(j, u) }\n"
            "cond { p = (s32[], bf16[8,1024,128]) parameter(0)\n  i = s32[] get-tuple-element(p), "
            "index=0\n"
            "  five = s32[] constant(5)\n  ROOT c = pred[] compare(i, five), direction=LT }\n"
            "ENTRY e { z = s32[] constant(0)\n  old = bf16[8,1024,128] parameter(0)\n"
            "  t = (s32[], bf16[8,1024,128]) tuple(z, old)\n"
            "  w = (s32[], bf16[8,1024,128]) while(t), condition=cond, body=body\n"
            "  g = bf16[8,1024,128] get-tuple-element(w), index=1\n"
            "  ROOT r = (bf16[8,1024,128]) tuple(g) }\n");
  };
  EXPECT_THAT(copies("bf16[8,1,128]", "z, i, z"), UnorderedElementsAre("1024 old", "1024 g"));
  EXPECT_THAT(copies("bf16[1,1024,128]", "i, z, z"), ElementsAre());
}

// A loop that writes `part` of a cache of layers, in order, and multiplies with a slice of it.
std::string LayersOf(const std::string& cache, const std::string& part) {
  const std::string carried = "(s32[], " + cache + ", bf16[8,128])";
  return "HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }\n"
         "body { p = " +
         carried + " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  c = " + cache +
         " get-tuple-element(p), index=1\n  q = bf16[8,128] get-tuple-element(p), index=2\n"
         "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  z = s32[] constant(0)\n"
         "  v = bf16[] convert(i)\n  n = " +
         part + " broadcast(v), dimensions={}\n  u = " + cache +
         " dynamic-update-slice(c, n, i, z, i, z)\n"
         "  s = bf16[1,8,1024,128] dynamic-slice(u, i, z, z, z), "
         "dynamic_slice_sizes={1,8,1024,128}\n"
         "  r = bf16[8,1024,128] reshape(s)\n"
         "  d = bf16[8,1024] dot(q, r), lhs_batch_dims={0}, rhs_batch_dims={0}, "
         "lhs_contracting_dims={1}, rhs_contracting_dims={2}\n"
         "  o = bf16[8,128] slice(d), slice={[0:8], [0:128]}\n  ROOT t = " +
         carried + " tuple(j, u, o) }\ncond { p = " + carried +
         " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  four = s32[] constant(4)\n"
         "  ROOT c = pred[] compare(i, four), direction=LT }\n"
         "ENTRY e { z = s32[] constant(0)\n  old = " +
         cache + " parameter(0)\n  q = bf16[8,128] parameter(1)\n  t = " + carried +
         " tuple(z, old, q)\n  w = " + carried +
         " while(t), condition=cond, body=body\n  g = " + cache +
         " get-tuple-element(w), index=1\n  ROOT r = (" + cache + ") tuple(g) }\n";
}

// The kernels of all computations, by name, but for those of single elements.
std::vector<std::string> LargeKernels(const std::string& text) {
  const hlo::Module module = Parse(text);
  const auto program = FindKernels(module, ParseTarget("tpu-v5e:2x2")->chip);
  EXPECT_TRUE(program.ok()) << program.status();
  std::vector<std::string> found;
  for (const ComputationKernels& computation : program->computations) {
    for (const DeviceKernel& kernel : computation.kernels) {
      if (kernel.kind == KernelKind::kScalar) continue;
      found.push_back(std::string(module.instruction(kernel.instruction).name));
    }
  }
  return found;
}

// A product of each head reads a cache whose heads are rows of tiles: inside the loop positions are.
TEST(LayoutCopiesTest, ACacheThatAProductReadsByHeadIsCopiedThereAndBack) {
  const auto copies = [](const std::string& heads, const std::string& reader) {
    const std::string state = "(s32[], bf16[64,HEADS,128], bf16[HEADS,128])";
    const std::string text = absl::StrCat(
        "sum { l = bf16[] parameter(0) r = bf16[] parameter(1) ROOT s = bf16[] add(l, r) }\nbody { "
        "p = ",
        state, " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n",
        "  c = bf16[64,HEADS,128] get-tuple-element(p), index=1\n"
        "  q = bf16[HEADS,128] get-tuple-element(p), index=2\n"
        "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  z = s32[] constant(0)\n"
        "  zero = bf16[] constant(0)\n  n = bf16[1,HEADS,128] reshape(q)\n"
        "  u = bf16[64,HEADS,128] dynamic-update-slice(c, n, i, z, z)\n  d = ",
        reader, "\n  b = bf16[HEADS,128] broadcast(d), dimensions={0}\n  ROOT t = ", state,
        " tuple(j, u, b) }\ncond { p = ", state,
        " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
        "  five = s32[] constant(5)\n  ROOT c = pred[] compare(i, five), direction=LT }\n"
        "ENTRY e { z = s32[] constant(0)\n  old = bf16[64,HEADS,128] parameter(0)\n"
        "  q = bf16[HEADS,128] parameter(1)\n  t = ",
        state, " tuple(z, old, q)\n  w = ", state,
        " while(t), condition=cond, body=body\n"
        "  g = bf16[64,HEADS,128] get-tuple-element(w), index=1\n"
        "  ROOT r = (bf16[64,HEADS,128]) tuple(g) }\n");
    return TileCopies(", input_output_alias={ {0}: (0, {}, may-alias) }",
                      absl::StrReplaceAll(text, {{"HEADS", heads}}));
  };
  const std::string by_head =
      "bf16[HEADS] dot(q, q), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, "
      "rhs_contracting_dims={1}\n  x = bf16[HEADS,64] dot(q, u), lhs_batch_dims={0}, "
      "rhs_batch_dims={1}, lhs_contracting_dims={1}, rhs_contracting_dims={2}";
  const std::string sum = "bf16[HEADS] reduce(u, zero), dimensions={0,2}, to_apply=sum";
  EXPECT_THAT(copies("4", by_head), UnorderedElementsAre("32 old", "64 g"));
  // Keys of a cache that has values, too.
  const std::string of_keys = absl::StrReplaceAll(
      by_head, {{"  x = bf16[HEADS,64] dot(q, u)",
                 "  k = bf16[32,HEADS,128] slice(u), slice={[0:32], [0:HEADS], [0:128]}\n"
                 "  x = bf16[HEADS,32] dot(q, k)"}});
  EXPECT_THAT(copies("4", of_keys), UnorderedElementsAre("32 old", "64 g"));
  EXPECT_THAT(copies("4", sum), ElementsAre());
}

// The rows of other layers stay, and those of 8 sequences become the rows of tiles: they are copied there and back, and
// a slice of them is written. An update of 8 rows is written where it lies.
TEST(RowUpdatesTest, ALayerOfACacheThatIsWrittenRowByRowIsWrittenOnce) {
  const std::string cache = "bf16[4,8,1024,128]";
  EXPECT_THAT(LargeKernels(LayersOf(cache, "bf16[1,8,1,128]")),
              UnorderedElementsAre("u", "s", "d", "o", "old", "g"));
  EXPECT_THAT(LargeKernels(LayersOf(cache, "bf16[1,8,8,128]")),
              UnorderedElementsAre("u", "d", "o"));
  EXPECT_THAT(LargeKernels(LayersOf(cache, "bf16[1,1,1,128]")),
              UnorderedElementsAre("u", "d", "o"));
}

// Products whose batches are sequences and heads read the cache as it lies, though a trip writes one row of its tiles.
TEST(RowUpdatesTest, ACacheThatProductsReadByHeadAndSequenceStaysAsItIs) {
  const auto kernels = [](const std::string& batch) {
    const std::string state = "(s32[], bf16[8,16,64,128], bf16[8,16,128])";
    return LargeKernels(absl::StrCat(
        "HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }\nbody { p = ", state,
        " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
        "  c = bf16[8,16,64,128] get-tuple-element(p), index=1\n"
        "  q = bf16[8,16,128] get-tuple-element(p), index=2\n"
        "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  z = s32[] constant(0)\n"
        "  n = bf16[8,16,1,128] reshape(q)\n"
        "  u = bf16[8,16,64,128] dynamic-update-slice(c, n, z, z, i, z)\n  ",
        batch, "\n  ROOT t = ", state, " tuple(j, u, o) }\ncond { p = ", state,
        " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  four = s32[] constant(4)\n"
        "  ROOT c = pred[] compare(i, four), direction=LT }\n"
        "ENTRY e { z = s32[] constant(0)\n  old = bf16[8,16,64,128] parameter(0)\n"
        "  q = bf16[8,16,128] parameter(1)\n  t = ",
        state, " tuple(z, old, q)\n  w = ", state,
        " while(t), condition=cond, body=body\n  g = bf16[8,16,64,128] get-tuple-element(w), "
        "index=1\n  ROOT r = (bf16[8,16,64,128]) tuple(g) }\n"));
  };
  const std::string both =
      "o = bf16[8,16,128] dot(d, u), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={2}";
  const std::string scores =
      "d = bf16[8,16,64] dot(q, u), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={3}\n  ";
  EXPECT_THAT(kernels(scores + both), UnorderedElementsAre("u", "d", "o"));
  EXPECT_THAT(kernels("o = bf16[8,16,128] negate(q)"), UnorderedElementsAre("u", "o", "old", "g"));
}

constexpr char kInputs[] =
    "  x = f32[64,64] parameter(0)\n  y = f32[64,64] parameter(1)\n  w = f32[64,64] parameter(2)\n"
    "  zero = f32[] constant(0)\n";

TEST(ClustersTest, AProductTakesWhatFeedsItAndWhatReadsIt) {
  EXPECT_THAT(
      Clusters(std::string(kInputs) + "  a = f32[64,64] multiply(x, y)\n"
                                      "  d = f32[64,64] dot(a, w), lhs_contracting_dims={1}, "
                                      "rhs_contracting_dims={0}\n"
                                      "  ROOT t = f32[64,64] tanh(d)\n"),
      ElementsAre("a d t ->t"));
}

TEST(ClustersTest, ArithmeticIsRepeatedInTwoProductsExponentialsOfTwoOperandsAreNot) {
  const std::string products =
      "  d = f32[64,64] dot(a, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  g = f32[64,64] dot(a, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  ROOT t = (f32[64,64], f32[64,64]) tuple(d, g)\n";
  EXPECT_THAT(Clusters(std::string(kInputs) + "  a = f32[64,64] multiply(x, y)\n" + products),
              ElementsAre("a d ->d", "a g ->g"));
  EXPECT_THAT(Clusters(std::string(kInputs) + "  a = f32[64,64] divide(x, y)\n" + products),
              ElementsAre("a ->a", "d ->d", "g ->g"));
}

// What two permutes read: one kernel writes both halves. Parts of other sizes are written apart, and every second column.
TEST(ClustersTest, SlicesOfOneSizeOfAnArrayAreOneKernel) {
  const auto halves = [](const std::string& place, const std::string& width,
                         const std::string& first = "[0:64]") {
    return Clusters(absl::StrCat(
        "  x = f32[64,128] parameter(0)\n  a = f32[64,64] slice(x), slice={[0:64], ", first,
        "}\n"
        "  b = f32[64,",
        width, "] slice(x), slice={[0:64], ", place,
        "}\n"
        "  p = f32[64,64] collective-permute(a), source_target_pairs={{0,1},{1,0}}\n  q = f32[64,",
        width,
        "] collective-permute(b), source_target_pairs={{0,1},{1,0}}\n"
        "  ROOT t = (f32[64,64], f32[64,",
        width, "]) tuple(p, q)\n"));
  };
  EXPECT_THAT(halves("[64:128]", "64"), ElementsAre("a b ->a ->b"));
  EXPECT_THAT(halves("[64:96]", "32"), ElementsAre("a ->a", "b ->b"));
  EXPECT_THAT(halves("[1:128:2]", "64", "[0:128:2]"), ElementsAre("a ->a", "b ->b"));
}

// Seven kernels read it: it is written, as bf16.
TEST(ClustersTest, WhatIsRoundedIsWrittenInFewerBytes) {
  std::string body =
      "  x = f32[64,64] parameter(0)\n  w = bf16[64,64] parameter(1)\n"
      "  m = f32[64,64] multiply(x, x)\n  c = bf16[64,64] convert(m)\n";
  std::string results, types;
  std::vector<std::string> expected = {"m c ->c"};
  for (int k = 0; k < 7; ++k) {
    const std::string name = absl::StrCat("d", k);
    absl::StrAppend(&body, "  ", name,
                    " = bf16[64,64] dot(c, w), lhs_contracting_dims={1}, "
                    "rhs_contracting_dims={0}\n");
    absl::StrAppend(&results, k == 0 ? "" : ", ", name);
    absl::StrAppend(&types, k == 0 ? "" : ", ", "bf16[64,64]");
    expected.push_back(absl::StrCat(name, " ->", name));
  }
  EXPECT_THAT(Clusters(body + "  ROOT t = (" + types + ") tuple(" + results + ")\n"),
              ElementsAreArray(expected));
}

// A norm: what reads it anew reads the array in 16 bits, so it is repeated in any number of products.
TEST(ClustersTest, ArithmeticOnAWidenedArrayIsRepeated) {
  std::string body =
      "  x = bf16[64,64] parameter(0)\n  w = bf16[64,64] parameter(1)\n"
      "  s = f32[64] parameter(2)\n  f = f32[64,64] convert(x)\n"
      "  b = f32[64,64] broadcast(s), dimensions={1}\n"
      "  m = f32[64,64] multiply(f, b)\n  c = bf16[64,64] convert(m)\n";
  std::string results, types;
  std::vector<std::string> expected;
  for (int k = 0; k < 7; ++k) {
    const std::string name = absl::StrCat("d", k);
    absl::StrAppend(&body, "  ", name,
                    " = bf16[64,64] dot(c, w), lhs_contracting_dims={1}, "
                    "rhs_contracting_dims={0}\n");
    absl::StrAppend(&results, k == 0 ? "" : ", ", name);
    absl::StrAppend(&types, k == 0 ? "" : ", ", "bf16[64,64]");
    expected.push_back(absl::StrCat("f m c ", name, " ->", name));
  }
  EXPECT_THAT(Clusters(body + "  ROOT t = (" + types + ") tuple(" + results + ")\n"),
              ElementsAreArray(expected));
}

// The gradient of an activation, for two products; two of a gated layer.
TEST(ClustersTest, WhatAllOfAProductLeadsToIsWrittenByItsKernel) {
  const auto after = [](const std::string& chains) {
    return Clusters(std::string(kInputs) +
                    "  p = f32[64,64] dot(x, w), lhs_contracting_dims={1}, "
                    "rhs_contracting_dims={0}\n"
                    "  a = f32[64,64] multiply(p, y)\n" +
                    chains +
                    "  d = f32[64,64] dot(c, w), lhs_contracting_dims={1}, "
                    "rhs_contracting_dims={0}\n"
                    "  g = f32[64,64] dot(e, y), lhs_contracting_dims={1}, "
                    "rhs_contracting_dims={0}\n"
                    "  ROOT t = (f32[64,64], f32[64,64]) tuple(d, g)\n");
  };
  EXPECT_THAT(after("  c = f32[64,64] add(a, p)\n  e = f32[64,64] bitcast(c)\n"),
              ElementsAre("p a c ->c", "d ->d", "g ->g"));
  EXPECT_THAT(after("  c = f32[64,64] add(a, p)\n  e = f32[64,64] subtract(p, y)\n"),
              ElementsAre("p ->p", "a c d ->d", "e g ->g"));
}

// The logits of a loss: a gather reads them in 32 bits, and all else in 16.
TEST(ClustersTest, WhatIsWidenedForOneReaderIsReadAsItWas) {
  EXPECT_THAT(Clusters("  l = bf16[64,64] parameter(0)\n  w = f32[64,64] parameter(1)\n"
                       "  i = s32[4,2] parameter(2)\n  zero = f32[] constant(0)\n"
                       "  c = f32[64,64] convert(l)\n"
                       "  r = f32[64] reduce(c, zero), dimensions={1}, to_apply=most\n"
                       "  g = f32[4] gather(c, i), offset_dims={}, collapsed_slice_dims={0,1}, "
                       "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}\n"
                       "  d = f32[64,64] dot(c, w), lhs_contracting_dims={1}, "
                       "rhs_contracting_dims={0}\n"
                       "  ROOT t = (f32[64], f32[4], f32[64,64]) tuple(r, g, d)\n"),
              ElementsAre("c r ->c ->r", "c d ->d"));
}

TEST(ClustersTest, TheSameElementsBecomeOneKernelWithTwoResults) {
  EXPECT_THAT(Clusters(std::string(kInputs) + "  a = f32[64,64] divide(x, y)\n"
                                              "  b = f32[64,64] multiply(a, w)\n"
                                              "  c = f32[64,64] add(a, w)\n"
                                              "  ROOT t = (f32[64,64], f32[64,64]) tuple(b, c)\n"),
              ElementsAre("a b c ->b ->c"));
}

// The normalization of a softmax: the sum is needed before what it divides.
TEST(ClustersTest, WhatNeedsAReductionDoesNotRunWithIt) {
  EXPECT_THAT(Clusters(std::string(kInputs) +
                       "  a = f32[64,64] divide(x, y)\n"
                       "  r = f32[64] reduce(a, zero), dimensions={1}, to_apply=sum\n"
                       "  b = f32[64,64] broadcast(r), dimensions={0}\n"
                       "  ROOT q = f32[64,64] subtract(a, b)\n"),
              ElementsAre("a ->a", "r ->r", "q ->q"));
}

TEST(ClustersTest, AReductionOfAProductRunsWithIt) {
  EXPECT_THAT(Clusters(std::string(kInputs) +
                       "  d = f32[64,64] dot(x, w), lhs_contracting_dims={1}, "
                       "rhs_contracting_dims={0}\n"
                       "  r = f32[64] reduce(d, zero), dimensions={1}, to_apply=most\n"
                       "  ROOT t = (f32[64,64], f32[64]) tuple(d, r)\n"),
              ElementsAre("d r ->d ->r"));
}

// The backward pass of a softmax: the sum waits for the maximum of the one product, and runs with the other.
TEST(ClustersTest, AReductionOfTwoProductsRunsWithOneThatItNeedNotWaitFor) {
  EXPECT_THAT(Clusters(std::string(kInputs) +
                       "  g = f32[64,64] dot(y, w), lhs_contracting_dims={1}, "
                       "rhs_contracting_dims={0}\n"
                       "  d = f32[64,64] dot(x, w), lhs_contracting_dims={1}, "
                       "rhs_contracting_dims={0}\n"
                       "  m = f32[64] reduce(d, zero), dimensions={1}, to_apply=most\n"
                       "  b = f32[64,64] broadcast(m), dimensions={0}\n"
                       "  c = f32[64,64] subtract(d, b)\n"
                       "  q = f32[64,64] multiply(c, g)\n"
                       "  r = f32[64] reduce(q, zero), dimensions={1}, to_apply=sum\n"
                       "  ROOT t = (f32[64,64], f32[64]) tuple(g, r)\n"),
              ElementsAre("d m ->d ->m", "g c q r ->g ->r"));
}

// Of three that read `a`, two sums do not need each other.
TEST(ClustersTest, ReductionsThatDoNotNeedEachOtherBecomeOne) {
  EXPECT_THAT(Clusters(std::string(kInputs) +
                       "  a = f32[64,64] divide(x, y)\n"
                       "  m = f32[64] reduce(a, zero), dimensions={1}, to_apply=most\n"
                       "  b = f32[64,64] broadcast(m), dimensions={0}\n"
                       "  c = f32[64,64] subtract(a, b)\n"
                       "  e = f32[64,64] multiply(a, b)\n"
                       "  q = f32[64] reduce(c, zero), dimensions={1}, to_apply=sum\n"
                       "  v = f32[64] reduce(e, zero), dimensions={1}, to_apply=sum\n"
                       "  ROOT t = (f32[64], f32[64]) tuple(q, v)\n"),
              ElementsAre("a ->a", "m ->m", "c q e v ->q ->v"));
}

TEST(ClustersTest, WhatIsAResultIsWrittenByItsReader) {
  EXPECT_THAT(Clusters(std::string(kInputs) + "  a = f32[64,64] add(x, y)\n"
                                              "  b = f32[64,64] multiply(a, w)\n"
                                              "  ROOT t = (f32[64,64], f32[64,64]) tuple(a, b)\n"),
              ElementsAre("a b ->a ->b"));
}

// The sum of a softmax waits for its maximum, and the product is written for both.
TEST(ClustersTest, AReductionThatWaitsForAnotherOneOfTheProductIsAlone) {
  EXPECT_THAT(Clusters(std::string(kInputs) +
                       "  d = f32[64,64] dot(x, w), lhs_contracting_dims={1}, "
                       "rhs_contracting_dims={0}\n"
                       "  h = f32[64,64] multiply(d, y)\n"
                       "  m = f32[64] reduce(h, zero), dimensions={1}, to_apply=most\n"
                       "  b = f32[64,64] broadcast(m), dimensions={0}\n"
                       "  c = f32[64,64] subtract(h, b)\n"
                       "  e = f32[64,64] exponential(c)\n"
                       "  s = f32[64] reduce(e, zero), dimensions={1}, to_apply=sum\n"
                       "  ROOT t = (f32[64], f32[64]) tuple(m, s)\n"),
              ElementsAre("d h m ->d ->m", "h c e s ->s"));
}

// A loop keeps the result for the backward pass; a gradient in 32 bits is an update of its own.
TEST(ClustersTest, AnUpdateOfSixteenBitsRunsWithItsProduct) {
  const auto kept = [](const std::string& type) {
    return Clusters(
        "  x = bf16[64,64] parameter(0)\n  w = bf16[64,64] parameter(1)\n  stack = " + type +
        "[8,64,64] parameter(2)\n  i = s32[] parameter(3)\n  z = s32[] constant(0)\n"
        "  d = bf16[64,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
        "  c = " +
        type +
        "[64,64] convert(d)\n"
        "  r = " +
        type +
        "[1,64,64] reshape(c)\n"
        "  u = " +
        type +
        "[8,64,64] dynamic-update-slice(stack, r, i, z, z)\n"
        "  ROOT t = (bf16[64,64], " +
        type + "[8,64,64]) tuple(d, u)\n");
  };
  EXPECT_THAT(kept("bf16"), ElementsAre("d c r u ->d ->u"));
  EXPECT_THAT(kept("f32"), ElementsAre("d ->d", "c r u ->u"));
}

// Written for the product, which would read two arrays.
TEST(ClustersTest, ClustersWithoutAProductBecomeOneAndWriteForAProduct) {
  EXPECT_THAT(Clusters(std::string(kInputs) +
                       "  a = f32[64,64] multiply(x, y)\n"
                       "  b = f32[64,64] add(a, y)\n  c = f32[64,64] subtract(a, x)\n"
                       "  d = f32[64,64] dot(a, w), lhs_contracting_dims={1}, "
                       "rhs_contracting_dims={0}\n"
                       "  ROOT t = (f32[64,64], f32[64,64], f32[64,64]) tuple(b, c, d)\n"),
              ElementsAre("a b c ->a ->b ->c", "d ->d"));
}

// A window of %a, as a product in windows takes it; %a is written once.
TEST(ClustersTest, SlicesAtComputedPlacesAreRepeatedAndWhatTheyAreOfIsWritten) {
  EXPECT_THAT(Clusters(std::string(kInputs) +
                       "  i = s32[] parameter(3)\n  z = s32[] constant(0)\n"
                       "  a = f32[64,64] multiply(x, y)\n"
                       "  s = f32[64,32] dynamic-slice(a, z, i), dynamic_slice_sizes={64,32}\n"
                       "  p = f32[64,64] concatenate(s, s), dimensions={1}\n"
                       "  d = f32[64,64] dot(p, w), lhs_contracting_dims={1}, "
                       "rhs_contracting_dims={0}\n"
                       "  g = f32[64,64] dot(s, s), lhs_contracting_dims={1}, "
                       "rhs_contracting_dims={1}\n"
                       "  ROOT t = (f32[64,64], f32[64,64]) tuple(d, g)\n"),
              ElementsAre("a ->a", "s p d ->d", "s g ->g"));
}

TEST(ClustersTest, WhatAWindowTakesIsWrittenInItsTypeInFrontOfViews) {
  EXPECT_THAT(Clusters(std::string(kInputs) +
                       "  i = s32[] parameter(3)\n  z = s32[] constant(0)\n"
                       "  a = f32[64,64] multiply(x, y)\n  c = bf16[64,64] convert(a)\n"
                       "  r = bf16[64,64] transpose(c), dimensions={1,0}\n"
                       "  s = bf16[64,32] dynamic-slice(r, z, i), dynamic_slice_sizes={64,32}\n"
                       "  ROOT g = bf16[64,64] dot(s, s), lhs_contracting_dims={1}, "
                       "rhs_contracting_dims={1}\n"),
              ElementsAre("a c ->c", "r s g ->g"));
}

// A softmax whose maximum is a window over its row: exponentials are written with their sum.
TEST(ClustersTest, ExponentialsAfterARowWindowAreWritten) {
  const auto softmax = [](const std::string& window, const std::string& chip) {
    return Clusters(std::string(kInputs) +
                        "  d = f32[64,64] dot(x, w), lhs_contracting_dims={1}, "
                        "rhs_contracting_dims={0}\n"
                        "  m = f32[64,64] reduce-window(d, zero), window={" +
                        window +
                        "}, to_apply=most\n"
                        "  c = f32[64,64] subtract(d, m)\n  e = f32[64,64] exponential(c)\n"
                        "  s = f32[64] reduce(e, zero), dimensions={1}, to_apply=sum\n"
                        "  b = f32[64,64] broadcast(s), dimensions={0}\n"
                        "  q = f32[64,64] divide(e, b)\n"
                        "  ROOT g = f32[64,64] dot(q, y), lhs_contracting_dims={1}, "
                        "rhs_contracting_dims={0}\n",
                    chip);
  };
  const std::string long_rows = "size=1x4095 pad=0_0x2047_2047";
  EXPECT_THAT(softmax("size=1x127 pad=0_0x63_63", "tpu-v5e"),
              ElementsAre("d m c e s ->e ->s", "q g ->g"));
  // A product computes long rows at once on v6e alone (libtpu 0.0.50.1, rotated queries of 8 and 16 heads).
  EXPECT_THAT(softmax(long_rows, "tpu-v5e"), ElementsAre("d ->d", "m c e s ->e ->s", "q g ->g"));
  EXPECT_THAT(softmax(long_rows, "tpu-v6e"), ElementsAre("d m c e s ->e ->s", "q g ->g"));
}

// 64 keys, 32 queries in two groups: the rotated queries are the second operand.
TEST(ClustersTest, ScoresOfGroupedQueriesAreWritten) {
  const auto softmax = [](const std::string& queries, const std::string& chip) {
    return Clusters(
        "  k = bf16[4,64,128] parameter(0)\n  r = bf16[4,32,2,128] parameter(1)\n"
        "  w = bf16[128,128] parameter(2)\n  zero = f32[] constant(0)\n" +
            queries +
            "  d = f32[4,64,32,2] dot(k, q), lhs_batch_dims={0}, rhs_batch_dims={0}, "
            "lhs_contracting_dims={2}, rhs_contracting_dims={3}\n"
            "  m = f32[4,64,32,2] reduce-window(d, zero), window={size=1x127x1x1 "
            "pad=0_0x63_63x0_0x0_0}, to_apply=most\n"
            "  c = f32[4,64,32,2] subtract(d, m)\n  e = f32[4,64,32,2] exponential(c)\n"
            "  s = f32[4,32,2] reduce(e, zero), dimensions={1}, to_apply=sum\n"
            "  ROOT t = (f32[4,64,32,2], f32[4,32,2]) tuple(e, s)\n",
        chip);
  };
  const std::string rotated = "  q = bf16[4,32,2,128] multiply(r, r)\n";
  const std::string projected =
      "  q = bf16[4,32,2,128] dot(r, w), lhs_contracting_dims={3}, rhs_contracting_dims={0}\n";
  for (const char* chip : {"tpu-v5e", "tpu-v6e"}) {
    EXPECT_THAT(softmax(rotated, chip), ElementsAre("q d ->d", "m c e s ->e ->s"));
    EXPECT_THAT(softmax(projected, chip), ElementsAre("q ->q", "d m c e s ->e ->s"));
  }
}

TEST(ClustersTest, ARoundedGradientOfScoresIsWrittenOnceForTwoProducts) {
  const auto gradient = [](const std::string& chip, const std::string& sums) {
    return Clusters(
        "  p = f32[4,2,64,64] parameter(0)\n  a = f32[4,2,64,64] parameter(1)\n"
        "  k = bf16[4,2,64,128] parameter(2)\n  r = f32[4,2,64] parameter(3)\n"
        "  zero = f32[] constant(0)\n" +
            sums +
            "  b = f32[4,2,64,64] broadcast(s), dimensions={0,1,2}\n"
            "  f = f32[4,2,64,64] subtract(a, b)\n  g = f32[4,2,64,64] multiply(f, p)\n"
            "  c = bf16[4,2,64,64] convert(g)\n"
            "  d = f32[4,2,64,128] dot(c, k), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, "
            "lhs_contracting_dims={3}, rhs_contracting_dims={2}\n"
            "  h = f32[4,2,64,128] dot(c, k), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, "
            "lhs_contracting_dims={2}, rhs_contracting_dims={2}\n"
            "  ROOT t = (f32[4,2,64,128], f32[4,2,64,128]) tuple(d, h)\n",
        chip);
  };
  const std::string sums = "  s = f32[4,2,64] reduce(a, zero), dimensions={3}, to_apply=sum\n";
  const std::string given = "  s = f32[4,2,64] negate(r)\n";
  EXPECT_THAT(gradient("tpu-v6e", sums), ElementsAre("s ->s", "f g c ->c", "d ->d", "h ->h"));
  EXPECT_THAT(gradient("tpu-v5e", sums), ElementsAre("s ->s", "f g c d ->d", "f g c h ->h"));
  EXPECT_THAT(gradient("tpu-v6e", given), Contains("s f g c d ->d"));
}

// Two copies of each row are written in tiles of two rows. What adds up pairs of gathered rows walks over such tiles.
TEST(ClustersTest, PairsOfRowsAreTilesOfTwoRows) {
  const std::string body =
      "  x = f32[256,128] parameter(0)\n  t = f32[999,128] parameter(1)\n"
      "  i = s32[512,1] parameter(2)\n  zero = f32[] constant(0)\n"
      "  b = f32[256,2,128] broadcast(x), dimensions={0,2}\n  r = f32[512,128] reshape(b)\n"
      "  g = f32[512,128] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1,128}\n"
      "  a = f32[512,128] add(g, r)\n  p = f32[256,2,128] reshape(a)\n"
      "  ROOT s = f32[256,128] reduce(p, zero), dimensions={1}, to_apply=sum\n";
  EXPECT_THAT(Clusters(body), ElementsAre(" ->b", "r a p s ->s"));
  const hlo::Module module =
      Parse(absl::StrCat("HloModule m\nsum { l = f32[] parameter(0) r = f32[] parameter(1) ROOT s "
                         "= f32[] add(l, r) }\n"
                         "ENTRY e {\n",
                         body, "}\n"));
  const FewRows few(module, hlo::PostOrder(module, module.entry_id()));
  std::vector<std::string> found;
  for (const hlo::InstructionId id : hlo::PostOrder(module, module.entry_id())) {
    const hlo::InstructionId array = few.Of(id);
    if (array == hlo::kNoId) continue;
    found.push_back(
        absl::StrCat(module.instruction(id).name, ": ", module.instruction(array).name));
  }
  EXPECT_THAT(found, UnorderedElementsAre("b: b", "g: p", "p: p"));
}

// As the compiler of v5e: a slice with a stride runs with what reads it, but for the dimensions of tiles.
TEST(ClustersTest, StridesAndInteriorPaddingReadFromMemory) {
  const auto found = [](const std::string& type, const std::string& moved) {
    return Clusters(
        "  x = f32[8,64,64] parameter(0)\n  z = f32[] constant(0)\n"
        "  a = f32[8,64,64] multiply(x, x)\n  m = " +
        type + " " + moved + "\n  ROOT t = " + type + " tanh(m)\n");
  };
  EXPECT_THAT(found("f32[4,64,64]", "slice(a), slice={[0:8:2], [0:64], [0:64]}"),
              ElementsAre("a ->a", "m t ->t"));
  EXPECT_THAT(found("f32[8,32,64]", "slice(a), slice={[0:8], [0:64:2], [0:64]}"),
              ElementsAre("a ->a", "m ->m", "t ->t"));
  EXPECT_THAT(found("f32[15,64,64]", "pad(a, z), padding=0_0_1x0_0x0_0"),
              ElementsAre("a ->a", "m ->m", "t ->t"));
  EXPECT_THAT(found("f32[4,64,64]", "slice(a), slice={[0:4], [0:64], [0:64]}"),
              ElementsAre("a m t ->t"));
}

TEST(ClustersTest, TwoSlicesReadFromMemoryOnTpus) {
  const std::string body = std::string(kInputs) +
                           "  a = f32[64,64] multiply(x, y)\n"
                           "  b = f32[32,64] slice(a), slice={[0:32], [0:64]}\n"
                           "  c = f32[32,64] slice(a), slice={[32:64], [0:64]}\n"
                           "  ROOT t = f32[32,64] add(b, c)\n";
  EXPECT_THAT(Clusters(body), ElementsAre("a ->a", "b c t ->t"));
  EXPECT_THAT(Clusters(body, "cpu"), ElementsAre("a b c t ->t"));
}

// Each product that reads a concatenate puts its parts together.
// As in the fusion of a padded sum and its slice, which libtpu makes.
TEST(ClustersTest, AReduceScatterPadsWhatItSums) {
  const std::string body =
      "  x = bf16[1000,256] parameter(0)\n  w = bf16[256,512] parameter(1)\n"
      "  d = bf16[1000,512] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  z = bf16[] constant(0)\n  p = bf16[1024,512] pad(d, z), padding=0_24x0_0\n"
      "  ROOT r = bf16[256,512] reduce-scatter(p), replica_groups={{0,1,2,3}}, dimensions={0}, "
      "to_apply=sum16\n";
  EXPECT_THAT(Clusters(body), ElementsAre("d ->d"));
  EXPECT_THAT(Clusters(body, "h100"), ElementsAre("d ->d", "p ->p"));
}

TEST(ClustersTest, AConcatenateIsRepeatedInProducts) {
  const std::string text =
      "  a = f32[64,32] parameter(0)\n  b = f32[64,32] parameter(1)\n  w = f32[64,64] "
      "parameter(2)\n"
      "  c = f32[64,64] concatenate(a, b), dimensions={1}\n"
      "  p = f32[64,64] dot(c, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  q = f32[64,64] dot(w, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  ROOT t = (f32[64,64], f32[64,64]) tuple(p, q)\n";
  EXPECT_THAT(Clusters(text), UnorderedElementsAre("c p ->p", "c q ->q"));
  EXPECT_THAT(Clusters(text, "cpu"), UnorderedElementsAre("c ->c", "p ->p", "q ->q"));
}

// A mask that is repeated over each of them.
TEST(ClustersTest, ReadersOfOneRepeatedArrayBecomeOne) {
  const auto text = [](const std::string& size) {
    return absl::StrReplaceAll(
        "  m = pred[SIZE] parameter(0)\n  a = f32[8,64] parameter(1)\n  b = f32[8,64] "
        "parameter(2)\n"
        "  r = pred[8,64] broadcast(m), dimensions={DIMS}\n"
        "  s = f32[8,64] select(r, a, b)\n  t = f32[8,64] select(r, b, a)\n"
        "  ROOT u = (f32[8,64], f32[8,64]) tuple(s, t)\n",
        {{"SIZE", size}, {"DIMS", size.empty() ? "" : "0"}});
  };
  EXPECT_THAT(Clusters(text("8")), ElementsAre("s t ->s ->t"));
  EXPECT_THAT(Clusters(text("")), UnorderedElementsAre("s ->s", "t ->t"));
}

TEST(ClustersTest, AProductReadsBytesFromMemory) {
  EXPECT_THAT(Clusters("  x = f32[64,64] parameter(0)\n  w = s8[64,64] parameter(1)\n"
                       "  q = s8[64,64] convert(x)\n"
                       "  ROOT d = s32[64,64] dot(q, w), lhs_contracting_dims={1}, "
                       "rhs_contracting_dims={0}\n"),
              ElementsAre("q ->q", "d ->d"));
}

// As a step whose parameters are updated in parts and gathered: a TPU copies both the argument and the result.
TEST(LayoutCopiesTest, AGatheredResultInThePlaceOfAnArgument) {
  const auto copies = [](const std::string& target) {
    return TileCopies(", input_output_alias={ {0}: (0, {}, may-alias) }",
                      "ENTRY e {\n  w = f32[1024,128] parameter(0)\n"
                      "  s = f32[256,128] slice(w), slice={[0:256], [0:128]}\n"
                      "  n = f32[256,128] negate(s)\n"
                      "  g = f32[1024,128] all-gather(n), dimensions={0}, "
                      "replica_groups={{0,1,2,3}}\n"
                      "  ROOT r = (f32[1024,128]) tuple(g) }\n",
                      target);
  };
  EXPECT_THAT(copies("tpu-v5e:2x2"), UnorderedElementsAre("128 w", "128 g"));
  EXPECT_THAT(copies("h100:4"), ElementsAre());
}

}  // namespace
}  // namespace tessera::target
