// Annotations that lower what a device needs, through the verb.

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/command_line.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Two weights of 1 MiB that look alike lie whole on every device; so does 2 MiB between them.
constexpr char kModule[] =
    "HloModule m, num_partitions=8\n"
    "ENTRY e {\n"
    "  x = f32[1024,512] parameter(0)\n"
    "  w1 = f32[512,512] parameter(1)\n"
    "  w2 = f32[512,512] parameter(2)\n"
    "  h = f32[1024,512] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  t = f32[1024,512] tanh(h)\n"
    "  ROOT y = f32[1024,512] dot(t, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "}\n";

std::string Memory(const std::string& module, std::vector<std::string> words) {
  const std::string path = ::testing::TempDir() + "/memory_fixes_test.hlo";
  std::ofstream(path) << module;
  words.insert(words.begin(), {"memory", path});
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(RunCommandLine({MemoryVerb()}, words, out, err), 0) << err.str();
  return out.str();
}

TEST(MemoryFixesTest, CutsTheWorst) {
  const std::string out = Memory(kModule, {"--mesh=data=4,model=2", "--annotate=^x$=P('data')"});
  EXPECT_THAT(out, HasSubstr("1 MiB  w1 f32[512,512]\n"
                             "              fix: constrain w1: P(None, 'model') and 1 alike\n"
                             "                   in all 3.5 MiB -> 2.5 MiB, each device sends "
                             "0 B -> 256 KiB\n"));
}

TEST(MemoryFixesTest, InJson) {
  const std::string out =
      Memory(kModule, {"--mesh=data=4,model=2", "--annotate=^x$=P('data')", "--json"});
  EXPECT_THAT(out, AllOf(HasSubstr("\"sharding\":\"P('data', None)\""),
                         HasSubstr("\"fixes\":[{\"annotations\":[\"constrain w1: "),
                         HasSubstr("\"tried\":")));
}

TEST(MemoryFixesTest, NotWhereNobodyAsks) {
  EXPECT_THAT(Memory(kModule, {"--mesh=data=4,model=2", "--no-fixes"}), Not(HasSubstr("fix:")));
  // After propagation annotations mean nothing any more.
  EXPECT_THAT(Memory(kModule, {"--as-is"}), Not(HasSubstr("fix:")));
}

// Nothing is left to cut.
TEST(MemoryFixesTest, SaysThatNothingHelps) {
  const std::string out = Memory(
      "HloModule m, num_partitions=2\n"
      "ENTRY e {\n"
      "  x = f32[4] parameter(0)\n"
      "  ROOT y = f32[4] negate(x)\n"
      "}\n",
      {"--mesh=data=2", "--annotate=^x$=P('data')"});
  EXPECT_THAT(out, Not(HasSubstr("fix:")));
}

}  // namespace
}  // namespace tessera::pipeline
