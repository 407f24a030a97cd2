// Adds calls, fusions, loops, conditionals and barriers, whose computations are filled at random.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/testing/hostile/random_ops.h"

namespace tessera::testing::hostile {
namespace {

using absl::StrCat;
using Dims = std::vector<int64_t>;
using Maker = ModuleMaker;

std::vector<ArrayShape> SomeShapes(Maker& m, std::string* names) {
  std::vector<ArrayShape> shapes;
  for (size_t n = 1 + m.RandomBelow(3); n > 0; --n) {
    const Value v = m.AnyValue();
    shapes.push_back(v.shape);
    absl::StrAppend(names, names->empty() ? "" : ", ", v.name);
  }
  return shapes;
}

void Call(Maker& m) {
  if (m.is_deep()) return;
  std::string names;
  const std::vector<ArrayShape> in = SomeShapes(m, &names);
  const ArrayShape out = in[m.RandomBelow(in.size())];
  const std::string callee = m.Computation({in, {out}}, [&] { FillAtRandom(m); });
  for (size_t n = 1 + m.RandomBelow(2); n > 0; --n) {
    m.Add(out, StrCat("call(", names, "), to_apply=", callee));
  }
}

void Fusion(Maker& m) {
  if (m.is_deep()) return;
  std::string names;
  const std::vector<ArrayShape> in = SomeShapes(m, &names);
  const std::string callee = m.Computation({in, in}, [&] { FillAtRandom(m); });
  const std::string rest =
      StrCat("fusion(", names, "), kind=", OneOf(m, {"kLoop", "kInput", "kOutput", "kCustom"}),
             ", calls=", callee);
  if (in.size() == 1) {
    m.Add(in[0], rest);
  } else {
    m.AddTuple(in, rest);
  }
}

// Counts s32[] up to a bound, and carries some arrays.
void While(Maker& m) {
  if (m.is_deep()) return;
  std::string names = m.Scalar("s32").name;
  std::vector<ArrayShape> carried = SomeShapes(m, &names);
  carried.insert(carried.begin(), ArrayShape{"s32", {}});
  const std::string body = m.Computation({carried, carried, true}, [&] { FillAtRandom(m); });
  m.AddTuple(carried, StrCat("while(", m.Tuple(carried, names),
                             "), condition=", m.Condition(carried), ", body=", body));
}

void Conditional(Maker& m) {
  if (m.is_deep()) return;
  const std::vector<ArrayShape> shapes{m.AnyValue().shape};
  const Value v = m.ValueOf(shapes[0]), choice = m.Scalar(m.OneIn(2) ? "pred" : "s32");
  std::vector<std::string> branches, operands;
  for (size_t n = choice.shape.type == "pred" ? 2 : 1 + m.RandomBelow(3); n > 0; --n) {
    branches.push_back(m.Computation({shapes, shapes}, [&] { FillAtRandom(m); }));
    operands.push_back(v.name);
  }
  const std::string callees =
      choice.shape.type == "pred"
          ? StrCat("true_computation=", branches[0], ", false_computation=", branches[1])
          : StrCat("branch_computations={", absl::StrJoin(branches, ", "), "}");
  m.Add(v.shape,
        StrCat("conditional(", choice.name, ", ", absl::StrJoin(operands, ", "), "), ", callees));
}

void Barrier(Maker& m) {
  std::string names;
  const std::vector<ArrayShape> shapes = SomeShapes(m, &names);
  m.AddTuple(shapes, StrCat("opt-barrier(", m.Tuple(shapes, names), ")"));
}

}  // namespace

absl::Span<const RandomOp> ControlFlowOps() {
  static constexpr RandomOp kOps[] = {
      {Call, 1}, {Fusion, 1}, {While, 1}, {Conditional, 1}, {Barrier, 1}};
  return kOps;
}

}  // namespace tessera::testing::hostile
