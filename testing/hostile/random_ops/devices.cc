// Collectives, custom calls, random numbers, and the rest.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/testing/hostile/random_ops.h"

namespace tessera::testing::hostile {
namespace {

using absl::StrCat;
using Dims = std::vector<int64_t>;
using Maker = ModuleMaker;

void Iota(Maker& m) {
  ArrayShape shape = m.Shape();
  if (shape.dims.empty()) shape.dims = {8};
  shape.type = m.OneIn(2) ? "s32" : "f32";
  m.Add(shape, StrCat("iota(), iota_dimension=", m.RandomBelow(shape.dims.size())));
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
  const size_t dim = m.RandomBelow(out.dims.size());
  out.dims[dim] = Times(out.dims[dim], 2);
  m.Add(out,
        StrCat("all-gather(", v.name, "), channel_id=2, replica_groups=[4,2]<=[8], dimensions={",
               dim, "}, use_global_device_ids=true"));
}

void Permute(Maker& m) {
  const Value v = m.AnyValue();
  m.Add(v.shape, StrCat("collective-permute(", v.name,
                        "), channel_id=3, source_target_pairs={{0,1},{1,2},{2,0}}"));
}

void CustomCall(Maker& m) {
  const Value a = m.AnyValue(), b = m.AnyValue();
  m.Add(a.shape, StrCat("custom-call(", a.name, m.OneIn(2) ? StrCat(", ", b.name) : "",
                        "), custom_call_target=\"",
                        OneOf(m, {"flip", "Sharding", "annotate_device_placement", "TopK",
                                  "SPMDFullToShardShape", "xla.sdy.PropagationBarrier",
                                  "xla.sdy.FuncResultSharding", "MoveToHost", "Eigh"}),
                        "\"", m.OneIn(3) ? ", custom_call_has_side_effect=true" : ""));
}

void Random(Maker& m) {
  ArrayShape out = m.Shape();
  out.type = "u32";
  if (m.OneIn(2)) {
    m.AddTuple({{"u64", {2}}, out}, StrCat("rng-bit-generator(", m.ValueOf({"u64", {2}}).name,
                                           "), algorithm=rng_three_fry"));
  } else {
    out.type = "f32";
    m.Add(out, StrCat("rng(", m.Scalar("f32").name, ", ", m.Scalar("f32").name,
                      "), distribution=rng_uniform"));
  }
}

void Rest(Maker& m) {
  const Value v = m.AnyFloat();
  switch (m.RandomBelow(4)) {
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

}  // namespace

absl::Span<const RandomOp> OtherOps() {
  static constexpr RandomOp kOps[] = {{Iota, 1},       {AllReduce, 1}, {AllGather, 1}, {Permute, 1},
                                      {CustomCall, 1}, {Random, 1},    {Rest, 1}};
  return kOps;
}

}  // namespace tessera::testing::hostile
