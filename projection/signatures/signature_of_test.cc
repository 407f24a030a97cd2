// Signatures by table: an instruction, a block, and what it needs of each operand. The evaluator
// proves them by values; here they can be read.
#include "tessera/projection/signatures/signature_of.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/signatures/combiner.h"
#include "tessera/testing/projection/collective_needs.h"
#include "tessera/testing/projection/write_check.h"

namespace tessera::projection {
namespace {

constexpr char kHelpers[] =
    "add { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT r = f32[] add(x, y) }\n"
    "second { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT r = f32[] copy(y) }\n"
    "lt { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT r = pred[] compare(x, y), "
    "direction=LT }\n"
    "ge { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT r = pred[] compare(x, y), "
    "direction=GE }\n"
    "f { x = f32[4,6] parameter(0)\n t = f32[6,4] transpose(x), dimensions={1,0}\n ROOT r = "
    "f32[6,4] negate(t) }\n"
    "step { p = (s32[], f32[8], f32[8]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
    " a = f32[8] get-tuple-element(p), index=1\n b = f32[8] get-tuple-element(p), index=2\n o = "
    "s32[] constant(1)\n"
    " j = s32[] add(i, o)\n c = f32[8] reverse(b), dimensions={0}\n ROOT t = (s32[], f32[8], "
    "f32[8]) tuple(j, a, c) }\n"
    "more { p = (s32[], f32[8], f32[8]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n n "
    "= s32[] constant(3)\n"
    " ROOT c = pred[] compare(i, n), direction=LT }\n";

hlo::Module Parse(const std::string& entry) {
  absl::StatusOr<hlo::Module> module =
      hlo::ParseModule(absl::StrCat("HloModule m\n", kHelpers, "ENTRY e {\n", entry, "}\n"));
  EXPECT_TRUE(module.ok()) << module.status() << entry;
  return *std::move(module);
}

// The boxes that each operand needs, operands apart by '|'.
std::string Needs(const hlo::Module& module, const char* block,
                  const SignatureOptions& options = {}) {
  const absl::StatusOr<Signature> s = SignatureOf(module, module.entry().root, options);
  if (!s.ok()) return s.status().ToString();
  EXPECT_TRUE(CheckSignature(*s).ok()) << CheckSignature(*s);
  const absl::StatusOr<std::vector<Need>> needs = Project(*s, *ZRange::Parse(block));
  if (!needs.ok()) return needs.status().ToString();
  std::string out;
  for (size_t k = 0; k < needs->size(); ++k) {
    if (k > 0) out += " |";
    const std::vector<ZRange> boxes = *(*needs)[k].cells.Slabs();
    for (const ZRange& box : boxes)
      absl::StrAppend(&out, k + 1 == 1 && out.empty() ? "" : " ", box.ToString());
    if (boxes.empty()) out += " -";
  }
  return out;
}

struct Case {
  const char* entry;
  const char* block;
  const char* needs;
};

TEST(SignatureOfTest, Table) {
  const Case cases[] = {
      {"a = f32[8] parameter(0)\n ROOT r = f32[4,8] broadcast(a), dimensions={1}\n", "zr[0:2, 3:5]",
       "zr[3:5]"},
      {"a = f32[8] parameter(0)\n ROOT r = f32[8] reverse(a), dimensions={0}\n", "zr[0:3]",
       "zr[5:8]"},
      {"a = f32[9] parameter(0)\n ROOT r = f32[3] slice(a), slice={[1:9:3]}\n", "zr[1:3]",
       "zr[4:5] zr[7:8]"},
      {"a = f32[4] parameter(0)\n z = f32[] constant(0)\n ROOT r = f32[9] pad(a, z), "
       "padding=1_1_1\n",
       "zr[1:2]", "zr[0:1] | -"},
      {"a = f32[2,3] parameter(0)\n b = f32[2,2] parameter(1)\n ROOT r = f32[2,5] concatenate(a, "
       "b), dimensions={1}\n",
       "zr[0:1, 2:4]", "zr[0:1, 2:3] | zr[0:1, 0:1]"},
      {"a = f32[4,6] parameter(0)\n b = f32[6,5] parameter(1)\n ROOT r = f32[4,5] dot(a, b), "
       "lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}\n",
       "zr[1:2, 0:3]", "zr[1:2, 0:6] | zr[0:6, 0:3]"},
      {"a = f32[4,6] parameter(0)\n z = f32[] constant(0)\n ROOT r = f32[4] reduce(a, z), "
       "dimensions={1}, to_apply=add\n",
       "zr[1:3]", "zr[1:3, 0:6] | zr[]"},
      {"a = f32[8] parameter(0)\n z = f32[] constant(0)\n ROOT r = f32[8] reduce-window(a, z), "
       "window={size=8 pad=7_0}, "
       "to_apply=add\n",
       "zr[2:3]", "zr[0:3] | zr[]"},
      {"a = f32[4,6] parameter(0)\n ROOT r = f32[4,6] sort(a), dimensions={1}, to_apply=lt\n",
       "zr[1:2, 0:1]", "zr[1:2, 0:6]"},
      {"a = f32[10] parameter(0)\n i = s32[] parameter(1)\n ROOT r = f32[4] dynamic-slice(a, i), "
       "dynamic_slice_sizes={4}\n",
       "zr[1:2]", "zr[1:8] | zr[]"},
      {"a = f32[10] parameter(0)\n i = s32[] constant(99)\n ROOT r = f32[4] dynamic-slice(a, i), "
       "dynamic_slice_sizes={4}\n",
       "zr[1:2]", "zr[7:8] | zr[]"},
      {"a = f32[4,6] parameter(0)\n ROOT r = f32[6,4] fusion(a), kind=kLoop, calls=f\n",
       "zr[0:2, 1:2]", "zr[1:2, 0:2]"},
      {"a = f32[2,3] parameter(0)\n ROOT r = f32[2,3] custom-call(a), "
       "custom_call_target=\"unheard\"\n",
       "zr[0:1, 0:1]", "zr[0:2, 0:3]"},
      {"a = f32[9,3] parameter(0)\n ROOT r = f32[4,3] custom-call(a), "
       "custom_call_target=\"ApproxTopK\"\n",
       "zr[0:1, 1:2]", "zr[0:9, 1:2]"},
      {"a = u32[4]{0} parameter(0)\n ROOT r = u8[4,4]{1,0} bitcast(a)\n", "zr[1:3, 0:1]",
       "zr[1:3]"},
      {"a = u8[4,4]{1,0} parameter(0)\n ROOT r = u32[4]{0} bitcast(a)\n", "zr[1:3]",
       "zr[1:3, 0:4]"},
      {"a = f32[4,4]{1,0:T(2,2)} parameter(0)\n ROOT r = f32[16]{0} bitcast(a)\n", "zr[2:6]",
       "zr[0:1, 2:4] zr[1:2, 0:2]"},
      {"a = f32[0,3] parameter(0)\n z = f32[] constant(0)\n ROOT r = f32[3] reduce(a, z), "
       "dimensions={0}, to_apply=add\n",
       "zr[0:3]", " - | zr[]"},
      {"a = f32[8] parameter(0)\n ROOT r = f32[8] custom-call(a), custom_call_target=\"mine\", "
       "frontend_attributes={tessera.projection=\"x->x\"}\n",
       "zr[2:3]", "zr[2:3]"},
  };
  for (const Case& c : cases) EXPECT_EQ(Needs(Parse(c.entry), c.block), c.needs) << c.entry;
}

TEST(SignatureOfTest, StartsThatAreDataAreMarked) {
  const hlo::Module module = Parse(
      "a = f32[10,6] parameter(0)\n u = f32[4,6] parameter(1)\n i = s32[] parameter(2)\n"
      "ROOT r = f32[10,6] dynamic-update-slice(a, u, i, i)\n");
  const Signature s = *SignatureOf(module, module.entry().root);
  EXPECT_TRUE(s.operands[0].starts.empty());
  ASSERT_EQ(s.operands[1].starts.size(), 1u);  // the second start can only be 0
  EXPECT_EQ(s.operands[1].starts[0].row, 0);
  EXPECT_EQ(s.operands[1].starts[0].sign, -1);
}

TEST(SignatureOfTest, LoopsAreFixPoints) {
  const hlo::Module module = Parse(
      "i = s32[] parameter(0)\n a = f32[8] parameter(1)\n b = f32[8] parameter(2)\n"
      "t = (s32[], f32[8], f32[8]) tuple(i, a, b)\n"
      "ROOT w = (s32[], f32[8], f32[8]) while(t), condition=more, body=step\n");
  EXPECT_EQ(Needs(module, "zr[1:2]", {1}), "zr[] | zr[1:2] | -");  // carried unchanged
  EXPECT_EQ(Needs(module, "zr[1:2]", {2}),
            "zr[] | - | zr[1:7]");  // reversed each time: there and back
}

TEST(SignatureOfTest, SplitFormHasAnAxisForEachReduction) {
  const hlo::Module module = Parse(
      "a = f32[4,6] parameter(0)\n z = f32[] constant(0)\n ROOT r = f32[4] reduce(a, z), "
      "dimensions={1}, to_apply=add\n");
  const Signature s = *SignatureOf(module, module.entry().root, {0, true});
  ASSERT_EQ(s.axes.size(), 2u);
  EXPECT_EQ(s.axes[1].kind, AxisKind::kReduction);
  EXPECT_EQ(Needs(module, "zr[1:2, 2:4]", {0, true}), "zr[1:2, 2:4] | zr[]");
  const hlo::Module ordered = Parse(
      "a = f32[4,6] parameter(0)\n z = f32[] constant(0)\n ROOT r = f32[4] reduce(a, z), "
      "dimensions={1}, to_apply=second\n");
  EXPECT_EQ(SignatureOf(ordered, ordered.entry().root, {0, true})->axes[1].kind,
            AxisKind::kOrdered);
}

TEST(CollectivesTest, RanksAndCells) {
  const hlo::Module module = Parse(
      "a = f32[4] parameter(0)\n ROOT r = f32[16] all-gather(a), replica_groups={{0,1,2,3}}, "
      "dimensions={0}\n");
  const std::vector<RankedNeed> needs =
      *CollectiveNeeds(module, module.entry().root, 0, *ZRange::Parse("zr[6:10]"));
  ASSERT_EQ(needs.size(), 2u);
  EXPECT_EQ(needs[0].rank, 1);
  EXPECT_EQ(needs[0].cells, ZSet::OfBox(*ZRange::Parse("zr[2:4]")));
  EXPECT_EQ(needs[1].cells, ZSet::OfBox(*ZRange::Parse("zr[0:2]")));
}

TEST(SignatureOfTest, NamesWhatItCannotDo) {
  const hlo::Module module = Parse("ROOT a = f32[4] parameter(0)\n");
  EXPECT_EQ(ErrorCodeOf(SignatureOf(module, module.entry().root, {3}).status()),
            ErrorCode::kBadDim);
  EXPECT_EQ(
      ErrorCodeOf(
          Project(*SignatureOf(module, module.entry().root), *ZRange::Parse("zr[0:5]")).status()),
      ErrorCode::kOutOfBounds);
}

// Functions that call the one before twice: each is read once, and asked once a block.
TEST(SignatureOfTest, SharedCallsAreLinear) {
  std::string text = "g0 { p = f32[4] parameter(0)\n ROOT r = f32[4] negate(p) }\n";
  for (int i = 1; i <= 40; ++i) {
    absl::StrAppend(&text, i == 40 ? "ENTRY g" : "g", i, " {\n p = f32[4] parameter(0)\n");
    for (const char* name : {"a", "b"}) {
      absl::StrAppend(&text, " ", name, " = f32[4] call(p), to_apply=g", i - 1, "\n");
    }
    text += " ROOT r = f32[4] add(a, b)\n}\n";
  }
  const hlo::Module module = *hlo::ParseModule(text);
  const hlo::InstructionId last = module.operands(module.entry().root)[0];
  const auto whole = SignatureOf(module, last);
  ASSERT_TRUE(whole.ok()) << whole.status();
  const auto needs = Project(*whole, *ZRange::Create({1}, {3}));
  ASSERT_TRUE(needs.ok()) << needs.status();
  EXPECT_EQ((*needs)[0].cells.bounding()->ToString(), "zr[1:3]");
}

TEST(SignatureOfTest, WhatHasNoArraysNeedsNone) {
  for (const char* const root :
       {"() tuple()", "() opt-barrier(z)", "() copy(z)", "() get-tuple-element(y), index=0",
        "(f32[4], s32[4]) custom-call(), custom_call_target=\"TopK\""}) {
    const hlo::Module module =
        Parse(absl::StrCat("z = () parameter(0)\ny = (()) parameter(1)\nROOT r = ", root, "\n"));
    const auto signature = SignatureOf(module, module.entry().root);
    ASSERT_TRUE(signature.ok()) << signature.status();
    EXPECT_TRUE(signature->operands.empty()) << root;
  }
}

}  // namespace
}  // namespace tessera::projection
