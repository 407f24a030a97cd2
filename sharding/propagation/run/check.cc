#include "tessera/sharding/propagation/run/check.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/propagation/run/fault.h"

namespace tessera::sharding::propagation {
namespace {

class Checker {
 public:
  Checker(const NumberedProgram& program, const Tables& tables)
      : program_(program), tables_(tables), known_good_(tables.shardings->size()) {}

  absl::Status Check() {
    if (const OpId reader = program_.lost_reader(); reader != kNone) {
      return OpFault(reader, "an operand is made by no op before it");
    }
    for (ValueId v = 0; v < program_.num_values(); ++v) {
      if (!CheckValue(program_.value(v).sharding(), v)) return Fault("value", v, v);
    }
    for (size_t k = 0; k < program_.outputs().size(); ++k) {
      const Output& output = program_.outputs()[k];
      if (!CheckValue(output.sharding, output.value)) return Fault("output", k, output.value);
    }
    for (size_t e = 0; e < program_.edges().size(); ++e) {
      const EdgeSpec& edge = program_.edges()[e];
      const bool needs_boundary = edge.view != ManualView::kNone;
      const bool is_missing = needs_boundary && edge.boundary == kNoSharding;
      if (is_missing || !CheckValue(edge.boundary, edge.result)) {
        return Fault("boundary of edge", e, edge.owner);
      }
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status Fault(absl::string_view what, int64_t number, ValueId value) {
    return ValueFault(value, absl::StrCat("the sharding of ", what, " ", number,
                                          " is not one of a tensor of its rank"));
  }

  // The program knows no rank of a value without a static shape.
  bool CheckValue(ShardingId id, ValueId value) {
    if (id == kNoSharding) return true;
    if (id >= known_good_.size()) return false;
    const bool fits =
        !program_.has_shape(value) || (*tables_.shardings)[id].rank() == program_.rank(value);
    if (!fits && !IsOnOneDevice(id)) return false;
    known_good_[id] = known_good_[id] || AxesExist((*tables_.shardings)[id]);
    return known_good_[id];
  }

  // Such a sharding has no dimensions, whatever the rank of the tensor.
  bool IsOnOneDevice(ShardingId id) const {
    const TensorSharding& s = (*tables_.shardings)[id];
    return s.rank() == 0 && s.mesh_id() < tables_.meshes->size() &&
           tables_.meshes->mesh(s.mesh_id()).is_maximal();
  }

  bool AxesExist(const TensorSharding& sharding) const {
    const MeshId mesh = sharding.mesh_id();
    if (mesh != kNoMesh && mesh >= tables_.meshes->size()) return false;
    const int axes = mesh == kNoMesh ? 0 : tables_.meshes->mesh(mesh).num_axes();
    bool exist = true;
    sharding.ForEachAxis([&](AxisRef a) { exist = exist && a.axis() < axes; });
    return exist;
  }

  const NumberedProgram& program_;
  const Tables& tables_;
  std::vector<bool> known_good_;  // by sharding id
};

}  // namespace

absl::Status CheckShardings(const NumberedProgram& program, const Tables& tables) {
  return Checker(program, tables).Check();
}

}  // namespace tessera::sharding::propagation
