#include "tessera/target/priority_fusion/graph/ways.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tessera/target/priority_fusion/graph/fusion_graph.h"
#include "tessera/target/priority_fusion/read_program.h"

namespace tessera::target {
namespace {

// `size` sums, each of two of those in front of it.
std::string Sums(std::mt19937* random, uint32_t size) {
  std::string body = "  v0 = f32[8] parameter(0)\n";
  for (uint32_t k = 1; k < size; ++k) {
    const auto operand = [&] { return "v" + std::to_string((*random)() % k); };
    body += std::string(k + 1 == size ? "  ROOT " : "  ") + "v" + std::to_string(k) +
            " = f32[8] add(" + operand() + ", " + operand() + ")\n";
  }
  return body;
}

// Beside one search for each pair, also when kernels became one. Lists are short, or of two words.
TEST(WaysTest, AsOneSearchForEachPair) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const DeviceProgram program = ReadProgram(Sums(&random, round % 2 == 0 ? 30 : 300));
    FusionGraph graph(program, program.module().entry_id());
    std::vector<uint32_t> some;
    for (uint32_t k = 0; k < graph.size(); ++k) {
      if (random() % 3 == 0) some.push_back(k);
    }
    Ways ways(graph, some);
    for (int query = 0; query < 100 && some.size() > 1; ++query) {
      const uint32_t a = some[random() % some.size()], b = some[random() % some.size()];
      ASSERT_EQ(ways.Lead(a, b), graph.Reaches(a, b)) << round;
      if (a == b || graph.Reaches(a, b) || graph.Reaches(b, a)) continue;
      graph.FuseOutputs(a, b);
      ways.Join(a, b);
      some.erase(std::find(some.begin(), some.end(), b));
    }
  }
}

}  // namespace
}  // namespace tessera::target
