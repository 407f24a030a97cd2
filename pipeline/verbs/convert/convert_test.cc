#include "tessera/pipeline/verbs/convert/convert.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;
using Flags = std::vector<std::pair<std::string, std::string>>;

VerbResult Convert(const std::string& text, const Flags& flags = {}) {
  Arguments arguments;
  for (const char* name : {"mesh", "to", "shape", "json"}) arguments.Set(name, {""}, false);
  for (const auto& [name, value] : flags) arguments.Set(name, {value}, true);
  arguments.AddPositional(text);
  return ConvertVerb().run(arguments);
}

TEST(ConvertTest, PrintsAllForms) {
  EXPECT_EQ(Convert("P('q', None)", {{"mesh", "p=2,q=3"}}).out,
            "v1: {devices=[3,1,2]0,3,1,4,2,5 last_tile_dim_replicate}\n"
            "v2: {devices=[3,1,2]<=[2,3]T(1,0) last_tile_dim_replicate}\n"
            "v3: {mesh['p'=2,'q'=3], [{'q'}, {}]}\n"
            "sdy: <@mesh, [{\"q\"}, {}]>\n"
            "pspec: P('q', None)\n");
}

TEST(ConvertTest, PrintsOneForm) {
  const struct {
    const char *text, *mesh, *to, *out;
  } cases[] = {
      {"[{\"p\":(2)2, ?}]", "p=4", "v2", "{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}\n"},
      {"<mesh<[\"p\"=2]>, [{}, {\"p\"}]>", "", "pspec", "P(None, 'p')\n"},
      {"{devices=[2,3]<=[6]}", "p=6", "sdy", "<@mesh, [{\"p\":(1)2}, {\"p\":(2)3}]>\n"},
      {"{devices=[2,3]<=[6]}", "p=2,q=3", "v3", "{mesh['p'=2,'q'=3], [{'p'}, {'q'}]}\n"},
      {"{devices=[1,1]<=[1]}", "", "sdy", "<mesh<[]>, [{}, {}]>\n"},
      {"{devices=[3,2]<=[2,3]T(1,0)}", "", "v1", "{devices=[3,2]0,3,1,4,2,5}\n"},
      {"{devices=[2,1,4]0,2,4,6,1,3,5,7}", "a=4,b=2", "pspec", "P('b', None, 'a')\n"},
      {"{devices=[2,1,4]0,2,4,6,1,3,5,7}", "", "v2", "{devices=[2,1,4]<=[4,2]T(1,0)}\n"},
      {"{devices=[4,2]0,1,2,3,4,5,6,7}", "", "v2", "{devices=[4,2]<=[8]}\n"},
      {"{{devices=[2]0,1}, {replicated}}", "", "v2", "{{devices=[2]<=[2]}, {replicated}}\n"},
      {"{devices=[2]<=[2] metadata={op_name=\"x\"}}", "", "v1",
       "{devices=[2]0,1 metadata={op_name=\"x\"}}\n"},
      {"{devices=[2]<=[2] metadata={op_name=\"x\"}}", "p=2", "v3",
       "{mesh['p'=2], [{'p'}], metadata={{op_name=\"x\"}}}\n"},
      {"{{replicated}, {mesh['p'=2], [{'p'}]}}", "", "v2", "{{replicated}, {devices=[2]<=[2]}}\n"},
  };
  for (const auto& c : cases) {
    const VerbResult result = Convert(c.text, {{"mesh", c.mesh}, {"to", c.to}});
    EXPECT_EQ(result.out, c.out) << c.text << result.notes;
    EXPECT_EQ(result.exit, Exit::kDone);
  }
}

TEST(ConvertTest, PrintsTiles) {
  EXPECT_THAT(Convert("{devices=[2]1,0}", {{"shape", "5"}}).out,
              HasSubstr("tile: 3\ndevice 0: 3:5\ndevice 1: 0:3\n"));
  EXPECT_THAT(Convert("P('p')", {{"mesh", "p=2"}, {"shape", "4,7"}}).out,
              HasSubstr("pspec: P('p', None)\ntile: 2,7\n"));
}

