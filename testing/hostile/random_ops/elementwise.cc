// Cell by cell, and what only moves, repeats or adds up cells.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/testing/hostile/random_ops.h"

namespace tessera::testing::hostile {
namespace {

using absl::StrCat;
using Dims = std::vector<int64_t>;
using Maker = ModuleMaker;

void Unary(Maker& m) {
  const Value v = m.AnyFloat();
  m.Add(v.shape,
        StrCat(OneOf(m, {"tanh", "negate", "exponential", "abs", "rsqrt", "copy", "opt-barrier"}),
               "(", v.name, ")"));
}

void Binary(Maker& m) {
  const Value a = m.AnyFloat(), b = m.ValueOf(a.shape);
  m.Add(a.shape, StrCat(OneOf(m, {"add", "multiply", "subtract", "maximum", "divide", "power"}),
                        "(", a.name, ", ", b.name, ")"));
}

void Choose(Maker& m) {
  const Value a = m.AnyFloat(), b = m.ValueOf(a.shape);
  const Value p = m.Add(
      {"pred", a.shape.dims},
      StrCat("compare(", a.name, ", ", b.name, "), direction=", OneOf(m, {"LT", "EQ", "GE"})));
  m.Add(a.shape, StrCat("select(", p.name, ", ", a.name, ", ", b.name, ")"));
}

void Convert(Maker& m) {
  const Value v = m.AnyFloat();
  m.Add({OneOf(m, {"bf16", "f32", "s32", "f64", "u8"}), v.shape.dims},
        StrCat("convert(", v.name, ")"));
}

void Broadcast(Maker& m) {
  const Value v = m.AnyValue();
  const size_t rank = v.shape.dims.size() + m.RandomBelow(3);
  const Dims kept = m.Dimensions(v.shape.dims.size(), rank);
  ArrayShape out{v.shape.type, Dims(rank)};
  for (int64_t& d : out.dims) d = m.Size();
  for (size_t i = 0; i < kept.size(); ++i) out.dims[static_cast<size_t>(kept[i])] = v.shape.dims[i];
  m.Add(out, StrCat("broadcast(", v.name, "), dimensions=", Braces(kept)));
}

// Merges two dimensions, splits one, or reverses them.
void Reshape(Maker& m) {
  const Value v = m.AnyArray();
  ArrayShape out = v.shape;
  const size_t at = m.RandomBelow(out.dims.size());
  if (m.OneIn(2) && at + 1 < out.dims.size()) {
    out.dims[at] = Times(out.dims[at], out.dims[at + 1]);
    out.dims.erase(out.dims.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  } else if (out.dims[at] % 2 == 0) {
    out.dims[at] /= 2;
    out.dims.insert(out.dims.begin() + static_cast<std::ptrdiff_t>(at + m.RandomBelow(2)), 2);
  } else {
    std::reverse(out.dims.begin(), out.dims.end());
  }
  m.Add(out, StrCat(m.OneIn(5) ? "bitcast(" : "reshape(", v.name, ")"));
}

void Transpose(Maker& m) {
  const Value v = m.AnyArray();
  const Dims order = m.Permutation(v.shape.dims.size());
  ArrayShape out{v.shape.type, {}};
  for (const int64_t d : order) out.dims.push_back(v.shape.dims[static_cast<size_t>(d)]);
  m.Add(out, StrCat("transpose(", v.name, "), dimensions=", Braces(order)));
}

ArrayShape Without(const ArrayShape& shape, const Dims& dims) {
  ArrayShape out{shape.type, {}};
  for (size_t i = 0; i < shape.dims.size(); ++i) {
    if (!std::count(dims.begin(), dims.end(), static_cast<int64_t>(i))) {
      out.dims.push_back(shape.dims[i]);
    }
  }
  return out;
}

void Reduce(Maker& m) {
  const Value v = m.AnyArray(), zero = m.Scalar(v.shape.type);
  const size_t rank = v.shape.dims.size();
  const Dims dims = m.Dimensions(1 + m.RandomBelow(rank), rank);
  m.Add(Without(v.shape, dims), StrCat("reduce(", v.name, ", ", zero.name, "), dimensions=",
                                       Braces(dims), ", to_apply=", m.Reducer(v.shape.type)));
}

}  // namespace

absl::Span<const RandomOp> ElementwiseOps() {
  static constexpr RandomOp kOps[] = {{Unary, 2},     {Binary, 3},  {Choose, 1},    {Convert, 1},
                                      {Broadcast, 2}, {Reshape, 2}, {Transpose, 2}, {Reduce, 2}};
  return kOps;
}

}  // namespace tessera::testing::hostile
