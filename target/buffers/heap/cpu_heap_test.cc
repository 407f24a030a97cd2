#include "tessera/target/buffers/heap/cpu_heap.h"

#include <cstdint>
#include <fstream>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

int64_t SetAsideFor(const std::string& text) {
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << text;
  if (!module.ok()) return -1;
  const auto found = FindDeviceBuffers(*module);
  EXPECT_TRUE(found.ok()) << found.status();
  return found.ok() ? found->spaces[0].set_aside : -1;
}

// What XLA:CPU of jaxlib 0.12.0.1 made of nine small programs, without metadata. In front of each stands
// `temp` and its temp_size_in_bytes.
TEST(CpuHeapTest, AsTheCompilerReports) {
  std::ifstream lines("target/buffers/testdata/cpu_heaps.txt");
  std::string text;
  int64_t bytes = 0;
  int modules = 0;
  const auto check = [&] {
    if (text.empty()) return;
    EXPECT_EQ(SetAsideFor(text), bytes) << text;
    text.clear();
    ++modules;
  };
  for (std::string line; std::getline(lines, line);) {
    absl::string_view number = line;
    if (!absl::ConsumePrefix(&number, "temp ")) {
      absl::StrAppend(&text, line, "\n");
      continue;
    }
    check();
    ASSERT_TRUE(absl::SimpleAtoi(number, &bytes)) << line;
  }
  check();
  EXPECT_EQ(modules, 9);
}

std::string Loop(const std::string& entry) {
  return absl::StrCat(
      "HloModule m, is_scheduled=true\n\n"
      "f {\n  p = (f32[16], s32[]) parameter(0)\n  ROOT c = pred[] constant(false)\n}\n\n"
      "g {\n  q = (f32[16], s32[]) parameter(0)\n  h = f32[16] get-tuple-element(q), index=0\n"
      "  i = s32[] get-tuple-element(q), index=1\n"
      "  k = f32[16] custom-call(h), custom_call_target=\"c\"\n"
      "  ROOT u = (f32[16], s32[]) tuple(k, i)\n}\n\n",
      "ENTRY e {\n  x = f32[16] parameter(0)\n  n = s32[] parameter(1)\n", entry, "}\n");
}

// A loop and its body share one table. Nothing is smaller in front of the heap, which lies last.
TEST(CpuHeapTest, TablesOfLoops) {
  EXPECT_EQ(SetAsideFor(Loop("  a = f32[16] custom-call(x), custom_call_target=\"c\"\n"
                             "  t = (f32[16], s32[]) tuple(a, n)\n"
                             "  w = (f32[16], s32[]) while(t), condition=f, body=g\n"
                             "  v = f32[16] get-tuple-element(w), index=0\n"
                             "  ROOT r = pred[] custom-call(v), custom_call_target=\"c\"\n")),
            64 + 64);
  // The table of the program's result is not set aside, and a lies where the result will be.
  EXPECT_EQ(SetAsideFor(Loop("  a = f32[16] custom-call(x), custom_call_target=\"c\"\n"
                             "  t = (f32[16], s32[]) tuple(a, n)\n"
                             "  ROOT w = (f32[16], s32[]) while(t), condition=f, body=g\n")),
            0);
}

TEST(CpuHeapTest, OfAGpuThePeakIsSetAside) {
  const std::string text =
      "HloModule m, is_scheduled=true\n\nENTRY e {\n  x = f32[7] parameter(0)\n"
      "  a = f32[7] custom-call(x), custom_call_target=\"c\"@\n"
      "  b = f32[7] custom-call(x), custom_call_target=\"c\"@\n"
      "  ROOT r = pred[] custom-call(a, b), custom_call_target=\"c\"@\n}\n";
  const auto with = [&](const std::string& config) {
    std::string out;
    for (const char c : text) out += c == '@' ? config : std::string(1, c);
    return SetAsideFor(out);
  };
  EXPECT_EQ(with(""), 64 + 28);
  EXPECT_EQ(with(", backend_config={\"operation_queue_id\":\"0\"}"), 28 + 28);
}

TEST(CpuHeapTest, BytesMustFit) {
  const auto module = hlo::ParseModule(
      "HloModule m, is_scheduled=true\n\nENTRY e {\n  x = f32[1] parameter(0)\n"
      "  a = s8[9223372036854775800] custom-call(x), custom_call_target=\"c\"\n"
      "  ROOT r = pred[] custom-call(a), custom_call_target=\"c\"\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_FALSE(FindDeviceBuffers(*module).ok());
}

}  // namespace
}  // namespace tessera::target
