#include "tessera/testing/hostile/generators.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"

namespace tessera::testing::hostile {
namespace {

using absl::StrAppend;
using absl::StrCat;

constexpr char kShape[] = "f32[8,16]";

std::string Header() {
  return R"(HloModule m, num_partitions=8, frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\"a\"=2, \"b\"=4]>}"}

)";
}

// "name = f32[8,16] rest".
std::string Line(const std::string& name, const std::string& rest) {
  return StrCat("  ", name, " = ", kShape, " ", rest, "\n");
}

std::string Parameter(const std::string& name) {
  return Line(
      name,
      R"(parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\"}, {}]>"})");
}

std::string Constrained(const std::string& name, const std::string& operand, bool other) {
  const char* const sharding = other ? R"([{}, {\"b\"}])" : R"([{\"a\"}, {}])";
  return Line(
      name,
      StrCat(
          "custom-call(", operand,
          R"(), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, )",
          sharding, R"(>]>"})"));
}

std::string Unary(const std::string& name, const std::string& opcode) {
  return StrCat(name, " {\n", Line("x", "parameter(0)"), Line("ROOT y", StrCat(opcode, "(x)")),
                "}\n\n");
}

// Names v0, v1, ..: each line is made from the name before it.
template <typename Rest>
std::string Chain(int n, Rest rest) {
  std::string text = Parameter("v0");
  for (int i = 0; i < n; ++i) StrAppend(&text, rest(StrCat("v", i), StrCat("v", i + 1), i));
  return StrCat("ENTRY e {\n", text, Line("ROOT r", StrCat("negate(v", n, ")")), "}\n");
}

std::string Calls(int n) {
  return StrCat(Header(), Unary("fn", "tanh"), Chain(n, [](auto from, auto to, int) {
                  return Line(to, StrCat("call(", from, "), to_apply=fn"));
                }));
}

std::string CallsWithTwoShardings(int n) {
  return StrCat(Header(), Unary("fn", "tanh"), Chain(n, [](auto from, auto to, int i) {
                  return StrCat(Constrained(StrCat("k", i), from, i % 2 == 0),
                                Line(to, StrCat("call(k", i, "), to_apply=fn")));
                }));
}

std::string CallsOfMany(int n) {
  std::string text = Header();
  for (int i = 0; i < n; ++i) StrAppend(&text, Unary(StrCat("fn", i), "tanh"));
  return StrCat(text, Chain(n, [](auto from, auto to, int i) {
                  return Line(to, StrCat("call(", from, "), to_apply=fn", i));
                }));
}

std::string Conditionals(int n) {
  std::string text = Header();
  for (int i = 0; i < n; ++i) {
    StrAppend(&text, Unary(StrCat("on", i), "tanh"), Unary(StrCat("off", i), "negate"));
  }
  const std::string chain = Chain(n, [](auto from, auto to, int i) {
    return Line(to, StrCat("conditional(s, ", from, ", ", from, "), true_computation=on", i,
                           ", false_computation=off", i));
  });
  return StrCat(text, "ENTRY e {\n  s = pred[] parameter(1)\n", chain.substr(sizeof("ENTRY e {")));
}

std::string Branches(int n) {
  std::string text = Header();
  std::vector<std::string> operands, names;
  for (int i = 0; i < n; ++i) {
    StrAppend(&text, Unary(StrCat("fn", i), "tanh"));
    operands.push_back("p");
    names.push_back(StrCat("fn", i));
  }
  return StrCat(text, "ENTRY e {\n", Parameter("p"), "  s = s32[] parameter(1)\n",
                Line("ROOT r", StrCat("conditional(s, ", absl::StrJoin(operands, ", "),
                                      "), branch_computations={", absl::StrJoin(names, ", "), "}")),
                "}\n");
}

std::string Repeated(const std::string& text, int n) {
  return absl::StrJoin(std::vector<std::string>(static_cast<size_t>(n), text), ", ");
}

std::string TupleOf(int n) { return StrCat("(", Repeated(kShape, n), ")"); }

