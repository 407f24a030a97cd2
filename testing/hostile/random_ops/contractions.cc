// Dots, convolutions, windows, and linear algebra.

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

// The last dimension of one against some dimension of the other, perhaps with a batch in front.
void Dot(Maker& m) {
  const Value a = m.AnyArray();
  const size_t rank = a.shape.dims.size();
  const bool batch = rank >= 2 && m.OneIn(3);
  ArrayShape b{a.shape.type, {}};
  if (batch) b.dims.push_back(a.shape.dims[0]);
  b.dims.push_back(a.shape.dims[rank - 1]);
  ArrayShape out{a.shape.type, Dims(a.shape.dims.begin(), a.shape.dims.end() - 1)};
  for (size_t n = m.RandomBelow(3); n > 0; --n) {
    b.dims.push_back(m.Size());
    out.dims.push_back(b.dims.back());
  }
  m.Add(out,
        StrCat("dot(", a.name, ", ", m.ValueOf(b).name, ")",
               batch ? ", lhs_batch_dims={0}, rhs_batch_dims={0}" : "", ", lhs_contracting_dims={",
               rank - 1, "}, rhs_contracting_dims={", batch ? 1 : 0, "}"));
}

void ReduceWindow(Maker& m) {
  const Value v = m.AnyArray();
  Dims window(v.shape.dims.size(), 1);
  ArrayShape out = v.shape;
  const size_t at = m.RandomBelow(window.size());
  if (out.dims[at] >= 2) {
    window[at] = 2;
    out.dims[at] -= 1;
  }
  m.Add(out, StrCat("reduce-window(", v.name, ", ", m.Scalar(v.shape.type).name, "), window={size=",
                    absl::StrJoin(window, "x"), "}, to_apply=", m.Reducer(v.shape.type)));
}

void Convolution(Maker& m) {
  const int64_t channels = m.Size(), features = m.Size();
  const std::string type = m.OneIn(2) ? "f32" : "bf16";
  const Value image = m.ValueOf({type, {m.Size(), 16, channels}});
  const Value kernel = m.ValueOf({type, {3, channels, features}});
  m.Add({type, {image.shape.dims[0], 16, features}},
        StrCat("convolution(", image.name, ", ", kernel.name,
               "), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f"));
}

void Linear(Maker& m) {
  const int64_t n = m.Size();
  const Value a = m.ValueOf({"f32", {m.Size(), n, n}});
  if (m.OneIn(2)) {
    m.Add(a.shape, StrCat("cholesky(", a.name, "), lower=true"));
  } else {
    m.Add(a.shape, StrCat("triangular-solve(", a.name, ", ", m.ValueOf(a.shape).name,
                          "), left_side=true, lower=true, transpose_a=NO_TRANSPOSE"));
  }
}

}  // namespace

absl::Span<const RandomOp> ContractionOps() {
  static constexpr RandomOp kOps[] = {{Dot, 3}, {ReduceWindow, 1}, {Convolution, 1}, {Linear, 1}};
  return kOps;
}

}  // namespace tessera::testing::hostile
