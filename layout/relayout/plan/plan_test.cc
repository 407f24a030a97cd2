#include "tessera/layout/relayout/plan.h"

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/layout/error.h"
#include "tessera/testing/layout/test_buffers.h"
#include "tessera/testing/layout/test_shape.h"

namespace tessera::layout::relayout {
namespace {

using ::testing::HasSubstr;

Options Permuted(std::vector<int64_t> perm) {
  Options options;
  options.perm = std::move(perm);
  return options;
}

struct Pair {
  const char* src;
  const char* dst;
  std::vector<int64_t> perm = {};
};

const Pair kPairs[] = {
    {"f32[]", "f32[]{:T(4)}"},
    {"f32[]{:T(*,3)}", "f32[]{:T(2,*,4)}"},
    {"u8[0,3]", "u8[0,3]{0,1:T(2,2)}"},
    {"f32[9,11]", "f32[9,11]{0,1}"},
    {"u8[37,70]{1,0}", "u8[37,70]{0,1}"},
    {"u16[37,70]{1,0}", "u16[37,70]{0,1}"},
    {"u32[37,70]{1,0}", "u32[37,70]{0,1}"},
    {"u64[37,70]{1,0}", "u64[37,70]{0,1}"},
    {"c128[7,5]{1,0}", "c128[7,5]{0,1}"},
    {"u8[130,200]{1,0}", "u8[200,130]{1,0}", {1, 0}},
    {"u16[130,200]{1,0}", "u16[200,130]{1,0}", {1, 0}},
    {"u32[5,6,7]", "u32[7,5,6]{1,2,0}", {2, 0, 1}},
    {"u8[20,6,7,3]", "u8[6,3,7,20]", {1, 3, 2, 0}},
    {"f32[19,300]", "f32[19,300]{1,0:T(8,128)}"},
    {"f32[19,300]{1,0:T(8,128)}", "f32[19,300]{0,1:T(8,128)}"},
    {"bf16[19,300]", "bf16[19,300]{1,0:T(8,128)(2,1)}"},
    {"bf16[19,300]{1,0:T(8,128)(2,1)}", "bf16[19,300]"},
    {"bf16[19,300]{1,0:T(8,128)(2,1)}", "bf16[19,300]{0,1:T(8,128)(2,1)}"},
    {"bf16[19,300]{1,0:T(8,128)(2,1)}", "bf16[19,300]{1,0:T(16,128)(2,1)}"},
    {"s8[70,300]{1,0:T(8,128)(4,1)}", "s8[70,300]{1,0:T(32,128)(4,1)}"},
    {"pred[40,150]{1,0:T(8,128)(4,1)}", "pred[40,150]{0,1:T(32,128)(4,1)}"},
    {"bf16[2500]{0:T(1024)(128)(2,1)}", "bf16[2500]{0}"},
    {"bf16[2500]{0}", "bf16[2500]{0:T(1024)(128)(2,1)}"},
    {"s32[300,3,4]{2,1,0:T(8,128)}", "s32[300,3,4]{0,2,1:T(4,128)}"},
    {"bf16[20,1,30,17]{0,1,3,2:T(4,128)(2,1)}", "bf16[20,1,30,17]{3,2,1,0:T(8,128)(2,1)}"},
    {"s4[70,140]{1,0:T(64,128)(8,1)E(4)}", "s4[70,140]{1,0:T(8,128)(8,1)E(4)}"},
    {"s4[13,21]{1,0:E(4)}", "s4[13,21]{0,1:E(4)}"},
    {"u2[13,21]{1,0:E(2)}", "u2[13,21]{0,1:T(3,4)E(2)}"},
    {"u1[5,9]{1,0:E(1)}", "u1[5,9]{0,1:E(1)}"},
    {"pred[9,5]{1,0:E(32)}", "pred[9,5]{0,1:E(32)}"},
    {"u8[30,25]{1,0:T(2,3)}", "u8[30,25]{1,0:T(3,2)}"},
    {"u8[6,7,8]{2,1,0:T(*,5)}", "u8[6,7,8]{1,2,0:T(2,*,3)}"},
    {"u8[6,7,8]{2,1,0:T(*,16)}", "u8[6,7,8]{2,1,0:T(*,24)}"},
    {"u8[6,7,8]{2,1,0:T(2,2)(*,3)}", "u8[6,7,8]{0,1,2:T(2,2)(2,1)}"},
    {"f32[7]{0:L(4)}", "f32[7]{0:T(2)L(5)}"},
    // Stars, that both sides combine, or one leaves alone.
    {"f32[2,7,8,11,10]", "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}"},
    {"f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", "f32[11,10,2,7,8]", {3, 4, 0, 1, 2}},
    {"u16[6,7,8]{2,1,0:T(*,16)}", "u16[8,6,7]{0,2,1:T(*,4,2)(2,1)}", {2, 0, 1}},
    {"u8[6,7,8]{2,1,0:T(2,*,16)}", "u8[6,7,8]{1,2,0:T(4)}"},
    {"u8[5,7,9]{2,1,0:T(*,6)}", "u8[5,7,9]{2,1,0:T(1)(2,6,6)}"},
    {"u8[5,7,9,3]{3,2,1,0:T(*,6)}", "u8[5,7,9,3]{3,2,1,0:T(1)(2,6,6)}"},
    {"u8[5,7,9,3]{2,1,0,3:T(*,6)}", "u8[5,7,9,3]{3,2,1,0:T(1)(2,6,6)}"},
    // Squares folded into elements.
    {"bf16[50,260]{1,0:T(8,128)(2,1)}", "bf16[50,260]{0,1:T(8,128)(2,1)}"},
    {"s8[70,300]{1,0:T(8,128)(4,1)}", "s8[70,300]{0,1:T(8,128)(4,1)}"},
    {"s8[70,300]{1,0:T(8,128)(4,1)}", "s8[70,300]{0,1:T(8,128)(2,1)}"},
    {"f32[40,150]{1,0:T(8,128)(2,1)}", "f32[40,150]{0,1:T(8,128)(2,1)}"},
    // Elements with gaps: out of padding by (2,1), (4,1), (8,1).
    {"bf16[36,1,4,40]{0,1,3,2:T(4,128)(2,1)}", "bf16[36,1,4,40]{3,2,1,0:T(8,128)(2,1)}"},
    {"s8[40,1,200]{2,1,0:T(8,128)(4,1)}", "s8[40,1,200]{0,1,2}"},
    {"bf16[1,300]{1,0:T(2,128)(2,1)}", "bf16[1,300]{1,0}"},
    {"u16[1,200]{1,0:T(4,8)(4,1)}", "u16[1,200]{0,1}"},
    {"s8[1,200]{1,0:T(8,128)(8,1)}", "s8[1,200]{1,0}"},
    // Rows a power of two apart.
    {"f32[33,1024]{1,0}", "f32[33,1024]{0,1}"},
    {"u8[70,1024]{1,0}", "u8[70,1024]{0,1}"},
    {"c128[9,512]{1,0}", "c128[9,512]{0,1}"},
    // 4-bit elements whose pairs are whole, some of them in an odd number.
    {"s4[140,150]{1,0:E(4)}", "s4[140,150]{0,1:E(4)}"},
    {"s4[130,262]{1,0:T(8,128)E(4)}", "s4[130,262]{0,1:T(8,128)E(4)}"},
    {"s4[131,262]{1,0:T(8,128)E(4)}", "s4[131,262]{0,1:T(8,128)E(4)}"},
    {"s4[70,140]{1,0:T(8,128)(8,1)E(4)}", "s4[70,140]{0,1:T(8,128)(8,1)E(4)}"},
    {"s4[70,140]{1,0:E(4)}", "s4[70,140]{1,0:T(8,128)(8,1)E(4)}"},
    // Odd numbers of adjacent elements.
    {"f32[40,30,3]{2,1,0}", "f32[40,30,3]{0,1,2}"},
    {"u8[80,90,3]{2,1,0}", "u8[80,90,3]{0,1,2}"},
};

TEST(PlanTest, GivesWhatTheSlowMapSays) {
  for (const Pair& pair : kPairs) {
    for (const Fill fill : {Fill::kLeave, Fill::kZero, Fill::kValue}) {
      Options options = Permuted(pair.perm);
      options.fill = fill;
      options.fill_value = 0x0123456789abcdef;
      EXPECT_EQ(CheckAgainstSlowMap(ShapeFrom(pair.src), ShapeFrom(pair.dst), options), "")
          << pair.src << " to " << pair.dst;
      EXPECT_TRUE(Plan::Create(ShapeFrom(pair.src), ShapeFrom(pair.dst), options).ok());
    }
  }
}

TEST(PlanTest, StreamsAndRepacks) {
  for (const Pair& pair : kPairs) {
    Options options = Permuted(pair.perm);
    options.streaming = Streaming::kAlways;
    EXPECT_EQ(CheckAgainstSlowMap(ShapeFrom(pair.src), ShapeFrom(pair.dst), options), "");
  }
  Options repack;
  repack.repack = true;
  for (const auto& [narrow, wide] : {std::pair{"s4[5,7]{1,0:E(4)}", "s4[5,7]{0,1:T(2,2)}"},
                                     std::pair{"s4[5,7]{0,1:E(4)}", "s4[5,7]{1,0:T(*,4)}"},
                                     std::pair{"s4[90,140]{1,0:E(4)}", "s4[90,140]{1,0}"},
                                     std::pair{"s4[90,140]{1,0:E(4)}", "s4[90,140]{0,1}"},
                                     std::pair{"s4[1,2]{1,0:E(4)}", "s4[1,2]{1,0}"}}) {
    const Shape a = ShapeFrom(narrow), b = ShapeFrom(wide);
    EXPECT_TRUE(Plan::Create(a, b, repack).ok());
    EXPECT_EQ(CheckAgainstSlowMap(a, b, repack), "") << narrow;
    EXPECT_EQ(CheckAgainstSlowMap(b, a, repack), "") << wide;
  }
}

// Runs the tasks backwards, one after the other.
void Backwards(int count, const std::function<void(int)>& task) {
  for (int i = count; i-- > 0;) task(i);
}

TEST(PlanTest, PartsMakeTheWhole) {
  for (const auto& [src, dst] :
       {std::pair{"f32[1000,1100]", "f32[1000,1100]{0,1}"},
        std::pair{"f32[1000,1100]{1,0}", "f32[1000,1100]{1,0:T(8,128)}"},
        std::pair{"u8[2200,2000]{1,0}", "u8[2200,2000]{1,0}"},
        std::pair{"bf16[3000000]{0:T(1024)(128)(2,1)}", "bf16[3000000]{0}"},
        std::pair{"s4[2100,2101]{1,0:E(4)}", "s4[2100,2101]{1,0:T(8,128)E(4)}"},
        std::pair{"bf16[1200,1300]{1,0:T(8,128)(2,1)}", "bf16[1200,1300]{0,1:T(8,128)(2,1)}"},
        std::pair{"bf16[256,1,64,128]{0,1,3,2:T(4,128)(2,1)}", "bf16[256,1,64,128]{3,2,1,0}"},
        std::pair{"bf16[1,3000000]{1,0:T(2,128)(2,1)}", "bf16[1,3000000]{1,0}"},
        std::pair{"s4[2600,2602]{1,0:E(4)}", "s4[2600,2602]{0,1:E(4)}"},
        std::pair{"s4[2600,2602]{1,0}", "s4[2600,2602]{1,0:E(4)}"}}) {
    Options options;
    options.repack = true;
    options.fill = Fill::kZero;
    options.threads = 3;
    const Plan plan = *Plan::Create(ShapeFrom(src), ShapeFrom(dst), options);
    std::vector<uint8_t> source(plan.src_bytes()), one(plan.dst_bytes(), 7), three = one;
    for (size_t i = 0; i < source.size(); ++i)
      source[i] = static_cast<uint8_t>(i * 2654435761u >> 9);
    plan.Run(source.data(), one.data());
    plan.Run(source.data(), three.data(), Backwards);
    EXPECT_TRUE(one == three) << src;
  }
}

TEST(PlanTest, OneThreadIsTheCaller) {
  const Plan plan =
      *Plan::Create(ShapeFrom("f32[1000,1100]"), ShapeFrom("f32[1000,1100]{0,1}"), Options());
  std::vector<uint8_t> source(plan.src_bytes()), here(plan.dst_bytes()), asked(plan.dst_bytes());
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<uint8_t>(i * 2654435761u >> 9);
  int calls = 0;
  plan.Run(source.data(), asked.data(), [&](int count, const std::function<void(int)>& task) {
    ++calls;
    Backwards(count, task);
  });
  EXPECT_EQ(calls, 0);
  plan.Run(source.data(), here.data());
  EXPECT_TRUE(asked == here);
}

TEST(PlanTest, ReportsTheFirstMistake) {
  struct {
    const char* src;
    const char* dst;
    std::vector<int64_t> perm;
    const char* code;
  } const kCases[] = {
      {"(f32[2])", "u8[3]", {}, "R_ARRAY"},
      {"f32[2]", "token[]", {}, "R_ARRAY"},
      {"f32[2]", "s32[3]", {}, "R_TYPE"},
      {"f32[2]", "f32[3]", {}, "R_DIMS"},
      {"f32[2,3]", "f32[3,2]", {}, "R_DIMS"},
      {"f32[2,2]", "f32[2,2]", {0, 0}, "R_DIMS"},
      {"f32[?,2]", "f32[?,2]{0,0}", {}, "R_UNBOUNDED"},
      {"f32[2,3]{1,1}", "f32[2,3]{0,0}", {}, "V_M2M_DUP"},
      {"s4[2]{0:E(4)}", "s4[2]", {}, "R_BITS"},
      {"b(f32[<=2])", "f32[2]", {}, ""},
  };
  for (const auto& c : kCases) {
    const auto plan = Plan::Create(ShapeFrom(c.src), ShapeFrom(c.dst), Permuted(c.perm));
    EXPECT_EQ(ErrorCode(plan.status()), c.code) << c.src << " to " << c.dst;
  }
}

TEST(PlanTest, BuffersThatAreTooShortAreRefused) {
  const Plan plan = *Plan::Create(ShapeFrom("u8[3]"), ShapeFrom("u8[3]{0:T(4)}"));
  const std::vector<uint8_t> source = {1, 2, 3};
  std::vector<uint8_t> target(4);
  EXPECT_TRUE(plan.Run(source, absl::MakeSpan(target)).ok());
  EXPECT_EQ(target, (std::vector<uint8_t>{1, 2, 3, 0}));
  const absl::Status status = plan.Run(source, absl::MakeSpan(target).first(3));
  EXPECT_EQ(ErrorCode(status), "R_BUFFER");
  EXPECT_EQ(status.message(), "buffers of 3 and 3 bytes: expected 3 and 4");
}

TEST(PlanTest, ChoosesTheKernel) {
  struct {
    const char* src;
    const char* dst;
    const char* kernel;
  } const kCases[] = {
      {"f32[16,256]", "f32[16,256]{1,0:T(8,128)}", "copy rows of 512 bytes"},
      {"bf16[16,256]", "bf16[16,256]{1,0:T(8,128)(2,1)}", "zip 2 rows of 128 elements of 2 bytes"},
      {"bf16[2048]{0:T(1024)(128)(2,1)}", "bf16[2048]", "unzip 2 rows"},
      {"bf16[128,256]{1,0:T(8,128)(2,1)}", "bf16[128,256]{0,1:T(8,128)(2,1)}",
       "elements of 8 bytes, each of them a square"},
      {"bf16[8,1,256]{2,1,0:T(2,128)(2,1)}", "bf16[8,1,256]{0,1,2}",
       "elements of 2 bytes, 4 bytes apart"},
      {"bf16[8,1,256]{2,1,0:T(2,128)(2,1)}", "bf16[8,1,256]{2,1,0}",
       "gather rows of 2048 elements"},
      {"f32[64,1024]", "f32[64,1024]{0,1}", "transpose 64 x 16 elements of 4 bytes"},
      {"f32[512,512]", "f32[512,512]{0,1}", "transpose 256 x 16 elements of 4 bytes"},
      {"f32[2048,1024]", "f32[2048,1024]{0,1}", "transpose 64 x 16 elements of 4 bytes"},
      {"u8[2048,1024]", "u8[2048,1024]{0,1}", "transpose 256 x 128 elements of 1 bytes"},
      {"f32[8192,4096]", "f32[8192,4096]{0,1}", "transpose 64 x 64 elements of 4 bytes"},
      {"f32[256,64,64,3]", "f32[256,64,64,3]{0,2,3,1}", "transpose 64 x 48 elements of 4 bytes"},
      {"s4[64,64]{1,0:E(4)}", "s4[64,64]{0,1:E(4)}", "bytes, made of 4-bit elements"},
      {"s4[7,9]{1,0:E(4)}", "s4[7,9]{0,1:E(4)}", "bits, 4 to 4"},
      {"u8[6,7]{1,0:T(*,4)}", "u8[6,7]{0,1}", "run by run through both index maps"},
      {"u8[9,6,7]{2,1,0:T(*,21)}", "u8[9,6,7]{2,1,0}", "piece of 378 bytes: copy"},
  };
  for (const auto& c : kCases) {
    const auto plan = Plan::Create(ShapeFrom(c.src), ShapeFrom(c.dst));
    ASSERT_TRUE(plan.ok()) << c.src;
    EXPECT_THAT(plan->Explain(), HasSubstr(c.kernel));
  }
}

TEST(PlanTest, ExplainsItself) {
  const Plan plan =
      *Plan::Create(ShapeFrom("f32[129,300]"), ShapeFrom("f32[129,300]{1,0:T(8,128)}"));
  EXPECT_THAT(plan.Explain(), HasSubstr("copy rows of 512 bytes, 8 (stride 1200 -> 512); loops"));
  EXPECT_EQ(plan.data_bytes(), 154800);
  EXPECT_EQ(plan.dst_bytes(), 208896);
}

}  // namespace
}  // namespace tessera::layout::relayout