std::string Names(const std::string& name, int n) {
  std::vector<std::string> names;
  for (int i = 0; i < n; ++i) names.push_back(StrCat(name, i));
  return absl::StrJoin(names, ", ");
}

std::string Elements(const std::string& tuple, int n) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    StrAppend(&text, Line(StrCat("g", i), StrCat("get-tuple-element(", tuple, "), index=", i)));
  }
  return text;
}

std::string WideParameter(int n) {
  std::string text = StrCat(Header(), "ENTRY e {\n  p = ", TupleOf(n), " parameter(0)\n",
                            Elements("p", n), Constrained("v0", "g0", false));
  for (int i = 1; i < n; ++i) {
    StrAppend(&text, Line(StrCat("v", i), StrCat("add(v", i - 1, ", g", i, ")")));
  }
  return StrCat(text, Line("ROOT r", StrCat("negate(v", n - 1, ")")), "}\n");
}

std::string WideLoop(int n) {
  const std::string tuple = TupleOf(n);
  std::string text =
      StrCat(Header(), "cond {\n  t = ", tuple,
             " parameter(0)\n  ROOT c = pred[] constant(false)\n}\n\nbody {\n  t = ", tuple,
             " parameter(0)\n", Elements("t", n));
  for (int i = 0; i < n; ++i) {
    StrAppend(&text, Line(StrCat("n", i), StrCat("negate(g", i, ")")));
  }
  StrAppend(&text, "  ROOT r = ", tuple, " tuple(", Names("n", n), ")\n}\n\nENTRY e {\n",
            Parameter("p"));
  for (int i = 0; i < n; ++i) StrAppend(&text, Line(StrCat("o", i), "negate(p)"));
  return StrCat(text, "  t = ", tuple, " tuple(", Names("o", n), ")\n  ROOT w = ", tuple,
                " while(t), condition=cond, body=body\n}\n");
}

std::string WideBarrier(int n) {
  const std::string tuple = TupleOf(n);
  std::string text = StrCat(Header(), "ENTRY e {\n", Parameter("p"));
  for (int i = 0; i < n; ++i) StrAppend(&text, Line(StrCat("o", i), "negate(p)"));
  return StrCat(text, "  t = ", tuple, " tuple(", Names("o", n), ")\n  b = ", tuple,
                " opt-barrier(t)\n", Elements("b", n), "  ROOT r = ", tuple, " tuple(",
                Names("g", n), ")\n}\n");
}

// Each reader gets a copy of both constants.
std::string ReadersOfConstants(int n) {
  const std::string chain =
      Chain(n, [](auto from, auto to, int) { return Line(to, StrCat("add(", from, ", k)")); });
  return StrCat(Header(), "ENTRY e {\n", Line("c", "constant({...})"), Line("k", "tanh(c)"),
                chain.substr(sizeof("ENTRY e {")));
}

// Loops side by side that all capture one value and one constant.
std::string LoopsThatCapture(int n) {
  const std::string pair = TupleOf(2);
  const std::string body = StrCat("  t = ", pair, " parameter(0)\n", Elements("t", 2));
  std::string text = Header();
  for (int i = 0; i < n; ++i) {
    StrAppend(&text, "cond", i, " {\n  t = ", pair,
              " parameter(0)\n  ROOT c = pred[] constant(false)\n}\n\nbody", i, " {\n", body,
              Line("s", "add(g0, g1)"), "  ROOT r = ", pair, " tuple(s, g1)\n}\n\n");
  }
  return StrCat(text, Chain(n, [&](auto from, auto to, int i) {
                  return StrCat("  t", i, " = ", pair, " tuple(", from, ", v0)\n  w", i, " = ",
                                pair, " while(t", i, "), condition=cond", i, ", body=body", i, "\n",
                                Line(to, StrCat("get-tuple-element(w", i, "), index=0")));
                }));
}

std::string Reshards(int n) {
  return StrCat(Header(), Chain(n, [](auto from, auto to, int i) {
                  return Constrained(to, from, i % 2 == 0);
                }));
}

