// One op at a time:
//
//   1. a mesh for the op; none, or a single device: nothing to do
//   2. the factor table, tensors without a sharding counting as closed
//   3. the axes that each factor is to have (full: common_axes.cc, or reshape_axes.cc for a reshape
//      with overflow; minimal: only the conflict of a dot)
//   4. what differs is resharded: operands before the op, results after it
//   5. partial sums of sharded reduction factors are added up
//
// Tested in explicit_reshards_test.cc and by the conformance driver.

#include "tessera/sharding/reshard/explicit_reshards.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/factors/projection.h"
#include "tessera/sharding/reshard/agree/agree.h"

namespace tessera::sharding::reshard {
namespace {

using factors::FactorKind;
using factors::FactorTable;
using factors::FactorUse;
using factors::OpShardingRule;

class Planner {
 public:
  Planner(const OpReshardQuery& query, const MeshTable& meshes, MeshId mesh_id, OpReshards& plan)
      : query_(query),
        meshes_(meshes),
        rule_(*query.rule),
        mesh_id_(mesh_id),
        mesh_(meshes.mesh(mesh_id)),
        marked_(rule_.num_tensors()),
        plan_(plan) {
    std::vector<const TensorSharding*> shardings;
    for (int t = 0; t < rule_.num_tensors(); ++t) {
      shardings.push_back(Tensor(t).sharding);
      elements_.push_back(Tensor(t).num_elements);
    }
    table_.Project(rule_, shardings, mesh_, factors::MissingSharding::kClosed);
  }

  void PlanFull() {
    MarkOverflow();
    const bool overflows = absl::c_linear_search(marked_, true);
    const bool deals_anew = overflows && query_.op_class == OpClass::kReshape;
    const FactorAxes common =
        deals_anew ? ReshapeAxes(table_) : CommonAxes(table_, elements_, query_.behaviors);
    for (int f = 0; f < rule_.num_factors(); ++f) table_.Update(f, common[f], {}, &marked_);
    if (deals_anew) MarkWhatDiffers();
    ReshardOperands();
    ReshardResults();
    AxisList summed;
    for (int f = 0; f < rule_.num_factors(); ++f) {
      if (rule_.kind(f) == FactorKind::kReduction) Append(common[f], summed);
    }
    AllReduceResults(summed);
  }

  void PlanMinimal() {
    if (query_.op_class == OpClass::kDot && Tensor(2).sharding != nullptr) {
      if (const std::optional<int> f = ConflictOfDot(table_, elements_)) TakeFromOperand(*f);
    }
    if (!query_.behaviors.sum_beside_unreduced) return;
    if (Result0() == nullptr || Result0()->unreduced_axes().empty()) return;
    AxisList summed;
    for (int f = 0; f < rule_.num_factors(); ++f) {
      if (rule_.kind(f) == FactorKind::kReduction) Append(FirstAxes(f), summed);
    }
    AllReduceResults(summed);
  }

 private:
  const ReshardTensor& Tensor(int t) const {
    const int operands = rule_.num_operands();
    return t < operands ? query_.operands[t] : query_.results[t - operands];
  }
  const TensorSharding* Result0() const {
    return query_.results.empty() ? nullptr : query_.results[0].sharding;
  }
  static void Append(const AxisList& axes, AxisList& to) {
    to.insert(to.end(), axes.begin(), axes.end());
  }

  void MarkOverflow() {
    for (int t = 0; t < rule_.num_tensors(); ++t) {
      for (int c = rule_.first_cell(t); c < rule_.first_cell(t + 1); ++c) {
        if (!table_.cell(c).overflow.empty()) marked_[t] = true;
      }
    }
  }

  // Of a reshape that was dealt anew only what is not equivalent changes.
  void MarkWhatDiffers() {
    for (int t = 0; t < rule_.num_tensors(); ++t) {
      const TensorSharding now = table_.ToSharding(t, mesh_id_);
      marked_[t] = !AreEquivalent(Tensor(t).sharding, &now);
    }
  }

