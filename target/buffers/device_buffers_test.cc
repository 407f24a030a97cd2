#include "tessera/target/buffers/device_buffers.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

hlo::Module ModuleOf(const std::string& text, const std::string& header = "") {
  auto module =
      hlo::ParseModule(absl::StrCat("HloModule m, is_scheduled=true", header, "\n\n", text));
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

// "96 at b: a b": bytes of temporaries at their peak in main memory, where, and which.
std::string PeakOf(const std::string& text, const std::string& header = "") {
  const hlo::Module module = ModuleOf(text, header);
  const auto found = FindDeviceBuffers(module);
  EXPECT_TRUE(found.ok()) << found.status();
  const MemorySpace& space = found->spaces[0];
  std::vector<std::string> names;
  for (const size_t k : space.at_peak) {
    names.emplace_back(module.instruction(found->buffers[k].instruction).name);
  }
  const std::string at =
      space.peak_at == hlo::kNoId ? "-" : std::string(module.instruction(space.peak_at).name);
  return absl::StrCat(space.peak, " at ", at, ": ", absl::StrJoin(names, " "));
}

TEST(DeviceBuffersTest, ASchedule) {
  // b needs a; a is gone when c is made; the result is no temporary.
  EXPECT_EQ(PeakOf("ENTRY e {\n"
                   "  x = f32[8] parameter(0)\n"
                   "  a = f32[8] negate(x)\n"
                   "  b = f32[16] concatenate(a, a), dimensions={0}\n"
                   "  c = f32[8] slice(b), slice={[0:8]}\n"
                   "  ROOT d = pred[] custom-call(c, x), custom_call_target=\"c\"\n}"),
            "96 at b: b a");
}

TEST(DeviceBuffersTest, WhatIsHandedOnIsOneArray) {
  EXPECT_EQ(PeakOf("ENTRY e {\n"
                   "  x = f32[8] parameter(0)\n"
                   "  a = f32[8] negate(x)\n"
                   "  t = (f32[8], f32[8]) tuple(a, x)\n"
                   "  g = f32[8] get-tuple-element(t), index=0\n"
                   "  b = f32[2,4] bitcast(g)\n"
                   "  ROOT c = pred[] custom-call(b), custom_call_target=\"c\"\n}"),
            "32 at a: a");
}

TEST(DeviceBuffersTest, UpdatesInPlace) {
  const std::string update =
      "  x = f32[8] parameter(0)\n  i = s32[] parameter(1)\n  a = f32[8] negate(x)\n"
      "  y = f32[2] slice(x), slice={[0:2]}\n";
  const std::string last = "  ROOT r = f32[1] slice(u), slice={[0:1]}\n}";
  EXPECT_EQ(PeakOf(absl::StrCat("ENTRY e {\n", update,
                                "  u = f32[8] dynamic-update-slice(a, y, i)\n", last)),
            "40 at y: a y");
  EXPECT_EQ(
      PeakOf(absl::StrCat("f {\n  p = f32[8] parameter(0)\n  q = f32[2] parameter(1)\n"
                          "  j = s32[] parameter(2)\n"
                          "  ROOT v = f32[8] dynamic-update-slice(p, q, j)\n}\n\nENTRY e {\n",
                          update, "  u = f32[8] fusion(a, y, i), kind=kLoop, calls=f\n", last)),
      "40 at y: a y");
}

// Of a CPU or GPU: %k is the last one to need a.
std::string PeakOfKernel(const std::string& body, const std::string& kernel) {
  return PeakOf(
      absl::StrCat("f {\n", body, "\n}\n\nENTRY e {\n  x = f32[8] parameter(0)\n",
                   "  a = f32[8] custom-call(x), custom_call_target=\"c\"\n  k = ", kernel,
                   "\n  ROOT r = f32[1] custom-call(k), custom_call_target=\"c\"\n}"));
}

TEST(DeviceBuffersTest, KernelsWriteOverWhatNobodyElseNeeds) {
  const std::string fusion = "f32[8] fusion(a, x), kind=kLoop, calls=f";
  const std::string parameters = "  p = f32[8] parameter(0)\n  q = f32[8] parameter(1)\n";
  const auto peak = [&](const std::string& lines) {
    return PeakOfKernel(parameters + lines, fusion);
  };
  EXPECT_EQ(peak("  n = f32[8] negate(p)\n  ROOT s = f32[8] add(n, q)"), "32 at a: a");
  EXPECT_EQ(
      peak("  b = f32[2,4] bitcast(p)\n  n = f32[2,4] negate(b)\n  ROOT s = f32[8] bitcast(n)"),
      "32 at a: a");
  // Another cell is read than is written, so the cells that come later would be lost.
  EXPECT_EQ(peak("  n = f32[8] reverse(p), dimensions={0}\n  ROOT s = f32[8] add(n, q)"),
            "64 at k: a k");
  EXPECT_EQ(peak("  n = f32[8] reverse(p), dimensions={0}\n  ROOT s = f32[8] add(n, p)"),
            "64 at k: a k");
  EXPECT_EQ(PeakOfKernel("  ROOT p = f32[8] parameter(0)", "f32[8] tanh(a)"), "32 at a: a");
  EXPECT_EQ(PeakOfKernel("  ROOT p = f32[8] parameter(0)", "f32[8] reverse(a), dimensions={0}"),
            "64 at k: a k");
}

// One of two results lies over the operand; an argument stays as it is.
TEST(DeviceBuffersTest, EachOperandIsWrittenOverOnce) {
  const std::string two =
      "f {\n  p = f32[8] parameter(0)\n  n = f32[8] negate(p)\n  m = f32[8] tanh(p)\n"
      "  ROOT t = (f32[8], f32[8]) tuple(n, m)\n}\n\nENTRY e {\n  x = f32[8] parameter(0)\n";
  const std::string rest =
      "  g = f32[8] get-tuple-element(k), index=0\n  h = f32[8] get-tuple-element(k), index=1\n"
      "  ROOT r = f32[1] custom-call(g, h), custom_call_target=\"c\"\n}";
  EXPECT_EQ(PeakOf(two +
                   "  a = f32[8] custom-call(x), custom_call_target=\"c\"\n"
                   "  k = (f32[8], f32[8]) fusion(a), kind=kLoop, calls=f\n" +
                   rest),
            "64 at k: a k");
  EXPECT_EQ(PeakOf(two + "  k = (f32[8], f32[8]) fusion(x), kind=kLoop, calls=f\n" + rest),
            "64 at k: k k");
}

// The same bytes in another form, on a GPU. What is updated in place later lies over nothing.
TEST(DeviceBuffersTest, KernelsOfAGpuWriteOverOtherForms) {
  const std::string body =
      "  p = f32[8] parameter(0)\n  b = f32[2,4] bitcast(p)\n  ROOT n = f32[2,4] negate(b)";
  const std::string kernel = "f32[2,4] fusion(a), kind=kLoop, calls=f";
  const std::string queue = ", backend_config={\"operation_queue_id\":\"0\"}";
  EXPECT_EQ(PeakOfKernel(body, kernel), "64 at k: a k");
  EXPECT_EQ(PeakOfKernel(body, kernel + queue), "32 at a: a");
  EXPECT_EQ(PeakOfKernel(body, kernel + queue +
                                   "\n  i = s32[] parameter(1)\n  y = f32[1,1] parameter(2)\n"
                                   "  u = f32[2,4] dynamic-update-slice(k, y, i, i)"),
            "64 at k: a k");
}

TEST(DeviceBuffersTest, KernelsOfAGpuReduceFirstAndUpdateThePlaceTheyRead) {
  const std::string sum =
      "s {\n  c = f32[] parameter(0)\n  d = f32[] parameter(1)\n  ROOT e = f32[] add(c, d)\n}\n\n";
  const auto peak = [&](const std::string& body, const std::string& type) {
    return PeakOf(absl::StrCat(
        sum, "f {\n  p = f32[8] parameter(0)\n  j = s32[] parameter(1)\n", body,
        "\n}\n\nENTRY e {\n  x = f32[8] parameter(0)\n  i = s32[] parameter(1)\n"
        "  a = f32[8] custom-call(x), custom_call_target=\"c\"\n  k = ",
        type,
        " fusion(a, i), kind=kInput, calls=f, backend_config={\"operation_queue_id\":\"0\"}\n",
        "  ROOT r = f32[1] custom-call(k), custom_call_target=\"c\"\n}"));
  };
  const std::string reduced =
      "  z = f32[] constant(0)\n  n = f32[8] negate(p)\n"
      "  m = f32[] reduce(n, z), dimensions={0}, to_apply=s\n  t = f32[8] tanh(p)\n"
      "  ROOT o = (f32[], f32[8]) tuple(m, t)";
  EXPECT_EQ(peak(reduced, "(f32[], f32[8])"), "36 at k: a k");
  const auto updated = [](const char* from) {
    return absl::StrCat("  h = s32[] negate(j)\n  g = f32[2] dynamic-slice(p, ", from,
                        "), dynamic_slice_sizes={2}\n  n = f32[2] negate(g)\n"
                        "  ROOT u = f32[8] dynamic-update-slice(p, n, j)");
  };
  EXPECT_EQ(peak(updated("j"), "f32[8]"), "32 at a: a");
}

// A result of 32 bytes has room for a, which is gone when it is made, but not for b.
TEST(DeviceBuffersTest, ATemporaryLiesWhereAResultWillBe) {
  const auto peak = [](const char* result) {
    return PeakOf(
        absl::StrCat("ENTRY e {\n  x = f32[8] parameter(0)\n"
                     "  a = f32[8] custom-call(x), custom_call_target=\"c\"\n"
                     "  b = f32[16] custom-call(a), custom_call_target=\"c\"\n  ROOT r = ",
                     result, " custom-call(b), custom_call_target=\"c\"\n}"));
  };
  EXPECT_EQ(peak("f32[8]"), "64 at b: b");
  EXPECT_EQ(peak("f32[7]"), "96 at b: b a");
}

// a and c lie in the room of the result, b is needed while both are.
TEST(DeviceBuffersTest, ARoomIsTakenOnceAtATime) {
  EXPECT_EQ(PeakOf("ENTRY e {\n  x = f32[8] parameter(0)\n"
                   "  a = f32[8] custom-call(x), custom_call_target=\"c\"\n"
                   "  b = f32[8] custom-call(a), custom_call_target=\"c\"\n"
                   "  c = f32[8] custom-call(b), custom_call_target=\"c\"\n"
                   "  d = pred[] custom-call(c), custom_call_target=\"c\"\n"
                   "  ROOT r = f32[8] custom-call(d), custom_call_target=\"c\"\n}"),
            "32 at b: b");
}

// Between the last step that reads an argument and the one that writes a result into it.
TEST(DeviceBuffersTest, ATemporaryLiesInADonatedArgument) {
  const std::string text =
      "ENTRY e {\n  x = f32[8] parameter(0)\n"
      "  a = f32[2] custom-call(x), custom_call_target=\"c\"\n"
      "  b = f32[8] custom-call(a), custom_call_target=\"c\"\n"
      "  c = f32[2] custom-call(b), custom_call_target=\"c\"\n"
      "  ROOT r = f32[8] custom-call(c), custom_call_target=\"c\"\n}";
  EXPECT_EQ(PeakOf(text, ", input_output_alias={ {}: (0, {}, may-alias) }"), "8 at a: a");
  EXPECT_EQ(PeakOf("ENTRY e {\n  y = f32[8] parameter(0)\n"
                   "  a = f32[8] custom-call(), custom_call_target=\"c\"\n"
                   "  b = f32[2] custom-call(a), custom_call_target=\"c\"\n"
                   "  x = f32[8] parameter(1)\n  ROOT r = f32[8] custom-call(b, x), "
                   "custom_call_target=\"c\"\n}",
                   ", input_output_alias={ {}: (1, {}, may-alias) }"),
            "40 at b: a b");  // x is there from the beginning
}

// b only meets a, which it is written over, and r, which is written over it.
TEST(DeviceBuffersTest, AGuestMayMeetOthersAtBothEnds) {
  EXPECT_EQ(PeakOf("ENTRY e {\n  x = f32[8] parameter(0)\n  a = f32[8] negate(x)\n"
                   "  b = f32[8] negate(a)\n  ROOT r = f32[8] negate(b)\n}",
                   ", input_output_alias={ {}: (0, {}, may-alias) }"),
            "0 at -: ");
}

// An array under a result is no temporary any more.
TEST(DeviceBuffersTest, AResultMayLieOverATemporary) {
  const auto found = FindDeviceBuffers(ModuleOf(
      "ENTRY e {\n  x = f32[8] parameter(0)\n"
      "  a = f32[8] custom-call(x), custom_call_target=\"c\"\n  ROOT r = f32[8] negate(a)\n}"));
  EXPECT_EQ(found->spaces[0].results, 32);
  EXPECT_EQ(found->spaces[0].peak, 0);
}

TEST(DeviceBuffersTest, UnevenExchangesAreInPlace) {
  EXPECT_EQ(PeakOf("ENTRY e {\n  x = f32[8] parameter(0)\n  i = s64[4] parameter(1)\n"
                   "  a = f32[16] custom-call(x), custom_call_target=\"c\"\n"
                   "  k = f32[16] ragged-all-to-all(x, a, i, i, i, i), replica_groups={}\n"
                   "  ROOT r = f32[1] custom-call(k), custom_call_target=\"c\"\n}"),
            "64 at a: a");
}

TEST(DeviceBuffersTest, ListsOfATpu) {
  const auto peak = [](const std::string& lists) {
    return PeakOf(
        absl::StrCat("f {\n  p = f32[8] parameter(0)\n  q = f32[8] parameter(1)\n"
                     "  ROOT v = f32[8] add(p, q)\n}\n\nENTRY e {\n  x = f32[8] parameter(0)\n"
                     "  a = f32[8] negate(x)\n  u = f32[8] fusion(a, x), kind=kLoop, calls=f, "
                     "backend_config={\"aliasing_operands\":{\"lists\":[",
                     lists, "]}}\n  ROOT r = f32[1] slice(u), slice={[0:1]}\n}"));
  };
  EXPECT_EQ(peak(""), "64 at u: a u");
  EXPECT_EQ(peak(R"({"indices":["0","2"]})"), "32 at a: a");
}

constexpr char kLoop[] =
    "cond {\n  p = (s32[], f32[8]) parameter(0)\n  k = s32[] get-tuple-element(p), index=0\n"
    "  n = s32[] constant(3)\n  ROOT l = pred[] compare(k, n), direction=LT\n}\n\n"
    "body {\n  p = (s32[], f32[8]) parameter(0)\n  k = s32[] get-tuple-element(p), index=0\n"
    "  c = f32[8] get-tuple-element(p), index=1\n"
    "  w = f32[32] concatenate(c, c, c, c), dimensions={0}\n"
    "  d = f32[8] slice(w), slice={[0:8]}\n"
    "  ROOT t = (s32[], f32[8]) tuple(k, d)\n}\n\n"
    "ENTRY e {\n  x = f32[8] parameter(0)\n  z = s32[] constant(0)\n  i = s32[] copy(z)\n"
    "  a = f32[8] negate(x)\n  b = f32[8] negate(a)\n  t = (s32[], f32[8]) tuple(i, a)\n"
    "  w2 = (s32[], f32[8]) while(t), condition=cond, body=body\n"
    "  g = f32[8] get-tuple-element(w2), index=1\n"
    "  ROOT r = pred[] custom-call(g, b), custom_call_target=\"c\"\n}";

TEST(DeviceBuffersTest, ALoopCarriesOneArray) {
  // i 4, a 32 that the loop works in, b 32 that waits for it, 128 inside.
  EXPECT_EQ(PeakOf(kLoop), "196 at w: w a b i");
}

// c is read by w, and made anew as d: in between nobody needs it, and v is not added to it.
TEST(DeviceBuffersTest, WhatALoopMakesAnewIsNotNeededInBetween) {
  const std::string loop =
      "cond {\n  p = (f32[8]{0:T(8)}) parameter(0)\n  ROOT l = pred[] constant(true)\n}\n\n"
      "body {\n  p = (f32[8]{0:T(8)}) parameter(0)\n  c = f32[8]{0:T(8)} get-tuple-element(p), "
      "index=0\n"
      "  w = f32[2]{0:T(2)} slice(c), slice={[0:2]}\n"
      "  v = f32[64]{0:T(8)} custom-call(w), custom_call_target=\"c\"\n"
      "  d = f32[8]{0:T(8)} slice(v), slice={[0:8]}\n  ROOT t = (f32[8]{0:T(8)}) tuple(d)\n}\n\n"
      "ENTRY e {\n  x = f32[8]{0:T(8)} parameter(0)\n  a = f32[8]{0:T(8)} negate(x)\n"
      "  t = (f32[8]{0:T(8)}) tuple(a)\n"
      "  w2 = (f32[8]{0:T(8)}) while(t), condition=cond, body=body\n"
      "  g = f32[8]{0:T(8)} get-tuple-element(w2), index=0\n"
      "  ROOT r = pred[] custom-call(g), custom_call_target=\"c\"\n}";
  EXPECT_EQ(PeakOf(loop), "288 at d: v a");  // 264 at v
}

// Bytes of temporaries in VMEM at their peak.
int64_t VmemPeakOf(const std::string& text) {
  const auto found = FindDeviceBuffers(ModuleOf(text));
  EXPECT_TRUE(found.ok()) << found.status();
  for (const MemorySpace& space : found->spaces) {
    if (space.space == 1) return space.peak;
  }
  return 0;
}

// As the compiler of a TPU reports it.
TEST(DeviceBuffersTest, AnArrayOfVmemCountsTwiceWhereItIsMadeInPlace) {
  const auto peak = [](const char* space) {
    return absl::StrReplaceAll(
        "ENTRY e {\n  x = f32[8]{0:T(8)} parameter(0)\n  i = s32[] parameter(1)\n"
        "  y = f32[2]{0:T(2)} parameter(2)\n"
        "  a = f32[8]{0:T(8)@} negate(x)\n  u = f32[8]{0:T(8)@} dynamic-update-slice(a, y, i)\n"
        "  ROOT r = f32[1]{0:T(1)} slice(u), slice={[0:1]}\n}",
        {{"@", space}});
  };
  EXPECT_EQ(PeakOf(peak("")), "32 at a: a");
  EXPECT_EQ(VmemPeakOf(peak("S(1)")), 64);
}

// `a` is read again after u, which lies in its memory.
TEST(DeviceBuffersTest, AnArrayOfVmemCountsUntilAnotherIsMadeInItsPlace) {
  EXPECT_EQ(VmemPeakOf("f {\n  p = f32[8]{0:T(8)S(1)} parameter(0)\n"
                       "  ROOT q = f32[8]{0:T(8)S(1)} copy(p)\n}\n\n"
                       "ENTRY e {\n  x = f32[8]{0:T(8)} parameter(0)\n"
                       "  a = f32[8]{0:T(8)S(1)} negate(x)\n"
                       "  u = f32[8]{0:T(8)S(1)} fusion(a), kind=kCustom, "
                       "output_to_operand_aliasing={{}: (0, {})}, calls=f\n"
                       "  v = f32[8]{0:T(8)} negate(u)\n"
                       "  b = f32[16]{0:T(8)S(1)} custom-call(v), custom_call_target=\"c\"\n"
                       "  ROOT r = f32[1]{0:T(1)} custom-call(a, u, b), "
                       "custom_call_target=\"c\"\n}"),
            96);  // u and b; with a, 128
}

// As the second form of the same result that a stage of an asynchronous fusion has.
TEST(DeviceBuffersTest, AnArrayOfVmemThatNobodyReadsDoesNotCount) {
  EXPECT_EQ(VmemPeakOf("ENTRY e {\n  x = f32[8]{0:T(8)} parameter(0)\n"
                       "  a = (f32[8]{0:T(8)S(1)}, f32[16]{0:T(8)S(1)}) custom-call(x), "
                       "custom_call_target=\"c\"\n"
                       "  b = f32[8]{0:T(8)S(1)} get-tuple-element(a), index=0\n"
                       "  ROOT r = f32[1]{0:T(1)} slice(b), slice={[0:1]}\n}"),
            32);
}

TEST(DeviceBuffersTest, SlicesInVmemCountUntilTheyAreOneArray) {
  EXPECT_EQ(VmemPeakOf("ENTRY e {\n  x = f32[8]{0:T(8)} parameter(0)\n"
                       "  a = f32[8]{0:T(8)S(1)} negate(x)\n  b = f32[8]{0:T(8)S(1)} negate(x)\n"
                       "  u = f32[16]{0:T(8)S(1)} custom-call(a, b), "
                       "custom_call_target=\"ConcatBitcast\"\n"
                       "  ROOT r = f32[1]{0:T(1)} slice(u), slice={[0:1]}\n}"),
            64);
}

// c is made when both slices are there, as long as they are.
TEST(DeviceBuffersTest, SlicesInVmemLieSideBySide) {
  EXPECT_EQ(VmemPeakOf("ENTRY e {\n  x = f32[8]{0:T(8)} parameter(0)\n"
                       "  a = f32[8]{0:T(8)S(1)} negate(x)\n  b = f32[8]{0:T(8)S(1)} negate(x)\n"
                       "  c = f32[32]{0:T(8)S(1)} custom-call(x), custom_call_target=\"c\"\n"
                       "  d = f32[8]{0:T(8)} negate(c)\n"
                       "  u = f32[16]{0:T(8)S(1)} custom-call(a, b), "
                       "custom_call_target=\"ConcatBitcast\"\n"
                       "  ROOT r = f32[1]{0:T(1)} slice(u), slice={[0:1]}\n}"),
            192);
}

TEST(DeviceBuffersTest, SlicesThatBecomeOneArray) {
  EXPECT_EQ(PeakOf("ENTRY e {\n  x = f32[8] parameter(0)\n"
                   "  a = f32[8] negate(x)\n  b = f32[8] negate(x)\n"
                   "  u = f32[16] custom-call(a, b), custom_call_target=\"ConcatBitcast\"\n"
                   "  ROOT r = f32[1] slice(u), slice={[0:1]}\n}"),
            "64 at a: u");
}

TEST(DeviceBuffersTest, AStartHoldsItsArraysUntilTheDone) {
  EXPECT_EQ(PeakOf("ENTRY e {\n"
                   "  x = f32[8] parameter(0)\n"
                   "  a = f32[8] negate(x)\n"
                   "  s = (f32[8], f32[32]) all-gather-start(a), replica_groups={{0,1,2,3}}, "
                   "dimensions={0}\n"
                   "  b = f32[8] negate(x)\n"
                   "  d = f32[32] all-gather-done(s)\n"
                   "  c = f32[32] negate(d)\n"
                   "  ROOT r = pred[] custom-call(c, b), custom_call_target=\"c\"\n}"),
            "288 at c: s c b");  // c reads what s made, and lies apart
}

TEST(DeviceBuffersTest, AnAsynchronousOperationMayWriteOverItsOperand) {
  const auto peak = [](const char* aliasing) {
    return PeakOf(absl::StrCat(
        "s {\n  c = f32[] parameter(0)\n  d = f32[] parameter(1)\n  ROOT e = f32[] add(c, d)\n}\n\n"
        "ENTRY e {\n  x = f32[8] parameter(0)\n"
        "  a = f32[8] custom-call(x), custom_call_target=\"c\"\n"
        "  b = ((f32[8]), f32[8]) all-reduce-start(a), replica_groups={}, to_apply=s",
        aliasing,
        "\n  d = f32[8] all-reduce-done(b)\n"
        "  ROOT r = f32[1] custom-call(d), custom_call_target=\"c\"\n}"));
  };
  EXPECT_EQ(peak("").substr(0, 3), "64 ");
  EXPECT_EQ(peak(", output_to_operand_aliasing={{1}: (0, {})}").substr(0, 3), "32 ");
}

TEST(DeviceBuffersTest, ResultsStayAndMayBeArguments) {
  const std::string text =
      "ENTRY e {\n  x = f32[8] parameter(0)\n  a = f32[8] negate(x)\n"
      "  ROOT t = (f32[8]) tuple(a)\n}";
  const auto result = FindDeviceBuffers(ModuleOf(text));
  EXPECT_EQ(result->spaces[0].results, 32);
  EXPECT_EQ(result->aliased, 0);
  const auto aliased =
      FindDeviceBuffers(ModuleOf(text, ", input_output_alias={ {0}: (0, {}, may-alias) }"));
  EXPECT_EQ(aliased->spaces[0].results, 0);
  EXPECT_EQ(aliased->spaces[0].arguments, 32);
  EXPECT_EQ(aliased->aliased, 32);
}

// Straight-line programs against a count that looks at every step.
TEST(DeviceBuffersTest, AgainstEveryStep) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const int count = 2 + static_cast<int>(random() % 12);
    std::vector<int> bytes, last;
    std::string text = "ENTRY e {\n  x = f32[1] parameter(0)\n";
    for (int k = 0; k < count; ++k) {
      const int size = 1 + static_cast<int>(random() % 5);
      const int operand = k == 0 ? -1 : static_cast<int>(random() % k);
      absl::StrAppend(&text, "  v", k, " = f32[", size, "] custom-call(",
                      operand < 0 ? "x" : absl::StrCat("v", operand),
                      "), custom_call_target=\"c\"\n");
      bytes.push_back(4 * size);
      last.push_back(k);
      if (operand >= 0) last[operand] = k;
    }
    absl::StrAppend(&text, "  ROOT r = pred[] custom-call(v", count - 1,
                    "), custom_call_target=\"c\"\n}");
    last[count - 1] = count;
    int64_t peak = 0;
    for (int step = 0; step <= count; ++step) {
      int64_t alive = 0;
      for (int k = 0; k < count; ++k) alive += k <= step && step <= last[k] ? bytes[k] : 0;
      peak = std::max(peak, alive);
    }
    EXPECT_EQ(FindDeviceBuffers(ModuleOf(text))->spaces[0].peak, peak) << text;
  }
}

}  // namespace
}  // namespace tessera::target
