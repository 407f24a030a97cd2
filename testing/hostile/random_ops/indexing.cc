// Parts of arrays: cut out, put together, picked by index.

#include <algorithm>
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
    const int64_t low = static_cast<int64_t>(m.RandomBelow(3)),
                  high = static_cast<int64_t>(m.RandomBelow(2));
    size = Plus(size, low + high);
    parts.push_back(StrCat(low, "_", high));
  }
  m.Add(out, StrCat("pad(", v.name, ", ", m.Scalar(v.shape.type).name,
                    "), padding=", absl::StrJoin(parts, "x")));
}

void Concatenate(Maker& m) {
  const Value a = m.AnyArray();
  const size_t dim = m.RandomBelow(a.shape.dims.size());
  ArrayShape b = a.shape, out = a.shape;
  if (m.OneIn(2)) b.dims[dim] = m.Size();
  out.dims[dim] = Plus(a.shape.dims[dim], b.dims[dim]);
  m.Add(out, StrCat("concatenate(", a.name, ", ", m.ValueOf(b).name, "), dimensions={", dim, "}"));
}

void Reverse(Maker& m) {
  const Value v = m.AnyArray();
  m.Add(v.shape,
        StrCat("reverse(", v.name, "), dimensions={", m.RandomBelow(v.shape.dims.size()), "}"));
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
  m.Add(v.shape, StrCat("dynamic-update-slice(", v.name, ", ", m.ValueOf(part).name,
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
  m.Add(out, StrCat("gather(", v.name, ", ", m.ValueOf({"s32", {count, 1}}).name,
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
        StrCat("scatter(", v.name, ", ", m.ValueOf({"s32", {updates.dims[0], 1}}).name, ", ",
               m.ValueOf(updates).name, "), update_window_dims=", Braces(window),
               ", inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
               "to_apply=",
               m.Reducer(v.shape.type)));
}

void Sort(Maker& m) {
  const Value v = m.AnyFloat();
  if (v.shape.dims.empty()) return;
  const ArrayShape scalar{v.shape.type, {}};
  const std::string less = m.Computation({{scalar, scalar}, {{"pred", {}}}}, [] {});
  m.Add(v.shape, StrCat("sort(", v.name, "), dimensions={", m.RandomBelow(v.shape.dims.size()),
                        "}, to_apply=", less));
}

}  // namespace

absl::Span<const RandomOp> IndexingOps() {
  static constexpr RandomOp kOps[] = {{Slice, 1},   {Pad, 1},          {Concatenate, 1},
                                      {Reverse, 1}, {DynamicSlice, 1}, {DynamicUpdateSlice, 1},
                                      {Gather, 1},  {Scatter, 1},      {Sort, 1}};
  return kOps;
}

}  // namespace tessera::testing::hostile
