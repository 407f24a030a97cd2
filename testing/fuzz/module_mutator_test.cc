#include "tessera/testing/fuzz/module_mutator.h"

#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/verifier.h"

namespace tessera::testing {
namespace {

constexpr absl::string_view kPlain =
    "HloModule plain\n"
    "ENTRY main { a = f32[8] parameter(0) z = f32[] constant(0) ROOT n = f32[8] negate(a) }\n";

// The loop reduces in its body: two computations deep.
constexpr absl::string_view kLoop =
    "HloModule loop\n"
    "sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\n"
    "body { b = f32[8] parameter(0) o = f32[] constant(1)\n"
    "  r = f32[] reduce(b, o), dimensions={0}, to_apply=sum\n"
    "  ROOT w = f32[8] broadcast(r), dimensions={} }\n"
    "never { c = f32[8] parameter(0) ROOT f = pred[] constant(false) }\n"
    "ENTRY main { a = f32[8] parameter(0)\n"
    "  ROOT l = f32[8] while(a), condition=never, body=body }\n";

bool IsGood(absl::string_view text) {
  const auto module = hlo::ParseModule(text);
  return module.ok() && hlo::VerifyModule(*module).ok();
}

TEST(ModuleMutatorTest, TakenInstructionsBringWhatTheyCall) {
  ASSERT_TRUE(IsGood(kPlain));
  ASSERT_TRUE(IsGood(kLoop));
  int loops = 0, reductions = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::string child = Mutator(seed).Cross(kPlain, kLoop);
    if (!absl::StrContains(child, ".taken") || !IsGood(child)) continue;
    loops += absl::StrContains(child, "body=body.taken");
    reductions +=
        !absl::StrContains(child, "while(") && absl::StrContains(child, "to_apply=sum.taken");
  }
  EXPECT_GT(loops, 0);
  EXPECT_GT(reductions, 0);
}

// Twice the same computations do not meet under one name.
TEST(ModuleMutatorTest, CrossesOfCrossesAreModules) {
  std::string text(kPlain);
  int good = 0;
  for (unsigned seed = 0; seed < 64; ++seed) {
    const std::string child = Mutator(seed).Cross(text, kLoop);
    if (!IsGood(child)) continue;
    text = child;
    ++good;
  }
  EXPECT_GT(good, 16);
}

TEST(ModuleMutatorTest, TheSameSeedGivesTheSameMutant) {
  EXPECT_EQ(Mutator(7).Change(kLoop), Mutator(7).Change(kLoop));
  EXPECT_EQ(Mutator(7).Cross(kPlain, kLoop), Mutator(7).Cross(kPlain, kLoop));
}

// Whatever is asked of it: no text at all, or one that is no module.
TEST(ModuleMutatorTest, WhatIsNoModuleChangesByAByte) {
  EXPECT_FALSE(Mutator(1).Change("").empty());
  EXPECT_EQ(Mutator(1).Change("no module").size(), 9u);
  EXPECT_EQ(Mutator(1).Cross("no module", kLoop).size(), 9u);
}

}  // namespace
}  // namespace tessera::testing