// One value, two constraints one after the other, and readers that the second one is for.
std::string ReadersAfterConstraints(int n) {
  std::string text = StrCat(Header(), "ENTRY e {\n", Line("p", "parameter(0)"),
                            Constrained("c", "p", false), Constrained("d", "c", true));
  for (int i = 0; i < n; ++i) StrAppend(&text, Line(StrCat("o", i), "negate(p)"));
  return StrCat(text, "  ROOT r = f32[", 8 * (n + 1), ",16] concatenate(d, ", Names("o", n),
                "), dimensions={0}\n}\n");
}

std::string Operands(int n) {
  std::string text = StrCat(Header(), "ENTRY e {\n", Parameter("p"));
  for (int i = 0; i < n; ++i) StrAppend(&text, Line(StrCat("o", i), "negate(p)"));
  return StrCat(text, "  ROOT r = f32[", 8 * n, ",16] concatenate(", Names("o", n),
                "), dimensions={0}\n}\n");
}

std::string WideCall(int n) {
  std::string text = StrCat(Header(), "fn {\n", Line("x", "parameter(0)"));
  for (int i = 0; i < n; ++i) StrAppend(&text, Line(StrCat("o", i), "negate(x)"));
  return StrCat(text, "  ROOT t = ", TupleOf(n), " tuple(", Names("o", n), ")\n}\n\nENTRY e {\n",
                Parameter("p"), "  w = ", TupleOf(n), " call(p), to_apply=fn\n",
                Line("ROOT r", "get-tuple-element(w), index=0"), "}\n");
}

// fn0 is a leaf; each fn after it is its parameter `x`, then `lines` with the callee of $0.
std::string Computations(int n, const std::string& before, const std::string& between,
                         const std::string& last) {
  std::string text = StrCat(Header(), Unary("fn0", "tanh"));
  for (int i = 1; i <= n; ++i) {
    const std::string callee = StrCat("fn", i - 1);
    StrAppend(&text, i == n ? "ENTRY e" : StrCat("fn", i), " {\n",
              i == n ? Parameter("x") : Line("x", "parameter(0)"), before);
    if (!between.empty()) StrAppend(&text, Line("z", StrCat(between, callee)));
    StrAppend(&text, Line("ROOT y", StrCat(last, callee)), "}\n\n");
  }
  return text;
}

// Elements of a loop that all begin alike. Each takes over the next one, so that it never changes
// once that one does not.
std::string ShiftRegister(int n) {
  const std::string tuple = TupleOf(n), elements = Names("g", n);
  return StrCat(Header(), "cond {\n  t = ", tuple,
                " parameter(0)\n  ROOT c = pred[] constant(false)\n}\n\nbody {\n  t = ", tuple,
                " parameter(0)\n", Elements("t", n), "  ROOT r = ", tuple, " tuple(",
                elements.substr(elements.find(' ') + 1), ", g", n - 1, ")\n}\n\nENTRY e {\n",
                Parameter("p"), "  t = ", tuple, " tuple(", Repeated("p", n), ")\n  w = ", tuple,
                " while(t), condition=cond, body=body\n",
                Line("ROOT r", "get-tuple-element(w), index=0"), "}\n");
}

