// Loops, branches and calls.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/testing/target_passes/random/random_ops.h"

namespace tessera::testing::random_programs {
namespace {

using absl::StrCat;
using Maker = ProgramMaker;

std::vector<Value> Carried(Maker& m) {
  std::vector<Value> carried;
  for (int64_t n = 1 + m.Below(3); n > 0; --n) carried.push_back(m.Any());
  return carried;
}

// Of the shapes of `values`; those of a loop are often what came in.
std::vector<Value> LikeThese(Maker& m, const std::vector<Value>& values) {
  std::vector<Value> out;
  for (const Value& v : values) out.push_back(m.OneIn(4) ? v : m.Like(v.type, v.dims));
  return out;
}

// Counts from zero; all devices turn as often.
void Loop(Maker& m) {
  if (m.is_nested()) return;
  std::vector<Value> carried = {m.Scalar("s32", "0")};
  for (const Value& v : Carried(m)) carried.push_back(v);
  const std::string body = m.Computation(carried, [&](std::vector<Value> values) {
    FillAtRandom(m, 1 + m.Below(6));
    std::vector<Value> next = LikeThese(m, values);
    const Value one = m.Scalar("s32", "1");
    next[0] = m.Add("s32", {}, StrCat("add(", values[0].name, ", ", one.name, ")"));
    return next;
  });
  const std::string condition = m.Predicate(
      carried, StrCat("  n = s32[] constant(", m.Below(4),
                      ")\n  ROOT c = pred[] compare(i, n), direction=LT\n"));
  m.AddTuple(carried, StrCat("while(", m.Tuple(carried), "), condition=", condition, ", body=", body));
}

void Branch(Maker& m) {
  if (m.is_nested()) return;
  const std::vector<Value> carried = Carried(m);
  const std::string tuple = m.Tuple(carried);
  std::string branches[2];
  m.Apart([&] {
    for (std::string& branch : branches) {
      branch = m.Computation(carried, [&](std::vector<Value> values) {
        FillAtRandom(m, m.Below(4));
        return LikeThese(m, values);
      });
    }
  });
  const Value chosen = m.Like("pred", {});
  m.AddTuple(carried, StrCat("conditional(", chosen.name, ", ", tuple, ", ", tuple,
                             "), true_computation=", branches[0],
                             ", false_computation=", branches[1]));
}

void Call(Maker& m) {
  if (m.is_nested()) return;
  const std::vector<Value> carried = Carried(m);
  std::vector<Value> results;
  const std::string callee = m.Computation(carried, [&](const std::vector<Value>&) {
    FillAtRandom(m, 1 + m.Below(3));
    results = {m.Any(), m.Any()};
    return results;
  });
  m.AddTuple(results, StrCat("call(", m.Tuple(carried), "), to_apply=", callee));
}

}  // namespace

absl::Span<const RandomOp> ControlFlowOps() {
  static constexpr RandomOp kOps[] = {Loop, Loop, Branch, Call};
  return kOps;
}

}  // namespace tessera::testing::random_programs
