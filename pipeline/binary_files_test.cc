// Binary HLO through the whole command line: what has no binary form, and what damaged files say.

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/command_line/verbs.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;

Outcome Print(const std::string& text, const std::string& format) {
  const std::string file = TestFile("binary_files_test.hlo", text);
  return RunTessera(AllVerbs(), {"print", file, absl::StrCat("--format=", format)});
}

// A text that a proto cannot hold is refused as binary; as text it is printed as it is.
TEST(BinaryFilesTest, TextThatIsNotUtf8HasNoBinaryForm) {
  const struct {
    std::string text, place;
  } rows[] = {
      {"ENTRY e {\n  ROOT p = f32[] parameter(0), metadata={op_name=\"a\\377\"}\n}\n",
       ":2:3: error: parameter: "},
      {"HloModule m, frontend_attributes={a=\"\xff\"}\n\n"
       "ENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n",
       ":1:1: error: "},
      {"HloModule m\n\nFileNames\n1 \"\xff\"\n\nFunctionNames\n1 \"g\"\n\nFileLocations\n"
       "1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 end_column=2}\n\n"
       "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\n"
       "ENTRY e {\n  ROOT p = f32[] parameter(0), metadata={stack_frame_id=1}\n}\n",
       ":1:1: error: "},
      {"ENTRY e {\n  p = f32[] parameter(0)\n"
       "  ROOT r = f32[] custom-call(p), custom_call_target=\"\xff\"\n}\n",
       ":3:3: error: custom-call: "},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Print(row.text, "keep").out, row.text);
    const Outcome binary = Print(row.text, "pb");
    EXPECT_EQ(binary.exit, 2) << row.text;
    EXPECT_THAT(binary.err, HasSubstr(absl::StrCat(row.place,
                                                   "text that is not UTF-8 has no place "
                                                   "in binary HLO")));
  }
}

Outcome Shard(const std::string& bytes) {
  return RunTessera(AllVerbs(), {"shard", TestFile("binary_files_test.pb", bytes)});
}

constexpr char kTarget[] =
    "ENTRY e {\n  p = f32[] parameter(0)\n"
    "  ROOT r = f32[] custom-call(p), custom_call_target=\"a\", backend_config=\"\xfe\"\n}\n";

// XLA's dumps have no number of partitions either.
TEST(BinaryFilesTest, ShardingsSayTheNumberOfPartitions) {
  constexpr char kSharded[] =
      "HloModule m, num_partitions=4\n\nENTRY e {\n"
      "  p = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n"
      "  ROOT r = f32[8] reverse(p), dimensions={0}\n}\n";
  const std::string binary = TestFile("partitions.pb", Print(kSharded, "pb").out);
  const std::string text = TestFile("partitions.hlo", kSharded);
  const Outcome run = RunTessera(AllVerbs(), {"collectives", binary});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out, RunTessera(AllVerbs(), {"collectives", text}).out);
}

// This one is a field of bytes.
TEST(BinaryFilesTest, AnyBytesAreABackendConfig) {
  const Outcome binary = Print(kTarget, "pb");
  ASSERT_EQ(binary.exit, 0) << binary.err;
  EXPECT_THAT(Print(binary.out, "keep").out, HasSubstr("backend_config=\"\\376\""));
}

constexpr char kCalls[] =
    "h {\n  p = f32[] parameter(0)\n  ROOT r = f32[] negate(p)\n}\n\n"
    "g {\n  p = f32[] parameter(0)\n  ROOT r = f32[] call(p), to_apply=h\n}\n\n"
    "f {\n  p = f32[] parameter(0)\n  ROOT r = f32[] call(p), to_apply=g\n}\n\n"
    "ENTRY e {\n  p = f32[] parameter(0)\n  ROOT r = f32[] call(p), to_apply=f\n}\n";

// The field called_computations of one number, as its bytes.
std::string Callee(char id) { return {'\xb2', '\x02', '\x01', id}; }

TEST(BinaryFilesTest, DamageHasAPlace) {
  const std::string whole = Print(kCalls, "pb").out;
  ASSERT_EQ(Shard(whole).exit, 0) << Shard(whole).err;
  const char kNoHlo[] =
      ": binary, but neither an HloProto nor an HloModuleProto nor an HloSnapshot";
  const struct {
    std::string bytes;
    const char* error;
  } rows[] = {
      {absl::StrReplaceAll(whole, {{"negate", "negatx"}}),
       ": instruction 'r' of 'h': unknown opcode 'negatx', did you mean 'negate'?"},
      {whole.substr(0, 60), kNoHlo},
      {"\n\1m\x12\1", kNoHlo},
      {absl::StrReplaceAll(whole, {{Callee(1), Callee(99)}}),
       ": instruction 'r.1' of 'g': refers to the id 99, which nothing has"},
      // g calls f, which calls g.
      {absl::StrReplaceAll(whole, {{Callee(1), Callee(3)}}), ": instruction 'r.1' of 'g': "},
  };
  for (const auto& row : rows) {
    ASSERT_NE(row.bytes, whole) << row.error;
    const Outcome damaged = Shard(row.bytes);
    EXPECT_EQ(damaged.exit, 2) << row.error;
    EXPECT_THAT(damaged.err, HasSubstr(absl::StrCat("binary_files_test.pb", row.error)));
  }
}

}  // namespace
}  // namespace tessera::pipeline
