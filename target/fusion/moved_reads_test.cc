#include "tessera/target/fusion/moved_reads.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/fusion/kept_values.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Not;

std::vector<std::string> KeptIn(const std::string& text) {
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  std::vector<int64_t> bytes;
  for (const Value& value : flow->values) {
    bytes.push_back(*value.shape->NumElements() * layout::BitWidth(value.shape->element_type()) /
                    8);
  }
  const KeptValues kept = FindKeptValues(*flow, bytes);
  std::vector<std::string> names;
  for (ValueId v = 0; v < kept.is_kept.size(); ++v) {
    if (kept.is_kept[v] && flow->values[v].node != kNone)
      names.emplace_back(module->instruction(flow->NodeOf(v)->instruction).name);
  }
  return names;
}

// The gradient of a slice.
TEST(MovedReadsTest, APadReadsFromMemory) {
  const auto kept = [](const std::string& line) {
    return KeptIn(
        absl::StrCat("ENTRY e {\n  x = f32[63,128] parameter(0)\n  z = f32[] constant(0)\n"
                     "  g = f32[63,128] exponential(x)\n",
                     line, "  ROOT n = f32[64,128] negate(p)\n}\n"));
  };
  EXPECT_THAT(kept("  p = f32[64,128] pad(g, z), padding=0_1x0_0\n"), Contains("g"));
  EXPECT_THAT(kept("  q = f32[63,128] negate(g)\n  p = f32[64,128] pad(q, z), padding=0_1x0_0\n"),
              AllOf(Contains("q"), Not(Contains("g"))));
}

// Logits d with a soft cap, t, whose gradient reads t.
std::string Capped(int rows, const std::string& loss) {
  return absl::StrCat(
      "ENTRY e {\n  x = bf16[64,32] parameter(0)\n  w = bf16[32,128] parameter(1)\n"
      "  c = f32[] constant(30)\n  b = f32[64,128] broadcast(c), dimensions={}\n"
      "  d = bf16[64,128] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  f = f32[64,128] convert(d)\n  t = f32[64,128] tanh(f)\n"
      "  m = f32[64,128] multiply(t, b)\n",
      loss, "  g = f32[64,128] negate(t)\n  ROOT r = (f32[", rows,
      ",128], f32[64,128]) tuple(l, g)\n}\n");
}

TEST(MovedReadsTest, AProductWritesWhatIsSlicedLater) {
  const auto sliced = KeptIn(Capped(63,
                                    "  s = f32[63,128] slice(m), slice={[0:63], [0:128]}\n"
                                    "  l = f32[63,128] exponential(s)\n"));
  EXPECT_THAT(sliced, AllOf(Contains("t"), Not(Contains("d"))));
  const auto whole = KeptIn(Capped(64, "  l = f32[64,128] exponential(m)\n"));
  EXPECT_THAT(whole, AllOf(Contains("d"), Not(Contains("t"))));
}

}  // namespace
}  // namespace tessera::target