// A loop whose element i takes over what the i-th loop inside makes of element 0, which never
// changes, and of element i + 1: it never changes once that one does not.
std::string ShiftRegisterOfLoops(int n) {
  const std::string pair = TupleOf(2), tuple = TupleOf(n + 1), outputs = Names("o", n + 1);
  std::string computations = Header(), lines;
  for (int i = 1; i <= n; ++i) {
    StrAppend(&computations, "cond", i, " {\n  t = ", pair,
              " parameter(0)\n  ROOT c = pred[] constant(false)\n}\n\nbody", i, " {\n  t = ", pair,
              " parameter(0)\n", Elements("t", 2), "  ROOT r = ", pair, " tuple(g1, g1)\n}\n\n");
    StrAppend(&lines, "  t", i, " = ", pair, " tuple(g0, g", i < n ? i + 1 : 0, ")\n  w", i, " = ",
              pair, " while(t", i, "), condition=cond", i, ", body=body", i, "\n",
              Line(StrCat("o", i), StrCat("get-tuple-element(w", i, "), index=0")));
  }
  return StrCat(computations, "cond {\n  t = ", tuple,
                " parameter(0)\n  ROOT c = pred[] constant(false)\n}\n\nbody {\n  t = ", tuple,
                " parameter(0)\n", Elements("t", n + 1), lines, "  ROOT r = ", tuple, " tuple(g0, ",
                outputs.substr(outputs.find(' ') + 1), ")\n}\n\nENTRY e {\n", Parameter("p"),
                "  t = ", tuple, " tuple(", Repeated("p", n + 1), ")\n  w = ", tuple,
                " while(t), condition=cond, body=body\n",
                Line("ROOT r", "get-tuple-element(w), index=0"), "}\n");
}

// The value is in group 0.
std::string InGroup(const std::string& name, const std::string& value) {
  return StrCat("  ", name, " = () custom-call(", value,
                "), custom_call_target=\"xla.sdy.ShardingGroup\", "
                "custom_call_has_side_effect=true, "
                "frontend_attributes={xla.sdy.sharding_group_id=\"0 : i64\"}\n");
}

// Each reader gets a copy of the constant, and of its groups, of which it has none.
std::string ReadersOfAConstantBesideAGroup(int n) {
  const std::string chain =
      Chain(n, [](auto from, auto to, int) { return Line(to, StrCat("add(", from, ", k)")); });
  return StrCat(Header(), "ENTRY e {\n", Line("k", "constant({...})"), Line("q", "parameter(1)"),
                InGroup("m", "q"), chain.substr(sizeof("ENTRY e {")));
}

// One value, constraints that want it cut in two ways, and then others that read it.
std::string ConstraintsBesideReaders(int n) {
  std::string text =
      StrCat(Header(), "ENTRY e {\n", Line("p", "parameter(0)"), Line("x", "negate(p)"));
  for (int i = 0; i < n; ++i) {
    StrAppend(&text, Constrained(StrCat("k", i), "x", i % 2 == 0));
  }
  for (int i = 0; i < n; ++i) StrAppend(&text, Line(StrCat("o", i), "negate(x)"));
  return StrCat(text, "  ROOT r = f32[", 16 * n, ",16] concatenate(", Names("k", n), ", ",
                Names("o", n), "), dimensions={0}\n}\n");
}

// The last one says how all shall lie.
std::string GroupOfParameters(int n) {
  std::string text = StrCat(Header(), "ENTRY e {\n");
  for (int i = 0; i < n; ++i) {
    const std::string name = StrCat("p", i);
    if (i + 1 < n) {
      StrAppend(&text, Line(name, StrCat("parameter(", i + 1, ")")));
    } else {
      StrAppend(&text, Parameter(name));
    }
    StrAppend(&text, InGroup(StrCat("m", i), name));
  }
  return StrCat(text, Line("ROOT r", "negate(p0)"), "}\n");
}

constexpr char kGather[] =
    ", offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
    "slice_sizes={1,16}\n";

// Each gather reads the indices after one broadcast more than the one before it.
std::string GathersAlongBroadcasts(int n) {
  std::string text = StrCat(Header(), "ENTRY e {\n", Parameter("p"),
                            "  b0 = s32[1,1] parameter(1)\n  v0 = f32[1,16] parameter(2)\n");
  for (int i = 0; i < n; ++i) {
    StrAppend(&text, "  b", i + 1, " = s32[1,1] broadcast(b", i, "), dimensions={0,1}\n  g", i,
              " = f32[1,16] gather(p, b", i + 1, ")", kGather);
    StrAppend(&text, "  v", i + 1, " = f32[1,16] add(v", i, ", g", i, ")\n");
  }
  return StrCat(text, "  ROOT r = f32[1,16] negate(v", n, ")\n}\n");
}

