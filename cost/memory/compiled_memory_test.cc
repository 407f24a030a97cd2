#include "tessera/cost/memory/compiled_memory.h"

#include <string>

#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::cost {
namespace {

CompiledMemory MemoryOfText(const std::string& text) {
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  const auto memory = MemoryOfCompiled(*module);
  EXPECT_TRUE(memory.ok()) << memory.status();
  return *memory;
}

TEST(CompiledMemoryTest, TilesSpacesAndAliases) {
  const CompiledMemory m = MemoryOfText(
      "HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }\n\n"
      "ENTRY e {\n"
      "  x = f32[8,8]{1,0:T(8,128)} parameter(0)\n"
      "  y = f32[8,8]{1,0:T(8,128)S(1)} copy(x)\n"
      "  z = f32[16,8]{1,0:T(8,128)} concatenate(y, y), dimensions={0}\n"
      "  u = f32[8,8]{1,0:T(8,128)} slice(z), slice={[0:8], [0:8]}\n"
      "  ROOT t = (f32[8,8]{1,0:T(8,128)}) tuple(u)\n"
      "}\n");
  EXPECT_EQ(m.device.arguments, 4096);    // 256 of data
  EXPECT_EQ(m.device.results, 4096 + 4);  // a pointer of a TPU
  EXPECT_EQ(m.device.aliased, 4096);
  EXPECT_EQ(m.device.temporaries, 8192);  // z; u is in x, and y in another memory
  EXPECT_EQ(m.device.peak_at, "z");
  ASSERT_EQ(m.device.at_peak.size(), 1);
  EXPECT_EQ(m.device.at_peak[0].name, "z");
  EXPECT_EQ(m.device.at_peak[0].padding, 8192 - 16 * 8 * 4);
  ASSERT_EQ(m.others.size(), 1);
  EXPECT_EQ(m.others[0].name, "VMEM");
  EXPECT_EQ(m.others[0].bytes, 4096);
  EXPECT_EQ(ReportedPeak(m), m.device.total());  // VMEM has less than HBM
}

TEST(CompiledMemoryTest, ThePeakIsThatOfVmemWhereItIsMore) {
  const CompiledMemory m = MemoryOfText(
      "HloModule m, is_scheduled=true\n\n"
      "ENTRY e {\n"
      "  x = f32[8,8]{1,0:T(8,128)} parameter(0)\n"
      "  y = f32[8,8]{1,0:T(8,128)S(1)} copy(x)\n"
      "  ROOT z = f32[8,8]{1,0:T(8,128)} negate(y)\n"
      "}\n");
  EXPECT_EQ(m.device.temporaries, 0);
  EXPECT_EQ(m.device.total(), 2 * 4096);
  EXPECT_EQ(ReportedPeak(m), 3 * 4096);
}

// The host's memory is a row of its own, and a part of what the compiler reports.
TEST(CompiledMemoryTest, ThePeakHasWhatStaysOnTheHost) {
  const CompiledMemory m = MemoryOfText(
      "HloModule m, is_scheduled=true\n\n"
      "ENTRY e {\n"
      "  x = f32[8,8]{1,0:T(8,128)S(5)} parameter(0)\n"
      "  y = f32[16,8]{1,0:T(8,128)S(5)} custom-call(x), custom_call_target=\"c\"\n"
      "  ROOT z = f32[8,8]{1,0:T(8,128)} custom-call(y), custom_call_target=\"c\"\n"
      "}\n");
  EXPECT_EQ(m.device.total(), 4096);
  ASSERT_EQ(m.others.size(), 1);
  EXPECT_EQ(m.others[0].name, "host");
  EXPECT_EQ(m.others[0].bytes, 3 * 4096);
  EXPECT_EQ(m.others[0].temporaries, 2 * 4096);
  EXPECT_EQ(ReportedPeak(m), 4 * 4096);
}

}  // namespace
}  // namespace tessera::cost
