#include "tessera/sharding/graph/prepare/groups.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tessera/sharding/graph/sharding_access.h"
#include "tessera/sharding/graph/walk.h"
#include "tessera/sharding/propagation/run/groups.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::graph {
namespace {

const Op* ManualAround(const Op* op) {
  const Op* parent = op->block->parent;
  while (parent != nullptr && parent->kind != OpKind::kManualComputation)
    parent = parent->block->parent;
  return parent;
}

std::vector<Op*> AllMarks(const Graph& graph) {
  std::vector<Op*> marks;
  if (graph.CountOf(OpKind::kShardingGroup) == 0) return marks;
  ForEachOp(graph, [&](Op* op) {
    if (op->kind == OpKind::kShardingGroup) marks.push_back(op);
  });
  return marks;
}

absl::Status Mismatch(const Graph& graph, const Op& mark, absl::string_view what) {
  const size_t offset =
      mark.source == hlo::kNoId ? 0 : graph.module().instruction(mark.source).source.begin;
  return text::ErrorAt(offset,
                       absl::StrCat("members of sharding group ", mark.attribute, " ", what));
}

// Old group ids that belong together, by their smallest one (a union-find by map).
class Unions {
 public:
  int64_t Root(int64_t id) {
    auto it = parent_.try_emplace(id, id).first;
    while (it->second != it->first) it = parent_.find(it->second);
    return it->first;
  }
  void Join(int64_t a, int64_t b) {
    const int64_t x = Root(a);
    const int64_t y = Root(b);
    parent_[std::max(x, y)] = std::min(x, y);
  }

 private:
  std::map<int64_t, int64_t> parent_;
};

absl::Status Check(const Graph& graph, absl::Span<Op* const> marks) {
  absl::flat_hash_map<int64_t, const Op*> first;
  for (const Op* mark : marks) {
    const Op* other = first.try_emplace(mark->attribute, mark).first->second;
    if (other->operand(0)->shape().dims() != mark->operand(0)->shape().dims()) {
      return Mismatch(graph, *mark, "have different shapes");
    }
    if (ManualAround(other) != ManualAround(mark)) {
      return Mismatch(graph, *mark, "lie in different manual computations");
    }
  }
  return absl::OkStatus();
}

void Separate(Graph* graph, absl::Span<Op* const> marks, MeshId mesh) {
  for (Op* mark : marks) {
    Value* member = mark->operand(0);
    OpHead head;
    head.kind = OpKind::kConstraint;
    head.part = OpPart::kInserted;
    Op* open = graph->AddOp(head, {member}, {&member->shape()}, InsertPoint::After(member));
    open->result()->set_sharding(
        graph->shardings().Intern(TensorSharding::FullyOpen(mesh, member->rank())));
    member->ReplaceAllUsesExcept(open->result(),
                                 [&](const Use& use) { return use.user() == open; });
  }
}

}  // namespace

absl::Status MergeGroups(Graph* graph) {
  const std::vector<Op*> marks = AllMarks(*graph);
  Unions unions;
  absl::flat_hash_map<const Value*, int64_t> group_of;
  for (const Op* mark : marks) {
    unions.Join(mark->attribute,
                group_of.try_emplace(mark->operand(0), mark->attribute).first->second);
  }
  std::map<int64_t, int64_t> numbers;
  for (Op* mark : marks) numbers[mark->attribute = unions.Root(mark->attribute)] = 0;
  TESSERA_RETURN_IF_ERROR(Check(*graph, marks));
  int64_t next = 0;
  for (auto& [root, number] : numbers) number = next++;
  absl::flat_hash_set<const Value*> seen;
  for (Op* mark : marks) {
    mark->attribute = numbers[mark->attribute];
    if (!seen.insert(mark->operand(0)).second) graph->Erase(mark);
  }
  return absl::OkStatus();
}

std::vector<std::vector<Op*>> GroupMarks(const Graph& graph) {
  std::vector<std::vector<Op*>> groups;
  for (Op* mark : AllMarks(graph)) {
    const size_t id = static_cast<size_t>(mark->attribute);
    if (groups.size() <= id) groups.resize(id + 1);
    groups[id].push_back(mark);
  }
  return groups;
}

void SeparateConflictingGroups(Graph* graph) {
  for (const std::vector<Op*>& marks : GroupMarks(*graph)) {
    std::vector<ShardingId> members;
    MeshId mesh = kNoMesh;
    for (const Op* mark : marks) {
      members.push_back(ShardingOwnerOf(mark->operand(0))->sharding());
      if (mesh == kNoMesh && members.back() != kNoSharding) {
        mesh = graph->shardings()[members.back()].mesh_id();
      }
    }
    const auto verdict = propagation::ResolveGroupSharding(members, graph->shardings());
    if (verdict.kind == propagation::GroupVerdict::kDisagree) Separate(graph, marks, mesh);
  }
}

}  // namespace tessera::sharding::graph
