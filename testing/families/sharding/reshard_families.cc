#include "tessera/testing/families/sharding/reshard_families.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/sharding/axis_text.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/reshard/explicit_reshards.h"
#include "tessera/sharding/reshard/to_collectives.h"
#include "tessera/testing/propagation/short_sharding.h"

namespace tessera::testing {
namespace {

using nlohmann::json;
using sharding::AxisList;
using sharding::MeshTable;
using sharding::TensorSharding;
using sharding::propagation::ParseShort;
using sharding::propagation::ToShort;
using sharding::reshard::Collective;
using sharding::reshard::CollectiveKind;
using sharding::reshard::OpClass;
using sharding::reshard::OpReshardQuery;
using sharding::reshard::OpReshards;
using sharding::reshard::ReshardTensor;
using sharding::reshard::ResultReshards;
using sharding::reshard::ToCollectives;

std::string Wanted(const json& text) { return text.is_null() ? "none" : text.get<std::string>(); }

class ReshardCase {
 public:
  explicit ReshardCase(const json& c) : case_(c) {}

  Outcome Check() {
    absl::StatusOr<sharding::factors::OpShardingRule> rule =
        sharding::factors::ParseRule(case_["rule"].get<std::string>());
    if (!rule.ok()) return Failed(rule.status().ToString());
    std::vector<sharding::MeshAxis> axes;
    for (const json& axis : case_["mesh"]) axes.push_back({axis[0], axis[1]});
    absl::StatusOr<sharding::Mesh> mesh = sharding::Mesh::Create(std::move(axes));
    if (!mesh.ok() || !meshes_.Add("mesh", *std::move(mesh)).ok()) return Failed("mesh");
    OpReshardQuery query;
    query.rule = &*rule;
    query.version = sharding::reshard::Version::kFull;
    if (case_["op"] == "reshape") query.op_class = OpClass::kReshape;
    shardings_.reserve(case_["operands"].size() + case_["results"].size());
    if (!ReadTensors("operands", query.operands) || !ReadTensors("results", query.results)) {
      return Failed("a sharding does not parse");
    }
    return Compare(PlanOpReshards(query, meshes_));
  }

 private:
  const sharding::Mesh& mesh() const { return meshes_.mesh(0); }

  bool ReadTensors(const char* which, std::vector<ReshardTensor>& out) {
    for (const json& tensor : case_[which]) {
      const auto shape = tensor["shape"].get<std::vector<int64_t>>();
      ReshardTensor read;
      read.num_elements =
          std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
      if (!tensor["sharding"].is_null()) {
        auto parsed = ParseShort(tensor["sharding"].get<std::string>(), 0, mesh());
        if (!parsed.ok()) return false;
        shardings_.push_back(*std::move(parsed));
        read.sharding = &shardings_.back();
      }
      out.push_back(read);
    }
    return true;
  }

  std::string Text(const std::optional<TensorSharding>& sharding) const {
    return sharding ? ToShort(*sharding, mesh()) : "none";
  }

  std::string Text(const sharding::AxisList& axes) const {
    if (axes.empty()) return "none";
    return absl::StrJoin(axes, ",", [&](std::string* out, sharding::AxisRef a) {
      absl::StrAppend(out, ShortAxisText(a, mesh()));
    });
  }

  Outcome Compare(const OpReshards& plan) const {
    const json& expect = case_["expect"];
    for (size_t k = 0; k < plan.operands.size(); ++k) {
      Outcome outcome = Expect(absl::StrCat("operand ", k).c_str(), Text(plan.operands[k]),
                               Wanted(expect["operands"][k]));
      if (outcome.verdict != Verdict::kPassed) return outcome;
    }
    for (size_t k = 0; k < plan.results.size(); ++k) {
      Outcome outcome = CompareResult(plan.results[k], expect["results"][k]);
      if (outcome.verdict != Verdict::kPassed) return outcome;
    }
    return Passed();
  }

