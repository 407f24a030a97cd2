// Manual computations before propagation: their axes in mesh order, and reserved where the in- and
// out-shardings do not mention them.
//
//   manual {"b", "a"}, in [{"a"}, {?}]    ->    manual {"a", "b"}, in [{"a"}, {?}] replicated={"b"}

#include <algorithm>
#include <vector>

#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/passes/prepare/prepare.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::passes {
namespace {

// Adds the manual axes that the sharding does not mention to its replicated axes.
TensorSharding WithReserved(TensorSharding s, const ManualInfo& info, const Mesh& mesh) {
  AxisList manual;
  for (int axis : info.manual_axes) manual.push_back(AxisRef::Full(axis));
  AxisList used;
  s.ForEachAxis([&](AxisRef axis) { used.push_back(axis); });
  const AxisList missing = SetDifference(manual, used, mesh);
  if (missing.empty()) return s;
  AxisList replicated = s.replicated_axes();
  replicated.insert(replicated.end(), missing.begin(), missing.end());
  s.mutable_replicated_axes() = SortAndMerge(replicated, mesh);
  if (s.mesh_id() != info.mesh) s.set_mesh_id(info.mesh);
  return s;
}

void Reserve(HloProgram* program, const ManualInfo& info, Value* value) {
  const TensorSharding* s = program->Find(value);
  if (s == nullptr || !value->is_array()) return;
  const Mesh& mesh = program->meshes().mesh(info.mesh);
  value->set_sharding(program->shardings().Intern(WithReserved(*s, info, mesh)));
}

}  // namespace

void ReserveManualAxes(HloProgram* program) {
  if (program->CountOf(OpKind::kManualComputation) == 0) return;
  ForEachOp(*program, [&](Op* op) {
    if (op->kind != OpKind::kManualComputation) return;
    ManualInfo* info = op->As<ManualInfo>();
    if (info->mesh == kNoMesh) return;
    std::sort(info->manual_axes.begin(), info->manual_axes.end());
    for (Value* arg : op->blocks()[0]->args) Reserve(program, *info, arg);
    for (Value& result : op->results) Reserve(program, *info, &result);
  });
}

}  // namespace tessera::sharding::passes
