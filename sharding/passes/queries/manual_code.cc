#include "tessera/sharding/passes/queries/manual_code.h"

#include <utility>

namespace tessera::sharding::passes {
namespace {

ManualCode::Around Inside(const Op& op, ManualCode::Around around) {
  if (op.kind != OpKind::kManualComputation) return around;
  const ManualInfo& info = *op.As<ManualInfo>();
  around.axes.insert(around.axes.end(), info.manual_axes.begin(), info.manual_axes.end());
  around.mesh = info.mesh;
  return around;
}

}  // namespace

const ManualCode::Around& ManualCode::Of(const Block* block) {
  std::vector<const Block*> inner;
  for (; block->parent != nullptr && !around_.contains(block); block = block->parent->block) {
    inner.push_back(block);
  }
  Around* around = &around_[block];
  if (block->parent == nullptr) {
    *around = {block->function->manual_axes, block->function->manual_mesh};
  }
  for (; !inner.empty(); inner.pop_back()) {
    Around next = Inside(*inner.back()->parent, *around);
    around = &around_[inner.back()];
    *around = std::move(next);
  }
  return *around;
}

}  // namespace tessera::sharding::passes
