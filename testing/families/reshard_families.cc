#include "tessera/testing/families/reshard_families.h"

#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/propagation/testing/short_sharding.h"
#include "tessera/sharding/reshard/explicit_reshards.h"

namespace tessera::testing {
namespace {

using nlohmann::json;
using sharding::MeshTable;
using sharding::TensorSharding;
using sharding::propagation::ParseShort;
using sharding::propagation::ToShort;
using sharding::reshard::OpClass;
using sharding::reshard::OpReshardQuery;
using sharding::reshard::OpReshards;
using sharding::reshard::ReshardTensor;
using sharding::reshard::ResultReshards;

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
      absl::StrAppend(out, ToShort(a, mesh()));
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

Outcome CheckExplicitReshards(const json& one_case) { return ReshardCase(one_case).Check(); }

}  // namespace

std::vector<Family> ReshardFamilies() { return {{"explicit_reshards", CheckExplicitReshards}}; }

}  // namespace tessera::testing
