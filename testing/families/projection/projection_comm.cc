// Family projection_comm: reshards, demands of operations, split products, collectives on rings and
// tori.
#include <string>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/parser.h"
#include "tessera/projection/cost/demand/device_tiles.h"
#include "tessera/projection/cost/demand/missing.h"
#include "tessera/projection/cost/network/collective_time.h"
#include "tessera/projection/partition/incremental.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/sharding/axis_text.h"
#include "tessera/sharding/device_tiles.h"
#include "tessera/sharding/reshard/to_collectives.h"
#include "tessera/testing/families/projection/projection_checks.h"
#include "tessera/testing/families/projection/projection_json.h"
#include "tessera/testing/projection/torus_gathers.h"
#include "tessera/testing/reshard_plans/atom_plans.h"
#include "tessera/testing/reshard_plans/reshard_cost.h"

namespace tessera::testing {
namespace {

using namespace projection;  // NOLINT: this file speaks of nothing else
using nlohmann::json;
using sharding::AxisRef;
using sharding::DeviceGrid;
using sharding::Mesh;
using sharding::TensorSharding;
using sharding::reshard::CollectivePlan;

Mesh ReadMesh(const json& axes) {
  std::vector<sharding::MeshAxis> list;
  for (const json& axis : axes)
    list.push_back({axis[0].get<std::string>(), axis[1].get<int64_t>()});
  return Mesh::Create(list).value();
}

TensorSharding ReadSharding(const json& dims, const Mesh& mesh) {
  TensorSharding s(0, static_cast<int>(dims.size()));
  for (size_t d = 0; d < dims.size(); ++d) {
    for (const json& axis : dims[d])
      s.dim(static_cast<int>(d))
          .axes.push_back(sharding::ParseAxisText(axis.get<std::string>(), mesh).value());
  }
  return s;
}

Outcome CheckReshard(const json& c) {
  const Mesh mesh = ReadMesh(c["mesh"]);
  sharding::MeshTable meshes;
  meshes.Add("mesh", mesh).value();
  const DeviceGrid grid(mesh);
  const ZPoint shape = ReadPoint(c["shape"]);
  const TensorSharding from = ReadSharding(c["from"], mesh), to = ReadSharding(c["to"], mesh);
  const reshard_plans::Resharded array{
      {shape.begin(), shape.end()}, c["element_bytes"], from, to, meshes};
  const reshard_plans::ReshardDemand demand = reshard_plans::DemandOf(array).value();
  const CollectivePlan cheapest = reshard_plans::PlanCheaply(shape, from, to, meshes).value();
  const CollectivePlan greedy = reshard_plans::PlanGreedily(shape, from, to, meshes).value();
  const int64_t cheapest_total = reshard_plans::CostOf(array, cheapest).value().total;
  const int64_t greedy_total = reshard_plans::CostOf(array, greedy).value().total;
  json tiles = json::array();
  for (int64_t d = 0; d < grid.num_devices(); ++d) {
    tiles.push_back(
        {Write(TileBox(grid, shape, from, d).value()), Write(TileBox(grid, shape, to, d).value())});
  }
  return First({Expect("tiles", tiles, c["tiles"]),
                Expect("missing_bytes", json(demand.bytes), c["missing_bytes"]),
                Expect("total", demand.total, c["total"]), Expect("max", demand.max, c["max"]),
                Expect("plan_total", cheapest_total, c["plan_total"]),
                Expect("plan_steps", cheapest.steps.size(), c["plan_steps"]),
                Expect("excess", cheapest_total - demand.total, c["excess"]),
                Expect("greedy_total", greedy_total, c["greedy_total"])});
}

Outcome CheckOpComm(const json& c) {
  const hlo::Module module = hlo::ParseModule(c["hlo"].get<std::string>()).value();
  const hlo::InstructionId root = module.entry().root;
  const Mesh mesh = ReadMesh(c["mesh"]);
  const DeviceGrid grid(mesh);
  std::vector<TensorSharding> shardings;
  std::vector<int64_t> bits;
  for (const json& s : c["operand_shardings"]) shardings.push_back(ReadSharding(s, mesh));
  for (hlo::InstructionId operand : module.operands(root)) {
    bits.push_back(8 * layout::ByteWidth(module.shape(operand).element_type()));
  }
  std::vector<const TensorSharding*> operands;
  for (const TensorSharding& s : shardings) operands.push_back(&s);
  const TensorSharding result = ReadSharding(c["result_sharding"], mesh);
  const Signature s = SignatureOf(module, root, {0, false, IndexPolicy::kBound}).value();
  const OpDemand demand = DemandOf(s, bits, grid, operands, &result).value();
  json devices = json::array();
  for (int64_t d = 0; d < grid.num_devices(); ++d) devices.push_back(nullptr);
  for (const ClassDemand& one : demand.classes) {
    json missing = json::array();
    for (size_t k = 0; k < one.operands.size(); ++k) {
      const OperandDemand& o = one.operands[k];
      missing.push_back({{"operand", k},
                         {"bytes", o.bytes},
                         {"bounding", Write(o.missing.bounding())},
                         {"boxes", Write(o.missing.Slabs().value())}});
    }
    for (int64_t d : one.devices.positions) {
      devices[d] = {{"device", d}, {"result", Write(one.result)}, {"missing", missing}};
    }
  }
  return First({Expect("devices", devices, c["devices"]),
                Expect("total", demand.total_bytes, c["total_bytes"])});
}

// The part of a tensor whose dimensions are index axes, for a block that may be empty along some of
// them.
json TileThrough(const ZProjection& p, const ZRange& block) {
  ZPoint start, end;
  for (int r = 0; r < p.tensor_rank(); ++r) {
    start.push_back(block.start()[p.matrix().SingleColumn(r)]);
    end.push_back(block.end()[p.matrix().SingleColumn(r)]);
  }
  return Write(ZRange::Create(start, end).value());
}

Outcome CheckPartialDot(const json& c) {
  const int64_t m = c["m"], k = c["k"], n = c["n"], bytes = c["element_bytes"];
  const Mesh mesh = ReadMesh(c["mesh"]);
  const DeviceGrid grid(mesh);
  const TensorSharding index = ReadSharding(
      {c["index_sharding"]["m"], c["index_sharding"]["n"], c["index_sharding"]["k"]}, mesh);
  const std::string text =
      absl::StrCat("ENTRY e { a = f32[", m, ",", k, "] parameter(0)\n b = f32[", k, ",", n,
                   "] parameter(1)\n ROOT r = f32[", m, ",", n,
                   "] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }");
  const hlo::Module module = hlo::ParseModule(text).value();
  const Signature s =
      SignatureOf(module, module.entry().root, {0, true, IndexPolicy::kConstant}).value();
  json devices = json::array();
  int64_t partial_bytes = 0;
  for (int64_t d = 0; d < grid.num_devices(); ++d) {
    const ZRange block = TileBox(grid, s.index.shape(), index, d).value();
    const ZRange partial = ReadRange(TileThrough(s.results[0], block));
    devices.push_back({{"device", d},
                       {"lhs", TileThrough(*s.operands[0].maps[0]->projection(), block)},
                       {"rhs", TileThrough(*s.operands[1].maps[0]->projection(), block)},
                       {"partial", Write(partial)},
                       {"flops", 2 * block.size().value()}});
    if (d == 0) partial_bytes = partial.size().value() * bytes;
  }
  int64_t group = 1;
  for (AxisRef axis : index.dim(2).axes) group *= axis.size(mesh);
  const auto sent = [&](CollectiveKind kind) {
    return PriceCollective(kind, partial_bytes, bytes, group).value().sent;
  };
  return First(
      {Expect("devices", devices, c["devices"]),
       Expect("partial_bytes", partial_bytes, c["partial_bytes"]),
       Expect("group", group, c["group"]),
       Expect("all_reduce", sent(CollectiveKind::kAllReduce), c["all_reduce_sent_per_device"]),
       Expect("reduce_scatter", sent(CollectiveKind::kReduceScatter),
              c["reduce_scatter_sent_per_device"])});
}

Outcome CheckRing(const json& c) {
  const int64_t n = c["devices"];
  if (c["collective"] == "all-reduce") {
    const int64_t vector = c["vector_bytes"];
    const CollectiveTraffic bill =
        PriceCollective(CollectiveKind::kAllReduce, vector, 4, n).value();
    const RingTraffic t =
        RingCollective(CollectiveKind::kAllReduce, {n, false, true}, vector).value();
    return First({Expect("steps", t.steps, c["steps"]),
                  Expect("sent", bill.sent, c["sent_per_device"]),
                  Expect("adds", bill.adds, c["adds_per_device_f32"])});
  }
  const bool gathers = c["collective"] == "all-gather";
  const int64_t bytes = gathers ? c["shard_bytes"] : c["pair_bytes"];
  const RingTraffic t =
      RingCollective(gathers ? CollectiveKind::kAllGather : CollectiveKind::kAllToAll,
                     {n, c["bidirectional"].get<bool>(), c["wrap"].get<bool>()}, bytes)
          .value();
  const CollectiveTraffic bill =
      PriceCollective(gathers ? CollectiveKind::kAllGather : CollectiveKind::kAllToAll, bytes * n,
                      1, n)
          .value();
  return First({Expect("steps", t.steps, c["steps"]),
                Expect("busiest", t.busiest_link_bytes, c["busiest_link_bytes"].get<double>()),
                Expect("total", t.total_link_bytes, c["total_link_bytes"].get<double>()),
                Expect("sent", bill.sent, c["sent_per_device"])});
}

Outcome CheckPermute(const json& c) {
  Torus torus{ReadPoint(c["torus"]), c["wrap"].get<std::vector<bool>>()};
  std::vector<Message> messages;
  for (const json& pair : c["pairs"]) messages.push_back({pair[0], pair[1], c["bytes"]});
  const RoutedTraffic t = RouteMessages(torus, messages).value();
  return First({Expect("max_hops", t.max_hops, c["max_hops"]),
                Expect("busiest", t.busiest_link_bytes, c["busiest_link_bytes"]),
                Expect("total", t.total_link_bytes, c["total_link_bytes"])});
}

Outcome CheckStridedAxis(const json& c) {
  const StridedTraffic t =
      StridedAllGather(c["ring"], c["stride"], c["group"], c["shard_bytes"]).value();
  return First({Expect("groups", json(t.groups), c["groups"]),
                Expect("wraps", t.wraps, c["wraps"].get<bool>()),
                Expect("busiest", t.busiest_link_bytes, c["busiest_link_bytes"])});
}

Outcome CheckTorusAllGather(const json& c) {
  json phases = json::array();
  const std::vector<TorusPhase> list =
      TorusAllGather(ReadPoint(c["torus"]), c["shard_bytes"]).value();
  for (const TorusPhase& p : list) {
    phases.push_back(
        {{"axis", p.axis}, {"steps", p.steps}, {"busiest_link_bytes", p.busiest_link_bytes}});
  }
  return First({Expect("phases", phases, c["phases"]),
                Expect("bound", TorusAllGatherBound(ReadPoint(c["torus"]), c["shard_bytes"]),
                       c["lower_bound_link_bytes_all_axes_at_once"].get<double>())});
}

constexpr KindRow kCommKinds[] = {
    {"reshard", CheckReshard},
    {"op_comm", CheckOpComm},
    {"partial_dot", CheckPartialDot},
    {"ring", CheckRing},
    {"permute", CheckPermute},
    {"strided_axis", CheckStridedAxis},
    {"torus_all_gather", CheckTorusAllGather},
};

}  // namespace

Outcome CheckProjectionComm(const json& c) { return CheckByKind(kCommKinds, c); }

}  // namespace tessera::testing
