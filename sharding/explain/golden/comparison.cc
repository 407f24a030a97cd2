#include "tessera/sharding/explain/golden/comparison.h"

#include <algorithm>
#include <utility>

#include "tessera/sharding/explain/golden/matching.h"
#include "tessera/text/checked.h"

namespace tessera::sharding::golden {
namespace {

const TensorSharding* ShardingOf(const Entry& entry) {
  return entry.sharding.has_value() ? &*entry.sharding : nullptr;
}

const Mesh& MeshOf(const Recording& recording, const Entry& entry) {
  static const Mesh* const none = new Mesh();
  const TensorSharding* sharding = ShardingOf(entry);
  if (sharding == nullptr || sharding->mesh_id() == kNoMesh) return *none;
  return recording.meshes.mesh(sharding->mesh_id());
}

// Most placements are equal, and are not compared axis by axis.
std::vector<AxisChange> ChangesOf(const Recording& before, const Entry& was, const Recording& after,
                                  const Entry& is) {
  const Mesh& mesh_before = MeshOf(before, was);
  const Mesh& mesh_after = MeshOf(after, is);
  if (was.sharding == is.sharding && mesh_before == mesh_after) return {};
  return AxisChanges(ShardingOf(was), mesh_before, ShardingOf(is), mesh_after);
}

void AddTo(int64_t* sum, int64_t bytes) { *sum = SaturatingSum(*sum, bytes); }

size_t SumOf(const Entry& entry) {
  if (entry.opcode == kArgument) return 0;
  return entry.opcode == kResult ? 1 : 2;
}

}  // namespace

bool HaveSameMeshes(const Recording& a, const Recording& b) {
  const std::vector<MeshId> left = NamedMeshes(a), right = NamedMeshes(b);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [&](MeshId l, MeshId r) { return a.meshes.mesh(l) == b.meshes.mesh(r); });
}

Comparison Compare(const Recording& before, const Recording& after) {
  const Matching match = Match(before.entries, after.entries);
  Comparison out;
  out.sums = {{"arguments", 0, 0}, {"results", 0, 0}, {"other tensors", 0, 0}};
  for (size_t b = 0; b < before.entries.size(); ++b) {
    const Entry& was = before.entries[b];
    AddTo(&out.sums[SumOf(was)].before, BytesPerDevice(before, was));
    if (match.of_before[b] < 0) out.gone.push_back(static_cast<int>(b));
  }
  for (size_t a = 0; a < after.entries.size(); ++a) {
    const Entry& is = after.entries[a];
    Change change;
    change.after = static_cast<int>(a);
    change.before = match.of_after[a];
    change.bytes_after = BytesPerDevice(after, is);
    AddTo(&out.sums[SumOf(is)].after, change.bytes_after);
    if (change.before < 0) {
      out.added.push_back(change.after);
      continue;
    }
    const Entry& was = before.entries[static_cast<size_t>(change.before)];
    change.bytes_before = BytesPerDevice(before, was);
    change.axes = ChangesOf(before, was, after, is);
    change.is_reshaped = was.shape.dims() != is.shape.dims();
    if (change.axes.empty() && !change.is_reshaped) {
      ++out.same;
    } else {
      out.changes.push_back(std::move(change));
    }
  }
  return out;
}

}  // namespace tessera::sharding::golden