// As many indices as the text of eight gathers is long.
std::string GathersOfOneConstant(int n) {
  std::vector<std::string> indices;
  for (int i = 0; i < n; ++i) indices.push_back(StrCat("{", i, "}"));
  const std::string shape = StrCat("f32[", n, ",16]");
  std::string text = StrCat(Header(), "ENTRY e {\n  p = ", shape, " parameter(0)\n  v0 = ", shape,
                            " parameter(1)\n  k = s32[", n, ",1] constant({",
                            absl::StrJoin(indices, ", "), "})\n");
  for (int i = 0; i < n / 8; ++i) {
    StrAppend(&text, "  g", i, " = ", shape, " gather(p, k)", kGather, "  v", i + 1, " = ", shape,
              " add(v", i, ", g", i, ")\n");
  }
  return StrCat(text, "  ROOT r = ", shape, " negate(v", n / 8, ")\n}\n");
}

// As Computations, of scalars: fn0 is a leaf; each fn after it is its parameter `x`, then `lines`
// with the callee for $0.
std::string Scalars(int n, const std::string& lines) {
  std::string text =
      StrCat(Header(), "fn0 {\n  x = f32[] parameter(0)\n  ROOT y = f32[] tanh(x)\n}\n\n");
  for (int i = 1; i <= n; ++i) {
    StrAppend(&text, i == n ? "ENTRY e" : StrCat("fn", i), " {\n  x = f32[] parameter(0)\n",
              absl::Substitute(lines, StrCat("fn", i - 1)), "}\n\n");
  }
  return text;
}

}  // namespace

std::string ChainOfCalls(int n) { return Computations(n, "", "", "call(x), to_apply="); }

std::string ChainOfFusions(int n) {
  return Computations(n, "", "", "fusion(x), kind=kLoop, calls=");
}

std::string ChainOfMaps(int n) {
  return Scalars(n, "  ROOT y = f32[] map(x), dimensions={}, to_apply=$0\n");
}

std::string ChainOfCustomCalls(int n) {
  return Scalars(
      n, "  ROOT y = f32[] custom-call(x), custom_call_target=\"f\", called_computations={$0}\n");
}

std::string DagOfMaps(int n) {
  return Scalars(n,
                 "  z = f32[] map(x), dimensions={}, to_apply=$0\n"
                 "  ROOT y = f32[] map(z), dimensions={}, to_apply=$0\n");
}

std::string DagOfCalls(int n) {
  return Computations(n, "", "call(x), to_apply=", "call(z), to_apply=");
}

std::string DagOfFusions(int n) {
  return Computations(n, "", "fusion(x), kind=kLoop, calls=", "fusion(z), kind=kLoop, calls=");
}

std::string DagOfBranches(int n) {
  std::string text = StrCat(Header(), Unary("fn0", "tanh"));
  for (int i = 1; i <= n; ++i) {
    StrAppend(&text, i == n ? "ENTRY e" : StrCat("fn", i), " {\n",
              i == n ? Parameter("x") : Line("x", "parameter(0)"), "  s = pred[] constant(true)\n",
              Line("ROOT y", StrCat("conditional(s, x, x), true_computation=fn", i - 1,
                                    ", false_computation=fn", i - 1)),
              "}\n\n");
  }
  return text;
}

std::string NestedLoops(int n) {
  const std::string pair = TupleOf(2);
  std::string text = StrCat(Header(), "cond {\n  t = ", pair,
                            " parameter(0)\n  ROOT c = pred[] constant(false)\n}\n\n");
  for (int i = 0; i < n; ++i) {
    StrAppend(&text, "body", i, " {\n  t = ", pair, " parameter(0)\n", Elements("t", 2));
    if (i == 0) {
      StrAppend(&text, Line("s", "add(g0, g1)"));
    } else {
      StrAppend(&text, "  w = ", pair, " while(t), condition=cond, body=body", i - 1, "\n",
                Line("s", "get-tuple-element(w), index=0"));
    }
    StrAppend(&text, "  ROOT r = ", pair, " tuple(s, g1)\n}\n\n");
  }
  return StrCat(text, "ENTRY e {\n", Parameter("p"), Line("q", "parameter(1)"), "  t = ", pair,
                " tuple(p, q)\n  w = ", pair, " while(t), condition=cond, body=body", n - 1, "\n",
                Line("ROOT r", "get-tuple-element(w), index=0"), "}\n");
}

