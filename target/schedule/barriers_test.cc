#include "tessera/target/schedule/barriers.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/schedule/homes.h"
#include "tessera/target/schedule/kernel_order.h"
#include "tessera/target/schedule/kernels.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;

constexpr char kDot[] = "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";

// The product `again` reads less than it makes, and `grown` makes more: the order of least memory would have `again` first.
std::string Text(const std::string& handed) {
  return std::string(
             "ENTRY e {\n  x = f32[64,64] parameter(0)\n  w = f32[64,512] parameter(1)\n"
             "  grown = f32[64,512] dot(x, w") +
         kDot +
         "  t = (f32[64,64], f32[64,512]) tuple(x, grown)\n"
         "  b = (f32[64,64], f32[64,512]) opt-barrier(t)\n"
         "  y = f32[64,64] get-tuple-element(" +
         handed + "), index=0\n  again = f32[64,64] dot(y, y" + kDot +
         "  v = f32[64,512] get-tuple-element(b), index=1\n"
         "  ROOT r = f32[64,512] dot(again, v" +
         kDot + "}\n";
}

std::vector<std::string> Order(const std::string& text) {
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  std::vector<int64_t> bytes;
  for (const Value& value : flow->values) bytes.push_back(*value.shape->NumElements() * 4);
  const KeptValues kept = FindKeptValues(*flow, bytes);
  const std::vector<ScopeKernels> scopes = FindKernels(*flow, kept);
  std::vector<std::string> names;
  for (const uint32_t k : LeastMemoryOrder(scopes[0], FindHomes(*flow, kept, {}), bytes)) {
    const NodeId n = scopes[0].kernels[k].node;
    names.emplace_back(module->instruction(flow->nodes[n].instruction).name);
  }
  return names;
}

TEST(BarriersTest, WhatReadsAResultWaitsForAllOperands) {
  EXPECT_THAT(Order(Text("b")), ElementsAre("grown", "again", "r"));
  EXPECT_THAT(Order(Text("t")), ElementsAre("again", "grown", "r"));
}

}  // namespace
}  // namespace tessera::target