TEST(ConvertTest, ExplainsMistakes) {
  const struct {
    std::string text;
    Flags flags;
    const char* notes;
  } cases[] = {
      {"xx", {}, "TEXT:1:1: error: expected {devices=..}, {mesh[..], ..}, P('data', None), "},
      {"{devices=[2]<=[2}", {}, "TEXT:1:17: error: expected ']' or ','"},
      {"P('p')", {}, "needs the mesh"},
      {"P('p'", {{"mesh", "p=2"}}, "TEXT:1:6: error"},
      {"P('r')", {{"mesh", "p=2"}}, "no axis 'r'"},
      {"[{\"r\"}]", {{"mesh", "p=2"}}, "no axis \"r\""},
      {"{manual}", {{"to", "sdy"}}, "no form with named axes"},
      {"{devices=[2,2]<=[4] last_tile_dims={manual}}", {{"to", "sdy"}}, "no words for manual ones"},
      {"{replicated shard_as 3}", {{"to", "pspec"}}, "for shard groups"},
      {"{devices=[2]1,0}", {{"to", "pspec"}}, "no words for the order of devices"},
      {"{devices=[2]1,0}", {{"to", "v2"}}, "the list of devices is no iota"},
      {"{maximal device=3}", {{"to", "pspec"}}, "no words for a single device"},
      {"[{\"p\":(1)2}]", {{"mesh", "p=4"}, {"to", "pspec"}}, "no words for sub-axes"},
      {"[{\"p\"}p1]", {{"mesh", "p=4"}, {"to", "pspec"}}, "no words for priorities"},
      {"<@mesh, [{}], replicated={\"p\"}>",
       {{"mesh", "p=4"}, {"to", "pspec"}},
       "no words for replicated axes"},
      {"<@mesh, [{\"p\"}]>", {}, "unknown mesh @mesh: give its axes, as --mesh=data=4,model=2"},
      {"<@m, [{\"p\"}]>", {{"mesh", "p=4"}}, "unknown mesh @m; --mesh defines @mesh"},
      {"[4,2]<=[8]",
       {},
       "TEXT:1:2: error: expected '{' before the axes of a dimension\n  [4,2]<=[8]\n   ^\n"},
      {"{replicated}", {{"to", "v9"}}, "--to=v9: expected v1, v2, v3, sdy or pspec"},
      {"{replicated}", {{"mesh", "p"}}, "--mesh:1:2: error"},
      {"{replicated}", {{"shape", "3,x"}}, "--shape"},
      {"{devices=[2]<=[2]}", {{"shape", "3,3"}}, "splits 1 dimensions"},
  };
  for (const auto& c : cases) {
    const VerbResult result = Convert(c.text, c.flags);
    EXPECT_EQ(result.exit, Exit::kBadInput) << c.text;
    EXPECT_THAT(result.notes, HasSubstr(c.notes)) << c.text;
  }
}

TEST(ConvertTest, Json) {
  EXPECT_EQ(Convert("{devices=[2]<=[2]}", {{"shape", "5"}, {"json", "true"}}).out,
            R"({"forms":[{"name":"v1","text":"{devices=[2]0,1}"},)"
            R"({"name":"v2","text":"{devices=[2]<=[2]}"},)"
            R"({"name":"v3","text":"{mesh['axis_0'=2], [{'axis_0'}]}"},)"
            R"({"name":"sdy","text":"<mesh<[\"axis_0\"=2]>, [{\"axis_0\"}]>"},)"
            R"x({"name":"pspec","text":"P('axis_0',)"}],"tile":[3],)x"
            R"("devices":[{"device":0,"start":[0],"end":[3]},{"device":1,"start":[3],"end":[5]}]})"
            "\n");
}

}  // namespace
}  // namespace tessera::pipeline
