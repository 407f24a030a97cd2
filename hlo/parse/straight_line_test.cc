// The straight path beside the full grammar: modules of all kinds of lines, and thousands of texts
// that a small change made of them, most of them with a mistake.

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parse/by_grammar.h"
#include "tessera/hlo/parser.h"
#include "tessera/testing/fuzz/parse_difference.h"

namespace tessera::hlo {
namespace {

std::string Difference(absl::string_view text) {
  const auto source = text::Source::FromString("t.hlo", text);
  return ParseDifference(ParseModules(source), ParseModulesByGrammar(source), *source);
}

// A layer, as in the dumps: each line twice, so that the second is read on the straight path.
constexpr absl::string_view kLayer = R"(
%sum.@ (a.@: f32[], b.@: f32[]) -> f32[] {
  %a.@ = f32[] parameter(0), metadata={op_name="sum"}
  %b.@ = f32[] parameter(1), metadata={op_name="sum"}
  ROOT %add.@ = f32[] add(%a.@, %b.@), metadata={op_name="sum" source_file="m.py" source_line=7}
}

%body.@ (p.@: (f32[8,4], f32[4,4], s32[])) -> (f32[8,4], f32[4,4], s32[]) {
  %p.@ = (f32[8,4]{1,0}, f32[4,4]{1,0}, /*index=2*/s32[]) parameter(0)
  %x.@ = f32[8,4]{1,0} get-tuple-element(%p.@), index=0
  %w.@ = f32[4,4]{1,0} get-tuple-element(%p.@), index=1, sharding={replicated}
  %i.@ = s32[] get-tuple-element(%p.@), index=2
  %zero.@ = f32[] constant(0)
  %one.@ = s32[] constant(1), metadata={op_name="one" stack_frame_id=3}
  %next.@ = s32[] add(%i.@, %one.@)
  %dot.@ = f32[8,4]{1,0} dot(%x.@, %w.@), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/layer_@/dot" stack_frame_id=4}
  %reduce.@ = f32[8]{0} reduce(%dot.@, %zero.@), dimensions={1}, to_apply=%sum.@
  %broadcast.@ = f32[8,4]{1,0} broadcast(%reduce.@), dimensions={0}, metadata={op_name="b"}, backend_config={"a":1}
  %concatenate.@ = f32[48,4]{1,0} concatenate(%x.@, %x.@, %x.@, %x.@, %x.@, /*index=5*/%x.@), dimensions={0}
  %slice.@ = f32[8,4]{1,0} slice(%concatenate.@), slice={[8:16], [0:4]}, metadata={op_name="a\"b"}
  %all-reduce.@ = f32[8,4]{1,0} all-reduce(%slice.@), channel_id=@, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=%sum.@, metadata={op_name="r"}
  %subtract.@ = f32[8,4]{1,0} subtract(%all-reduce.@, %broadcast.@), control-predecessors={%next.@}
  ROOT %tuple.@ = (f32[8,4]{1,0}, f32[4,4]{1,0}, /*index=2*/s32[]) tuple(%subtract.@, %w.@, %next.@)
}
)";

std::string Layers(int count) {
  std::string text = "HloModule layers\n";
  for (int i = 1; i <= count; ++i) {
    absl::StrAppend(&text, absl::StrReplaceAll(kLayer, {{"@", absl::StrCat(i)}}));
  }
  return absl::StrCat(text, R"(
ENTRY %main.9 (x.9: f32[8,4], y.9: f32[8,4]) -> f32[8,4] {
  %y.9 = f32[8,4]{1,0} parameter(1)
  %x.9 = f32[8,4]{1,0} parameter(0)
  %add.9 = f32[8,4]{1,0} add(%x.9, %y.9)
  ROOT %add.10 = f32[8,4]{1,0} add(%add.9, %add.9)
}
)");
}

TEST(StraightLine, GivesTheSameModule) {
  const std::string text = Layers(4);
  EXPECT_EQ(Difference(text), "");
  EXPECT_TRUE(ParseModule(text).ok());
}

TEST(StraightLine, OtherSpellings) {
  const std::string text = Layers(3);
  const std::vector<std::pair<std::string, std::string>> changes = {
      {", ", ","},
      {", ", " , "},
      {"(%", "( %"},
      {" = ", "="},
      {"%", ""},
      {")\n", ") // comment\n"},
      {"{1,0}", ""},
      {"/*index=5*/", ""},
      {"\n  ", "\n"},
      {"\n  ", "\n /* c */ "},
      {"\n", "\r\n"},
      {", metadata", "\n, metadata"},
      {"\"sum\"", "'sum'"},
      {"parameter(0)", "parameter(00)"},
      {"f32[8,4]{1,0} ", "f32[8,4]{1,0}  "}};
  for (const auto& [from, to] : changes) {
    EXPECT_EQ(Difference(absl::StrReplaceAll(text, {{from, to}})), "") << from << " -> " << to;
  }
}

TEST(StraightLine, Mistakes) {
  const std::string text = Layers(3);
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"dot(%x.3, %w.3)", "dot(%x.3)"},
      {"dot(%x.3, %w.3)", "dot(%x.3, %gone.3)"},
      {"%i.3 = s32", "%x.3 = s32"},
      {", lhs_contracting_dims={1}", ""},
      {"broadcast(%reduce.3), dimensions={0}", "broadcast(%reduce.3)"},
      {"concatenate(%x.3, %x.3, %x.3, %x.3, %x.3, /*index=5*/%x.3), dimensions={0}",
       "concatenate(%x.3, %x.3, %x.3, %x.3, %x.3, /*index=5*/%x.3), dimensions={0,1}"},
      {"%b.3 = f32[] parameter(1)", "%b.3 = f32[] parameter(0)"},
      {"%b.3 = f32[] parameter(1)", "%b.3 = f32[] parameter(2)"},
      {"%b.3 = f32[] parameter(1)", "ROOT %b.3 = f32[] parameter(1)"},
      {"%next.3 = s32[] add(%i.3, %one.3)", "%s32 = s32[] add(%i.3, %one.3)"},
      {"op_name=\"one\"", "op_name=\"one\" op_name=\"two\""},
      {"tuple(%subtract.3, %w.3, %next.3)", "tuple(%subtract.3, %w.3)"}};
  for (const auto& [from, to] : changes) {
    const std::string wrong = absl::StrReplaceAll(text, {{from, to}});
    ASSERT_NE(wrong, text) << from;
    EXPECT_EQ(Difference(wrong), "") << from << " -> " << to;
  }
}

TEST(StraightLine, SmallChanges) {
  const std::string text = Layers(2);
  constexpr absl::string_view kBytes = "%, ={}()[]\n\"\\/#0a._-R";
  std::mt19937 random(1);
  const auto below = [&](size_t n) { return random() % n; };
  for (int i = 0; i < 3000; ++i) {
    std::string changed = text;
    const size_t at = below(text.size());
    const size_t from = below(text.size());
    switch (below(4)) {
      case 0:
        changed[at] = kBytes[below(kBytes.size())];
        break;
      case 1:
        changed.erase(at, 1 + below(5));
        break;
      case 2:
        changed.insert(at, 1, kBytes[below(kBytes.size())]);
        break;
      default:
        changed.insert(at, text.substr(from, 1 + below(20)));
    }
    ASSERT_EQ(Difference(changed), "") << changed;
  }
}

}  // namespace
}  // namespace tessera::hlo
