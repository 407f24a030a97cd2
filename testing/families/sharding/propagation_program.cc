#include "tessera/testing/families/sharding/propagation_program.h"

#include <string>
#include <utility>
#include <vector>

#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/program/op.h"
#include "tessera/sharding/program/payload.h"
#include "tessera/testing/propagation/short_sharding.h"

namespace tessera::testing {
namespace {

using nlohmann::json;
using sharding::ShardingId;
using sharding::program::Op;
using sharding::program::Use;
using sharding::program::Value;
using namespace sharding::propagation;  // NOLINT: this file speaks about nothing else

const std::map<std::string, OpKind>& Kinds() {
  static const auto* const kinds =
      new std::map<std::string, OpKind>{{"constraint", OpKind::kConstraint},
                                        {"group", OpKind::kShardingGroup},
                                        {"edge", OpKind::kDataFlowEdge},
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
  explicit Reader(ProgramCase& out) : out_(out), program_(out.program) {}

  absl::Status Read(const json& c) {
    std::vector<sharding::MeshAxis> axes;
    for (const json& axis : c["mesh"]) axes.push_back({axis[0], axis[1]});
    absl::StatusOr<sharding::Mesh> mesh = sharding::Mesh::Create(std::move(axes));
    if (!mesh.ok()) return mesh.status();
    if (auto id = program_.meshes().Add("mesh", *std::move(mesh)); !id.ok()) return id.status();
    AddArguments(c["args"]);
    AddOps(c["ops"]);
    std::vector<ShardingId> shardings;
    for (const json& output : c["outputs"]) {
      shardings.push_back(Sharding(output.value("sharding", json())));
    }
    status_.Update(program_.Return(Values(c["outputs"]), shardings));
    return status_;
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
    return program_.shardings().Intern(*parsed);
  }

  Tensor TensorOf(const json& v) {
    return {v["shape"].get<std::vector<int64_t>>(), Sharding(v.value("sharding", json()))};
  }

  void AddArguments(const json& values) {
    for (const json& v : values) out_.values[v["v"]] = program_.AddArgument(TensorOf(v));
  }

  std::vector<Value*> Values(const json& numbers) const {
    std::vector<Value*> values;
    for (const json& n : numbers) {
      values.push_back(out_.values.at(n.is_object() ? n["v"].get<int>() : n.get<int>()));
    }
    return values;
  }

  // --- ops
  void AddOps(const json& ops) {
    for (const json& op : ops) AddOp(op);
  }

  // In the reference an op is made when its regions are, so that its uses come before theirs.
  void AddOp(const json& json_op) {
    const json results = json_op.value("out", json::array());
    std::vector<Tensor> tensors;
    for (const json& v : results) tensors.push_back(TensorOf(v));
    Op* const op = program_.AddOp(Spec(json_op), Values(json_op["in"]), tensors);
    for (size_t i = 0; i < results.size(); ++i) out_.values[results[i]["v"]] = &op->results[i];
    if (json_op["op"] == "group") op->attribute = json_op["group"];
    for (const json& region : RegionsOf(json_op)) AddRegion(region);
    if (json_op["op"] == "manual") AddBoundaries(json_op, op);
    for (Use& use : op->operands) use.Set(use.value());
  }

  void AddRegion(const json& region) {
    program_.OpenBlock();
    AddArguments(region["args"]);
    AddOps(region["ops"]);
    program_.CloseBlock(Values(region["ret"]));
  }

  OpSpec Spec(const json& op) {
    const std::string name = op["op"];
    OpSpec spec;
    spec.kind = Lookup(Kinds(), name, OpKind::kHlo);
    spec.element_wise = op.value("elementwise", false);
    spec.flow = spec.element_wise ? OpPriorityClass::kPassThrough
                                  : Lookup(Flows(), op.value("class", ""), OpPriorityClass::kOther);
    spec.barrier = Lookup(BarrierDirections(), op.value("dir", ""), Direction::kNone);
    const bool keeps = name == "edge" || name == "constraint" || name == "group";
    spec.removable = !keeps && RegionsOf(op).empty() && name != "opt_barrier";
    if (op.contains("rule")) {
      const auto rule = sharding::factors::ParseRule(op["rule"].get<std::string>());
      status_.Update(rule.status());
      if (rule.ok()) spec.rule = program_.rules().Intern(*rule);
    }
    return spec;
  }

  void AddBoundaries(const json& json_op, Op* op) {
    auto* const info = program_.program().NewPayload<sharding::program::ManualInfo>(op);
    for (const json& axis : json_op["manual_axes"]) {
      info->manual_axes.push_back(out_.mesh().FindAxis(axis.get<std::string>()).value_or(0));
    }
    for (int k = 0; k < op->num_results(); ++k) {
      op->result(k)->set_sharding(Sharding(json_op["out_shardings"][static_cast<size_t>(k)]));
    }
    for (Value* argument : op->blocks()[0]->args) {
      const size_t k = static_cast<size_t>(argument->index());
      argument->set_sharding(Sharding(json_op["in_shardings"][k]));
    }
  }

  ProgramCase& out_;
  TestProgram& program_;
  absl::Status status_;
};

}  // namespace

absl::Status ReadProgramCase(const json& c, ProgramCase& out) { return Reader(out).Read(c); }

}  // namespace tessera::testing