  Outcome CompareResult(const ResultReshards& got, const json& expect) const {
    const json& sum = expect["all_reduce"];
    const std::string axes =
        sum.is_null() ? "none" : absl::StrJoin(sum.get<std::vector<std::string>>(), ",");
    return First({Expect("op", Text(got.sharding), Wanted(expect["op"])),
                  Expect("all_reduce", Text(got.all_reduce), axes),
                  Expect("reshard", Text(got.reshard), Wanted(expect["reshard"]))});
  }

  const json& case_;
  MeshTable meshes_;
  std::vector<TensorSharding> shardings_;
};

// --- reshards ------------------------------------------------------------------------------------

class CollectivesCase {
 public:
  explicit CollectivesCase(const json& c) : case_(c) {}

  Outcome Check() {
    std::vector<sharding::MeshAxis> axes;
    for (const json& axis : case_["mesh"]) axes.push_back({axis[0], axis[1]});
    absl::StatusOr<sharding::Mesh> mesh = sharding::Mesh::Create(axes);
    if (!mesh.ok() || !meshes_.Add("from", *mesh).ok()) return Failed("mesh");
    sharding::MeshId to_mesh = 0;
    if (case_.contains("to_device_ids")) {
      std::vector<int64_t> ids = mesh->DeviceOrder();
      std::reverse(ids.begin(), ids.end());
      to_mesh = *meshes_.Add("to", *sharding::Mesh::Create(axes, ids));
    }
    const auto from = ParseShort(case_["from"].get<std::string>(), 0, meshes_.mesh(0));
    const auto to = ParseShort(case_["to"].get<std::string>(), to_mesh, meshes_.mesh(0));
    if (!from.ok() || !to.ok()) return Failed("a sharding does not parse");
    const auto plan =
        ToCollectives(case_["shape"].get<std::vector<int64_t>>(), *from, *to, meshes_);
    if (!plan.ok()) return Failed(plan.status().ToString());
    std::string got;
    for (const Collective& step : plan->steps) absl::StrAppend(&got, Text(step), "; ");
    return Expect("steps", got, Wanted());
  }

 private:
  std::string Text(const AxisList& axes) const {
    return absl::StrJoin(axes, ",", [&](std::string* out, sharding::AxisRef a) {
      absl::StrAppend(out, ShortAxisText(a, meshes_.mesh(0)));
    });
  }

  std::string Text(const Collective& step) const {
    static constexpr const char* kNames[] = {"all_slice", "all_gather", "all_to_all",
                                             "collective_permute"};
    std::string text = kNames[static_cast<int>(step.kind)];
    for (const AxisList& axes : step.axes_per_dim) absl::StrAppend(&text, " {", Text(axes), "}");
    if (step.kind == CollectiveKind::kAllToAll) {
      absl::StrAppend(&text, " {", Text(step.axes), "} ", step.source, "->", step.target);
    }
    return absl::StrCat(text, " ", ToShort(step.sharding, meshes_.mesh(0)));
  }

  std::string Wanted() const {
    std::string text;
    for (const json& step : case_["expect"]) {
      absl::StrAppend(&text, step["op"].get<std::string>());
      if (step.contains("src")) {
        absl::StrAppend(&text, " {", Joined(step["axes"]), "} ", step["src"].get<int>(), "->",
                        step["tgt"].get<int>());
      } else if (step.contains("axes")) {
        for (const json& axes : step["axes"]) absl::StrAppend(&text, " {", Joined(axes), "}");
      }
      absl::StrAppend(&text, " ", step["sharding"].get<std::string>(), "; ");
    }
    return text;
  }

  static std::string Joined(const json& axes) {
    return absl::StrJoin(axes.get<std::vector<std::string>>(), ",");
  }

  const json& case_;
  MeshTable meshes_;
};

Outcome CheckReshards(const json& one_case) { return CollectivesCase(one_case).Check(); }

Outcome CheckExplicitReshards(const json& one_case) { return ReshardCase(one_case).Check(); }

}  // namespace

std::vector<Family> ReshardFamilies() {
  return {{"explicit_reshards", CheckExplicitReshards}, {"reshards", CheckReshards}};
}

}  // namespace tessera::testing
