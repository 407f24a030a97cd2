#include "tessera/sharding/graph/read_graph.h"

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/graph/graph_text.h"

namespace tessera::sharding::graph {
namespace {

using ::testing::HasSubstr;

constexpr absl::string_view kWhole = R"(mesh <["a"=2, "b"=4]>
entry e(%arg0 f32[8,4] [{"a"}, {"b":(1)2, ?}p1], %arg1 s32[]) {
  %one s32[] = constant() {literal=1}
  %t f32[4,8] [{}, {}] replicated="a" unreduced="b" = transpose(%arg0) {dimensions={1,0}}
  %c (s32[], token[]) = custom-call() {custom_call_target="a, \"}b"}
  group(%t, id=3)
  %barrier f32[4,8] = barrier(%t, direction=backward)
  %w#0 f32[4,8], %w#1 s32[] = while(%barrier, %arg1)
  block 0(%arg0' f32[4,8], %arg1' s32[]) {
    %p pred[] = compare(%arg1', %one) {direction=LT}
    return(%p)
  }
  block 1(%arg0'' f32[4,8], %arg1'' s32[]) {
    %s s32[] = add(%arg1'', %one)
    return(%arg0'', %s)
  }
  %m f32[4,8] = manual(%w#0, axes=a,b)
  block 0(%arg0''' f32[4,1] [{}, {"a", "b"}]) {
    %call f32[4,1] = call(%arg0''', f)
    return(%call)
  }
  %edge f32[4,8] = edge(%m)
  return(%edge, %w#1) -> [{"a"}, {?}] -> none
}
f(%arg0'''' f32[4,1]) {
  %n f32[4,1] = negate(%arg0'''')
  %n' f32[4,1] = negate(%n)
  return(%n') -> [{}, {?}] unreduced="a", "b"
}
)";

std::string Error(absl::string_view text) {
  hlo::Module module;
  const auto graph = ReadGraph(text, &module);
  return graph.ok() ? "no error" : std::string(graph.status().message());
}

TEST(ReadGraphTest, AWholeProgramIsReadAsItPrints) {
  hlo::Module module;
  const auto graph = ReadGraph(kWhole, &module);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(ProgramToString(**graph), kWhole);
}

TEST(ReadGraphTest, CopiesAreOneInstruction) {
  hlo::Module module;
  const auto graph = ReadGraph(kWhole, &module);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const Op* first = (*graph)->functions()[1]->body->first;
  EXPECT_EQ(first->source, first->next->source);
  EXPECT_TRUE(first->pure);
}

TEST(ReadGraphTest, MeshAndShapesMayBeLeftOut) {
  constexpr absl::string_view kText = R"(entry e(%arg0 [{"c":(1)2, ?}, {"a"}]) {
  %n = negate(%arg0)
  return(%n) -> [{"c":(1)2}, {}]
}
)";
  hlo::Module module;
  const auto graph = ReadGraph(kText, &module);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(GraphToString(**graph), kText);
  EXPECT_THAT(ProgramToString(**graph), HasSubstr(R"(mesh <["c"=4, "a"=2]>)"));
  EXPECT_THAT(ProgramToString(**graph), HasSubstr("%arg0 f32[8,8]"));
}

struct ErrorCase {
  absl::string_view text, error;
};

TEST(ReadGraphTest, ErrorsHaveAPlace) {
  constexpr ErrorCase kCases[] = {
      {"", "1:1: error: expected a function"},
      {"entry e(%x) {\n  return(%y) -> none\n}\n", "2:10: error: %y is not defined"},
      {"entry e(%x) {\n  %x = negate(%x)\n  return(%x) -> none\n}\n",
       "2:3: error: %x is defined twice"},
      {"entry e(%x) {\n  %y = nagate(%x)\n  return(%y) -> none\n}\n",
       "2:3: error: no op is named 'nagate'"},
      {"entry e(%x) {\n  %y = call(%x, f)\n  return(%y) -> none\n}\n",
       "2:3: error: no function is named 'f'"},
      {"entry e(%x) {\n  barrier(%x, direction=up)\n  return() \n}\n",
       "2:3: error: expected direction=none"},
      {"entry e(%x) {\n  return(%x)\n}\n", "2:3: error: expected '->' and a sharding"},
      {"entry e(%x) {\n  %y = negate(%x)\n}\n", "the block does not end with a return"},
      {"entry e(%x) {\n  return(%x) -> none\n", "expected '}' at the end of the block"},
      {"mesh <[\"a\"=2]>\nentry e(%x [{\"b\"}]) {\n  return() \n}\n", "has no axis"},
      {"entry e(%x) {\n  %y = iota() {size=3}\n  return() \n}\n", "no attribute is named 'size'"},
  };
  for (const ErrorCase& c : kCases) EXPECT_THAT(Error(c.text), HasSubstr(c.error)) << c.text;
}

}  // namespace
}  // namespace tessera::sharding::graph
