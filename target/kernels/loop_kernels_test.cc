// Reads and writes of kernels in loops and in the fast memory of a chip: loop_values.h, places.h and
// stored_arrays.h.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/kernels/loop_values.h"
#include "tessera/target/kernels/program_kernels.h"
#include "tessera/target/kernels/stored_arrays.h"
#include "tessera/target/target.h"

namespace tessera::target {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

hlo::Module Parse(const std::string& text) {
  auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

// Eight layers: slices of `w` in bfloat16, a mask that is added, and a result for each layer at `at`.
std::string Layers(const std::string& at) {
  const std::string carried =
      "(s32[], f32[512,512], f32[8,512,512], f32[512,512], bf16[8,512,512])";
  return "HloModule m, num_partitions=4\n"
         "body { p = " +
         carried +
         " parameter(0)\n"
         "  i = s32[] get-tuple-element(p), index=0\n"
         "  x = f32[512,512] get-tuple-element(p), index=1\n"
         "  w = f32[8,512,512] get-tuple-element(p), index=2\n"
         "  m = f32[512,512] get-tuple-element(p), index=3\n"
         "  saved = bf16[8,512,512] get-tuple-element(p), index=4\n"
         "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  z = s32[] constant(0)\n"
         "  last = s32[] constant(7)\n  back = s32[] subtract(last, i)\n"
         "  s = f32[1,512,512] dynamic-slice(w, i, z, z), dynamic_slice_sizes={1,512,512}\n"
         "  r = f32[512,512] reshape(s)\n  c = bf16[512,512] convert(r)\n"
         "  h = bf16[512,512] convert(x)\n"
         "  d = f32[512,512] dot(h, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
         "  a = f32[512,512] add(d, m)\n"
         "  q = bf16[1,512,512] reshape(h)\n"
         "  u = bf16[8,512,512] dynamic-update-slice(saved, q, " +
         at +
         ", z, z)\n"
         "  ROOT t = " +
         carried +
         " tuple(j, a, w, m, u) }\n"
         "cond { p = " +
         carried +
         " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
         "  eight = s32[] constant(8)\n  ROOT c = pred[] compare(i, eight), direction=LT }\n"
         "ENTRY e { z = s32[] constant(0) x = f32[512,512] parameter(0)\n"
         "  w = f32[8,512,512] parameter(1)\n  b = f32[512] parameter(2)\n"
         "  m = f32[512,512] broadcast(b), dimensions={1}\n  zero = bf16[] constant(0)\n"
         "  none = bf16[8,512,512] broadcast(zero), dimensions={}\n"
         "  t = " +
         carried +
         " tuple(z, x, w, m, none)\n"
         "  loop = " +
         carried +
         " while(t), condition=cond, body=body\n"
         "  y = f32[512,512] get-tuple-element(loop), index=1\n"
         "  k = bf16[8,512,512] get-tuple-element(loop), index=4\n"
         "  ROOT o = (f32[512,512], bf16[8,512,512]) tuple(y, k) }\n";
}

// "dot: reads 2 x 256, near 256, writes near 256": bytes an element x registers.
std::string Text(const Access& access) {
  return std::string(access.is_written ? "writes " : "reads ") + (access.is_fast ? "near " : "") +
         std::to_string(static_cast<int>(access.width)) + " x " +
         std::to_string(static_cast<int>(access.registers));
}

std::vector<std::string> AccessesOf(const hlo::Module& module, const std::string& chip,
                                    const std::string& name) {
  const auto target = ParseTarget(chip);
  const auto program = FindKernels(module, target->chip);
  EXPECT_TRUE(program.ok());
  std::vector<std::string> found;
  for (const ComputationKernels& computation : program->computations) {
    for (const DeviceKernel& kernel : computation.kernels) {
      if (module.instruction(kernel.instruction).name != name) continue;
      for (const Access& access : kernel.accesses) {
        if (access.registers >= 1) found.push_back(Text(access));
      }
    }
  }
  return found;
}

// What a loop carries is near, the bias is read as it is, and the weight as it is converted.
TEST(LoopKernelsTest, AStackIsConvertedOnceAndABroadcastIsMadeInTheLoop) {
  const hlo::Module module = Parse(Layers("i"));
  EXPECT_THAT(AccessesOf(module, "tpu-v5e:2x2", "a"),
              UnorderedElementsAre("reads near 4 x 256", "reads 2 x 256", "writes near 4 x 256"));
  EXPECT_THAT(AccessesOf(module, "tpu-v5e:2x2", "w"),
              ElementsAre("reads 4 x 2048", "writes 2 x 2048"));
  // Only the compilers of TPUs are known to do so.
  EXPECT_THAT(AccessesOf(module, "h100:1x1x4", "w"), IsEmpty());
}

// A scale of each layer: its slice is written, and read by the kernel that repeats it.
TEST(LoopKernelsTest, ASliceThatIsRepeatedIsWrittenBefore) {
  const hlo::Module module = Parse(
      "HloModule m, num_partitions=4\n"
      "ENTRY e { x = f32[512,4096] parameter(0)\n  w = bf16[8,4096] parameter(1)\n"
      "  i = s32[] parameter(2)\n  z = s32[] constant(0)\n"
      "  s = bf16[1,4096] dynamic-slice(w, i, z), dynamic_slice_sizes={1,4096}\n"
      "  c = f32[1,4096] convert(s)\n  r = f32[4096] reshape(c)\n"
      "  b = f32[512,4096] broadcast(r), dimensions={1}\n"
      "  ROOT m = f32[512,4096] multiply(x, b) }\n");
  EXPECT_THAT(AccessesOf(module, "tpu-v5e:2x2", "r"),
              ElementsAre("reads 2 x 4", "writes near 4 x 4"));
  EXPECT_THAT(AccessesOf(module, "tpu-v5e:2x2", "m"),
              UnorderedElementsAre("reads 4 x 2048", "reads near 4 x 4", "writes 4 x 2048"));
  EXPECT_THAT(AccessesOf(module, "h100:1x1x4", "r"), IsEmpty());
}

// Filled from the first layer to the last the stack begins with no value; backwards it is written before.
TEST(LoopKernelsTest, AStackThatIsFilledInOrderBeginsEmpty) {
  EXPECT_THAT(AccessesOf(Parse(Layers("i")), "tpu-v5e:2x2", "none"), IsEmpty());
  EXPECT_THAT(AccessesOf(Parse(Layers("back")), "tpu-v5e:2x2", "none"),
              ElementsAre("writes 2 x 2048"));
}

TEST(LoopValuesTest, WhatALoopHandsOnIsTheValueOutside) {
  const hlo::Module module = Parse(Layers("i"));
  const LoopValues loops(module, true);
  const auto named = [&](const char* name) { return module.FindInstruction(name); };
  const hlo::InstructionId body = module.operands(named("s"))[0];
  ASSERT_NE(loops.Find(body), nullptr);
  EXPECT_TRUE(loops.Find(body)->is_invariant);
  EXPECT_TRUE(loops.Find(body)->is_stack);
  EXPECT_THAT(loops.WidthOf(named("s")), DoubleEq(2));
  EXPECT_EQ(loops.Find(module.operands(named("h"))[0])->is_invariant, false);
  const hlo::InstructionId mask = module.operands(named("a"))[1];
  EXPECT_EQ(module.instruction(loops.Broadcast(mask)).opcode, hlo::Opcode::kBroadcast);
  ASSERT_EQ(loops.converted().size(), 1u);
  EXPECT_EQ(loops.Origin(body), loops.converted()[0].stack);
  EXPECT_THAT(LoopValues(module, false).converted(), IsEmpty());
}

// 64 and 32 MiB have room in 112 MiB, and not in 48.
TEST(PlacesTest, TheLargestArraysOfAKernelAreNearAsFarAsThereIsRoom) {
  const hlo::Module module = Parse(
      "HloModule m, num_partitions=4\n"
      "less { a = f32[] parameter(0) b = f32[] parameter(1)\n"
      "  ROOT c = pred[] compare(a, b), direction=LT }\n"
      "less16 { a = bf16[] parameter(0) b = bf16[] parameter(1)\n"
      "  ROOT c = pred[] compare(a, b), direction=LT }\n"
      "ENTRY e { x = f32[4096,4096] parameter(0)\n"
      "  a = f32[4096,4096] sort(x), dimensions={1}, to_apply=less\n"
      "  b = bf16[4096,4096] convert(a)\n"
      "  c = bf16[4096,4096] sort(b), dimensions={1}, to_apply=less16\n"
      "  ROOT n = bf16[4096,4096] negate(c) }\n");
  EXPECT_THAT(AccessesOf(module, "tpu-v5e:2x2", "b"),
              ElementsAre("reads near 4 x 16384", "writes near 2 x 16384"));
  EXPECT_THAT(AccessesOf(module, "tpu-v5p:2x2x1", "b"),
              ElementsAre("reads 4 x 16384", "writes near 2 x 16384"));
  EXPECT_THAT(AccessesOf(module, "tpu-v5e:2x2", "n"),
              ElementsAre("reads near 2 x 16384", "writes 2 x 16384"));
}

// 80 MiB are far, though 112 MiB have room.
TEST(PlacesTest, AnArrayOfMoreThan64MiBIsFar) {
  const hlo::Module module = Parse(
      "HloModule m, num_partitions=4\n"
      "less { a = f32[] parameter(0) b = f32[] parameter(1)\n"
      "  ROOT c = pred[] compare(a, b), direction=LT }\n"
      "ENTRY e { x = f32[4096,5120] parameter(0)\n"
      "  a = f32[4096,5120] sort(x), dimensions={1}, to_apply=less\n"
      "  b = bf16[4096,5120] convert(a)\n  ROOT n = bf16[4096,5120] sort(b), dimensions={1}, "
      "to_apply=less }\n");
  EXPECT_THAT(AccessesOf(module, "tpu-v5e:2x2", "b"),
              ElementsAre("reads 4 x 20480", "writes near 2 x 20480"));
}

// The two cores of a v5p write `d` to HBM. It is moved near for the product `p`, not for `n`.
TEST(PlacesTest, ProductsOfTwoCoresAreWrittenFar) {
  const hlo::Module module = Parse(
      "HloModule m, num_partitions=4\n"
      "less { a = bf16[] parameter(0) b = bf16[] parameter(1)\n"
      "  ROOT c = pred[] compare(a, b), direction=LT }\n"
      "ENTRY e { x = bf16[1024,1024] parameter(0)\n"
      "  s = bf16[1024,1024] sort(x), dimensions={1}, to_apply=less\n"
      "  d = bf16[1024,1024] dot(s, s), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  n = bf16[1024,1024] reverse(d), dimensions={0}\n"
      "  o = bf16[1024,1024] sort(n), dimensions={1}, to_apply=less\n"
      "  p = bf16[1024,1024] dot(d, o), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  ROOT q = bf16[1024,1024] sort(p), dimensions={1}, to_apply=less }\n");
  EXPECT_THAT(AccessesOf(module, "tpu-v5p:2x2x1", "d"),
              ElementsAre("reads near 2 x 1024", "writes 2 x 1024"));
  EXPECT_THAT(AccessesOf(module, "tpu-v5p:2x2x1", "n"),
              ElementsAre("reads 2 x 1024", "writes near 2 x 1024"));
  EXPECT_THAT(AccessesOf(module, "tpu-v5p:2x2x1", "p"),
              ElementsAre("reads near 2 x 1024", "reads near 2 x 1024", "writes 2 x 1024"));
  EXPECT_THAT(AccessesOf(module, "tpu-v5e:2x2", "d"),
              ElementsAre("reads near 2 x 1024", "writes near 2 x 1024"));
}

// So is what a trip of a loop adds a product to.
TEST(PlacesTest, ASumOfProductsThatALoopCarriesIsFarOnTwoCores) {
  const hlo::Module module = Parse(Layers("i"));
  EXPECT_THAT(AccessesOf(module, "tpu-v5p:2x2x1", "a"),
              UnorderedElementsAre("reads 4 x 256", "reads 2 x 256", "writes 4 x 256"));
}

// Of 16 MiB, not of 64, and not for what is no product.
TEST(PlacesTest, ASmallArgumentThatAProductRoundsIsMovedNear) {
  const hlo::Module module = Parse(
      "HloModule m, num_partitions=4\n"
      "ENTRY e { x = bf16[512,4096] parameter(0)\n  s = f32[4096,1024] parameter(1)\n"
      "  l = f32[4096,4096] parameter(2)\n  a = bf16[4096,1024] convert(s)\n"
      "  b = bf16[4096,4096] convert(l)\n  n = f32[4096,1024] negate(s)\n"
      "  d = bf16[512,1024] dot(x, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  g = bf16[512,4096] dot(x, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  ROOT t = (bf16[512,1024], bf16[512,4096], f32[4096,1024]) tuple(d, g, n) }\n");
  EXPECT_THAT(AccessesOf(module, "tpu-v5e:2x2", "d"),
              UnorderedElementsAre("reads 2 x 2048", "reads near 4 x 4096", "writes 2 x 512"));
  EXPECT_THAT(AccessesOf(module, "tpu-v5e:2x2", "g"),
              UnorderedElementsAre("reads 2 x 2048", "reads 4 x 16384", "writes 2 x 2048"));
  EXPECT_THAT(AccessesOf(module, "tpu-v5e:2x2", "n"),
              UnorderedElementsAre("reads 4 x 4096", "writes 4 x 4096"));
}

// `s` waits while products write 128 MiB, more than 112. So does `h`, which is moved near for its product.
TEST(PlacesTest, WhatWaitsWhileProductsFillTheFastMemoryLiesInHbm) {
  const hlo::Module module = Parse(
      "HloModule m, num_partitions=4\n"
      "less { a = bf16[] parameter(0) b = bf16[] parameter(1)\n"
      "  ROOT c = pred[] compare(a, b), direction=LT }\n"
      "ENTRY e { x = bf16[4096,4096] parameter(0)\n  w = bf16[4096,4096] parameter(1)\n"
      "  y = bf16[512,4096] parameter(2)\n"
      "  h = bf16[512,4096] sort(y), dimensions={1}, to_apply=less\n"
      "  k = bf16[512,4096] negate(h)\n"
      "  s = bf16[4096,4096] sort(x), dimensions={1}, to_apply=less\n"
      "  a = bf16[4096,4096] dot(s, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  b = bf16[4096,4096] dot(a, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  c = bf16[4096,4096] dot(b, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  m = bf16[4096,4096] add(c, s)\n  o = bf16[4096,4096] sort(m), dimensions={1}, "
      "to_apply=less\n"
      "  d = bf16[4096,4096] dot(o, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  r = bf16[4096,4096] sort(d), dimensions={1}, to_apply=less\n"
      "  n = bf16[4096,4096] add(r, s)\n"
      "  p = bf16[512,4096] dot(h, r), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  ROOT t = (bf16[512,4096], bf16[4096,4096], bf16[512,4096]) tuple(k, n, p) }\n");
  EXPECT_THAT(AccessesOf(module, "tpu-v5e:2x2", "n"),
              UnorderedElementsAre("reads near 2 x 16384", "reads 2 x 16384", "writes 2 x 16384"));
  EXPECT_THAT(
      AccessesOf(module, "tpu-v5e:2x2", "p"),
      UnorderedElementsAre("reads near 2 x 2048", "reads near 2 x 16384", "writes 2 x 2048"));
  EXPECT_THAT(
      AccessesOf(module, "tpu-v5e:2x2", "b"),
      UnorderedElementsAre("reads near 2 x 16384", "reads 2 x 16384", "writes near 2 x 16384"));
}

// An argument in tiles of two rows: its kernel walks over each. What is made within may have other tiles.
TEST(StoredArraysTest, ArraysAtTheBorderOfAProgramHaveLowTiles) {
  const hlo::Module module = Parse(
      "HloModule m, num_partitions=4\n"
      "less { a = f32[] parameter(0) b = f32[] parameter(1)\n"
      "  ROOT c = pred[] compare(a, b), direction=LT }\n"
      "ENTRY e { x = f32[256,2,1024] parameter(0)\n"
      "  a = f32[256,2,1024] negate(x)\n"
      "  b = f32[256,2,1024] sort(a), dimensions={2}, to_apply=less\n"
      "  ROOT c = f32[256,2,1024] negate(b) }\n");
  const auto program = FindKernels(module, ParseTarget("tpu-v5e:2x2")->chip);
  ASSERT_TRUE(program.ok()) << program.status();
  const auto tiles = [&](const char* name) {
    for (const DeviceKernel& kernel : program->computations[0].kernels) {
      if (module.instruction(kernel.instruction).name == name) return kernel.low_tiles;
    }
    return -1.0;
  };
  EXPECT_THAT(tiles("a"), DoubleEq(0));
  EXPECT_THAT(tiles("c"), DoubleEq(256 * 8));
}

// Rows of 64 lie on rows of tiles, as 4,000 pad less on lanes. A gather wants them on lanes; rows of 256 are there.
TEST(StoredArraysTest, TheTableOfAGatherIsCopiedToTheOrderOfItsDimensions) {
  const auto copies = [](const std::string& width) {
    const hlo::Module module = Parse(
        "HloModule m, num_partitions=4\n"
        "ENTRY e { t = f32[26,4096," +
        width + "] parameter(0)\n  i = s32[512,2] parameter(1)\n  g = f32[512," + width +
        "] gather(t, i), offset_dims={1}, collapsed_slice_dims={0,1}, start_index_map={0,1}, "
        "index_vector_dim=1, slice_sizes={1,1," +
        width + "}\n  ROOT n = f32[512," + width + "] negate(g) }\n");
    const auto program = FindKernels(module, ParseTarget("tpu-v5e:2x2")->chip);
    EXPECT_TRUE(program.ok());
    std::vector<double> registers;
    for (const DeviceKernel& kernel : program->computations[0].kernels) {
      if (kernel.kind != KernelKind::kLaneCopy) continue;
      for (const Access& access : kernel.accesses) registers.push_back(access.registers);
    }
    return registers;
  };
  EXPECT_THAT(copies("64"), ElementsAre(26 * 64 * 4.0, 26 * 64 * 8.0));
  EXPECT_THAT(copies("256"), IsEmpty());
}

// A cache of SIZES that a loop carries, one row of it written for each of 8 sequences in a trip, and `reader` of its slice.
std::string Cache(const std::string& sizes, const std::string& row, const std::string& reader) {
  const std::string cache = "bf16[4,8," + sizes + "]";
  const std::string state = "(s32[], " + cache + ", bf16[8," + row + "], s32[8,3])";
  const std::string window = row.find(',') == std::string::npos ? "{1}" : "{1,2}";
  return "HloModule m, num_partitions=4\n"
         "new { a = bf16[] parameter(0) ROOT b = bf16[] parameter(1) }\nbody { p = " +
         state + " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  c = " + cache +
         " get-tuple-element(p), index=1\n  q = bf16[8," + row +
         "] get-tuple-element(p), index=2\n  at = s32[8,3] get-tuple-element(p), index=3\n"
         "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  z = s32[] constant(0)\n  u = " +
         cache + " scatter(c, at, q), update_window_dims=" + window +
         ", inserted_window_dims={0,1,2}, scatter_dims_to_operand_dims={0,1,2}, "
         "index_vector_dim=1, to_apply=new\n  " +
         reader + "\n  ROOT t = " + state + " tuple(j, u, o, at) }\ncond { p = " + state +
         " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  four = s32[] constant(4)\n"
         "  ROOT c = pred[] compare(i, four), direction=LT }\nENTRY e { z = s32[] constant(0)\n"
         "  old = " +
         cache + " parameter(0)\n  q = bf16[8," + row +
         "] parameter(1)\n  at = s32[8,3] parameter(2)\n  t = " + state +
         " tuple(z, old, q, at)\n  w = " + state +
         " while(t), condition=cond, body=body\n  g = " + cache +
         " get-tuple-element(w), index=1\n  ROOT r = (" + cache + ") tuple(g) }\n";
}

// "COPY u" is a copy to other lanes of %u.
std::vector<std::string> KernelsOn(const std::string& text) {
  const hlo::Module module = Parse(text);
  const auto program = FindKernels(module, ParseTarget("tpu-v5e:2x2")->chip);
  EXPECT_TRUE(program.ok());
  std::vector<std::string> found;
  for (const ComputationKernels& computation : program->computations) {
    for (const DeviceKernel& kernel : computation.kernels) {
      if (kernel.kind == KernelKind::kScalar) continue;
      const bool is_copy = kernel.kind == KernelKind::kLaneCopy;
      found.push_back((is_copy ? "COPY " : "") +
                      std::string(module.instruction(kernel.instruction).name));
    }
  }
  return found;
}

constexpr char kSlice[] =
    "s = bf16[1,8,SIZES] dynamic-slice(u, i, z, z, z), dynamic_slice_sizes={1,8,SIZES}\n"
    "  r = bf16[8,SIZES] reshape(s)\n  ";
constexpr char kProduct[] =
    "d = bf16[8,2048] dot(q, r), lhs_batch_dims={0}, rhs_batch_dims={0}, "
    "lhs_contracting_dims={1}, rhs_contracting_dims={2}\n  ";

// Rows of 192 pad less on the rows of tiles: such a cache is copied in front of the loop and after it.
TEST(RowTablesTest, ACacheThatAScatterUpdatesIsCopiedAroundTheLoop) {
  const auto kernels = [](const std::string& width) {
    const std::string whole =
        "o = bf16[8,WIDTH] dot(d, r), lhs_batch_dims={0}, rhs_batch_dims={0}, "
        "lhs_contracting_dims={1}, rhs_contracting_dims={1}";
    return KernelsOn(
        absl::StrReplaceAll(Cache("2048,WIDTH", "WIDTH", absl::StrCat(kSlice, kProduct, whole)),
                            {{"SIZES", "2048," + width}, {"WIDTH", width}}));
  };
  EXPECT_THAT(kernels("192"), UnorderedElementsAre("u", "d", "o", "COPY old", "COPY g"));
  EXPECT_THAT(kernels("256"), UnorderedElementsAre("u", "d", "o"));
}

// Where values are a part of the keys, the slice is written, and copied for the product with the keys.
TEST(RowTablesTest, ASliceOfWhichAPartIsReadIsWritten) {
  const std::string part =
      "v = bf16[8,2048,128] slice(r), slice={[0:8], [0:2048], [0:128]}\n"
      "  x = bf16[8,128] dot(d, v), lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"
      "  y = bf16[] constant(0)\n  o = bf16[8,WIDTH] pad(x, y), padding=0_0x0_MORE";
  const auto kernels = [&](const std::string& width, const std::string& more) {
    return KernelsOn(
        absl::StrReplaceAll(Cache("2048,WIDTH", "WIDTH", absl::StrCat(kSlice, kProduct, part)),
                            {{"SIZES", "2048," + width}, {"WIDTH", width}, {"MORE", more}}));
  };
  EXPECT_THAT(kernels("192", "64"),
              UnorderedElementsAre("u", "s", "COPY s", "d", "x", "o", "COPY old", "COPY g"));
  EXPECT_THAT(kernels("256", "128"), UnorderedElementsAre("u", "s", "d", "x", "o"));
  // Of 96 MiB, which is more than other arrays near the core have.
  const hlo::Module large = Parse(absl::StrReplaceAll(
      Cache("12288,WIDTH", "WIDTH", absl::StrCat(kSlice, kProduct, part)),
      {{"SIZES", "12288,512"}, {"WIDTH", "512"}, {"MORE", "384"}, {"2048", "12288"}}));
  EXPECT_THAT(AccessesOf(large, "tpu-v5e:2x2", "s"),
              UnorderedElementsAre("reads 2 x 49152", "writes near 2 x 49152"));
}

// Heads between positions and lanes: the slice is written over tiles of two rows.
TEST(RowTablesTest, ASliceThatAProductReadsByHeadIsWritten) {
  const std::string by_head =
      "d = bf16[8,2,1024] dot(q, r), lhs_batch_dims={0,1}, rhs_batch_dims={0,2}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={3}\n"
      "  o = bf16[8,2,128] slice(d), slice={[0:8], [0:2], [0:128]}";
  const std::string slice = absl::StrReplaceAll(
      absl::StrCat(kSlice, by_head), {{"SIZES", "1024,2,128"}, {"z, z, z)", "z, z, z, z)"}});
  const hlo::Module module = Parse(Cache("1024,2,128", "2,128", slice));
  const auto program = FindKernels(module, ParseTarget("tpu-v5e:2x2")->chip);
  ASSERT_TRUE(program.ok()) << program.status();
  std::vector<double> tiles;
  for (const ComputationKernels& computation : program->computations) {
    for (const DeviceKernel& kernel : computation.kernels) {
      if (module.instruction(kernel.instruction).name == "s") tiles.push_back(kernel.low_tiles);
    }
  }
  EXPECT_THAT(tiles, ElementsAre(8 * 1024.0));
  EXPECT_THAT(AccessesOf(module, "tpu-v5e:2x2", "s"),
              UnorderedElementsAre("reads 2 x 2048", "writes near 2 x 2048"));
}

// 257 rows of 257: the batch of a product does not lie on lanes.
TEST(StoredArraysTest, ProductsAskForTheLayoutOfTheirResult) {
  const hlo::Module module = Parse(
      "HloModule m, num_partitions=4\n"
      "ENTRY e { a = bf16[128,257,64] parameter(0)\n  b = bf16[128,64,257] parameter(1)\n"
      "  ROOT d = bf16[128,257,257] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={1} }\n");
  const hlo::InstructionId d = module.FindInstruction("d");
  const StoredArrays on_tpu(module, ParseTarget("tpu-v5e:2x2")->chip);
  EXPECT_THAT(on_tpu.Registers(d), DoubleEq(128 * 264 * 384 / 1024.0));
  EXPECT_THAT(StoredArrays(module, nullptr).Registers(d), DoubleEq(257 * 264 * 128 / 1024.0));
}

}  // namespace
}  // namespace tessera::target
