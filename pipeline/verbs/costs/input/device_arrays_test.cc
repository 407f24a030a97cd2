// `partition --json`: the tensors that the arrays of a device come from, through the clean-up.

#include "tessera/pipeline/verbs/costs/input/device_arrays.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/schema/partition_answer.pb.h"
#include "tessera/pipeline/schema/shardings_answer.pb.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

template <typename Answer>
Answer AnswerOf(const Verb& verb, const std::string& path) {
  const Outcome run = RunTessera({verb}, {verb.name, path, "--json"});
  Answer answer;
  EXPECT_EQ(run.exit, 0) << run.err;
  if (run.exit != 0) return answer;
  const auto status = google::protobuf::util::JsonStringToMessage(run.out, &answer);
  EXPECT_TRUE(status.ok()) << status << "\n" << run.out;
  return answer;
}

answers::PartitionAnswer Partitioned(absl::string_view text) {
  return AnswerOf<answers::PartitionAnswer>(PartitionVerb(), TestFile("m.hlo", std::string(text)));
}

// "dot f32[8,6], value of y"
std::string LineOf(const answers::DeviceTensor& array) {
  std::string line = absl::StrCat(array.opcode(), " ", array.shape());
  if (array.value_of_size() > 0) {
    absl::StrAppend(&line, ", value of ", absl::StrJoin(array.value_of(), " "));
  }
  if (array.made_for_size() > 0) {
    absl::StrAppend(&line, ", for ", absl::StrJoin(array.made_for(), " "));
  }
  return line;
}

// Of the computation that a device begins with.
std::vector<std::string> EntryLines(const answers::PartitionAnswer& answer) {
  std::vector<std::string> lines;
  for (const answers::DeviceTensor& array : answer.tensors()) {
    if (absl::StartsWith(array.computation(), "e")) lines.push_back(LineOf(array));
  }
  return lines;
}

// The dot has a part of the sum, the last instruction has the shards that `y` asks for.
TEST(DeviceArraysTest, StepsAreForTheTensorThatNeedsThem) {
  const auto answer = Partitioned(
      "HloModule mlp, num_partitions=4\nENTRY e {\n"
      "  x = f32[8,16] parameter(0), sharding={devices=[1,4]<=[4]}\n"
      "  w = f32[16,6] parameter(1), sharding={devices=[4,1]<=[4]}\n"
      "  ROOT y = f32[8,6] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "sharding={devices=[4,1]<=[4]}\n}\n");
  EXPECT_EQ(answer.module(), "mlp");
  EXPECT_EQ(answer.num_partitions(), 4);
  EXPECT_TRUE(absl::StartsWith(answer.text(), "HloModule mlp"));
  EXPECT_THAT(EntryLines(answer),
              ElementsAre("parameter f32[8,4], value of x", "parameter f32[4,6], value of w",
                          "dot f32[8,6], for y", "all-reduce f32[8,6], for y", "constant s32[4]",
                          "partition-id u32[]", "dynamic-slice s32[1]", "reshape s32[]",
                          "constant s32[]", "dynamic-slice f32[2,6], value of y"));
}

// The sums are one sum on a device, and what only the second one read is gone.
TEST(DeviceArraysTest, EqualInstructionsAreTheValueOfBoth) {
  const auto answer = Partitioned(
      "HloModule m, num_partitions=2\nENTRY e {\n"
      "  x = f32[8] parameter(0), sharding={devices=[2]<=[2]}\n"
      "  a = f32[8] sine(x), sharding={devices=[2]<=[2]}\n"
      "  b = f32[8] sine(x), sharding={devices=[2]<=[2]}\n"
      "  c = f32[8] cosine(a), sharding={devices=[2]<=[2]}\n"
      "  d = f32[8] cosine(b), sharding={devices=[2]<=[2]}\n"
      "  dead = f32[8] tanh(b), sharding={devices=[2]<=[2]}\n"
      "  ROOT t = (f32[8], f32[8]) tuple(c, d), sharding={{devices=[2]<=[2]}, {devices=[2]<=[2]}}\n"
      "}\n");
  EXPECT_THAT(EntryLines(answer),
              ElementsAre("parameter f32[4], value of x", "sine f32[4], value of a b",
                          "cosine f32[4], value of c d"));
}

