// Arithmetic, reductions and products.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/testing/target_passes/random/random_ops.h"

namespace tessera::testing::random_programs {
namespace {

using absl::StrCat;
using Maker = ProgramMaker;

template <size_t N>
std::string OneOf(Maker& m, const char* const (&words)[N]) {
  return words[m.Below(N)];
}

void Unary(Maker& m) {
  const Value v = m.Any();
  const std::string opcode = v.type == "pred" ? "not"
                             : v.type == "s32" ? OneOf(m, {"negate", "abs", "sign"})
                                               : OneOf(m, {"negate", "abs", "tanh", "logistic"});
  m.Add(v.type, v.dims, StrCat(opcode, "(", v.name, ")"));
}

void Binary(Maker& m) {
  const Value v = m.Any(), w = m.Like(v.type, v.dims);
  const std::string opcode = v.type == "pred"
                                 ? OneOf(m, {"and", "or", "xor"})
                                 : OneOf(m, {"add", "add", "subtract", "multiply", "maximum", "minimum"});
  m.Add(v.type, v.dims, StrCat(opcode, "(", v.name, ", ", w.name, ")"));
}

void Compare(Maker& m) {
  const Value v = m.Any(), w = m.Like(v.type, v.dims);
  m.Add("pred", v.dims,
        StrCat("compare(", v.name, ", ", w.name,
               "), direction=", OneOf(m, {"LT", "GE", "EQ", "NE"})));
}

void Select(Maker& m) {
  const Value v = m.Any(), w = m.Like(v.type, v.dims), p = m.Like("pred", v.dims);
  m.Add(v.type, v.dims, StrCat("select(", p.name, ", ", v.name, ", ", w.name, ")"));
}

void Convert(Maker& m) {
  const Value v = m.Any();
  m.Add(m.Type(), v.dims, StrCat("convert(", v.name, ")"));
}

struct Reduction {
  std::string opcode, start;
};

Reduction AnyReduction(Maker& m, const std::string& type) {
  if (type == "pred") return m.OneIn(2) ? Reduction{"or", "false"} : Reduction{"and", "true"};
  if (m.OneIn(3)) return {"maximum", "-1000"};
  return m.OneIn(6) ? Reduction{"minimum", "1000"} : Reduction{"add", "0"};
}

void Reduce(Maker& m) {
  const Value v = m.AnyArray();
  const int64_t rank = static_cast<int64_t>(v.dims.size());
  const Dims over = m.Some(1 + static_cast<size_t>(m.Below(rank)), v.dims.size());
  Dims dims;
  for (const int64_t d : Others(over, v.dims.size())) dims.push_back(v.dims[static_cast<size_t>(d)]);
  const Reduction reduction = AnyReduction(m, v.type);
  const std::string reducer = m.Reducer(v.type, reduction.opcode);
  m.Add(v.type, dims,
        StrCat("reduce(", v.name, ", ", m.Scalar(v.type, reduction.start).name, "), dimensions=",
               Braces(over), ", to_apply=", reducer));
}

// Sums up to each place of one dimension.
void CumulativeSum(Maker& m) {
  const Value v = m.AnyArray();
  const size_t at = static_cast<size_t>(m.Below(static_cast<int64_t>(v.dims.size())));
  if (v.dims[at] == 0) return;
  std::vector<std::string> sizes(v.dims.size(), "1"), pads(v.dims.size(), "0_0");
  sizes[at] = StrCat(v.dims[at]);
  pads[at] = StrCat(v.dims[at] - 1, "_0");
  const Reduction reduction = AnyReduction(m, v.type);
  const std::string reducer = m.Reducer(v.type, reduction.opcode);
  m.Add(v.type, v.dims,
        StrCat("reduce-window(", v.name, ", ", m.Scalar(v.type, reduction.start).name,
               "), window={size=", absl::StrJoin(sizes, "x"), " pad=", absl::StrJoin(pads, "x"),
               "}, to_apply=", reducer));
}

// A product over equal dimensions of two arrays, some of them batches.
void Dot(Maker& m) {
  const Value v = m.AnyArray(), w = m.AnyArray(v.type);
  if (v.type == "pred" || v.dims.size() + w.dims.size() > 6) return;
  Dims lhs_batch, rhs_batch, lhs_over, rhs_over;
  for (size_t i = 0; i < v.dims.size(); ++i) {
    for (int64_t j : m.Order(w.dims.size())) {
      const auto has = [&](const Dims& dims) {
        return std::find(dims.begin(), dims.end(), j) != dims.end();
      };
      if (w.dims[static_cast<size_t>(j)] != v.dims[i] || has(rhs_batch) || has(rhs_over)) continue;
      if (m.OneIn(3)) break;
      const bool is_batch = m.OneIn(3);
      (is_batch ? lhs_batch : lhs_over).push_back(static_cast<int64_t>(i));
      (is_batch ? rhs_batch : rhs_over).push_back(j);
      break;
    }
  }
  Dims dims, lhs = lhs_batch, rhs = rhs_batch;
  for (const int64_t d : lhs_batch) dims.push_back(v.dims[static_cast<size_t>(d)]);
  lhs.insert(lhs.end(), lhs_over.begin(), lhs_over.end());
  rhs.insert(rhs.end(), rhs_over.begin(), rhs_over.end());
  for (const int64_t d : Others(lhs, v.dims.size())) dims.push_back(v.dims[static_cast<size_t>(d)]);
  for (const int64_t d : Others(rhs, w.dims.size())) dims.push_back(w.dims[static_cast<size_t>(d)]);
  m.Add(v.type, dims,
        StrCat("dot(", v.name, ", ", w.name, ")",
               lhs_batch.empty() ? ""
                                 : StrCat(", lhs_batch_dims=", Braces(lhs_batch),
                                          ", rhs_batch_dims=", Braces(rhs_batch)),
               ", lhs_contracting_dims=", Braces(lhs_over),
               ", rhs_contracting_dims=", Braces(rhs_over)));
}

// The largest of windows that may overlap, along one dimension.
void Pool(Maker& m) {
  const Value v = m.AnyArray();
  if (v.type == "pred") return;
  const size_t at = static_cast<size_t>(m.Below(static_cast<int64_t>(v.dims.size())));
  if (v.dims[at] < 2) return;
  std::vector<std::string> sizes(v.dims.size(), "1"), strides(v.dims.size(), "1");
  Dims dims = v.dims;
  const int64_t size = 2 + m.Below(2), stride = 1 + m.Below(2);
  if (dims[at] < size) return;
  sizes[at] = StrCat(size);
  strides[at] = StrCat(stride);
  dims[at] = (dims[at] - size) / stride + 1;
  const std::string reducer = m.Reducer(v.type, "maximum");
  m.Add(v.type, dims,
        StrCat("reduce-window(", v.name, ", ", m.Scalar(v.type, "-1000").name,
               "), window={size=", absl::StrJoin(sizes, "x"),
               " stride=", absl::StrJoin(strides, "x"), "}, to_apply=", reducer));
}

// A largest element and its place along one dimension.
void ArgMax(Maker& m) {
  const Value v = m.AnyArray("s32");
  const int64_t at = m.Below(static_cast<int64_t>(v.dims.size()));
  Dims dims = v.dims;
  dims.erase(dims.begin() + at);
  const Value places = m.Add("s32", v.dims, StrCat("iota(), iota_dimension=", at));
  const Value least = m.Scalar("s32", "-1000"), zero = m.Scalar("s32", "0");
  m.AddTuple({{"", "s32", dims}, {"", "s32", dims}},
             StrCat("reduce(", v.name, ", ", places.name, ", ", least.name, ", ", zero.name,
                    "), dimensions={", at, "}, to_apply=", m.ArgMaxReducer()));
}

// Over one dimension of space, with padding.
void Convolution(Maker& m) {
  const int64_t batch = 1 + m.Below(4), space = 4 + m.Below(4), features = 1 + m.Below(4),
                taps = 1 + m.Below(3), results = 1 + m.Below(4), pad = m.Below(2);
  const std::string type = m.OneIn(2) ? "s32" : "f32";
  const Value x = m.Like(type, {batch, space, features});
  const Value kernel = m.Like(type, {taps, features, results});
  m.Add(type, {batch, space + 2 * pad - taps + 1, results},
        StrCat("convolution(", x.name, ", ", kernel.name, "), window={size=", taps, " pad=", pad,
               "_", pad, "}, dim_labels=b0f_0io->b0f"));
}

void Clamp(Maker& m) {
  const Value v = m.Any(), low = m.Like(v.type, {}), high = m.Like(v.type, {});
  if (v.type == "pred") return;
  m.Add(v.type, v.dims, StrCat("clamp(", low.name, ", ", v.name, ", ", high.name, ")"));
}

}  // namespace

absl::Span<const RandomOp> ComputingOps() {
  static constexpr RandomOp kOps[] = {Unary,  Binary, Binary,        Compare, Select, Convert,
                                      Reduce, Reduce, CumulativeSum, Dot,     Dot,    Pool,
                                      ArgMax, Clamp,  Convolution};
  return kOps;
}

}  // namespace tessera::testing::random_programs
