#include "tessera/sharding/explain/golden/recording_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/text/source.h"

namespace tessera::sharding::golden {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kHeader[] =
    "tessera golden 1\n"
    "reference 0.12.0.1\n"
    "mesh @mesh <[\"data\"=4, \"model\"=2]>\n";

constexpr char kBody[] =
    "\n# Arguments of the module.\n"
    "x.1: f32[16,32] P('data', None) = argument, op_name=\"args[0][\\'x\\']\"\n"
    "w.1: f32[32,64] P(None, 'model') = argument, op_name=\"w\"\n"
    "\n# What it computes.\n"
    "dot.7: f32[16,64] P('data', 'model') = dot(x.1, w.1), op_name=\"jit(f)/dot\", "
    "source=\"m.py:5\"\n"
    "while.3{1}: bf16[8] <@mesh, [{\"data\":(1)2}]> = while(dot.7)\n"
    "sort.2: s32[3] P() = sort\n"
    "call.3: f32[4,2] device 5 = custom-call\n"
    "\n# Results of the module.\n"
    "result: f32[16,64] P('data', 'model') = result(dot.7)\n";

absl::StatusOr<Recording> Read(const std::string& text) {
  return ParseRecording(*text::Source::FromString("golden.txt", text));
}

std::string ErrorOf(const std::string& text) {
  const auto read = Read(text);
  return read.ok() ? "read" : std::string(read.status().message());
}

TEST(RecordingTextTest, IsReadAndPrintedTheSame) {
  const auto read = Read(absl::StrCat(kHeader, kBody));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(PrintRecording(*read), absl::StrCat(kHeader, kBody));
  EXPECT_EQ(read->entries[0].op_name, "args[0]['x']");
  EXPECT_EQ(read->entries[2].source, "m.py:5");
  EXPECT_THAT(read->entries[2].operands, ElementsAre(0, 1));
  EXPECT_EQ(MeshesText(*read), "[\"data\"=4, \"model\"=2]");
}

TEST(RecordingTextTest, CommentsBlankLinesAndLineEndsMeanNothing) {
  const auto read = Read(absl::StrCat("# ours\n\n", kHeader, "  # x\r\nx: f32[8] none = iota\r\n"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->entries.size(), 1u);
}

TEST(RecordingTextTest, BytesAreThoseOfTheLargestShard) {
  const auto read = Read(absl::StrCat(kHeader,
                                      "a: f32[10,3] P('data', None) = iota\n"
                                      "b: bf16[8] none = iota\n"
                                      "c: f32[64] P(('data', 'model'),) = iota\n"
                                      "d: f32[0,5] P('data', None) = iota\n"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(BytesPerDevice(*read, read->entries[0]), 3 * 3 * 4);
  EXPECT_EQ(BytesPerDevice(*read, read->entries[1]), 16);
  EXPECT_EQ(BytesPerDevice(*read, read->entries[2]), 32);
  EXPECT_EQ(BytesPerDevice(*read, read->entries[3]), 0);
}

TEST(RecordingTextTest, AnOperandIsTheNearestAbove) {
  const auto read = Read(absl::StrCat(kHeader,
                                      "a: f32[8] none = iota\n"
                                      "b: f32[8] none = negate(a)\n"
                                      "a: f32[8] none = abs(nowhere)\n"
                                      "c: f32[8] none = add(a, z)\n"
                                      "z: f32[8] none = iota\n"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->entries[1].operands, ElementsAre(0));
  EXPECT_THAT(read->entries[2].operands, ElementsAre(-1));
  EXPECT_THAT(read->entries[3].operands, ElementsAre(2, 4));
}

TEST(RecordingTextTest, MistakesHaveALineAndACaret) {
  EXPECT_EQ(
      ErrorOf("HloModule m\n"),
      "golden.txt:1:1: error: this is not a golden file: its first line is 'tessera golden 1'; "
      "`tessera check --update` writes one\n  HloModule m\n  ^\n");
  struct Case {
    std::string line, message;
  };
  for (const Case& c : {
           Case{"x f32[8] none = iota", ":4:1: error: expected NAME: SHAPE SHARDING"},
           Case{"x: f33[8] none = iota", ":4:4: error: "},
           Case{"x: (f32[8]) none = iota", ":4:4: error: expected the shape of an array"},
           Case{"x: f32[8] P('rows',) = iota", ":4:11: error: the mesh has no axis 'rows'"},
           Case{"x: f32[8] P('data', None) = iota", ":4:11: error: P('data', None) has 2 entries"},
           Case{"x: f32[8] <@mesh, [{}, {}]> = iota", ":4:11: error: a sharding of 2 dimensions"},
           Case{"x: f32[8] <@mash, [{}]> = iota", ":4:"},
           Case{"x: f32[8] P('data',", ":4:"},
           Case{"x: f32[8] P('data',)", ":4:21: error: expected '='"},
           Case{"x: f32[8] device -1 = iota", ":4:11: error: expected the number of a device"},
           Case{"x: f32[8] none =", ":4:11: error: "},
           Case{"x: f32[8] none = dot(", ":4:22: error: expected the name of an operand"},
           Case{"x: f32[8] none = dot(a b)", ":4:24: error: expected ')' or ','"},
           Case{"x: f32[8] none = iota, source=7", ":4:31: error: expected a text in double"},
           Case{"x: f32[8] none = iota, line=7", ":4:22: error: unexpected text"},
           Case{"mesh @mesh <[\"a\"=2]>", ":4:1: error: a second mesh @mesh"},
           Case{"mesh @m <[a=2]>", ":4:"},
           Case{"reference 0.10.2", ":4:1: error: the reference is said twice"},
       }) {
    EXPECT_THAT(ErrorOf(absl::StrCat(kHeader, c.line, "\n")), HasSubstr(c.message)) << c.line;
    EXPECT_THAT(ErrorOf(absl::StrCat(kHeader, c.line, "\n")), HasSubstr("^")) << c.line;
  }
}

TEST(RecordingTextTest, EveryWrongLineIsReported) {
  const std::string error = ErrorOf(absl::StrCat(kHeader, "x\ny: f32[2] none = iota\nz\n"));
  EXPECT_THAT(error, HasSubstr("golden.txt:4:1"));
  EXPECT_THAT(error, HasSubstr("golden.txt:6:1"));
}

TEST(RecordingTextTest, FilesOfAnotherFormatAreRefused) {
  EXPECT_THAT(ErrorOf("tessera golden 2\nwhatever\n"),
              HasSubstr("golden.txt:1:1: error: a golden file of format 2; this tessera reads 1"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("an empty file"));
}

}  // namespace
}  // namespace tessera::sharding::golden