// A result that is gathered for the tuple comes from the tensor that is gathered.
TEST(DeviceArraysTest, WhatATupleNeedsIsForTheTensorThatItHolds) {
  const auto answer = Partitioned(
      "HloModule m, num_partitions=2\nENTRY e {\n"
      "  x = f32[8] parameter(0), sharding={devices=[2]<=[2]}\n"
      "  a = f32[8] sine(x), sharding={devices=[2]<=[2]}\n"
      "  b = f32[8] cosine(x), sharding={devices=[2]<=[2]}\n"
      "  ROOT t = (f32[8], f32[8]) tuple(a, b), sharding={{devices=[2]<=[2]}, {replicated}}\n}\n");
  EXPECT_THAT(EntryLines(answer),
              IsSupersetOf({"sine f32[4], value of a", "cosine f32[4], value of b",
                            "all-gather f32[8], for b"}));
}

TEST(DeviceArraysTest, ArraysOfALoopAreThoseOfTheProgram) {
  const auto answer = Partitioned(
      "HloModule m, num_partitions=2\n"
      "body {\n  p = (s32[], f32[8,4]) parameter(0), sharding={{replicated}, "
      "{devices=[2,1]<=[2]}}\n"
      "  i = s32[] get-tuple-element(p), index=0, sharding={replicated}\n"
      "  a = f32[8,4] get-tuple-element(p), index=1, sharding={devices=[2,1]<=[2]}\n"
      "  one = s32[] constant(1), sharding={replicated}\n"
      "  j = s32[] add(i, one), sharding={replicated}\n"
      "  whole = f32[8,4] sine(a), sharding={replicated}\n"
      "  b = f32[8,4] cosine(whole), sharding={devices=[2,1]<=[2]}\n"
      "  ROOT r = (s32[], f32[8,4]) tuple(j, b), sharding={{replicated}, {devices=[2,1]<=[2]}}\n}\n"
      "condition {\n  q = (s32[], f32[8,4]) parameter(0), sharding={{replicated}, "
      "{devices=[2,1]<=[2]}}\n"
      "  k = s32[] get-tuple-element(q), index=0, sharding={replicated}\n"
      "  ten = s32[] constant(10), sharding={replicated}\n"
      "  ROOT c = pred[] compare(k, ten), direction=LT, sharding={replicated}\n}\n"
      "ENTRY e {\n  x = f32[8,4] parameter(0), sharding={replicated}\n"
      "  zero = s32[] constant(0), sharding={replicated}\n"
      "  start = (s32[], f32[8,4]) tuple(zero, x), sharding={{replicated}, {replicated}}\n"
      "  loop = (s32[], f32[8,4]) while(start), condition=condition, body=body, "
      "sharding={{replicated}, {devices=[2,1]<=[2]}}\n"
      "  ROOT y = f32[8,4] get-tuple-element(loop), index=1, sharding={devices=[2,1]<=[2]}\n}\n");
  std::vector<std::string> lines;
  for (const answers::DeviceTensor& array : answer.tensors()) lines.push_back(LineOf(array));
  EXPECT_THAT(lines,
              IsSupersetOf({"parameter f32[4,4], value of p{1}", "all-gather f32[8,4], for whole",
                            "parameter s32[], value of q{0}", "while s32[], value of loop{0}",
                            "while f32[4,4], value of loop{1}",
                            // cut for the loop
                            "dynamic-slice f32[4,4], for x"}));
}

