#include "tessera/target/priority_fusion/fusion_memory.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/priority_fusion/priority_fusion.h"
#include "tessera/target/priority_fusion/read_program.h"

namespace tessera::target {
namespace {

// A result with two users. Bodies differ in its shape and opcode, and in their root.
std::string Body(const std::string& shape, const std::string& opcode, const std::string& root,
                 const std::string& prefix = "") {
  const std::string x = prefix + "x", n = prefix + "n", t = prefix + "t", u = prefix + "u";
  return "  " + x + " = " + shape + " parameter(0)\n  " + n + " = " + shape + " " + opcode + "(" +
         x + ")\n  " + t + " = " + shape + " abs(" + n + ")\n  " + u + " = " + shape + " add(" + n +
         ", " + x + ")\n  ROOT r = " + root + "\n";
}

// Rows from which their sums are taken off: a kernel of Triton.
std::string Rows(const std::string& rows, const std::string& shape) {
  return "  x = " + shape + " parameter(0)\n  z = f32[] constant(0)\n  s = " + rows +
         " reduce(x, z), dimensions={1}, to_apply=sum\n  b = " + shape +
         " broadcast(s), dimensions={0}\n  d = " + shape + " subtract(x, b)\n  ROOT r = " + shape +
         " abs(d)\n";
}

const std::vector<std::string>& Bodies() {
  static const auto* const bodies = new std::vector<std::string>{
      Body("f32[64]", "negate", "(f32[64], f32[64]) tuple(t, u)"),
      Body("f32[4096,4096]", "negate", "(f32[4096,4096], f32[4096,4096]) tuple(t, u)"),
      Body("f32[4096,4096]", "tanh", "(f32[4096,4096], f32[4096,4096]) tuple(t, u)"),
      Body("f32[4096,4096]", "tanh", "(f32[4096,4096], f32[4096,4096]) tuple(u, t)"),
      Body("f32[4096,4096]", "tanh", "f32[4096,4096] multiply(u, t)"),
      Body("f32[4096,4096]", "tanh", "f32[4096,16] slice(t), slice={[0:4096], [16:32]}"),
      Body("f32[4096,4096]", "tanh", "f32[4096,16] slice(t), slice={[0:4096], [32:48]}"),
      Rows("f32[64]", "f32[64,512]"),
      Rows("bf16[64]", "bf16[64,512]"),
  };
  return *bodies;
}

void ExpectAsWithout(const DeviceProgram& program, FusionMemory* memory) {
  const ComputationId entry = program.module().entry_id();
  const KernelGraph with = FuseKernels(program, entry, memory);
  const KernelGraph without = FuseKernels(program, entry);
  EXPECT_EQ(with.instructions, without.instructions);
  EXPECT_EQ(with.operands, without.operands);
  EXPECT_EQ(ResultsOf(program, entry, memory).of, ResultsOf(program, entry).of);
}

TEST(FusionMemoryTest, AnswersAsFusionDoes) {
  FusionMemory memory;
  for (int round = 0; round < 2; ++round) {
    for (const std::string& body : Bodies()) ExpectAsWithout(ReadProgram(body), &memory);
    EXPECT_EQ(memory.size(), Bodies().size());
  }
}

// A computation after others has other ids, and the same kernels.
TEST(FusionMemoryTest, KnowsComputationsByWhatTheyCompute) {
  FusionMemory memory;
  const std::string shape = "f32[4096,4096]";
  const std::string root = "(f32[4096,4096], f32[4096,4096]) tuple(";
  ExpectAsWithout(ReadProgram(Body(shape, "tanh", root + "t, u)")), &memory);
  const DeviceProgram renamed(
      *hlo::ParseModule("HloModule m\n\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                        "  ROOT s = f32[] add(a, b)\n}\n\nflip {\n  c = f32[] parameter(0)\n"
                        "  ROOT f = f32[] negate(c)\n}\n\nENTRY e {\n" +
                        Body(shape, "tanh", root + "other_t, other_u)", "other_") + "}\n"));
  ExpectAsWithout(renamed, &memory);
  EXPECT_EQ(memory.size(), 1);
}

}  // namespace
}  // namespace tessera::target
