// Sharding groups of the program: checks, merging, and the separation of those that disagree.
//
//   group 7: x, y;  group 3: y, z     ->     group 0: x, y, z
//   group 1: x;  group 0: y           ->     group 0: x;  group 1: y
//
// Groups that share a value are one. Union-find over the group numbers, where the first group of a
// value leads, as in the reference. Then groups are numbered anew in the order in which their
// leaders stand in the program, so that the numbers are dense. A value that is in a group twice
// keeps its first mark.
//
// Members that ask for different shardings cannot be made equal. They are separated: each gets a
// fully open constraint of its own, which its readers read and which takes what the group finds.
//
// Linear in the marks, up to the logarithm of the maps. Tested by sharding/passes/testdata and the
// pairs.

#include "tessera/sharding/propagation/run/groups.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tessera/sharding/passes/prepare/prepare.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/passes/queries/manual_code.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

const Op* ManualAround(const Op* op) {
  const Op* parent = op->block->parent;
  while (parent != nullptr && parent->kind != OpKind::kManualComputation)
    parent = parent->block->parent;
  return parent;
}

std::vector<Op*> AllMarks(const HloProgram& program) {
  std::vector<Op*> marks;
  if (program.CountOf(OpKind::kShardingGroup) == 0) return marks;
  ForEachOp(program, [&](Op* op) {
    if (op->kind == OpKind::kShardingGroup) marks.push_back(op);
  });
  return marks;
}

absl::Status Mismatch(const HloProgram& program, const Op& mark, absl::string_view what) {
  const size_t offset =
      mark.source == hlo::kNoId ? 0 : program.module().instruction(mark.source).source.begin;
  return text::ErrorAt(offset,
                       absl::StrCat("members of sharding group ", mark.attribute, " ", what));
}

// Old group ids that belong together, by their leader (a union-find by map).
class Unions {
 public:
  int64_t Root(int64_t id) {
    auto it = parent_.try_emplace(id, id).first;
    while (it->second != it->first) it = parent_.find(it->second);
    return it->first;
  }
  // The leader of `a` leads both.
  void Join(int64_t a, int64_t b) {
    const int64_t leader = Root(a);
    parent_[Root(b)] = leader;
  }

 private:
  std::map<int64_t, int64_t> parent_;
};

// As in the reference, value by value: the first group that a value is in leads its others.
Unions UnionsOf(absl::Span<Op* const> marks) {
  absl::flat_hash_map<const Value*, size_t> place;
  std::vector<std::vector<int64_t>> groups;  // of each value, in order of the program
  for (const Op* mark : marks) {
    const auto [it, is_new] = place.try_emplace(mark->operand(0), groups.size());
    if (is_new) groups.emplace_back();
    groups[it->second].push_back(mark->attribute);
  }
  Unions unions;
  for (const std::vector<int64_t>& of_value : groups) {
    for (const int64_t group : of_value) unions.Join(of_value.front(), group);
  }
  return unions;
}

absl::Status Check(const HloProgram& program, absl::Span<Op* const> marks) {
  absl::flat_hash_map<int64_t, const Op*> first;
  for (const Op* mark : marks) {
    const Op* other = first.try_emplace(mark->attribute, mark).first->second;
    if (other->operand(0)->shape().dims() != mark->operand(0)->shape().dims()) {
      return Mismatch(program, *mark, "have different shapes");
    }
    if (ManualAround(other) != ManualAround(mark)) {
      return Mismatch(program, *mark, "lie in different manual computations");
    }
  }
  return absl::OkStatus();
}

// Whether one of the axes shards a dimension.
bool IsCutBy(const TensorSharding& s, absl::Span<const int> axes) {
  const auto is_one = [&](AxisRef a) {
    return std::find(axes.begin(), axes.end(), a.axis()) != axes.end();
  };
  return std::any_of(s.dims().begin(), s.dims().end(), [&](const DimensionSharding& d) {
    return std::any_of(d.axes.begin(), d.axes.end(), is_one);
  });
}

void Separate(HloProgram* program, absl::Span<Op* const> marks, MeshId mesh) {
  for (Op* mark : marks) {
    Value* member = mark->operand(0);
    OpHead head;
    head.kind = OpKind::kConstraint;
    head.part = OpPart::kInserted;
    Op* open = program->AddOp(head, {member}, {&member->shape()}, InsertPoint::After(member));
    open->result()->set_sharding(
        program->shardings().Intern(TensorSharding::FullyOpen(mesh, member->rank())));
    member->ReplaceOtherUsesWith(open->result());
  }
}

}  // namespace

absl::Status MergeGroups(HloProgram* program) {
  const std::vector<Op*> marks = AllMarks(*program);
  Unions unions = UnionsOf(marks);
  std::map<int64_t, int64_t> numbers;  // in the order in which leaders come in the program
  for (Op* mark : marks) {
    const int64_t leader = unions.Root(mark->attribute);
    if (mark->attribute == leader) numbers.try_emplace(leader, numbers.size());
    mark->attribute = leader;
  }
  TESSERA_RETURN_IF_ERROR(Check(*program, marks));
  absl::flat_hash_set<const Value*> seen;
  for (Op* mark : marks) {
    mark->attribute = numbers[mark->attribute];
    if (!seen.insert(mark->operand(0)).second) program->Erase(mark);
  }
  return absl::OkStatus();
}

std::vector<std::vector<Op*>> GroupMarks(const HloProgram& program) {
  std::vector<std::vector<Op*>> groups;
  for (Op* mark : AllMarks(program)) {
    const size_t id = static_cast<size_t>(mark->attribute);
    if (groups.size() <= id) groups.resize(id + 1);
    groups[id].push_back(mark);
  }
  return groups;
}

void SeparateConflictingGroups(HloProgram* program) {
  // Propagation tells the groups in this order: a loop's argument and result have one sharding, so
  // a group of the one binds a later group of the other.
  absl::flat_hash_map<const Value*, ShardingId> told;
  for (const std::vector<Op*>& marks : GroupMarks(*program)) {
    std::vector<const Value*> owners;
    std::vector<ShardingId> members;
    MeshId mesh = kNoMesh;
    for (const Op* mark : marks) {
      owners.push_back(ShardingOwnerOf(mark->operand(0)));
      const auto earlier = told.find(owners.back());
      members.push_back(earlier == told.end() ? owners.back()->sharding() : earlier->second);
      if (mesh == kNoMesh && members.back() != kNoSharding) {
        mesh = program->shardings()[members.back()].mesh_id();
      }
    }
    const auto verdict = propagation::ResolveGroupSharding(members, program->shardings());
    if (verdict.kind == propagation::GroupSharding::kDisagree) Separate(program, marks, mesh);
    if (verdict.kind != propagation::GroupSharding::kAgree) continue;
    for (const Value* owner : owners) told[owner] = verdict.sharding;
  }
}

absl::Status CheckManualMembers(const HloProgram& program) {
  ManualCode code;
  for (const Op* mark : AllMarks(program)) {
    Value* member = mark->operand(0);
    const ShardingId id = ShardingOwnerOf(member)->sharding();
    const std::vector<int>& manual = code.Of(mark->block).axes;
    if (id == kNoSharding || manual.empty()) continue;
    if (!IsCutBy(*program.Find(id), manual)) continue;
    return Mismatch(program, *mark,
                    "would take an axis that is manual around them from a parameter of the body; "
                    "constrain the members themselves instead");
  }
  return absl::OkStatus();
}

}  // namespace tessera::sharding::passes