std::string ChainOfConstants(int n) {
  std::string text = StrCat(Header(), "ENTRY e {\n", Parameter("p"), Line("k0", "constant({...})"));
  for (int i = 0; i < n; ++i) {
    StrAppend(&text, Line(StrCat("k", i + 1), StrCat("tanh(k", i, ")")));
  }
  return StrCat(text, Line("ROOT r", StrCat("add(p, k", n, ")")), "}\n");
}

std::string SharedChainOfConstants(int n) {
  std::string text = Line("k0", "constant({...})");
  for (int i = 0; i < n; ++i) {
    StrAppend(&text, Line(StrCat("k", i + 1), StrCat("tanh(k", i, ")")));
  }
  const std::string chain = Chain(
      n, [&](auto from, auto to, int) { return Line(to, StrCat("add(", from, ", k", n, ")")); });
  return StrCat(Header(), "ENTRY e {\n", text, chain.substr(sizeof("ENTRY e {")));
}

std::string GatherThroughBroadcasts(int n) {
  std::string text =
      StrCat(Header(), "ENTRY e {\n", Parameter("p"), "  b0 = s32[1,1] parameter(1)\n");
  for (int i = 0; i < n; ++i) {
    StrAppend(&text, "  b", i + 1, " = s32[1,1] broadcast(b", i, "), dimensions={0,1}\n");
  }
  return StrCat(text, "  ROOT r = f32[1,16] gather(p, b", n, ")", kGather, "}\n");
}

std::vector<Generator> Generators() {
  return {
      {"calls of one computation", Calls, 1000, false},
      {"the same, as they come to the pass", Calls, 1000, true},
      {"calls with two shardings", CallsWithTwoShardings, 500, true},
      {"calls of many computations", CallsOfMany, 1000, false},
      {"the same, as they come to the pass", CallsOfMany, 1000, true},
      {"conditionals", Conditionals, 500, false},
      {"the same, as they come to the pass", Conditionals, 500, true},
      {"branches of one conditional", Branches, 1000, false},
      {"elements of a parameter", WideParameter, 1000, false},
      {"elements of a loop", WideLoop, 1000, false, kLinear, "w"},
      {"elements of a loop that take over the next", ShiftRegister, 500, false},
      {"elements of a loop that loops make", ShiftRegisterOfLoops, 200, false},
      {"elements of a barrier", WideBarrier, 1000, false},
      {"readers of constants", ReadersOfConstants, 1000, false},
      {"readers of a constant beside a group", ReadersOfAConstantBesideAGroup, 5000, false},
      {"chain of constants", ChainOfConstants, 1000, false},
      {"loops that capture", LoopsThatCapture, 300, false},
      {"reshards", Reshards, 1000, false},
      {"readers after constraints", ReadersAfterConstraints, 5000, false},
      {"constraints beside readers", ConstraintsBesideReaders, 4000, false},
      {"group of parameters", GroupOfParameters, 500, false},
      {"gathers along broadcasts", GathersAlongBroadcasts, 500, false},
      {"gathers of one constant", GathersOfOneConstant, 2000, false},
      {"operands", Operands, 1000, false},
      {"elements of a call", WideCall, 1000, false, kLinear, "w"},
      // As deep as calls may be. What a loop captures goes through all those around it.
      {"nested loops", NestedLoops, 200, false, 12},
      {"the same, as they come to the pass", NestedLoops, 200, true, 12},
      {"chain of calls, as it comes to the pass", ChainOfCalls, 200, true},
  };
}

}  // namespace tessera::testing::hostile
