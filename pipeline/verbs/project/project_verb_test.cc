#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/schema/project_answer.pb.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;
using Flags = std::map<std::string, std::string>;

constexpr char kText[] = R"(HloModule m, num_partitions=4
ENTRY e {
  p = f32[8,6] parameter(0), sharding={devices=[4,1]<=[4]}
  q = f32[6,8] parameter(1), sharding={devices=[1,4]<=[4]}
  ROOT d = f32[8,8] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[2,2]<=[4]}
  t = (f32[8,6], f32[6,8]) tuple(p, q)
}
)";

// The summed dimension lies on x on both sides.
constexpr char kPartial[] = R"(HloModule m, num_partitions=4
ENTRY e {
  a = f32[8,8] parameter(0)
  b = f32[8,2] parameter(1)
  ROOT c = f32[8,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";

std::string PathOf(const std::string& name) { return ::testing::TempDir() + "/" + name; }

VerbResult Ask(const std::string& name, const Flags& flags, const char* text = kText) {
  std::ofstream(PathOf("project_verb_test.hlo")) << text;
  const Verb verb = ProjectVerb();
  Arguments arguments;
  for (const Flag& flag : verb.flags) {
    if (!flag.repeated) arguments.Set(flag.name, {flag.default_value}, /*given=*/false);
  }
  arguments.AddPositional(PathOf("project_verb_test.hlo"));
  arguments.AddPositional(name);
  for (const auto& [flag, value] : flags) arguments.Set(flag, {value}, true);
  return verb.run(arguments);
}

struct Row {
  const char* name;
  Flags flags;
  const char* out;
};

// Four devices: a tile of c is 64 bytes, each sends it 2 * 3 / 4 times.
TEST(ProjectVerbTest, PartialSumsOfADevice) {
  const VerbResult result =
      Ask("c", {{"device", "1"}, {"mesh", "x=4"}, {"annotate", "^b$=P('x',None)"}}, kPartial);
  EXPECT_THAT(
      result.out,
      HasSubstr("or partial sums along \"x\": each device sums what it holds, lacking 0 bytes "
                "in all; an all-reduce of 64 bytes among 4 devices sends 384 bytes in all\n"));
}

TEST(ProjectVerbTest, Answers) {
  const Row rows[] = {
      {"ABlock",
       {{"block", "0:2,0:4"}},
       "d: exact\nblock [0:2, 0:4], writes 32 bytes\n  lhs p f32[8,6]: [0:2, 0:6], 48 bytes\n"
       "  rhs q f32[6,8]: [0:6, 0:4], 96 bytes\n"
       "one more of d0: reads 24 bytes more, writes 16 more\n"
       "one more of d1: reads 24 bytes more, writes 8 more\n"},
      {"AllOfIt",
       {},
       "d: exact\nblock [0:8, 0:8], writes 256 bytes\n  lhs p f32[8,6]: [0:8, 0:6], 192 bytes\n"
       "  rhs q f32[6,8]: [0:6, 0:8], 192 bytes\n"},
      {"ADeviceByTheShardingsOfTheText",
       {{"device", "1"}},
       "d: exact\nblock [0:4, 4:8], writes 64 bytes\n  lhs p f32[8,6]: [0:4, 0:6], 96 bytes\n"
       "    holds [2:4, 0:6], lacks [0:2, 0:6], 48 bytes\n"
       "  rhs q f32[6,8]: [0:6, 4:8], 96 bytes\n"
       "    holds [0:6, 2:4], lacks [0:6, 4:8], 96 bytes\n"
       "all devices together must fetch 480 bytes\n"},
      {"XlaNotation",
       {{"format", "indexing-map"}},
       "operand 0: (d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 7], d1 in [0, 7], s0 in [0, 5]\n"
       "operand 1: (d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 7], d1 in [0, 7], s0 in [0, 5]\n"},
  };
  for (const Row& row : rows) {
    const VerbResult result = Ask("d", row.flags);
    EXPECT_EQ(result.out, row.out) << row.name << result.notes;
  }
}

// y = tanh(dot(x, w)) + b: rows of y need the same rows of x, all of w and nothing of z.
constexpr char kLayer[] = R"(HloModule m
ENTRY e {
  x = f32[16,32] parameter(0)
  w = f32[32,64] parameter(1)
  z = f32[8] parameter(2)
  h = f32[16,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[16,64] tanh(h)
  n = f32[16,64] negate(h)
  ROOT y = f32[16,64] add(t, n)
}
)";

TEST(ProjectVerbTest, BackToTheInputs) {
  const VerbResult result = Ask("y", {{"block", "0:4,:"}, {"to-inputs", ""}}, kLayer);
  EXPECT_THAT(result.out, HasSubstr("further back, exactly:\n"
                                    "  x f32[16,32]: [0:4, 0:32], 512 bytes\n"
                                    "  w f32[32,64]: [0:32, 0:64], 8192 bytes\n"
                                    "  nothing of 1 other input\n"))
      << result.notes;
  EXPECT_THAT(Ask("y", {{"block", "0:4,:"}, {"through", "h"}}, kLayer).out,
              HasSubstr("exactly:\n  h f32[16,64]: [0:4, 0:64], 1024 bytes\none more of"));
  EXPECT_THAT(Ask("t", {{"through", "n"}}, kLayer).notes,
              HasSubstr("--through=n: the block of t does not depend on it"));
  EXPECT_THAT(Ask("y", {{"best", "4"}, {"to-inputs", ""}}, kLayer).notes,
              HasSubstr("--to-inputs and --through follow one block"));
}

// Names as the text writes them, arrays of tuples, whole extents.
TEST(ProjectVerbTest, AnArrayOfATuple) {
  EXPECT_EQ(Ask("%t{1}", {{"block", "2:3,:"}}).out,
            "t{1}: exact\nblock [2:3, 0:8], writes 32 bytes\n  p f32[8,6]: nothing, 0 bytes\n"
            "  q f32[6,8]: [2:3, 0:8], 32 bytes\n"
            "one more of d0: reads 32 bytes more, writes 32 more\n");
}

TEST(ProjectVerbTest, CutsOfOneAxisAndOfTwo) {
  const std::string one = Ask("d", {{"cut", "0:4"}}).out, two = Ask("d", {{"cut", "0:2,1:2"}}).out;
  for (const char* block : {"[0:2, 0:8]", "[6:8, 0:8]"}) EXPECT_THAT(one, HasSubstr(block));
  for (const char* block : {"[0:4, 0:4]", "[4:8, 4:8]"}) EXPECT_THAT(two, HasSubstr(block));
}

// Squares move least; with less memory than they take nothing fits.
TEST(ProjectVerbTest, BestCutsUnderALimit) {
  const std::string best = Ask("d", {{"best", "4"}}).out;
  EXPECT_THAT(best, HasSubstr("d: exact\nparts of d0, d1, k0\n  2x2x1 "));
  EXPECT_THAT(Ask("d", {{"best", "4"}, {"memory", "10"}}).notes, HasSubstr("fits"));
  EXPECT_THAT(Ask("d", {{"best", "4"}, {"memory", "10B"}}).notes, HasSubstr("fits"));
}

TEST(ProjectVerbTest, JsonHasTheFormOfItsProto) {
  for (const Flags& flags : {Flags{{"block", "0:2,0:4"}}, Flags{{"device", "1"}},
                             Flags{{"best", "4"}}, Flags{{"cut", "0:2,k0:3"}}}) {
    Flags with_json = flags;
    with_json["json"] = "";
    const VerbResult result = Ask("d", with_json);
    answers::ProjectAnswer answer;
    const auto parsed = google::protobuf::util::JsonStringToMessage(result.out, &answer);
    EXPECT_TRUE(parsed.ok()) << parsed.message() << result.out;
    EXPECT_EQ(answer.instruction(), "d");
  }
}

TEST(ProjectVerbTest, PicturesInTheTerminalAndInAFile) {
  EXPECT_THAT(Ask("d", {{"block", "0:2,0:4"}, {"draw", ""}}).out, HasSubstr("# # # # . . . ."));
  const std::string path = PathOf("project_verb_test.svg");
  EXPECT_EQ(Ask("d", {{"block", "0:2,0:4"}, {"svg", path}}).exit, Exit::kDone);
  std::ifstream file(path);
  const std::string svg((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_THAT(svg, HasSubstr("<svg"));
}

struct Mistake {
  Flags flags;
  const char* message;
};

TEST(ProjectVerbTest, Mistakes) {
  const Mistake rows[] = {
      {{{"block", "0:9,0:1"}}, "--block=0:9,0:1: expected 0 <= START <= END <= 8 in dimension 0"},
      {{{"block", "2:1,0:1"}}, "found 2:1; the result is [0:8, 0:8]"},
      {{{"cut", "0:9"}}, "expected at most 8 parts of axis"},
      {{{"block", "0:1"}}, "expected 2 ranges START:END with commas between, found 1"},
      {{{"block", "0:1,x"}}, "expected START:END for dimension 1, such as 0:8 or 0:, in place of"},
      {{{"cut", "0"}}, "expected AXIS:PARTS, such as 0:4 or 0:2,1:2; there are d0 (8), d1 (8)"},
      {{{"cut", "row:2"}}, "expected an axis in place of 'row': there are d0 (8), d1 (8), k0 (6)"},
      {{{"cut", "7:2"}}, "expected an axis in place of '7'"},
      {{{"cut", "0:2,d0:2"}}, "expected each axis once"},
      {{{"cut", "0:99999"}}, "at most 4096 parts"},
      {{{"best", "0"}}, "from 1 to 4096"},
      {{{"best", "4"}, {"draw", ""}}, "--best has no picture"},
      {{{"memory", "4"}}, "--memory limits the parts of --best"},
      {{{"device", "9"}}, "one of 4 devices"},
      {{{"device", "1"}, {"cut", "0:2"}}, "exclude each other"},
      {{{"format", "latex"}}, "--format=latex: expected indexing-map"},
  };
  for (const Mistake& row : rows) {
    const VerbResult result = Ask("d", row.flags);
    EXPECT_EQ(result.exit, Exit::kBadInput) << row.message;
    EXPECT_THAT(result.notes, HasSubstr(row.message));
  }
  EXPECT_THAT(Ask("nobody", {}).notes, HasSubstr("no instruction 'nobody'"));
  EXPECT_THAT(Ask("%dd", {}).notes, HasSubstr("no instruction 'dd'; the nearest name"));
  EXPECT_THAT(Ask("d{1}", {}).notes, HasSubstr("has no array 1: expected {0} to {0}"));
}

// A mistake about an instruction is shown at it.
TEST(ProjectVerbTest, MistakesHaveAPlace) {
  const std::string notes = Ask("d", {{"block", "0:1"}}).notes;
  EXPECT_THAT(notes, HasSubstr("project_verb_test.hlo:5:3: error: --block=0:1: expected 2 ranges"));
  EXPECT_THAT(notes, HasSubstr("\n    ^\n"));
}

// The summed dimension in two: each part reads half of both operands and writes a result of its
// own.
TEST(ProjectVerbTest, CutOfAReduction) {
  const std::string out = Ask("d", {{"cut", "k0:2"}, {"draw", ""}}).out;
  EXPECT_THAT(out, HasSubstr("block [0:8, 0:8, 1:2], writes 256 bytes\n"
                             "  lhs p f32[8,6]: [0:8, 3:6], 96 bytes\n"));
  EXPECT_THAT(out, HasSubstr("partial results: 512 bytes, then combined"));
  EXPECT_THAT(out, HasSubstr("  0 0 0 1 1 1\n"));
  EXPECT_THAT(out, HasSubstr("combine  ‖8, 8, 2‖ -> ‖8, 8‖"));
}

TEST(ProjectVerbTest, CutsSayWhatPartsShare) {
  EXPECT_THAT(Ask("d", {{"cut", "0:4"}}).out, HasSubstr("parts share q: 192 bytes read by all\n"));
}

}  // namespace
}  // namespace tessera::pipeline
