#include "tessera/testing/hostile/random_module.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/testing/hostile/module_maker.h"

namespace tessera::testing::hostile {
namespace {

using absl::StrCat;
using Dims = std::vector<int64_t>;
using Maker = ModuleMaker;

void Fill(Maker& m);

template <size_t N>
const char* OneOf(Maker& m, const char* const (&words)[N]) {
  return words[m.Below(N)];
}

// Saturates, as sizes may be huge.
int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? int64_t{1} << 62 : product;
}

int64_t Plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? a : sum;
}

void Unary(Maker& m) {
  const Value v = m.AnyFloat();
  m.Add(v.shape,
        StrCat(OneOf(m, {"tanh", "negate", "exponential", "abs", "rsqrt", "copy", "opt-barrier"}),
               "(", v.name, ")"));
}

void Binary(Maker& m) {
  const Value a = m.AnyFloat(), b = m.Of(a.shape);
  m.Add(a.shape, StrCat(OneOf(m, {"add", "multiply", "subtract", "maximum", "divide", "power"}),
                        "(", a.name, ", ", b.name, ")"));
}

void Choose(Maker& m) {
  const Value a = m.AnyFloat(), b = m.Of(a.shape);
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
  const Value v = m.Any();
  const size_t rank = v.shape.dims.size() + m.Below(3);
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
  const size_t at = m.Below(out.dims.size());
  if (m.OneIn(2) && at + 1 < out.dims.size()) {
    out.dims[at] = Times(out.dims[at], out.dims[at + 1]);
    out.dims.erase(out.dims.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  } else if (out.dims[at] % 2 == 0) {
    out.dims[at] /= 2;
    out.dims.insert(out.dims.begin() + static_cast<std::ptrdiff_t>(at + m.Below(2)), 2);
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
  const Dims dims = m.Dimensions(1 + m.Below(rank), rank);
  m.Add(Without(v.shape, dims), StrCat("reduce(", v.name, ", ", zero.name, "), dimensions=",
                                       Braces(dims), ", to_apply=", m.Reducer(v.shape.type)));
}

// The last dimension of one against some dimension of the other, perhaps with a batch in front.
void Dot(Maker& m) {
  const Value a = m.AnyArray();
  const size_t rank = a.shape.dims.size();
  const bool batch = rank >= 2 && m.OneIn(3);
  ArrayShape b{a.shape.type, {}};
  if (batch) b.dims.push_back(a.shape.dims[0]);
  b.dims.push_back(a.shape.dims[rank - 1]);
  ArrayShape out{a.shape.type, Dims(a.shape.dims.begin(), a.shape.dims.end() - 1)};
  for (size_t n = m.Below(3); n > 0; --n) {
    b.dims.push_back(m.Size());
    out.dims.push_back(b.dims.back());
  }
  m.Add(out,
        StrCat("dot(", a.name, ", ", m.Of(b).name, ")",
               batch ? ", lhs_batch_dims={0}, rhs_batch_dims={0}" : "", ", lhs_contracting_dims={",
               rank - 1, "}, rhs_contracting_dims={", batch ? 1 : 0, "}"));
}

void Slice(Maker& m) {
  const Value v = m.AnyArray();
  ArrayShape out{v.shape.type, {}};
  std::vector<std::string> ranges;
  for (const int64_t size : v.shape.dims) {
    const int64_t begin = size > 2 && m.OneIn(3) ? 1 : 0, stride = m.OneIn(4) ? 2 : 1;
    const int64_t end = size > 4 && m.OneIn(3) ? size - 1 : size;
    ranges.push_back(StrCat("[", begin, ":", end, stride == 1 ? "" : ":2", "]"));
    out.dims.push_back((end - begin + stride - 1) / stride);
  }
  m.Add(out, StrCat("slice(", v.name, "), slice={", absl::StrJoin(ranges, ", "), "}"));
}

void Pad(Maker& m) {
  const Value v = m.AnyArray();
  ArrayShape out = v.shape;
  std::vector<std::string> parts;
  for (int64_t& size : out.dims) {
    const int64_t low = static_cast<int64_t>(m.Below(3)), high = static_cast<int64_t>(m.Below(2));
    size = Plus(size, low + high);
    parts.push_back(StrCat(low, "_", high));
  }
  m.Add(out, StrCat("pad(", v.name, ", ", m.Scalar(v.shape.type).name,
                    "), padding=", absl::StrJoin(parts, "x")));
}

void Concatenate(Maker& m) {
  const Value a = m.AnyArray();
  const size_t dim = m.Below(a.shape.dims.size());
  ArrayShape b = a.shape, out = a.shape;
  if (m.OneIn(2)) b.dims[dim] = m.Size();
  out.dims[dim] = Plus(a.shape.dims[dim], b.dims[dim]);
  m.Add(out, StrCat("concatenate(", a.name, ", ", m.Of(b).name, "), dimensions={", dim, "}"));
}

void Iota(Maker& m) {
  ArrayShape shape = m.Shape();
  if (shape.dims.empty()) shape.dims = {8};
  shape.type = m.OneIn(2) ? "s32" : "f32";
  m.Add(shape, StrCat("iota(), iota_dimension=", m.Below(shape.dims.size())));
}

void Reverse(Maker& m) {
  const Value v = m.AnyArray();
  m.Add(v.shape, StrCat("reverse(", v.name, "), dimensions={", m.Below(v.shape.dims.size()), "}"));
}

std::string Starts(Maker& m, size_t rank) {
  std::string out;
  for (size_t i = 0; i < rank; ++i) absl::StrAppend(&out, ", ", m.Scalar("s32").name);
  return out;
}

void DynamicSlice(Maker& m) {
  const Value v = m.AnyArray();
  ArrayShape out = v.shape;
  for (int64_t& d : out.dims) d = m.OneIn(2) ? std::min<int64_t>(d, 1) : d;
  m.Add(out, StrCat("dynamic-slice(", v.name, Starts(m, out.dims.size()),
                    "), dynamic_slice_sizes=", Braces(out.dims)));
}

void DynamicUpdateSlice(Maker& m) {
  const Value v = m.AnyArray();
  ArrayShape part = v.shape;
  for (int64_t& d : part.dims) d = m.OneIn(2) ? std::min<int64_t>(d, 1) : d;
  m.Add(v.shape, StrCat("dynamic-update-slice(", v.name, ", ", m.Of(part).name,
                        Starts(m, part.dims.size()), ")"));
}

// Rows of the first dimension, by an index for each of some.
void Gather(Maker& m) {
  const Value v = m.AnyArray();
  const int64_t count = m.Size();
  ArrayShape out = v.shape;
  Dims sizes = v.shape.dims, offsets;
  sizes[0] = std::min<int64_t>(sizes[0], 1);
  out.dims[0] = count;
  for (size_t i = 1; i < out.dims.size(); ++i) offsets.push_back(static_cast<int64_t>(i));
  m.Add(out, StrCat("gather(", v.name, ", ", m.Of({"s32", {count, 1}}).name,
                    "), offset_dims=", Braces(offsets),
                    ", collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                    "slice_sizes=",
                    Braces(sizes)));
}

void Scatter(Maker& m) {
  const Value v = m.AnyArray();
  ArrayShape updates = v.shape;
  Dims window;
  updates.dims[0] = m.Size();
  for (size_t i = 1; i < updates.dims.size(); ++i) window.push_back(static_cast<int64_t>(i));
  m.Add(v.shape,
        StrCat("scatter(", v.name, ", ", m.Of({"s32", {updates.dims[0], 1}}).name, ", ",
               m.Of(updates).name, "), update_window_dims=", Braces(window),
               ", inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
               "to_apply=",
               m.Reducer(v.shape.type)));
}

void ReduceWindow(Maker& m) {
  const Value v = m.AnyArray();
  Dims window(v.shape.dims.size(), 1);
  ArrayShape out = v.shape;
  const size_t at = m.Below(window.size());
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
  const Value image = m.Of({type, {m.Size(), 16, channels}});
  const Value kernel = m.Of({type, {3, channels, features}});
  m.Add({type, {image.shape.dims[0], 16, features}},
        StrCat("convolution(", image.name, ", ", kernel.name,
               "), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f"));
}

void Sort(Maker& m) {
  const Value v = m.AnyFloat();
  if (v.shape.dims.empty()) return;
  const ArrayShape scalar{v.shape.type, {}};
  const std::string less = m.Computation({{scalar, scalar}, {{"pred", {}}}}, [] {});
  m.Add(v.shape, StrCat("sort(", v.name, "), dimensions={", m.Below(v.shape.dims.size()),
                        "}, to_apply=", less));
}

std::vector<ArrayShape> SomeShapes(Maker& m, std::string* names) {
  std::vector<ArrayShape> shapes;
  for (size_t n = 1 + m.Below(3); n > 0; --n) {
    const Value v = m.Any();
    shapes.push_back(v.shape);
    absl::StrAppend(names, names->empty() ? "" : ", ", v.name);
  }
  return shapes;
}

void Call(Maker& m) {
  if (m.is_deep()) return;
  std::string names;
  const std::vector<ArrayShape> in = SomeShapes(m, &names);
  const ArrayShape out = in[m.Below(in.size())];
  const std::string callee = m.Computation({in, {out}}, [&] { Fill(m); });
  for (size_t n = 1 + m.Below(2); n > 0; --n) {
    m.Add(out, StrCat("call(", names, "), to_apply=", callee));
  }
}

void Fusion(Maker& m) {
  if (m.is_deep()) return;
  std::string names;
  const std::vector<ArrayShape> in = SomeShapes(m, &names);
  const std::string callee = m.Computation({in, in}, [&] { Fill(m); });
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
  const std::string body = m.Computation({carried, carried, true}, [&] { Fill(m); });
  m.AddTuple(carried, StrCat("while(", m.Tuple(carried, names),
                             "), condition=", m.Condition(carried), ", body=", body));
}

void Conditional(Maker& m) {
  if (m.is_deep()) return;
  const std::vector<ArrayShape> shapes{m.Any().shape};
  const Value v = m.Of(shapes[0]), choice = m.Scalar(m.OneIn(2) ? "pred" : "s32");
  std::vector<std::string> branches, operands;
  for (size_t n = choice.shape.type == "pred" ? 2 : 1 + m.Below(3); n > 0; --n) {
    branches.push_back(m.Computation({shapes, shapes}, [&] { Fill(m); }));
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

// Of all eight devices or of groups.
std::string Groups(Maker& m) {
  return OneOf(m, {"{{0,1,2,3,4,5,6,7}}", "{{0,1},{2,3},{4,5},{6,7}}", "[4,2]<=[8]",
                   "[2,4]<=[4,2]T(1,0)", "mesh['a'=2,'b'=4] {'b'}", "{}"});
}

void AllReduce(Maker& m) {
  const Value v = m.AnyFloat();
  m.Add(v.shape, StrCat("all-reduce(", v.name, "), replica_groups=", Groups(m),
                        m.OneIn(2) ? ", channel_id=1, use_global_device_ids=true" : "",
                        ", to_apply=", m.Reducer(v.shape.type)));
}

void AllGather(Maker& m) {
  const Value v = m.AnyArray();
  ArrayShape out = v.shape;
  const size_t dim = m.Below(out.dims.size());
  out.dims[dim] = Times(out.dims[dim], 2);
  m.Add(out,
        StrCat("all-gather(", v.name, "), channel_id=2, replica_groups=[4,2]<=[8], dimensions={",
               dim, "}, use_global_device_ids=true"));
}

void Permute(Maker& m) {
  const Value v = m.Any();
  m.Add(v.shape, StrCat("collective-permute(", v.name,
                        "), channel_id=3, source_target_pairs={{0,1},{1,2},{2,0}}"));
}

void CustomCall(Maker& m) {
  const Value a = m.Any(), b = m.Any();
  m.Add(a.shape, StrCat("custom-call(", a.name, m.OneIn(2) ? StrCat(", ", b.name) : "",
                        "), custom_call_target=\"",
                        OneOf(m, {"flip", "Sharding", "annotate_device_placement", "TopK",
                                  "SPMDFullToShardShape", "xla.sdy.PropagationBarrier",
                                  "xla.sdy.FuncResultSharding", "MoveToHost", "Eigh"}),
                        "\"", m.OneIn(3) ? ", custom_call_has_side_effect=true" : ""));
}

void Linear(Maker& m) {
  const int64_t n = m.Size();
  const Value a = m.Of({"f32", {m.Size(), n, n}});
  if (m.OneIn(2)) {
    m.Add(a.shape, StrCat("cholesky(", a.name, "), lower=true"));
  } else {
    m.Add(a.shape, StrCat("triangular-solve(", a.name, ", ", m.Of(a.shape).name,
                          "), left_side=true, lower=true, transpose_a=NO_TRANSPOSE"));
  }
}

void Random(Maker& m) {
  ArrayShape out = m.Shape();
  out.type = "u32";
  if (m.OneIn(2)) {
    m.AddTuple({{"u64", {2}}, out},
               StrCat("rng-bit-generator(", m.Of({"u64", {2}}).name, "), algorithm=rng_three_fry"));
  } else {
    out.type = "f32";
    m.Add(out, StrCat("rng(", m.Scalar("f32").name, ", ", m.Scalar("f32").name,
                      "), distribution=rng_uniform"));
  }
}

void Rest(Maker& m) {
  const Value v = m.AnyFloat();
  switch (m.Below(4)) {
    case 0:
      m.Add(v.shape, StrCat("clamp(", m.Scalar(v.shape.type).name, ", ", v.name, ", ",
                            m.Scalar(v.shape.type).name, ")"));
      return;
    case 1:
      m.Add(v.shape, StrCat("map(", v.name, ", ", v.name, "), dimensions=",
                            Braces(m.Dimensions(v.shape.dims.size(), v.shape.dims.size())),
                            ", to_apply=", m.Reducer(v.shape.type)));
      return;
    case 2:
      m.Add({"s32", {}}, StrCat("get-dimension-size(", m.AnyArray().name, "), dimensions={0}"));
      return;
    default:
      m.Add({"u32", {}}, "partition-id()");
  }
}

using Op = void (*)(Maker&);

constexpr Op kOps[] = {Unary,       Unary,     Binary,       Binary,       Binary,
                       Choose,      Convert,   Broadcast,    Broadcast,    Reshape,
                       Reshape,     Transpose, Transpose,    Reduce,       Reduce,
                       Dot,         Dot,       Dot,          Slice,        Pad,
                       Concatenate, Iota,      Reverse,      DynamicSlice, DynamicUpdateSlice,
                       Gather,      Scatter,   ReduceWindow, Convolution,  Sort,
                       Call,        Fusion,    While,        Conditional,  Barrier,
                       AllReduce,   AllGather, Permute,      CustomCall,   Linear,
                       Random,      Rest};

void Fill(Maker& m) {
  for (size_t n = m.Below(m.is_deep() ? 4 : 8); n > 0; --n) kOps[m.Below(std::size(kOps))](m);
}

}  // namespace

std::string RandomModule(unsigned seed) {
  Maker maker(seed);
  return maker.Module([&] {
    Fill(maker);
    Fill(maker);
  });
}

}  // namespace tessera::testing::hostile
