// Well formed, yet rarely written: index vectors, arrays without elements, calls of known targets
// with too few operands, long chains of broadcasts, groups, arrays of rank 20, loops that shift.
// Crashes and slow paths of the partitioner stood behind each of them.

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/testing/hostile/random_ops.h"

namespace tessera::testing::hostile {
namespace {

using absl::StrCat;
using Dims = std::vector<int64_t>;
using Maker = ModuleMaker;

// The form of slices whose starts are one vector.
void IndexVector(Maker& m) {
  const Value v = m.AnyArray();
  const Value starts = m.Of({"s32", {static_cast<int64_t>(v.shape.dims.size())}});
  ArrayShape part = v.shape;
  for (int64_t& d : part.dims) d = m.OneIn(2) && d > 1 ? 1 : d;
  if (m.OneIn(2)) {
    m.Add(part, StrCat("dynamic-slice(", v.name, ", ", starts.name,
                       "), dynamic_slice_sizes=", Braces(part.dims)));
  } else {
    m.Add(v.shape,
          StrCat("dynamic-update-slice(", v.name, ", ", m.Of(part).name, ", ", starts.name, ")"));
  }
}

// An s32[n] behind `links` broadcasts, which change nothing.
Value BehindBroadcasts(Maker& m, int64_t n, size_t links) {
  Value at = m.OneIn(2) ? m.Add({"s32", {n}}, "iota(), iota_dimension=0") : m.Of({"s32", {n}});
  for (; links > 0; --links)
    at = m.Add(at.shape, StrCat("broadcast(", at.name, "), dimensions={0}"));
  return at;
}

// A gather whose indices have no dimension for the index vector.
void GatherOfScalars(Maker& m) {
  const Value v = m.AnyArray();
  const size_t links = m.OneIn(400) ? 30000 : m.Below(4);
  const Value indices = BehindBroadcasts(m, m.Size(), links);
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
  for (size_t n = m.Below(3); n > 0; --n) {
    absl::StrAppend(&operands, operands.empty() ? "" : ", ", m.Any().name);
  }
  const char* const target =
      OneOf(m, {"TopK", "SPMDFullToShardShape", "SPMDShardToFullShape", "Sharding", "PartialReduce",
                "X64SplitLow", "X64Combine", "lapack_ssyevd_ffi", "MoveToDevice", "tpu_custom_call",
                "xla.sdy.FuncResultSharding", "xla.sdy.PropagationBarrier", "Qr", "Cholesky"});
  const std::string rest = StrCat("custom-call(", operands, "), custom_call_target=\"", target,
                                  "\"", m.OneIn(3) ? ", sharding={manual}" : "");
  if (m.OneIn(2)) {
    m.Add(m.Any().shape, rest);
  } else {
    std::vector<ArrayShape> shapes;
    for (size_t n = m.Below(3); n > 0; --n) shapes.push_back(m.Any().shape);
    m.AddTuple(shapes, rest);
  }
}

// Cuts, joins and reshapes of arrays without elements.
void Empty(Maker& m) {
  const Value v = m.Of({"f32", m.OneIn(2) ? Dims{0} : Dims{0, 4}});
  const int64_t rank = static_cast<int64_t>(v.shape.dims.size());
  const Value cut =
      m.Add(v.shape, StrCat("slice(", v.name, "), slice={[0:0]", rank == 2 ? ", [0:4]" : "", "}"));
  m.Add(v.shape, StrCat("concatenate(", v.name, ", ", cut.name, "), dimensions={0}"));
  const Value other =
      m.Add({"f32", m.OneIn(2) ? Dims{5, 0} : Dims{8, 0, 2}}, StrCat("reshape(", cut.name, ")"));
  m.Add(v.shape, StrCat("reshape(", other.name, ")"));
}

void Group(Maker& m) {
  const Value v = m.OneIn(2) ? m.Any() : m.Of({"f32", {8}});
  for (size_t n = 1 + m.Below(2); n > 0; --n) {
    m.AddTuple({}, StrCat("custom-call(", n == 1 ? v.name : m.Of(v.shape).name,
                          "), custom_call_target=\"xla.sdy.ShardingGroup\", "
                          "custom_call_has_side_effect=true, "
                          "frontend_attributes={xla.sdy.sharding_group_id=\"",
                          m.Below(3), " : i64\"}"));
  }
}

// Twenty dimensions, of which a few have more than one element.
void Rank20(Maker& m) {
  const Value v = m.Of({"f32", {8, 4}});
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
  const Value v = m.Any();
  const size_t length = m.OneIn(50) ? 200 : 1 + m.Below(5);
  std::vector<ArrayShape> carried(length + 1, v.shape);
  carried[0] = {"s32", {}};
  std::string names = m.Scalar("s32").name;
  for (size_t i = 0; i < length; ++i) absl::StrAppend(&names, ", ", v.name);
  m.AddTuple(carried, StrCat("while(", m.Tuple(carried, names),
                             "), condition=", m.Condition(carried), ", body=", m.Shift(carried)));
}

// Operations that speak with the host, and their tokens.
void Host(Maker& m) {
  const Value v = m.Any();
  const char* const device = OneOf(m, {"", ", sharding={maximal device=0}"});
  const std::string token = m.Effect("after-all()");
  if (m.OneIn(2)) {
    m.Effect(StrCat("outfeed(", v.name, ", ", token, "), outfeed_shape=", ToText(v.shape), device));
  } else {
    m.Effect(StrCat("after-all(", token, ")", device));
  }
}

void Fft(Maker& m) {
  const Value v = m.Of({"c64", {8, 8}});
  m.Add(v.shape, StrCat("fft(", v.name, "), fft_type=", OneOf(m, {"FFT", "IFFT"}),
                        ", fft_length={8", m.OneIn(2) ? ",8}" : "}"));
}

}  // namespace

absl::Span<const RandomOp> StrangeOps() {
  static constexpr RandomOp kOps[] = {
      {IndexVector, 1}, {GatherOfScalars, 1}, {KnownCall, 1}, {Empty, 1}, {Group, 1},
      {Rank20, 1},      {ShiftRegister, 1},   {Host, 1},      {Fft, 1}};
  return kOps;
}

}  // namespace tessera::testing::hostile
