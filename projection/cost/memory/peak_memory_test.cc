#include "tessera/projection/cost/memory/peak_memory.h"

#include <string>

#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::projection {
namespace {

struct Report {
  MemoryProfile profile;
  std::string peak_at;
};

Report ReportOf(const std::string& text, const MemoryOptions& options = {}) {
  const hlo::Module m = *hlo::ParseModule(text);
  const MemoryReport report = *PeakMemory(m, options);
  if (report.profile.peak_at < 0) return {report.profile, ""};
  const size_t steps = report.profile.live.size();
  const auto at = report.values.size() - steps + static_cast<size_t>(report.profile.peak_at);
  return {report.profile, NameOf(m, report.values[at])};
}

struct Row {
  const char* name;
  const char* text;
  int64_t peak;
  const char* at;
};

// Arrays of 400 bytes.
constexpr Row kRows[] = {
    {"ElementWiseTakesItsOperand",  // p and one buffer for a, b, c
     "ENTRY e { p = f32[100] parameter(0)\n a = f32[100] negate(p)\n b = f32[100] abs(a)\n"
     "ROOT c = f32[100] negate(b) }",
     800, "a"},
    {"AliasesAreFree",
     "ENTRY e { p = f32[100] parameter(0)\n a = f32[100] negate(p)\n r = f32[10,10] reshape(a)\n"
     "t = (f32[10,10]) tuple(r)\n g = f32[10,10] get-tuple-element(t), index=0\n"
     "ROOT c = f32[10,10] opt-barrier(g) }",
     800, "a"},
    {"TransposeIsACopy",
     "ENTRY e { p = f32[10,10] parameter(0)\n a = f32[10,10] negate(p)\n"
     "ROOT t = f32[10,10] transpose(a), dimensions={1,0} }",
     1200, "t"},
    {"ConstantsLiveThroughout",
     "ENTRY e { p = f32[100] parameter(0)\n z = f32[] constant(0)\n a = f32[100] negate(p)\n"
     "ROOT c = f32[100] negate(a) }",
     800, "a"},  // z is dead
    {"UpdatesInPlace",
     "ENTRY e { p = f32[100] parameter(0)\n u = f32[1] parameter(1)\n i = s32[] parameter(2)\n"
     "a = f32[100] negate(p)\n ROOT d = f32[100] dynamic-update-slice(a, u, i) }",
     808, "a"},
    {"FusionWithoutOperands",
     "f { ROOT i = f32[100] iota(), iota_dimension=0 }\n"
     "ENTRY e { p = f32[100] parameter(0)\n a = f32[100] fusion(), kind=kLoop, calls=f\n"
     "ROOT r = f32[100] add(p, a) }",
     800, "a"},
    {"LoopsCarryInPlace",
     "body { s = (s32[], f32[100]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
     " x = f32[100] get-tuple-element(s), index=1\n y = f32[10,10] reshape(x)\n"
     " z = f32[10,10] transpose(y), dimensions={1,0}\n w = f32[100] reshape(z)\n"
     " ROOT t = (s32[], f32[100]) tuple(i, w) }\n"
     "go { s = (s32[], f32[100]) parameter(0)\n ROOT p = pred[] constant(false) }\n"
     "ENTRY e { p = f32[100] parameter(0)\n i = s32[] parameter(1)\n a = f32[100] negate(p)\n"
     " c = s32[] copy(i)\n t = (s32[], f32[100]) tuple(c, a)\n"
     " ROOT w = (s32[], f32[100]) while(t), condition=go, body=body }",
     1204, "w{1}"},  // p, i, a, and the transposed copy inside
    {"CopiesOfNothing",
     "ENTRY e { p = f32[10,10] parameter(0)\n a = f32[10,10] negate(p)\n"
     " c = f32[10,10] copy(a)\n ROOT t = f32[10,10] transpose(c), dimensions={1,0} }",
     1200, "t"},
    {"CopiesOfAnotherLayout",
     "ENTRY e { p = f32[10,10]{1,0} parameter(0)\n a = f32[10,10]{1,0} negate(p)\n"
     " c = f32[10,10]{0,1} copy(a)\n ROOT d = f32[10,10]{0,1} dot(c, c), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
     1200, "c"},
    {"GatheredDimensionsAreFirst",
     "ENTRY e { p = f32[10,10] parameter(0)\n"
     " g = f32[10,20] all-gather(p), dimensions={1}, replica_groups={{0,1}}\n"
     " ROOT n = f32[10,20] negate(g) }",
     2000, "n"},  // not in place
    {"GatheredAlongTheFirst",
     "ENTRY e { p = f32[10,10] parameter(0)\n"
     " g = f32[20,10] all-gather(p), dimensions={0}, replica_groups={{0,1}}\n"
     " ROOT n = f32[20,10] negate(g) }",
     1200, "g"},
};

TEST(PeakMemoryTest, SmallPrograms) {
  for (const Row& row : kRows) {
    const Report report = ReportOf(row.text);
    EXPECT_EQ(report.profile.peak, row.peak) << row.name;
    EXPECT_EQ(report.peak_at, row.at) << row.name;
  }
}

// Functions that call the one before twice: each is looked at once.
TEST(PeakMemoryTest, SharedCallsAreLinear) {
  for (const char* const call :
       {"call(p), to_apply=", "conditional(c, p, p), true_computation=g0, false_computation="}) {
    std::string text = "g0 { p = f32[100] parameter(0)\n ROOT r = f32[100] add(p, p) }\n";
    for (int i = 1; i <= 40; ++i) {
      const std::string one = call + ("g" + std::to_string(i - 1)) + "\n";
      text += (i == 40 ? "ENTRY g" : "g") + std::to_string(i) +
              " {\n p = f32[100] parameter(0)\n c = pred[] constant(true)\n a = f32[100] " + one +
              " b = f32[100] " + one + " ROOT r = f32[100] add(a, b)\n}\n";
    }
    EXPECT_GE(ReportOf(text).profile.peak, 800) << call;
  }
}

// Weights that a loop only reads are not copied for it.
TEST(PeakMemoryTest, WhatALoopHandsOnStaysWhereItIs) {
  const Report report = ReportOf(
      "HloModule m\n"
      "body { s = (f32[100], f32[10]) parameter(0)\n"
      " w = f32[100] get-tuple-element(s), index=0\n"
      " a = f32[10] get-tuple-element(s), index=1\n"
      " n = f32[10] negate(a)\n ROOT t = (f32[100], f32[10]) tuple(w, n) }\n"
      "go { s = (f32[100], f32[10]) parameter(0)\n ROOT p = pred[] constant(false) }\n"
      "ENTRY e { w = f32[100] parameter(0)\n a = f32[10] parameter(1)\n"
      " c = f32[10] negate(a)\n t = (f32[100], f32[10]) tuple(w, c)\n"
      " l = (f32[100], f32[10]) while(t), condition=go, body=body\n"
      " ROOT r = f32[10] get-tuple-element(l), index=1 }");
  EXPECT_EQ(report.profile.peak, 400 + 40 + 40);  // w, a, c; n is made in place
}

TEST(PeakMemoryTest, ElementwiseOperationsMayHaveBuffersOfTheirOwn) {
  MemoryOptions options;
  options.liveness.reuse_elementwise = false;
  EXPECT_EQ(ReportOf(kRows[0].text, options).profile.peak, 1200);
}

// What the header says: the result is made in the parameter where nobody needs that any more, else
// copied there. As memory_analysis() of XLA's CPU back end has it: a dot that donates its operand
// has a temporary.
TEST(PeakMemoryTest, AliasesOfInputsAndOutputs) {
  const auto peak = [](const std::string& alias, const std::string& entry) {
    return ReportOf("HloModule m, " + alias + "\nENTRY e {\n" + entry + "}\n").profile.peak;
  };
  const std::string dot =
      "p = f32[10,10] parameter(0)\n"
      "ROOT r = f32[10,10] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  EXPECT_EQ(peak("is_scheduled=true", dot), 800);
  EXPECT_EQ(peak("input_output_alias={ {}: (0, {}, may-alias) }", dot), 800);
  const std::string read_later =
      "p = f32[10,10] parameter(0)\n"
      "d = f32[10,10] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "e = f32[10,10] add(p, d)\n"
      "ROOT r = (f32[10,10], f32[10,10]) tuple(d, e)\n";
  EXPECT_EQ(peak("input_output_alias={ {0}: (0, {}, may-alias) }", read_later), 1200);
  EXPECT_EQ(peak("input_output_alias={ {1}: (0, {}, may-alias) }", read_later), 800);
  const std::string swap =
      "p = f32[100] parameter(0)\nq = f32[100] parameter(1)\n"
      "ROOT r = (f32[100], f32[100]) tuple(q, p)\n";
  EXPECT_EQ(peak("input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }", swap),
            1600);
  EXPECT_EQ(peak("buffer_donor={ (0, {}) }",
                 "p = f32[100] parameter(0)\n"
                 "ROOT r = f32[100] negate(p)\n"),
            400);
}

// A module that the verifier has not seen.
TEST(PeakMemoryTest, AliasesAndDonorsOfWhatIsNotThere) {
  for (const char* header :
       {"input_output_alias={ {}: (900000000, {}, may-alias) }",
        "input_output_alias={ {}: (-5000000, {}, may-alias) }",
        "input_output_alias={ {}: (0, {7}, may-alias) }", "buffer_donor={ (900000000, {}) }",
        "buffer_donor={ (-5000000, {}) }"}) {
    const auto module =
        hlo::ParseModule(std::string("HloModule m, ") + header +
                         "\nENTRY e { p = f32[2] parameter(0)\nROOT r = f32[2] negate(p) }");
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_FALSE(PeakMemory(*module, {}).ok()) << header;
  }
}

// A loop of one array of 400 bytes and of what `body` makes of it, and the rest of the module.
std::string Loop(const std::string& carry, const std::string& body, const std::string& root) {
  return "HloModule m\nbody { s = " + carry + " parameter(0)\n" + body + " ROOT t = " + carry +
         " tuple(" + root + ") }\ngo { s = " + carry +
         " parameter(0)\n ROOT p = pred[] constant(false) }\n";
}

// An element that a loop carries is one buffer, inside and outside. Sizes as memory_analysis() of
// XLA's CPU back end has them, in units of one array: its temporaries, beside p.
struct CarryRow {
  const char* name;
  const char* body;  // of x and y, elements 0 and 1
  const char* root;
  int64_t inside;  // bytes
};
constexpr CarryRow kCarries[] = {
    {"UpdatedInPlace",
     "u = f32[1] slice(x), slice={[0:1]}\n i = s32[] constant(0)\n"
     "d = f32[100] dynamic-update-slice(x, u, i)\n",
     "d, y", 4},
    {"ElementWise", "d = f32[100] negate(x)\n", "d, y", 0},
    {"ReadWhileItIsMade", "d = f32[100] reverse(x), dimensions={0}\n", "d, y", 400},
    {"ReadLater", "d = f32[100] reverse(x), dimensions={0}\n e = f32[100] add(x, d)\n", "d, e",
     400},
    {"Swapped", "", "y, x", 800},
    {"Rotated", "d = f32[100] reverse(x), dimensions={0}\n", "y, d", 800},
    {"OneValueTwice", "d = f32[100] negate(x)\n", "d, d", 0},
};

TEST(PeakMemoryTest, ALoopWorksInWhatItCarries) {
  for (const CarryRow& row : kCarries) {
    const std::string body = std::string("x = f32[100] get-tuple-element(s), index=0\n") +
                             "y = f32[100] get-tuple-element(s), index=1\n" + row.body;
    const Report report = ReportOf(
        Loop("(f32[100], f32[100])", body, row.root) +
        "ENTRY e { p = f32[100] parameter(0)\n a = f32[100] negate(p)\n b = f32[100] sine(p)\n"
        " t = (f32[100], f32[100]) tuple(a, b)\n"
        " ROOT w = (f32[100], f32[100]) while(t), condition=go, body=body }");
    EXPECT_EQ(report.profile.peak, 1200 + row.inside) << row.name;
  }
}

// An array that only an instruction with a side effect reads is made all the same, and two of them
// are alive at once.
TEST(PeakMemoryTest, SideEffectsAreAlive) {
  const std::string entry =
      "ENTRY e { p = f32[100] parameter(0)\n a = f32[100] negate(p)\n b = f32[100] sine(p)\n"
      " c = () custom-call(a, b), custom_call_target=\"f\", custom_call_has_side_effect=true\n"
      " ROOT r = f32[1] slice(p), slice={[0:1]} }";
  EXPECT_EQ(ReportOf(entry).profile.peak, 1200);
  const size_t effect = entry.find(", custom_call_has_side_effect=true");
  std::string dead = entry;
  dead.erase(effect, std::string(", custom_call_has_side_effect=true").size());
  EXPECT_EQ(ReportOf(dead).profile.peak, 404);
  const std::string inside =
      "HloModule m\nf { x = f32[100] parameter(0)\n a = f32[100] negate(x)\n k = token[] "
      "after-all()\n o = token[] outfeed(a, k)\n ROOT r = f32[] constant(0) }\n"
      "ENTRY e { p = f32[100] parameter(0)\n c = f32[] call(p), to_apply=f\n"
      " ROOT r = f32[1] slice(p), slice={[0:1]} }";
  EXPECT_EQ(ReportOf(inside).profile.peak, 400 + 4 + 400);
}

// Constants count once and apart, in the entry and in other computations.
TEST(PeakMemoryTest, ConstantsCountOnce) {
  const std::string loop = Loop(
      "(f32[3])",
      "x = f32[3] get-tuple-element(s), index=0\n c = f32[3] constant({1,2,3})\n one = f32[] "
      "constant(1)\n b = f32[3] broadcast(one), dimensions={}\n d = f32[3] add(x, c)\n e = f32[3] "
      "add(d, b)\n",
      "e");
  const hlo::Module m = *hlo::ParseModule(
      loop +
      "ENTRY e { p = f32[3] parameter(0)\n c = f32[3] constant({3,2,1})\n a = f32[3] add(p, c)\n"
      " t = (f32[3]) tuple(a)\n v = (f32[3]) while(t), condition=go, body=body\n"
      " ROOT w = (f32[3]) while(v), condition=go, body=body }");
  const MemoryReport report = *PeakMemory(m, {});
  EXPECT_EQ(report.constants, 12 + 12);
  EXPECT_EQ(report.profile.peak, 12 + 12 + 12);  // p, what both loops carry, and b
}

// f32[5,100] in tiles of 8 x 128: 4,096 bytes, of which 2,000 hold numbers.
TEST(PeakMemoryTest, TilesArePadded) {
  const Report report = ReportOf(
      "ENTRY e { p = f32[5,100]{1,0:T(8,128)} parameter(0)\n"
      "ROOT a = f32[5,100]{1,0:T(8,128)} negate(p) }");
  EXPECT_EQ(report.profile.peak, 8192);
}

// Facts about one instruction do not count for another of the same name.
TEST(PeakMemoryTest, NamesMayRepeatAcrossComputations) {
  const std::string text =
      "HloModule m\n"
      "f { p = f32[100] parameter(0)\n ROOT a = f32[100] negate(p) }\n"
      "ENTRY e { p = f32[100] parameter(0)\n a = f32[100] negate(p)\n"
      " ROOT r = f32[100] call(a), to_apply=f }";
  const hlo::Module m = *hlo::ParseModule(text);
  MemoryOptions options;
  options.fused.resize(m.num_instructions());
  options.fused[m.entry().instructions[1]] = true;
  const Report report = ReportOf(text, options);
  EXPECT_EQ(report.profile.peak, 400 + 400);  // p, and a of the call
  EXPECT_EQ(report.peak_at, "r");
}

TEST(PeakMemoryTest, ScheduledModulesKeepTheirOrder) {
  const std::string body =
      "ENTRY e { p = f32[100] parameter(0)\n a = f32[100] exponential(p)\n b = f32[100] sine(p)\n"
      "c = f32[100] cosine(b)\n ROOT t = (f32[100], f32[100]) tuple(c, a) }";
  EXPECT_EQ(ReportOf(body).peak_at, "a");  // b, c, then a
  EXPECT_EQ(ReportOf("HloModule m, is_scheduled=true\n" + body).peak_at, "b");
}

}  // namespace
}  // namespace tessera::projection
