#include "tessera/testing/families/sharding/propagation_program.h"

#include <string>
#include <utility>
#include <vector>

#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/propagation/program_builder.h"
#include "tessera/sharding/propagation/testing/short_sharding.h"

namespace tessera::testing {
namespace {

using nlohmann::json;
using sharding::ShardingId;
using namespace sharding::propagation;  // NOLINT: this file speaks about nothing else

const std::map<std::string, OpKind>& Kinds() {
  static const auto* const kinds =
      new std::map<std::string, OpKind>{{"edge", OpKind::kDataFlowEdge},
                                        {"barrier", OpKind::kPropagationBarrier},
                                        {"opt_barrier", OpKind::kOptBarrier},
                                        {"while", OpKind::kWhile},
                                        {"case", OpKind::kCase},
                                        {"named", OpKind::kNamedComputation},
                                        {"manual", OpKind::kManualComputation}};
  return *kinds;
}

const std::map<std::string, OpPriorityClass>& Flows() {
  static const auto* const flows = new std::map<std::string, OpPriorityClass>{
      {"reshape", OpPriorityClass::kPassThrough},
      {"transpose", OpPriorityClass::kPassThrough},
      {"dynamic_slice", OpPriorityClass::kPassThroughForward},
      {"dynamic_update_slice", OpPriorityClass::kPassThroughForward},
      {"broadcast_in_dim", OpPriorityClass::kBroadcast}};
  return *flows;
}

const std::map<std::string, Direction>& BarrierDirections() {
  static const auto* const directions =
      new std::map<std::string, Direction>{{"NONE", Direction::kNone},
                                           {"FORWARD", Direction::kForward},
                                           {"BACKWARD", Direction::kBackward},
                                           {"BOTH", Direction::kBoth}};
  return *directions;
}

template <typename T>
T Lookup(const std::map<std::string, T>& map, const std::string& key, T otherwise) {
  const auto found = map.find(key);
  return found == map.end() ? otherwise : found->second;
}

std::vector<json> RegionsOf(const json& op) {
  std::vector<json> regions;
  for (const char* name : {"cond", "body"}) {
    if (op.contains(name)) regions.push_back(op[name]);
  }
  for (const json& branch : op.value("branches", json::array())) regions.push_back(branch);
  return regions;
}

class Reader {
 public:
  explicit Reader(ProgramCase& out) : out_(out) {}

  absl::Status Read(const json& c) {
    std::vector<sharding::MeshAxis> axes;
    for (const json& axis : c["mesh"]) axes.push_back({axis[0], axis[1]});
    absl::StatusOr<sharding::Mesh> mesh = sharding::Mesh::Create(std::move(axes));
    if (!mesh.ok()) return mesh.status();
    if (auto id = out_.meshes.Add("mesh", *std::move(mesh)); !id.ok()) return id.status();
    AddValues(c["args"]);
    AddResultValues(c["ops"]);
    AddFunction(c);
    AddEdges(c["ops"]);
    for (const auto& [number, members] : groups_) builder_.AddGroup(members);
    if (!status_.ok()) return status_;
    absl::StatusOr<Program> program = std::move(builder_).Build();
    if (!program.ok()) return program.status();
    out_.program = *std::move(program);
    return absl::OkStatus();
  }

 private:
  // --- values
  ShardingId Sharding(const json& text) {
    if (text.is_null()) return sharding::kNoSharding;
    const auto parsed = ParseShort(text.get<std::string>(), 0, out_.mesh());
    if (!parsed.ok()) {
      status_.Update(parsed.status());
      return sharding::kNoSharding;
    }
    return out_.shardings.Intern(*parsed);
  }

  void AddValues(const json& values) {
    for (const json& v : values) {
      const ShapeId shape = builder_.AddShape(v["shape"].get<std::vector<int64_t>>());
      out_.values[v["v"]] = builder_.AddValue(shape, Sharding(v.value("sharding", json())));
    }
  }

  void AddResultValues(const json& ops) {
    for (const json& op : ops) {
      AddValues(op.value("out", json::array()));
      for (const json& region : RegionsOf(op)) {
        AddValues(region["args"]);
        AddResultValues(region["ops"]);
      }
    }
  }

  std::vector<ValueId> Values(const json& numbers) const {
    std::vector<ValueId> values;
    for (const json& n : numbers) {
      values.push_back(out_.values.at(n.is_object() ? n["v"].get<int>() : n.get<int>()));
    }
    return values;
  }

