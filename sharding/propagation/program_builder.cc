#include "tessera/sharding/propagation/program_builder.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

namespace tessera::sharding::propagation {
namespace {

absl::Status Fault(absl::string_view what, int32_t number, absl::string_view fault) {
  return absl::InvalidArgumentError(absl::StrCat(what, " ", number, " ", fault));
}

bool InRange(int32_t id, size_t size) { return id >= 0 && static_cast<size_t>(id) < size; }

}  // namespace

void ProgramBuilder::Reserve(size_t values, size_t ops, size_t tensors) {
  p_.shape_.reserve(values);
  p_.sharding_.reserve(values);
  use_lists_.reserve(values);
  p_.uses_.reserve(tensors);
  p_.ops_.reserve(ops);
  p_.begin_.reserve(ops + 1);
  p_.result_begin_.reserve(ops);
  p_.tensors_.reserve(tensors);
}

ShapeId ProgramBuilder::AddShape(absl::Span<const int64_t> dims) {
  const auto [it, inserted] = shape_ids_.try_emplace(std::vector<int64_t>(dims.begin(), dims.end()),
                                                     static_cast<ShapeId>(p_.shapes_.size()));
  if (inserted) p_.shapes_.push_back(it->first);
  return it->second;
}

OpId ProgramBuilder::AddOp(const OpSpec& spec, absl::Span<const ValueId> operands,
                           absl::Span<const ValueId> results) {
  p_.ops_.push_back(spec);
  for (const ValueId v : operands) p_.tensors_.push_back(v);
  num_operands_ += operands.size();
  p_.result_begin_.push_back(static_cast<int32_t>(p_.tensors_.size()));
  for (const ValueId v : results) p_.tensors_.push_back(v);
  p_.begin_.push_back(static_cast<int32_t>(p_.tensors_.size()));
  return static_cast<OpId>(p_.ops_.size()) - 1;
}

void ProgramBuilder::AddBlockArgument(OpId owner, ValueId v) {
  block_arguments_.emplace_back(owner, v);
}

void ProgramBuilder::SetUses(ValueId v, absl::Span<const Use> uses) {
  use_lists_.push_back(
      {v, static_cast<int32_t>(p_.uses_.size()), static_cast<int32_t>(uses.size())});
  for (const Use use : uses) p_.uses_.push_back(use);
}

void ProgramBuilder::AddEdge(EdgeSpec edge) { p_.edges_.push_back(std::move(edge)); }

void ProgramBuilder::SetHome(ValueId v, ValueId home) { homes_.emplace_back(v, home); }

GroupId ProgramBuilder::AddGroup(absl::Span<const ValueId> members) {
  p_.groups_.emplace_back(members.begin(), members.end());
  return static_cast<GroupId>(p_.groups_.size()) - 1;
}

void ProgramBuilder::AddOutput(Output output) { p_.outputs_.push_back(output); }

absl::StatusOr<Program> ProgramBuilder::Build() && {
  if (absl::Status status = CheckIds(); !status.ok()) return status;
  for (const auto step :
       {&ProgramBuilder::FillSubtrees, &ProgramBuilder::FillDefs, &ProgramBuilder::FillUses,
        &ProgramBuilder::FillEdges, &ProgramBuilder::FillGroups}) {
    if (absl::Status status = (this->*step)(); !status.ok()) return status;
  }
  return std::move(p_);
}

absl::Status ProgramBuilder::CheckTensors() const {
  const auto known = [&](ValueId v) { return InRange(v, p_.shape_.size()); };
  if (absl::c_all_of(p_.tensors_, known)) return absl::OkStatus();
  OpId o = 0;
  while (absl::c_all_of(p_.tensors(o), known)) ++o;
  const bool is_operand = !absl::c_all_of(p_.operands(o), known);
  return Fault("op", o, is_operand ? "has an unknown operand" : "has an unknown result");
}

// Every id that Build() follows afterwards lies in its range.
absl::Status ProgramBuilder::CheckIds() const {
  if (absl::Status status = CheckTensors(); !status.ok()) return status;
  const size_t values = p_.shape_.size();
  for (const auto& [owner, v] : block_arguments_) {
    if (!InRange(v, values)) return Fault("block argument", v, "is not a value");
    if (!InRange(owner, p_.ops_.size())) return Fault("block argument", v, "has no owner");
  }
  for (ValueId v = 0; v < p_.num_values(); ++v) {
    const ShapeId shape = p_.shape_[v];
    if (shape != kNoShape && !InRange(shape, p_.shapes_.size())) {
      return Fault("value", v, "has an unknown shape");
    }
  }
  for (const Output& output : p_.outputs_) {
    if (!InRange(output.value, values)) return Fault("output", output.value, "is not a value");
  }
  return absl::OkStatus();
}

// An op's parent must be the innermost op that is still open, or one around it.
absl::Status ProgramBuilder::FillSubtrees() {
  const OpId n = p_.num_ops();
  p_.subtree_end_.assign(n, n);
  created_.reserve(n);
  std::vector<OpId> open;
  for (OpId o = 0; o < n; ++o) {
    const OpId parent = p_.ops_[o].parent;
    for (; !open.empty() && open.back() != parent; open.pop_back()) {
      p_.subtree_end_[open.back()] = o;
      created_.push_back(open.back());
    }
    if (parent != kNone && open.empty()) return Fault("op", o, "is not enclosed by its parent");
    if (parent == kNone && p_.ops_[o].kind == OpKind::kTerminator) {
      return Fault("op", o, "ends the region of no op");
    }
    open.push_back(o);
  }
  for (; !open.empty(); open.pop_back()) created_.push_back(open.back());
  return absl::OkStatus();
}

absl::Status ProgramBuilder::FillDefs() {
  const size_t n = p_.shape_.size();
  p_.def_.assign(n, kNone);
  p_.is_block_argument_.assign(n, false);
  for (OpId o = 0; o < p_.num_ops(); ++o) {
    for (const ValueId v : p_.results(o)) {
      if (p_.def_[v] != kNone) return Fault("value", v, "is defined twice");
      p_.def_[v] = o;
    }
  }
  for (const auto& [owner, v] : block_arguments_) {
    if (p_.def_[v] != kNone) return Fault("value", v, "is defined twice");
    p_.def_[v] = owner;
    p_.is_block_argument_[v] = true;
  }
  for (ValueId v = 0; v < p_.num_values(); ++v) {
    if (p_.def_[v] == kNone) return Fault("value", v, "is not defined");
  }
  return absl::OkStatus();
}

absl::Status ProgramBuilder::FillUses() {
  const size_t n = p_.shape_.size();
  p_.use_begin_.assign(n, 0);
  p_.use_count_.assign(n, 0);
  listed_.assign(p_.tensors_.size(), false);
  for (const UseList& list : use_lists_) {
    if (!InRange(list.value, n)) return Fault("use list of", list.value, "belongs to no value");
    p_.use_begin_[list.value] = list.begin;
    p_.use_count_[list.value] = list.count;
    if (absl::Status status = CheckUses(list.value); !status.ok()) return status;
  }
  // With all operands of all ops listed, every list is complete.
  return p_.uses_.size() == num_operands_ ? absl::OkStatus() : FillDefaultUses();
}

// A use list names operands that are the value, each once.
absl::Status ProgramBuilder::CheckUses(ValueId v) {
  for (const Use use : p_.uses(v)) {
    if (!IsUse(v, use)) return Fault("value", v, "has a use list with an op that does not use it");
    uint8_t& listed = listed_[p_.begin_[use.op] + use.operand];
    if (listed) return Fault("value", v, "lists a use twice");
    listed = true;
  }
  return absl::OkStatus();
}

// For values without a list: latest created first, the last operand before the first. Lists that
// were given must be complete.
absl::Status ProgramBuilder::FillDefaultUses() {
  std::vector<int32_t> count(p_.shape_.size(), 0);
  for (OpId o = 0; o < p_.num_ops(); ++o) {
    for (const ValueId v : p_.operands(o)) ++count[v];
  }
  std::vector<bool> given(p_.shape_.size(), false);
  for (const UseList& list : use_lists_) {
    given[list.value] = true;
    if (list.count != count[list.value]) {
      return Fault("value", list.value, "has a use list of the wrong length");
    }
  }
  int32_t begin = static_cast<int32_t>(p_.uses_.size());
  for (ValueId v = 0; v < p_.num_values(); ++v) {
    if (given[v]) continue;
    p_.use_begin_[v] = begin;
    begin += count[v];
  }
  p_.uses_.resize(begin);
  for (auto op = created_.rbegin(); op != created_.rend(); ++op) {
    const absl::Span<const ValueId> operands = p_.operands(*op);
    for (int32_t k = static_cast<int32_t>(operands.size()) - 1; k >= 0; --k) {
      const ValueId v = operands[k];
      if (!given[v]) p_.uses_[p_.use_begin_[v] + p_.use_count_[v]++] = {*op, k};
    }
  }
  return absl::OkStatus();
}

absl::Status ProgramBuilder::FillEdges() {
  const size_t n = p_.shape_.size();
  p_.home_.resize(n);
  for (ValueId v = 0; v < p_.num_values(); ++v) p_.home_[v] = v;
  p_.edge_of_op_.assign(p_.ops_.size(), kNone);
  for (size_t e = 0; e < p_.edges_.size(); ++e) {
    if (absl::Status status = FillEdge(static_cast<EdgeId>(e)); !status.ok()) return status;
  }
  for (OpId o = 0; o < p_.num_ops(); ++o) {
    if (p_.ops_[o].kind == OpKind::kDataFlowEdge && p_.edge_of_op_[o] == kNone) {
      return Fault("op", o, "is an edge of which nothing is known");
    }
  }
  for (const auto& [v, home] : homes_) {
    if (!InRange(v, n) || !InRange(home, n)) return Fault("home of value", v, "is not a value");
    p_.home_[v] = p_.home_[home];
  }
  return absl::OkStatus();
}

absl::Status ProgramBuilder::FillEdge(EdgeId e) {
  const EdgeSpec& edge = p_.edges_[e];
  const auto known = [&](ValueId v) { return InRange(v, p_.shape_.size()); };
  if (!known(edge.result) || !known(edge.owner) || !absl::c_all_of(edge.sources, known) ||
      !absl::c_all_of(edge.other_targets, known)) {
    return Fault("edge", e, "names an unknown value");
  }
  const OpId op = p_.def_[edge.result];
  if (p_.ops_[op].kind != OpKind::kDataFlowEdge || p_.operands(op).size() != 1 ||
      p_.operands(op)[0] != edge.owner || p_.results(op).size() != 1) {
    return Fault("edge", e, "is not defined by an edge op on its owner");
  }
  if (!p_.has_shape(edge.result)) return Fault("edge", e, "has no static shape");
  p_.edge_of_op_[op] = e;
  p_.home_[edge.owner] = edge.result;
  for (const ValueId target : edge.other_targets) p_.home_[target] = edge.result;
  return absl::OkStatus();
}

absl::Status ProgramBuilder::FillGroups() {
  p_.group_.assign(p_.shape_.size(), kNone);
  for (size_t g = 0; g < p_.groups_.size(); ++g) {
    std::vector<ValueId> members;
    absl::flat_hash_set<ValueId> seen;
    for (const ValueId member : p_.groups_[g]) {
      if (!InRange(member, p_.shape_.size())) return Fault("member", member, "is not a value");
      const ValueId home = p_.home_[member];
      if (seen.insert(home).second) members.push_back(home);
      // One that an edge serves takes from the group, but what the edge gets stays with the edge.
      if (home != member || p_.group_[home] == static_cast<GroupId>(g)) continue;
      if (p_.group_[home] != kNone) return Fault("value", home, "is in two groups");
      p_.group_[home] = static_cast<GroupId>(g);
    }
    p_.groups_[g] = std::move(members);
  }
  return absl::OkStatus();
}

}  // namespace tessera::sharding::propagation