// The loop carries what changes first, and what its body only reads after it.
TEST(DeviceArraysTest, ALoopMayCarryItsArraysInAnotherOrder) {
  const auto answer = Partitioned(
      "HloModule m, frontend_attributes={xla.sdy.meshes=\"{mesh = #sdy.mesh<[\\\"x\\\"=2]>}\"}, "
      "num_partitions=2\n"
      "body {\n  p = (s32[], f32[4,4], f32[8,4]) parameter(0)\n"
      "  i = s32[] get-tuple-element(p), index=0\n"
      "  w = f32[4,4] get-tuple-element(p), index=1\n"
      "  a = f32[8,4] get-tuple-element(p), index=2\n"
      "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n"
      "  b = f32[8,4] dot(a, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  ROOT r = (s32[], f32[4,4], f32[8,4]) tuple(j, w, b)\n}\n"
      "condition {\n  q = (s32[], f32[4,4], f32[8,4]) parameter(0)\n"
      "  k = s32[] get-tuple-element(q), index=0\n  ten = s32[] constant(10)\n"
      "  ROOT c = pred[] compare(k, ten), direction=LT\n}\n"
      "ENTRY e {\n  x = f32[8,4] parameter(0), "
      "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{\\\"x\\\"}, {}]>\"}\n"
      "  v = f32[4,4] parameter(1)\n  zero = s32[] constant(0)\n"
      "  start = (s32[], f32[4,4], f32[8,4]) tuple(zero, v, x)\n"
      "  loop = (s32[], f32[4,4], f32[8,4]) while(start), condition=condition, body=body\n"
      "  ROOT y = f32[8,4] get-tuple-element(loop), index=2\n}\n");
  std::map<std::string, std::string> arrays;
  for (const answers::DeviceTensor& array : answer.tensors()) {
    arrays[array.name()] = absl::StrJoin(array.value_of(), " ");
  }
  EXPECT_EQ(arrays["loop{1}"], "loop{2}");
  EXPECT_EQ(arrays["loop{2}"], "loop{1}");
  EXPECT_EQ(arrays["p{2}"], "p{1}");
}

// "f32[4,16]" of each tensor with a sharding; "" without one, as of what a loop hands to its body.
std::map<std::string, std::string> ShardsOf(const std::string& path) {
  std::map<std::string, std::string> shards;
  const auto answer = AnswerOf<answers::ShardingsAnswer>(ShardingsVerb(), path);
  for (const answers::TensorSharding& tensor : answer.tensors()) {
    const std::string type = tensor.shape().substr(0, tensor.shape().find('['));
    std::string& shape = shards[tensor.name()];
    if (tensor.has_sharding()) {
      shape = absl::StrCat(type, "[", absl::StrJoin(tensor.local_shape(), ","), "]");
    }
  }
  return shards;
}

// Shards of a tensor have the shape that `shardings` says, and the module is that without --json.
// `partition` refuses these, with the place.
bool IsRefused(absl::string_view path) {
  return absl::StrContains(path, "group_brings_manual_axis") ||
         absl::StrContains(path, "transfers_and_feeds");
}

TEST(DeviceArraysTest, GoldenModulesAgreeWithTheirShardings) {
  int values = 0, steps = 0;
  for (const auto& entry : std::filesystem::directory_iterator("testing/jax/golden")) {
    const std::string path = entry.path().string();
    if (!absl::EndsWith(path, ".before.hlo") || IsRefused(path)) continue;
    const auto answer = AnswerOf<answers::PartitionAnswer>(PartitionVerb(), path);
    EXPECT_EQ(answer.text(), RunTessera({PartitionVerb()}, {"partition", path}).out) << path;
    const std::map<std::string, std::string> shards = ShardsOf(path);
    for (const answers::DeviceTensor& array : answer.tensors()) {
      for (const std::string& name : array.value_of()) {
        const auto shape = shards.find(name);
        // A copy for one user, and what a loop carries, may be sharded otherwise.
        const bool is_same = array.name() == name && array.opcode() != "while" &&
                             array.opcode() != "parameter" && shape != shards.end();
        if (!is_same || shape->second.empty()) continue;
        EXPECT_EQ(array.shape(), shape->second) << path << " " << array.name() << " " << name;
        ++values;
      }
      for (const std::string& name : array.made_for()) {
        steps += shards.count(name) > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(values, 1000);
  EXPECT_GT(steps, 100);
}

}  // namespace
}  // namespace tessera::pipeline
