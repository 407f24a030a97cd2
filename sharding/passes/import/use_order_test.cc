// The order of use lists, made visible. In each program `d` is the product of x[8,3] and y[8,3]
// along the 3; x and y come from one value v. After visits of x, y and d, a result that is sharded
// along "a" gives the axis to v. The first of x and y to wake takes "a" on its dimension of d. The
// answers are those of the real pass (jaxlib 0.10.2).

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/passes/pass_lists.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/sharding/sdy_text.h"

namespace tessera::sharding::passes {
namespace {

constexpr char kHead[] =
    "HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = "
    "#sdy.mesh<[\"a\"=2]>}}\n\n";

// X(n,v): n = f32[8,3] from v. END: d, the product of x and y; z, from v, its sharding; the root.
std::string Expand(std::string body) {
  const auto product = [](const std::string& name, const std::string& v) {
    return absl::StrCat("  ", name, " = f32[8,3] dot(", v,
                        ", c), lhs_contracting_dims={}, rhs_contracting_dims={}\n");
  };
  const std::string end = absl::StrCat(
      "  d = f32[8,8] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n",
      product("z", "v"),
      "  r = f32[8,3] custom-call(z), custom_call_target=\"xla.sdy.FuncResultSharding\", "
      "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, [{\\\"a\\\"}, "
      "{?}]>]>\"}\n  ROOT t = (f32[8,8], f32[8,3]) tuple(d, r)\n}\n");
  for (const char* v : {"v", "k", "u"}) {
    for (const char* n : {"x", "y"}) {
      absl::StrReplaceAll({{absl::StrCat("X(", n, ",", v, ")\n"), product(n, v)}}, &body);
    }
  }
  return absl::StrReplaceAll(body, {{"END\n", end}});
}

// The sharding of d after propagation.
std::string Product(const std::string& body) {
  const absl::StatusOr<hlo::Module> module = hlo::ParseModule(absl::StrCat(kHead, Expand(body)));
  if (!module.ok()) return std::string(module.status().message());
  Context context;
  context.module = *module;
  const absl::Status run = RunPasses(UpToPropagation({}), &context);
  if (!run.ok()) return std::string(run.message());
  const HloProgram& program = *context.program;
  std::string answer;
  ForEachOp(program, [&](Op* op) {
    if (op->source == hlo::kNoId || module->instruction(op->source).name != "d") return;
    const TensorSharding* s = program.Find(op->result());
    answer = s == nullptr ? "none" : PrintDims(*s, program.meshes().mesh(s->mesh_id()));
  });
  return answer;
}

constexpr char kFirst[] = "[{\"a\", ?}, {?}]";
constexpr char kSecond[] = "[{?}, {\"a\", ?}]";

constexpr char kParameters[] = "ENTRY e {\n  p = f32[8] parameter(0)\n  c = f32[3] parameter(1)\n";
constexpr char kOpen[] =
    "custom_call_target=\"Sharding\", frontend_attributes={xla.sdy.sharding="
    "\"#sdy.sharding_per_value<[<@mesh, [{?}]>]>\"}\n";

// The list of a plain value begins with its latest use, and the stack turns that round.
TEST(UseOrderTest, PlainValues) {
  EXPECT_EQ(Product(absl::StrCat(kParameters, "  v = f32[8] sine(p)\nX(x,v)\nX(y,v)\nEND\n")),
            kFirst);
}

// A data-flow edge reverses the list of uses of its value.
TEST(UseOrderTest, AfterAnEdge) {
  const std::string barrier =
      "  b = (f32[8]) tuple(p)\n  o = (f32[8]) opt-barrier(b)\n"
      "  v = f32[8] get-tuple-element(o), index=0\n";
  EXPECT_EQ(Product(absl::StrCat(kParameters, barrier, "X(x,v)\nX(y,v)\nEND\n")), kSecond);
}

// How often, and through how many reads, a tuple was taken apart leaves no trace.
TEST(UseOrderTest, TwoReadsOfOneElement) {
  const std::string reads =
      "  b = (f32[8]) tuple(p)\n  o = (f32[8]) opt-barrier(b)\n"
      "  v = f32[8] get-tuple-element(o), index=0\n  u = f32[8] get-tuple-element(o), index=0\n";
  EXPECT_EQ(Product(absl::StrCat(kParameters, reads, "X(x,v)\nX(y,u)\nEND\n")), kSecond);
}

// A constraint counts where it stands, and so do its users.
TEST(UseOrderTest, ConstraintsKeepTheirPlace) {
  EXPECT_EQ(Product(absl::StrCat(kParameters, "  v = f32[8] sine(p)\n  k = f32[8] custom-call(v), ",
                                 kOpen, "X(x,k)\nX(y,v)\nEND\n")),
            kFirst);
  EXPECT_EQ(Product(absl::StrCat(kParameters, "  v = f32[8] custom-call(p), ", kOpen,
                                 "X(x,v)\nX(y,v)\nEND\n")),
            kFirst);
}

// A loop counts as older than its body: its own use of v is woken before the capture.
TEST(UseOrderTest, LoopsBeforeTheirBodies) {
  constexpr char kLoop[] = R"(cond {
  q = (s32[], f32[8], f32[8,3], f32[8], f32[3]) parameter(0)
  i = s32[] get-tuple-element(q), index=0
  n = s32[] constant(5)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  q = (s32[], f32[8], f32[8,3], f32[8], f32[3]) parameter(0)
  i = s32[] get-tuple-element(q), index=0
  e = f32[8] get-tuple-element(q), index=1
  v = f32[8] get-tuple-element(q), index=3
  c = f32[3] get-tuple-element(q), index=4
  one = s32[] constant(1)
  j = s32[] add(i, one)
  f = f32[8] custom-call(e), custom_call_target="wall"
  g = f32[8,3] dot(v, c), lhs_contracting_dims={}, rhs_contracting_dims={}
  ROOT t = (s32[], f32[8], f32[8,3], f32[8], f32[3]) tuple(j, f, g, v, c)
}
ENTRY e {
  p = f32[8] parameter(0)
  c = f32[3] parameter(1)
  g0 = f32[8,3] parameter(2)
  v = f32[8] sine(p)
  zero = s32[] constant(0)
  init = (s32[], f32[8], f32[8,3], f32[8], f32[3]) tuple(zero, v, g0, v, c)
  w = (s32[], f32[8], f32[8,3], f32[8], f32[3]) while(init), condition=cond, body=body
  k = f32[8] get-tuple-element(w), index=1
  y = f32[8,3] get-tuple-element(w), index=2
X(x,k)
END
)";
  EXPECT_EQ(Product(kLoop), kFirst);
}

}  // namespace
}  // namespace tessera::sharding::passes
