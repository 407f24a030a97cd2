#include "tessera/sharding/propagation/program_builder.h"

#include "absl/algorithm/container.h"
#include "tessera/sharding/propagation/program_links.h"

namespace tessera::sharding::propagation {
namespace {

bool InRange(int32_t id, size_t size) { return id >= 0 && static_cast<size_t>(id) < size; }

}  // namespace

void ProgramBuilder::Reserve(size_t values, size_t ops, size_t tensors) {
  p_.c_.shape.reserve(values);
  p_.c_.sharding.reserve(values);
  use_lists_.reserve(values);
  p_.c_.uses.reserve(tensors);
  p_.c_.ops.reserve(ops);
  p_.c_.begin.reserve(ops + 1);
  p_.c_.result_begin.reserve(ops);
  p_.c_.tensors.reserve(tensors);
}

ShapeId ProgramBuilder::AddShape(absl::Span<const int64_t> dims) {
  const auto [it, inserted] = shape_ids_.try_emplace(std::vector<int64_t>(dims.begin(), dims.end()),
                                                     static_cast<ShapeId>(p_.c_.shapes.size()));
  if (inserted) p_.c_.shapes.push_back(it->first);
  return it->second;
}

OpId ProgramBuilder::AddOp(const OpSpec& spec, absl::Span<const ValueId> operands,
                           absl::Span<const ValueId> results) {
  p_.c_.ops.push_back(spec);
  for (const ValueId v : operands) p_.c_.tensors.push_back(v);
  num_operands_ += operands.size();
  p_.c_.result_begin.push_back(static_cast<int32_t>(p_.c_.tensors.size()));
  for (const ValueId v : results) p_.c_.tensors.push_back(v);
  p_.c_.begin.push_back(static_cast<int32_t>(p_.c_.tensors.size()));
  return static_cast<OpId>(p_.c_.ops.size()) - 1;
}

void ProgramBuilder::AddBlockArgument(OpId owner, ValueId v) {
  block_arguments_.emplace_back(owner, v);
}

void ProgramBuilder::SetUses(ValueId v, absl::Span<const Use> uses) {
  use_lists_.push_back(
      {v, static_cast<int32_t>(p_.c_.uses.size()), static_cast<int32_t>(uses.size())});
  for (const Use use : uses) p_.c_.uses.push_back(use);
}

void ProgramBuilder::AddEdge(EdgeSpec edge) { p_.c_.edges.push_back(std::move(edge)); }

GroupId ProgramBuilder::AddGroup(absl::Span<const ValueId> members) {
  p_.c_.groups.emplace_back(members.begin(), members.end());
  return static_cast<GroupId>(p_.c_.groups.size()) - 1;
}

void ProgramBuilder::AddOutput(Output output) { p_.c_.outputs.push_back(output); }

absl::StatusOr<Program> ProgramBuilder::Build() && {
  if (absl::Status status = CheckIds(); !status.ok()) return status;
  for (const auto step :
       {&ProgramBuilder::FillSubtrees, &ProgramBuilder::FillDefs, &ProgramBuilder::FillUses}) {
    if (absl::Status status = (this->*step)(); !status.ok()) return status;
  }
  for (const auto link : {LinkEdges, LinkGroups}) {
    if (absl::Status status = link(p_.c_); !status.ok()) return status;
  }
  return std::move(p_);
}

absl::Status ProgramBuilder::CheckTensors() const {
  const auto known = [&](ValueId v) { return InRange(v, p_.c_.shape.size()); };
  if (absl::c_all_of(p_.c_.tensors, known)) return absl::OkStatus();
  OpId o = 0;
  while (absl::c_all_of(p_.tensors(o), known)) ++o;
  const bool is_operand = !absl::c_all_of(p_.operands(o), known);
  return Fault("op", o, is_operand ? "has an unknown operand" : "has an unknown result");
}

// Every id that Build() follows afterwards lies in its range.
absl::Status ProgramBuilder::CheckIds() const {
  if (absl::Status status = CheckTensors(); !status.ok()) return status;
  const size_t values = p_.c_.shape.size();
  for (const auto& [owner, v] : block_arguments_) {
    if (!InRange(v, values)) return Fault("block argument", v, "is not a value");
    if (!InRange(owner, p_.c_.ops.size())) return Fault("block argument", v, "has no owner");
  }
  for (ValueId v = 0; v < p_.num_values(); ++v) {
    const ShapeId shape = p_.c_.shape[v];
    if (shape != kNoShape && !InRange(shape, p_.c_.shapes.size())) {
      return Fault("value", v, "has an unknown shape");
    }
  }
  for (const Output& output : p_.c_.outputs) {
    if (!InRange(output.value, values)) return Fault("output", output.value, "is not a value");
  }
  return absl::OkStatus();
}

// An op's parent must be the innermost op that is still open, or one around it.
absl::Status ProgramBuilder::FillSubtrees() {
  const OpId n = p_.num_ops();
  p_.c_.subtree_end.assign(n, n);
  created_.reserve(n);
  std::vector<OpId> open;
  for (OpId o = 0; o < n; ++o) {
    const OpId parent = p_.c_.ops[o].parent;
    for (; !open.empty() && open.back() != parent; open.pop_back()) {
      p_.c_.subtree_end[open.back()] = o;
      created_.push_back(open.back());
    }
    if (parent != kNone && open.empty()) return Fault("op", o, "is not enclosed by its parent");
    if (parent == kNone && p_.c_.ops[o].kind == OpKind::kTerminator) {
      return Fault("op", o, "ends the region of no op");
    }
    open.push_back(o);
  }
  for (; !open.empty(); open.pop_back()) created_.push_back(open.back());
  return absl::OkStatus();
}

absl::Status ProgramBuilder::FillDefs() {
  const size_t n = p_.c_.shape.size();
  p_.c_.def.assign(n, kNone);
  p_.c_.is_block_argument.assign(n, false);
  for (OpId o = 0; o < p_.num_ops(); ++o) {
    for (const ValueId v : p_.results(o)) {
      if (p_.c_.def[v] != kNone) return Fault("value", v, "is defined twice");
      p_.c_.def[v] = o;
    }
  }
  for (const auto& [owner, v] : block_arguments_) {
    if (p_.c_.def[v] != kNone) return Fault("value", v, "is defined twice");
    p_.c_.def[v] = owner;
    p_.c_.is_block_argument[v] = true;
  }
  for (ValueId v = 0; v < p_.num_values(); ++v) {
    if (p_.c_.def[v] == kNone) return Fault("value", v, "is not defined");
  }
  return absl::OkStatus();
}

absl::Status ProgramBuilder::FillUses() {
  const size_t n = p_.c_.shape.size();
  p_.c_.use_begin.assign(n, 0);
  p_.c_.use_count.assign(n, 0);
  listed_.assign(p_.c_.tensors.size(), false);
  for (const UseList& list : use_lists_) {
    if (!InRange(list.value, n)) return Fault("use list of", list.value, "belongs to no value");
    p_.c_.use_begin[list.value] = list.begin;
    p_.c_.use_count[list.value] = list.count;
    if (absl::Status status = CheckUses(list.value); !status.ok()) return status;
  }
  // With all operands of all ops listed, every list is complete.
  return p_.c_.uses.size() == num_operands_ ? absl::OkStatus() : FillDefaultUses();
}

// A use list names operands that are the value, each once.
absl::Status ProgramBuilder::CheckUses(ValueId v) {
  for (const Use use : p_.uses(v)) {
    if (!IsUse(v, use)) return Fault("value", v, "has a use list with an op that does not use it");
    uint8_t& listed = listed_[p_.c_.begin[use.op] + use.operand];
    if (listed) return Fault("value", v, "lists a use twice");
    listed = true;
  }
  return absl::OkStatus();
}

// For values without a list: latest created first, the last operand before the first. Lists that
// were given must be complete.
absl::Status ProgramBuilder::FillDefaultUses() {
  std::vector<int32_t> count(p_.c_.shape.size(), 0);
  for (OpId o = 0; o < p_.num_ops(); ++o) {
    for (const ValueId v : p_.operands(o)) ++count[v];
  }
  std::vector<bool> given(p_.c_.shape.size(), false);
  for (const UseList& list : use_lists_) {
    given[list.value] = true;
    if (list.count != count[list.value]) {
      return Fault("value", list.value, "has a use list of the wrong length");
    }
  }
  int32_t begin = static_cast<int32_t>(p_.c_.uses.size());
  for (ValueId v = 0; v < p_.num_values(); ++v) {
    if (given[v]) continue;
    p_.c_.use_begin[v] = begin;
    begin += count[v];
  }
  p_.c_.uses.resize(begin);
  for (auto op = created_.rbegin(); op != created_.rend(); ++op) {
    const absl::Span<const ValueId> operands = p_.operands(*op);
    for (int32_t k = static_cast<int32_t>(operands.size()) - 1; k >= 0; --k) {
      const ValueId v = operands[k];
      if (!given[v]) p_.c_.uses[p_.c_.use_begin[v] + p_.c_.use_count[v]++] = {*op, k};
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::sharding::propagation
