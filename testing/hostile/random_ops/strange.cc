// Well formed, yet rarely written: index vectors, arrays without elements, calls of known targets
// with too few operands, long chains of broadcasts, groups, arrays of rank 20, loops that shift.
// Crashes and slow paths of the partitioner stood after each of them.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/testing/hostile/random_ops.h"

namespace tessera::testing::hostile {
namespace {

using absl::StrCat;
using Dims = std::vector<int64_t>;
using Maker = ModuleMaker;

// Two, four or eight shards along one dimension of `rank`.
std::string ShardsAlong(Maker& m, size_t dim, size_t rank) {
  Dims tiles(rank, 1);
  const int64_t shards = int64_t{2} << m.RandomBelow(3);
  tiles[dim] = shards;
  if (shards < 8) tiles.push_back(8 / shards);
  return StrCat("{devices=[", absl::StrJoin(tiles, ","), "]<=[8]",
                shards < 8 ? " last_tile_dim_replicate}" : "}");
}

// The form of slices whose starts are one vector.
void IndexVector(Maker& m) {
  const Value v = m.AnyArray();
  const Value starts = m.ValueOf({"s32", {static_cast<int64_t>(v.shape.dims.size())}});
  ArrayShape part = v.shape;
  for (int64_t& d : part.dims) {
    if (m.OneIn(2)) d = m.OneIn(2) ? std::min<int64_t>(d, 1) : d / 2;
  }
  const size_t rank = part.dims.size();
  const std::string shards = ShardsAlong(m, m.RandomBelow(rank), rank);
  if (m.OneIn(2)) {
    const std::string slice = StrCat("dynamic-slice(", v.name, ", ", starts.name,
                                     "), dynamic_slice_sizes=", Braces(part.dims));
    m.OneIn(2) ? m.Add(part, slice) : m.AddAs(part, slice, shards);
  } else {
    const std::string update =
        StrCat("dynamic-update-slice(", v.name, ", ", m.ValueOf(part).name, ", ", starts.name, ")");
    m.OneIn(2) ? m.Add(v.shape, update) : m.AddAs(v.shape, update, shards);
  }
}

// An s32[n] after `links` broadcasts, which change nothing.
Value ThroughBroadcasts(Maker& m, int64_t n, size_t links) {
  Value at = m.OneIn(2) ? m.Add({"s32", {n}}, "iota(), iota_dimension=0") : m.ValueOf({"s32", {n}});
  for (; links > 0; --links)
    at = m.Add(at.shape, StrCat("broadcast(", at.name, "), dimensions={0}"));
  return at;
}

// A gather whose indices have no dimension for the index vector.
void GatherOfScalars(Maker& m) {
  const Value v = m.AnyArray();
  const size_t links = m.OneIn(75) ? 70000 : m.RandomBelow(4);
  const Value indices = ThroughBroadcasts(m, m.Size(), links);
  ArrayShape out = v.shape;
  Dims sizes = v.shape.dims, offsets;
  sizes[0] = sizes[0] > 1 ? 1 : sizes[0];
  out.dims[0] = indices.shape.dims[0];
  for (size_t i = 1; i < out.dims.size(); ++i) offsets.push_back(static_cast<int64_t>(i));
  m.Add(out, StrCat("gather(", v.name, ", ", indices.name, "), offset_dims=", Braces(offsets),
                    ", collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                    "slice_sizes=",
                    Braces(sizes)));
}

// Known targets with as many operands and results as chance gives them.
void KnownCall(Maker& m) {
  std::string operands;
  for (size_t n = m.RandomBelow(3); n > 0; --n) {
    absl::StrAppend(&operands, operands.empty() ? "" : ", ", m.AnyValue().name);
  }
  const char* const target =
      OneOf(m, {"TopK", "SPMDFullToShardShape", "SPMDShardToFullShape", "Sharding", "PartialReduce",
                "X64SplitLow", "X64Combine", "lapack_ssyevd_ffi", "MoveToDevice", "tpu_custom_call",
                "xla.sdy.FuncResultSharding", "xla.sdy.PropagationBarrier", "Qr", "Cholesky"});
  const std::string rest = StrCat("custom-call(", operands, "), custom_call_target=\"", target,
                                  "\"", m.OneIn(3) ? ", sharding={manual}" : "");
  if (m.OneIn(2)) {
    m.Add(m.AnyValue().shape, rest);
  } else {
    std::vector<ArrayShape> shapes;
    for (size_t n = m.RandomBelow(3); n > 0; --n) shapes.push_back(m.AnyValue().shape);
    m.AddTuple(shapes, rest);
  }
}

// Of an array that is sharded along the dimension that is sorted; the result may be no matrices.
void TopKOfShards(Maker& m) {
  const ArrayShape lines{"f32", {8, 16}};
  const Value v = m.AddAs(lines, StrCat("copy(", m.ValueOf(lines).name, ")"), ShardsAlong(m, 1, 2));
  const ArrayShape most{"f32", m.OneIn(2) ? Dims{8, 4} : Dims{4}};
  std::vector<ArrayShape> results;
  if (!m.OneIn(4)) results = {most, {"s32", most.dims}};
  m.AddTuple(results, StrCat("custom-call(", v.name, "), custom_call_target=\"TopK\""));
}

// Slices, concatenations and reshapes of arrays without elements, all of one sharding or of any.
void Empty(Maker& m) {
  const ArrayShape shape{"f32", m.OneIn(2) ? Dims{0} : Dims{0, 4}};
  const size_t rank = shape.dims.size();
  const std::string shards = ShardsAlong(m, 0, rank);
  const bool is_uniform = m.OneIn(2);
  const auto add = [&](const ArrayShape& of, const std::string& rest) {
    return is_uniform && of.dims.size() == rank ? m.AddAs(of, rest, shards) : m.Add(of, rest);
  };
  const Value v = add(shape, StrCat("copy(", m.ValueOf(shape).name, ")"));
  const std::string slice =
      StrCat("slice(", v.name, "), slice={[0:0]", rank == 2 ? ", [0:4]" : "", "}");
  const Value a = add(shape, slice), b = add(shape, slice);
  add(shape, StrCat("concatenate(", a.name, ", ", b.name, "), dimensions={0}"));
  const Value other =
      add({"f32", m.OneIn(2) ? Dims{5, 0} : Dims{8, 0, 2}}, StrCat("reshape(", v.name, ")"));
  add(shape, StrCat("reshape(", other.name, ")"));
}

void Group(Maker& m) {
  const Value v = m.OneIn(2) ? m.AnyValue() : m.ValueOf({"f32", {8}});
  for (size_t n = 1 + m.RandomBelow(2); n > 0; --n) {
    m.AddTuple({}, StrCat("custom-call(", n == 1 ? v.name : m.ValueOf(v.shape).name,
                          "), custom_call_target=\"xla.sdy.ShardingGroup\", "
                          "custom_call_has_side_effect=true, "
                          "frontend_attributes={xla.sdy.sharding_group_id=\"",
                          m.RandomBelow(3), " : i64\"}"));
  }
}

// Twenty dimensions, of which a few have more than one element.
void Rank20(Maker& m) {
  const Value v = m.ValueOf({"f32", {8, 4}});
  ArrayShape wide{"f32", Dims(20, 1)};
  const Dims at = m.Dimensions(2, 20);
  wide.dims[static_cast<size_t>(at[0])] = 8;
  wide.dims[static_cast<size_t>(at[1])] = 4;
  const Value w = m.OneIn(2)
                      ? m.Add(wide, StrCat("reshape(", v.name, ")"))
                      : m.Add(wide, StrCat("broadcast(", v.name, "), dimensions=", Braces(at)));
  ArrayShape turned = wide;
  const Dims order = m.Permutation(20);
  for (size_t i = 0; i < order.size(); ++i)
    turned.dims[i] = wide.dims[static_cast<size_t>(order[i])];
  m.Add(turned, StrCat("transpose(", w.name, "), dimensions=", Braces(order)));
}

// A loop whose elements each take over the next one.
void ShiftRegister(Maker& m) {
  if (m.is_deep()) return;
  const Value v = m.AnyValue();
  const size_t length = m.OneIn(50) ? 200 : 1 + m.RandomBelow(5);
  std::vector<ArrayShape> carried(length + 1, v.shape);
  carried[0] = {"s32", {}};
  std::string names = m.Scalar("s32").name;
  for (size_t i = 0; i < length; ++i) absl::StrAppend(&names, ", ", v.name);
  m.AddTuple(carried, StrCat("while(", m.Tuple(carried, names),
                             "), condition=", m.Condition(carried), ", body=", m.Shift(carried)));
}

// Operations that speak with the host, and their tokens.
void Host(Maker& m) {
  const Value v = m.AnyValue();
  const char* const device = OneOf(m, {"", ", sharding={maximal device=0}"});
  const std::string token = m.Effect("after-all()");
  if (m.OneIn(2)) {
    m.Effect(StrCat("outfeed(", v.name, ", ", token, "), outfeed_shape=", ToText(v.shape), device));
  } else {
    m.Effect(StrCat("after-all(", token, ")", device));
  }
}

void Fft(Maker& m) {
  const Value v = m.ValueOf({"c64", {8, 8}});
  m.Add(v.shape, StrCat("fft(", v.name, "), fft_type=", OneOf(m, {"FFT", "IFFT"}),
                        ", fft_length={8", m.OneIn(2) ? ",8}" : "}"));
}

}  // namespace

absl::Span<const RandomOp> StrangeOps() {
  static constexpr RandomOp kOps[] = {
      {IndexVector, 1}, {GatherOfScalars, 1}, {KnownCall, 1},     {TopKOfShards, 1}, {Empty, 1},
      {Group, 1},       {Rank20, 1},          {ShiftRegister, 1}, {Host, 1},         {Fft, 1}};
  return kOps;
}

}  // namespace tessera::testing::hostile
