#include "tessera/pipeline/passes/one_partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "tessera/hlo/parser.h"

namespace tessera::pipeline::passes {
namespace {

using ::testing::HasSubstr;

constexpr char kModule[] = R"(HloModule m

%xla.sdy.manual_computation_body.3 (x: f32[4]) -> f32[4] {
  ROOT %x = f32[4] parameter(0)
}

ENTRY %main (p: f32[4]) -> f32[4] {
  %p = f32[4] parameter(0), sharding={replicated}  // stays
  ROOT %c = f32[4] call(%p), to_apply=%xla.sdy.manual_computation_body.3INLINEABLE
}
)";

std::string With(absl::string_view attribute) {
  return absl::StrReplaceAll(kModule, {{"INLINEABLE", attribute}});
}

TEST(MakeShardMapBodiesInlineable, TakesTheAttributeAndRenamesTheBody) {
  for (const char* value : {"false", "xla_late", "auto"}) {
    const std::string text =
        With(absl::StrReplaceAll(", frontend_attributes={inlineable=\"V\"}", {{"V", value}}));
    const auto module = hlo::ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status();
    const auto released = MakeShardMapBodiesInlineable(*module);
    ASSERT_TRUE(released.ok()) << released.status();
    EXPECT_EQ(*released, absl::StrReplaceAll(With(""), {{"xla.sdy.manual_computation_body.3",
                                                         "inlineable_callee"}}));
  }
}

TEST(MakeShardMapBodiesInlineable, LeavesAloneWhatHasNoAttribute) {
  const auto module = hlo::ParseModule(With(""));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(*MakeShardMapBodiesInlineable(*module), With(""));
}

TEST(MakeShardMapBodiesInlineable, RefusesOtherValues) {
  const auto module = hlo::ParseModule(With(", frontend_attributes={inlineable=\"true\"}"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(std::string(MakeShardMapBodiesInlineable(*module).status().message()),
              HasSubstr("false, xla_late or auto, not 'true'"));
}

}  // namespace
}  // namespace tessera::pipeline::passes
