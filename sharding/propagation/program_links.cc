#include "tessera/sharding/propagation/program_links.h"

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

namespace tessera::sharding::propagation {
namespace {

bool IsValue(const ProgramColumns& c, ValueId v) {
  return v >= 0 && static_cast<size_t>(v) < c.shape.size();
}

// Its op has the owner as its only operand and the edge's result as its only result.
bool IsDefined(const ProgramColumns& c, OpId op, const EdgeSpec& edge) {
  const int32_t begin = c.begin[op], results = c.result_begin[op];
  return c.ops[op].kind == OpKind::kDataFlowEdge && results == begin + 1 &&
         c.begin[op + 1] == results + 1 && c.tensors[begin] == edge.owner;
}

absl::Status LinkEdge(EdgeId e, ProgramColumns& c) {
  const EdgeSpec& edge = c.edges[e];
  const auto known = [&](ValueId v) { return IsValue(c, v); };
  if (!known(edge.result) || !known(edge.owner) || !absl::c_all_of(edge.sources, known) ||
      !absl::c_all_of(edge.other_targets, known)) {
    return Fault("edge", e, "names an unknown value");
  }
  const OpId op = c.def[edge.result];
  if (!IsDefined(c, op, edge)) return Fault("edge", e, "is not defined by an edge op on its owner");
  if (c.shape[edge.result] == kNoShape) return Fault("edge", e, "has no static shape");
  c.edge_of_op[op] = e;
  c.sharding_owner[edge.owner] = edge.result;
  for (const ValueId target : edge.other_targets) c.sharding_owner[target] = edge.result;
  return absl::OkStatus();
}

}  // namespace

absl::Status Fault(absl::string_view what, int32_t number, absl::string_view fault) {
  return absl::InvalidArgumentError(absl::StrCat(what, " ", number, " ", fault));
}

absl::Status LinkEdges(ProgramColumns& c) {
  c.sharding_owner.resize(c.shape.size());
  std::iota(c.sharding_owner.begin(), c.sharding_owner.end(), ValueId{0});
  c.edge_of_op.assign(c.ops.size(), kNone);
  for (size_t e = 0; e < c.edges.size(); ++e) {
    if (absl::Status status = LinkEdge(static_cast<EdgeId>(e), c); !status.ok()) return status;
  }
  for (size_t o = 0; o < c.ops.size(); ++o) {
    if (c.ops[o].kind == OpKind::kDataFlowEdge && c.edge_of_op[o] == kNone) {
      return Fault("op", static_cast<OpId>(o), "is an edge of which nothing is known");
    }
  }
  return absl::OkStatus();
}

absl::Status LinkGroups(ProgramColumns& c) {
  c.group.assign(c.shape.size(), kNone);
  for (size_t g = 0; g < c.groups.size(); ++g) {
    std::vector<ValueId> members;
    absl::flat_hash_set<ValueId> seen;
    for (const ValueId member : c.groups[g]) {
      if (!IsValue(c, member)) return Fault("member", member, "is not a value");
      const ValueId owner = c.sharding_owner[member];
      if (seen.insert(owner).second) members.push_back(owner);
      // One that an edge serves takes from the group, but what the edge gets stays with the edge.
      if (owner != member || c.group[owner] == static_cast<GroupId>(g)) continue;
      if (c.group[owner] != kNone) return Fault("value", owner, "is in two groups");
      c.group[owner] = static_cast<GroupId>(g);
    }
    c.groups[g] = std::move(members);
  }
  return absl::OkStatus();
}

}  // namespace tessera::sharding::propagation
