#include "tessera/pipeline/verbs/reshards_verb.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line.h"
#include "tessera/pipeline/verbs/reshards_answer.pb.h"

namespace tessera::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// Behind propagation: rows from columns on behalf of a negation, whole on behalf of a constraint, and
// a sum over all devices, which is no reshard.
constexpr char kAfter[] =
    "HloModule m, num_partitions=8\n"
    "ENTRY e {\n"
    "  x = f32[16,32] parameter(0), sharding={devices=[1,8]<=[8]}\n"
    "  w = f32[32,64] parameter(1), sharding={devices=[8,1]<=[8]}\n"
    "  d = f32[16,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sharding={replicated}\n"
    "  n = f32[16,32] negate(x), sharding={devices=[8,1]<=[8]}, "
    "metadata={op_name=\"neg\" source_file=\"m.py\" source_line=7}\n"
    "  c = f32[32,64] copy(w), sharding={replicated}\n"
    "  same = f32[32,64] copy(w), sharding={devices=[8,1]<=[8]}\n"
    "  ROOT t = (f32[16,64], f32[16,32], f32[32,64], f32[32,64]) tuple(d, n, c, same), "
    "sharding={{replicated}, {devices=[8,1]<=[8]}, {replicated}, {devices=[8,1]<=[8]}}\n"
    "}\n";

// Before it: a constraint in the middle takes 'x' off, and back it comes.
constexpr char kBefore[] =
    "HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = "
    "#sdy.mesh<[\\\"x\\\"=4]>}}\n"
    "ENTRY e {\n"
    "  p = f32[64,32] parameter(0), "
    "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, "
    "[{\\\"x\\\"}, {}]>]>\"}, metadata={op_name=\"batch\"}\n"
    "  a = f32[64,32] negate(p)\n"
    "  c = f32[64,32] custom-call(a), custom_call_target=\"xla.sdy.FuncResultSharding\"\n"
    "  ROOT r = f32[64,32] tanh(a)\n"
    "}\n";

struct Outcome {
  int exit;
  std::string out, err;
};

Outcome RunOn(const std::string& module, std::vector<std::string> words) {
  const std::string path = ::testing::TempDir() + "/reshards_verb_test.hlo";
  std::ofstream(path) << module;
  words.insert(words.begin(), {"reshards", path});
  std::ostringstream out;
  std::ostringstream err;
  const int exit = RunCommandLine({ReshardsVerb()}, words, out, err);
  return {exit, out.str(), err.str()};
}

answers::ReshardsAnswer Answer(const std::string& module, std::vector<std::string> words) {
  words.push_back("--json");
  const Outcome run = RunOn(module, std::move(words));
  answers::ReshardsAnswer answer;
  const auto status = google::protobuf::util::JsonStringToMessage(run.out, &answer);
  EXPECT_TRUE(status.ok()) << status << "\n" << run.out << run.err;
  return answer;
}
}  // namespace
}  // namespace tessera::pipeline
