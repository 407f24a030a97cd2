// Operations whose places are values: slices at computed starts, gathers, scatters, sorts.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/testing/target_passes/random/random_ops.h"

namespace tessera::testing::random_programs {
namespace {

using absl::StrCat;
using Maker = ProgramMaker;

std::string Starts(Maker& m, size_t rank) {
  std::string out;
  for (size_t i = 0; i < rank; ++i) {
    absl::StrAppend(&out, ", ",
                    m.OneIn(2) ? m.Scalar("s32", StrCat(m.Below(4))).name : m.Like("s32", {}).name);
  }
  return out;
}

Dims PartOf(Maker& m, const Dims& dims) {
  Dims part = dims;
  for (int64_t& size : part) size = m.OneIn(2) ? size : m.Below(size + 1);
  return part;
}

void DynamicSlice(Maker& m) {
  const Value v = m.AnyArray();
  const Dims part = PartOf(m, v.dims);
  m.Add(v.type, part,
        StrCat("dynamic-slice(", v.name, Starts(m, part.size()),
               "), dynamic_slice_sizes=", Braces(part)));
}

void DynamicUpdateSlice(Maker& m) {
  const Value v = m.AnyArray();
  const Value part = m.Like(v.type, PartOf(m, v.dims));
  m.Add(v.type, v.dims,
        StrCat("dynamic-update-slice(", v.name, ", ", part.name, Starts(m, v.dims.size()), ")"));
}

// Rows of the first dimension, by an index for each.
void Gather(Maker& m) {
  const Value v = m.AnyArray();
  if (v.dims[0] == 0) return;
  Dims sizes = v.dims, dims = v.dims;
  sizes[0] = 1;
  dims[0] = m.Size();
  m.Add(v.type, dims,
        StrCat("gather(", v.name, ", ", m.Like("s32", {dims[0], 1}).name,
               "), offset_dims=", Braces(Others({0}, v.dims.size())),
               ", collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes=",
               Braces(sizes)));
}

void Scatter(Maker& m) {
  const Value v = m.AnyArray();
  Dims dims = v.dims;
  dims[0] = m.Size();
  const Value places = m.Like("s32", {dims[0], 1}), updates = m.Like(v.type, dims);
  const std::string reducer = m.Reducer(v.type, v.type == "pred" ? "or" : "add");
  m.Add(v.type, v.dims,
        StrCat("scatter(", v.name, ", ", places.name, ", ", updates.name,
               "), update_window_dims=", Braces(Others({0}, v.dims.size())),
               ", inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
               "to_apply=",
               reducer));
}

void Sort(Maker& m) {
  const Value v = m.AnyArray("s32");
  const std::string less = m.Less(v.type, /*has_places=*/false);
  m.Add(v.type, v.dims,
        StrCat("sort(", v.name, "), dimensions={", m.Below(static_cast<int64_t>(v.dims.size())),
               "}, is_stable=true, to_apply=", less));
}

// The places of a sorted array, as of jnp.argsort.
void ArgSort(Maker& m) {
  const Value v = m.AnyArray("s32");
  const int64_t at = m.Below(static_cast<int64_t>(v.dims.size()));
  const Value places = m.Add("s32", v.dims, StrCat("iota(), iota_dimension=", at));
  m.AddTuple({v, places},
             StrCat("sort(", v.name, ", ", places.name, "), dimensions={", at,
                    "}, is_stable=true, to_apply=", m.Less(v.type, /*has_places=*/true)));
}

// Of each row an element, by an index for each.
void GatherOfRows(Maker& m) {
  const Value v = m.AnyArray();
  if (v.dims.size() < 2 || v.dims[0] == 0 || v.dims[1] == 0) return;
  Dims dims = v.dims, sizes = v.dims;
  sizes[0] = sizes[1] = 1;
  dims.erase(dims.begin() + 1);
  Dims offsets = Others({0}, dims.size());
  m.Add(v.type, dims,
        StrCat("gather(", v.name, ", ", m.Like("s32", {v.dims[0], 1}).name,
               "), offset_dims=", Braces(offsets),
               ", collapsed_slice_dims={1}, operand_batching_dims={0}, "
               "start_indices_batching_dims={0}, start_index_map={1}, index_vector_dim=1, "
               "slice_sizes=",
               Braces(sizes)));
}

void TopK(Maker& m) {
  const Value v = m.AnyArray("f32");
  if (v.dims.back() == 0) return;
  Dims dims = v.dims;
  dims.back() = 1 + m.Below(dims.back());
  m.AddTuple({{"", v.type, dims}, {"", "s32", dims}},
             StrCat("topk(", v.name, "), k=", dims.back(), ", largest=true"));
}

}  // namespace

absl::Span<const RandomOp> IndexingOps() {
  static constexpr RandomOp kOps[] = {
      DynamicSlice, DynamicUpdateSlice, Gather, GatherOfRows, Scatter, Sort, ArgSort, TopK};
  return kOps;
}

}  // namespace tessera::testing::random_programs