  bool IsOnOtherDevices(const TensorSharding* s) const {
    return s != nullptr && meshes_.mesh(s->mesh_id()) != mesh_;
  }

  void ReshardOperands() {
    for (int t = 0; t < rule_.num_operands(); ++t) {
      if (marked_[t] || IsOnOtherDevices(Tensor(t).sharding)) {
        plan_.operands[t] = table_.ToSharding(t, mesh_id_);
      }
    }
  }

  void ReshardResults() {
    for (int r = 0; r < rule_.num_results(); ++r) {
      const int t = rule_.num_operands() + r;
      if (marked_[t]) SetResult(r, table_.ToSharding(t, mesh_id_));
    }
  }

  // Result `r` of the op becomes `sharding`; its users get the old one again.
  void SetResult(int r, TensorSharding sharding) {
    ResultReshards& result = plan_.results[r];
    const int rank = rule_.rank(rule_.num_operands() + r);
    result.reshard = result.sharding.value_or(TensorSharding::FullyClosed(mesh_id_, rank));
    const bool is_first = absl::c_none_of(
        plan_.results, [](const ResultReshards& other) { return other.sharding.has_value(); });
    if (is_first) OpenOthers(r);
    result.sharding = std::move(sharding);
  }

  // An op has shardings for all of its results or for none.
  void OpenOthers(int r) {
    for (int other = 0; other < rule_.num_results(); ++other) {
      if (other == r) continue;
      const int rank = rule_.rank(rule_.num_operands() + other);
      plan_.results[other].sharding = TensorSharding::FullyOpen(mesh_id_, rank);
    }
  }

  void TakeFromOperand(int f) {
    table_.Update(f, FirstAxes(f), {}, &marked_);
    ReshardResults();
  }

  // The axes of factor `f` in the first tensor that has it.
  AxisList FirstAxes(int f) const {
    for (const FactorUse& use : rule_.uses(f)) {
      if (table_.cell(use.cell).exists) return table_.cell(use.cell).axes;
    }
    return {};
  }

  void AllReduceResults(const AxisList& summed) {
    AxisList axes = summed;
    if (Result0() != nullptr) axes = SetDifference(summed, Result0()->unreduced_axes(), mesh_);
    axes = SortAndMerge(axes, mesh_);
    for (ResultReshards& result : plan_.results) result.all_reduce = axes;
  }

  const OpReshardQuery& query_;
  const MeshTable& meshes_;
  const OpShardingRule& rule_;
  const MeshId mesh_id_;
  const Mesh& mesh_;
  FactorTable table_;
  std::vector<int64_t> elements_;
  std::vector<bool> marked_;  // tensors that are to change
  OpReshards& plan_;
};

}  // namespace

OpReshards PlanOpReshards(const OpReshardQuery& query, const MeshTable& meshes) {
  OpReshards plan;
  plan.operands.resize(query.operands.size());
  plan.results.resize(query.results.size());
  std::vector<const TensorSharding*> shardings;
  for (const ReshardTensor& t : query.operands) shardings.push_back(t.sharding);
  for (size_t r = 0; r < query.results.size(); ++r) {
    const TensorSharding* sharding = query.results[r].sharding;
    shardings.push_back(sharding);
    if (sharding != nullptr) plan.results[r].sharding = *sharding;
  }
  const std::optional<MeshId> mesh = OpMesh(shardings, meshes);
  if (!mesh) return plan;
  Planner planner(query, meshes, *mesh, plan);
  if (query.version == Version::kFull) {
    planner.PlanFull();
  } else {
    planner.PlanMinimal();
  }
  return plan;
}

AxisList UnreducedToSum(const TensorSharding& operand, const TensorSharding* result,
                        const MeshTable& meshes) {
  if (operand.unreduced_axes().empty() || result == nullptr) return operand.unreduced_axes();
  return SetDifference(operand.unreduced_axes(), result->unreduced_axes(),
                       meshes.mesh(operand.mesh_id()));
}

}  // namespace tessera::sharding::reshard
