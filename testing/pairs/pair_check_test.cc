#include "tessera/testing/pairs/pair_check.h"

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/testing/families/family.h"

namespace tessera::testing {

void PrintTo(const Outcome& outcome, std::ostream* out) { *out << outcome.detail; }

namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::Pair;

constexpr char kModule[] =
    "HloModule m, entry_computation_layout={(f32[4]{0})->f32[4]{0}}\n\nENTRY %e (p: f32[4]) -> "
    "f32[4] {\n  ROOT %p = f32[4]{0} parameter(0)\n}\n";
constexpr char kMistake[] = "HloModule m\n\nENTRY %e {\n  ROOT %p = f32[4]{0} parametr(0)\n}\n";

class PairCheckTest : public ::testing::Test {
 protected:
  PairCheckTest() { std::filesystem::create_directories(folder_); }
  ~PairCheckTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
  }
  std::vector<std::pair<std::string, Outcome>> Check() { return CheckPair(folder_ + "/one"); }

  const std::string folder_ = ::testing::TempDir() + "/pair_check";
};

auto Is(Verdict verdict) { return Field(&Outcome::verdict, verdict); }

TEST_F(PairCheckTest, WhereTheReferenceCrashesNothingPasses) {
  for (const char* const text : {kModule, kMistake}) {
    Write("one.before.hlo", text);
    EXPECT_THAT(Check(),
                ElementsAre(Pair("xla", Is(Verdict::kNotRun)), Pair("keep", Is(Verdict::kNotRun))));
  }
}

TEST_F(PairCheckTest, WhatTheReferenceRefusesHasToBeRefused) {
  Write("reasons.tsv", "name\treason\none\tunknown opcode\n");
  Write("one.before.hlo", kMistake);
  EXPECT_THAT(Check(), ElementsAre(Pair(kRefusedXla, Is(Verdict::kPassed)),
                                   Pair(kRefusedKeep, Is(Verdict::kPassed))));
  Write("one.before.hlo", kModule);
  EXPECT_THAT(Check(), ElementsAre(Pair(kRefusedXla, Is(Verdict::kFailed)),
                                   Pair(kRefusedKeep, Is(Verdict::kFailed))));
}

TEST_F(PairCheckTest, ResultsAreCompared) {
  Write("one.before.hlo", kModule);
  Write("one.after.hlo", kModule);
  EXPECT_THAT(Check(),
              ElementsAre(Pair("xla", Is(Verdict::kPassed)), Pair("keep", Is(Verdict::kPassed))));
  Write("one.after.hlo",
        "HloModule m, entry_computation_layout={(f32[4]{0})->f32[4]{0}}\n\nENTRY %e (p: f32[4]) -> "
        "f32[4] {\n  %p = f32[4]{0} parameter(0)\n  ROOT %c "
        "= f32[4]{0} copy(%p), sharding={replicated}\n}\n");
  EXPECT_THAT(Check(),
              ElementsAre(Pair("xla", Is(Verdict::kFailed)), Pair("keep", Is(Verdict::kFailed))));
}

}  // namespace
}  // namespace tessera::testing