  // --- ops
  void AddFunction(const json& c) {
    OpSpec spec;
    spec.kind = OpKind::kFunction;
    const OpId main = builder_.AddOp(spec);
    for (const ValueId v : Values(c["args"])) builder_.AddBlockArgument(main, v);
    AddOps(c["ops"], main);
    spec.kind = OpKind::kReturn;
    spec.parent = main;
    builder_.AddOp(spec, Values(c["outputs"]));
    for (const json& output : c["outputs"]) {
      builder_.AddOutput({out_.values.at(output["v"]), Sharding(output.value("sharding", json()))});
    }
  }

  void AddOps(const json& ops, OpId parent) {
    for (const json& op : ops) {
      const OpId id = builder_.AddOp(Spec(op, parent), Values(op["in"]),
                                     Values(op.value("out", json::array())));
      if (op["op"] == "group") groups_[op["group"]].push_back(Values(op["in"])[0]);
      for (const json& region : RegionsOf(op)) AddRegion(region, id);
    }
  }

  void AddRegion(const json& region, OpId owner) {
    for (const ValueId v : Values(region["args"])) builder_.AddBlockArgument(owner, v);
    AddOps(region["ops"], owner);
    OpSpec spec;
    spec.kind = OpKind::kTerminator;
    spec.parent = owner;
    builder_.AddOp(spec, Values(region["ret"]));
  }

  OpSpec Spec(const json& op, OpId parent) {
    const std::string name = op["op"];
    OpSpec spec;
    spec.kind = Lookup(Kinds(), name, OpKind::kPlain);
    spec.parent = parent;
    spec.element_wise = op.value("elementwise", false);
    spec.flow = spec.element_wise ? OpPriorityClass::kPassThrough
                                  : Lookup(Flows(), op.value("class", ""), OpPriorityClass::kOther);
    spec.barrier = Lookup(BarrierDirections(), op.value("dir", ""), Direction::kNone);
    const bool keeps = name == "edge" || name == "constraint" || name == "group";
    spec.removable = !keeps && RegionsOf(op).empty() && name != "opt_barrier";
    spec.rule = sharding::factors::kNoRule;
    if (op.contains("rule")) {
      const auto rule = sharding::factors::ParseRule(op["rule"].get<std::string>());
      status_.Update(rule.status());
      if (rule.ok()) spec.rule = out_.rules.Intern(*rule);
    }
    return spec;
  }

  // --- edges
  void AddEdges(const json& ops) {
    for (const json& op : ops) {
      NoteOwners(op);
      if (op["op"] == "edge") AddEdge(op);
      for (const json& region : RegionsOf(op)) AddEdges(region["ops"]);
    }
  }

  // What the edge of each owner of `op` looks like, but for its result.
  void NoteOwners(const json& op) {
    const std::string name = op["op"];
    const std::vector<ValueId> results = Values(op.value("out", json::array()));
    const std::vector<ValueId> operands = Values(op["in"]);
    if (name != "opt_barrier" && RegionsOf(op).empty()) return;
    for (size_t k = 0; k < results.size(); ++k) {
      EdgeSpec edge;
      if (name == "while" || name == "opt_barrier") edge.sources.push_back(operands[k]);
      for (const json& region : RegionsOf(op)) {
        const std::vector<ValueId> arguments = Values(region["args"]);
        if (name == "while") edge.other_targets.push_back(arguments[k]);
        if (name == "while" && region == op["cond"]) continue;
        edge.sources.push_back(Values(region["ret"])[k]);
      }
      if (name == "manual") SetView(op, "out_shardings", k, ManualView::kInner, edge);
      owners_[results[k]] = edge;
    }
    if (name != "named" && name != "manual") return;
    const std::vector<ValueId> arguments = Values(op["body"]["args"]);
    for (size_t k = 0; k < arguments.size(); ++k) {
      EdgeSpec edge;
      edge.sources.push_back(operands[k]);
      if (name == "manual") SetView(op, "in_shardings", k, ManualView::kOuter, edge);
      owners_[arguments[k]] = edge;
    }
  }

  void SetView(const json& op, const char* boundaries, size_t k, ManualView view, EdgeSpec& edge) {
    edge.view = view;
    edge.boundary = Sharding(op[boundaries][k]);
    for (const json& axis : op["manual_axes"]) {
      edge.manual_axes.push_back(out_.mesh().FindAxis(axis.get<std::string>()).value_or(0));
    }
  }

  void AddEdge(const json& op) {
    EdgeSpec edge = owners_[Values(op["in"])[0]];
    edge.owner = Values(op["in"])[0];
    edge.result = Values(op["out"])[0];
    builder_.AddEdge(std::move(edge));
  }

  ProgramCase& out_;
  ProgramBuilder builder_;
  absl::Status status_;
  std::map<int, std::vector<ValueId>> groups_;
  std::map<ValueId, EdgeSpec> owners_;
};

}  // namespace

absl::Status ReadProgramCase(const json& c, ProgramCase& out) { return Reader(out).Read(c); }

}  // namespace tessera::testing
