// Collectives among all devices, or among two of them.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/testing/target_passes/random/random_ops.h"

namespace tessera::testing::random_programs {
namespace {

using absl::StrCat;
using Maker = ProgramMaker;

struct Groups {
  int64_t size;
  const char* text;
};

Groups AnyGroups(Maker& m) {
  static constexpr Groups kGroups[] = {{4, "[1,4]<=[4]"},
                                       {2, "[2,2]<=[4]"},
                                       {2, "[2,2]<=[2,2]T(1,0)"},
                                       {1, "[4,1]<=[4]"}};
  return kGroups[m.OneIn(8) ? 3 : m.Below(3)];
}

std::string Devices(Maker& m, const Groups& groups) {
  return StrCat(", ", m.NewChannel(), ", replica_groups=", groups.text);
}

constexpr char kGlobal[] = ", use_global_device_ids=true";

std::string AnyReducer(Maker& m, const std::string& type) {
  if (type == "pred") return m.Reducer(type, m.OneIn(2) ? "or" : "and");
  return m.Reducer(type, m.OneIn(4) ? "maximum" : "add");
}

void AllReduce(Maker& m) {
  if (!m.may_exchange()) return;
  const Value v = m.Any();
  const std::string reducer = AnyReducer(m, v.type);
  m.Add(v.type, v.dims,
        StrCat("all-reduce(", v.name, ")", Devices(m, AnyGroups(m)), kGlobal, ", to_apply=", reducer));
}

// Two arrays of one type at once.
void AllReduceOfTwo(Maker& m) {
  if (!m.may_exchange()) return;
  const Value v = m.Any(), w = m.AnyArray(v.type);
  const std::string reducer = AnyReducer(m, v.type);
  m.AddTuple({v, w}, StrCat("all-reduce(", v.name, ", ", w.name, ")", Devices(m, AnyGroups(m)),
                            kGlobal, ", to_apply=", reducer));
}

void AllGather(Maker& m) {
  if (!m.may_exchange()) return;
  const Value v = m.AnyArray();
  const Groups groups = AnyGroups(m);
  const int64_t at = m.Below(static_cast<int64_t>(v.dims.size()));
  Dims dims = v.dims;
  dims[static_cast<size_t>(at)] *= groups.size;
  if (dims[static_cast<size_t>(at)] > 64) return;
  m.Add(v.type, dims,
        StrCat("all-gather(", v.name, ")", Devices(m, groups), kGlobal, ", dimensions={", at, "}"));
}

// A dimension that `parts` divide, of an array that is there or made.
struct Divided {
  Value value;
  size_t dim;
};

Divided AnyDivided(Maker& m, int64_t parts) {
  for (int i = 0; i < 8; ++i) {
    const Value v = m.AnyArray();
    const size_t at = static_cast<size_t>(m.Below(static_cast<int64_t>(v.dims.size())));
    if (v.dims[at] % parts == 0) return {v, at};
  }
  return {m.Like("s32", {8, 4}), 1};
}

void ReduceScatter(Maker& m) {
  if (!m.may_exchange()) return;
  const Groups groups = AnyGroups(m);
  const Divided of = AnyDivided(m, groups.size);
  Dims dims = of.value.dims;
  dims[of.dim] /= groups.size;
  const std::string reducer = AnyReducer(m, of.value.type);
  m.Add(of.value.type, dims,
        StrCat("reduce-scatter(", of.value.name, ")", Devices(m, groups), kGlobal, ", dimensions={",
               of.dim, "}, to_apply=", reducer));
}

void AllToAll(Maker& m) {
  if (!m.may_exchange()) return;
  const Groups groups = AnyGroups(m);
  const Divided of = AnyDivided(m, groups.size);
  m.Add(of.value.type, of.value.dims,
        StrCat("all-to-all(", of.value.name, ")", Devices(m, groups), ", dimensions={", of.dim, "}"));
}

void Permute(Maker& m) {
  if (!m.may_exchange()) return;
  const Value v = m.Any();
  std::vector<std::string> pairs;
  const Dims targets = m.Order(static_cast<size_t>(kDevices));
  for (size_t i = 0; i < targets.size(); ++i) {
    if (!m.OneIn(5)) pairs.push_back(StrCat("{", i, ",", targets[i], "}"));
  }
  m.Add(v.type, v.dims,
        StrCat("collective-permute(", v.name, "), ", m.NewChannel(), ", source_target_pairs={",
               absl::StrJoin(pairs, ","), "}"));
}

// The part of this device of an array, as partitioned programs cut it.
void OwnPart(Maker& m) {
  if (!m.may_exchange()) return;
  const Divided of = AnyDivided(m, kDevices);
  Dims dims = of.value.dims;
  dims[of.dim] /= kDevices;
  const Value table = m.Add("s32", {kDevices}, StrCat("constant({0, ", dims[of.dim], ", ",
                                                      2 * dims[of.dim], ", ", 3 * dims[of.dim], "})"));
  const Value device = m.AddHidden("u32", {}, "partition-id()");
  const Value at = m.Add("s32", {1}, StrCat("dynamic-slice(", table.name, ", ", device.name,
                                            "), dynamic_slice_sizes={1}"));
  const Value start = m.Add("s32", {}, StrCat("reshape(", at.name, ")"));
  const Value zero = m.Scalar("s32", "0");
  std::vector<std::string> starts(dims.size(), zero.name);
  starts[of.dim] = start.name;
  m.Add(of.value.type, dims,
        StrCat("dynamic-slice(", of.value.name, ", ", absl::StrJoin(starts, ", "),
               "), dynamic_slice_sizes=", Braces(dims)));
}

}  // namespace

absl::Span<const RandomOp> CollectiveOps() {
  static constexpr RandomOp kOps[] = {AllReduce, AllReduceOfTwo, AllReduce, AllGather, AllGather,
                                      ReduceScatter, AllToAll, Permute, OwnPart};
  return kOps;
}

}  // namespace tessera::testing::random_programs
