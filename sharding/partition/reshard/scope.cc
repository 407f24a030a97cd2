// Collectives inside groups. A row (i0, i1, ..) of device numbers within a group becomes a row for
// every group g: (D[g][i0], D[g][i1], ..), those of the first group first. Nested groups are
// applied from the inside out. XLA: GetPerGroupCollectiveOpsCreator.

#include "tessera/sharding/partition/reshard/scope.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"

namespace tessera::sharding::partition {

Reduction SumOf(const Shape& shape) {
  return {shape.element_type() == layout::ElementType::kPred ? "or" : "add"};
}

DeviceGroupScope& DeviceGroupScope::root() {
  DeviceGroupScope* scope = this;
  while (scope->parent_ != nullptr) scope = scope->parent_;
  return *scope;
}

DeviceGroupScope& DeviceGroupScope::PerGroup(const DeviceGroups& groups) {
  // Groups of equal size with equal devices are equal lists; the size tells lists apart.
  std::vector<int64_t> key = groups.devices();
  key.push_back(groups.groups());
  std::unique_ptr<DeviceGroupScope>& child = children_[std::move(key)];
  if (child == nullptr) {
    child.reset(new DeviceGroupScope(graph_, groups.size(), this,
                                     graph_.scope_numbers().Of(number_, groups)));
    child->groups_ = groups;
    child->is_whole_ = groups.IsWhole();
  }
  return *child;
}

DeviceGroupScope& DeviceGroupScope::WithoutCache() {
  uncached_.push_back(absl::WrapUnique(
      new DeviceGroupScope(graph_, devices_, parent_, graph_.scope_numbers().Private())));
  DeviceGroupScope& scope = *uncached_.back();
  scope.groups_ = groups_;
  scope.is_whole_ = is_whole_;
  return scope;
}

DeviceGroupScope& DeviceGroupScope::Numbered(int32_t number) {
  DeviceGroupScope& whole = root();
  if (number == ScopeNumbers::kWhole) return whole;
  const ScopeNumbers& numbers = graph_.scope_numbers();
  if (Size(whole.by_number_) <= number) {
    whole.by_number_.resize(static_cast<size_t>(numbers.size()) + 1, nullptr);
  }
  if (At(whole.by_number_, number) == nullptr) {
    DeviceGroupScope& scope = Numbered(numbers.parent(number)).PerGroup(numbers.groups(number));
    At(whole.by_number_, number) = &scope;
  }
  return *At(whole.by_number_, number);
}

std::vector<int64_t> DeviceGroupScope::NumbersOfAllDevices() const {
  if (parent_ == nullptr) {
    const Dims all = Iota(devices_);
    return {all.begin(), all.end()};
  }
  std::vector<int64_t> out = parent_->NumbersOfAllDevices();
  std::vector<int64_t> inside(groups_.devices().size());
  for (int64_t i = 0; i < Size(inside); ++i) {
    At(inside, At(groups_.devices(), i)) = i % groups_.size();
  }
  for (int64_t& number : out) number = At(inside, number);
  return out;
}

namespace {

bool HasDevice(const DeviceGroups& groups, int64_t device, Graph& graph) {
  if (device < groups.size()) return true;
  graph.Fail("a way to reshard inside groups of devices leads out of them, which is not described");
  return false;
}

}  // namespace

DeviceLists DeviceGroupScope::OnAllDevices(const DeviceLists& groups) const {
  if (parent_ == nullptr) return groups;
  if (is_whole_) return parent_->OnAllDevices(groups);
  DeviceLists out;
  for (int64_t g = 0; g < groups_.groups(); ++g) {
    for (const std::vector<int64_t>& row : groups) {
      out.emplace_back();
      for (int64_t i : row) {
        if (HasDevice(groups_, i, graph_)) out.back().push_back(groups_.device(g, i));
      }
    }
  }
  return parent_->OnAllDevices(out);
}

DeviceGroupScope::Pairs DeviceGroupScope::PairsOnAllDevices(const Pairs& pairs) const {
  if (parent_ == nullptr) return pairs;
  if (is_whole_) return parent_->PairsOnAllDevices(pairs);
  Pairs out;
  for (int64_t g = 0; g < groups_.groups(); ++g) {
    for (const auto& [source, target] : pairs) {
      if (!HasDevice(groups_, source, graph_) || !HasDevice(groups_, target, graph_)) continue;
      out.emplace_back(groups_.device(g, source), groups_.device(g, target));
    }
  }
  return parent_->PairsOnAllDevices(out);
}

DeviceLists DeviceGroupScope::InOrder(const Tiling& tiling, DeviceLists groups) const {
  if (!graph_.behaviors().groups_in_mesh_order) return groups;
  return InMeshOrder(tiling, std::move(groups));
}

NodeId DeviceGroupScope::AllReduce(NodeId operand, const Reduction& reduction,
                                   const DeviceLists& groups) {
  CollectiveForm form;
  form.reduction = reduction.name;
  form.reduces_as_written = reduction.is_written;
  DeviceLists all = groups;
  if (all.empty()) {
    all.emplace_back();
    for (int64_t i = 0; i < devices_; ++i) all.back().push_back(i);
  }
  form.groups = OnAllDevices(all);
  return graph_.AddCollective(Opcode::kAllReduce, graph_.shape(operand), {operand},
                              std::move(form));
}

NodeId DeviceGroupScope::AllReduceOver(NodeId operand, const Tiling& tiling, Ints dims,
                                       const Reduction& reduction) {
  if (graph_.node(operand).unreduced) return operand;
  for (int64_t i = Size(dims); i-- > 0;) {
    if (tiling.dim(At(dims, i)) == 1) continue;
    operand = AllReduce(operand, reduction, InOrder(tiling, GroupsOver(tiling, {At(dims, i)})));
  }
  return operand;
}

NodeId DeviceGroupScope::AllGather(NodeId operand, Shape shape, const DeviceLists& groups,
                                   int64_t dim) {
  CollectiveForm form;
  form.groups = OnAllDevices(groups);
  form.dimensions = {dim};
  return graph_.AddCollective(Opcode::kAllGather, std::move(shape), {operand}, std::move(form));
}

NodeId DeviceGroupScope::AllGatherOver(NodeId operand, const Tiling& tiling, Ints dims) {
  Shape shape = graph_.shape(operand);
  for (int64_t i = Size(dims); i-- > 0;) {
    const int64_t dim = At(dims, i);
    if (tiling.dim(dim) == 1) continue;
    shape.set_dim(dim, shape.dim(dim) * tiling.dim(dim));
    operand = AllGather(operand, shape, InOrder(tiling, GroupsOver(tiling, {dim})), dim);
  }
  return operand;
}

NodeId DeviceGroupScope::AllToAll(NodeId operand, const DeviceLists& groups, int64_t dim) {
  CollectiveForm form;
  form.groups = OnAllDevices(groups);
  form.dimensions = {dim};
  return graph_.AddCollective(Opcode::kAllToAll, graph_.shape(operand), {operand}, std::move(form));
}

NodeId DeviceGroupScope::AllToAllAcross(NodeId operand, const Tiling& tiling, Ints dims, Ints sizes,
                                        int64_t split) {
  return AllToAll(operand, InOrder(tiling, GroupsAcross(tiling, dims, sizes)), split);
}

NodeId DeviceGroupScope::Permute(NodeId operand, const Pairs& pairs) {
  Pairs all = PairsOnAllDevices(pairs);
  if (all.empty()) return graph_.Zeros(graph_.shape(operand));
  const bool is_copy = Size(all) == root().devices_ &&
                       std::all_of(all.begin(), all.end(),
                                   [](const auto& pair) { return pair.first == pair.second; });
  if (is_copy) return operand;
  CollectiveForm form;
  form.pairs = std::move(all);
  return graph_.AddCollective(Opcode::kCollectivePermute, graph_.shape(operand), {operand},
                              std::move(form));
}

std::optional<PartitionedHlo> DeviceGroupScope::Reshared(NodeId node, const Tiling& target) const {
  const ReshardCache& memory = graph_.reshard_cache();
  for (const ReshardCache::Entry& entry : memory.Of(node)) {
    const ReshardCache::Form& form = memory.form(entry.form);
    if (entry.scope != number_ || form.is_window || form.target != target) continue;
    return PartitionedHlo{entry.node, *form.base, form.tiling, entry.at};
  }
  return std::nullopt;
}

void DeviceGroupScope::Remember(NodeId node, const Tiling& target, const PartitionedHlo& value) {
  const ReshardCache::FormId form = graph_.reshard_cache().FormOf(
      target, graph_.Kept(value.base), value.tiling, value.scope->number());
  Remember(node, {number_, form, value.node, value.scope});
}

std::optional<Windowed> DeviceGroupScope::InputOf(NodeId node, const Tiling& target,
                                                  const hlo::Window& window) const {
  const ReshardCache& memory = graph_.reshard_cache();
  for (const ReshardCache::Entry& entry : memory.Of(node)) {
    const ReshardCache::Form& form = memory.form(entry.form);
    if (entry.scope != number_ || !form.is_window || form.target != target) continue;
    if (SameWindow(form.window, window)) {
      return Windowed{entry.node, form.left, form.slice_output, form.output_starts};
    }
  }
  return std::nullopt;
}

void DeviceGroupScope::RememberWindow(NodeId node, const Tiling& target, const hlo::Window& window,
                                      const Windowed& made) {
  const ReshardCache::FormId form = graph_.reshard_cache().FormOf(
      target, window, made.window, made.slice_output, made.output_starts);
  Remember(node, {number_, form, made.input, nullptr});
}

void DeviceGroupScope::Remember(NodeId node, const ReshardCache::Entry& entry) {
  graph_.Remember(node, entry);
  if (ScopeNumbers::IsPrivate(number_)) return;
  graph_.fingerprint_groups().Join(node, entry.node);
  if (auto* journal = root().journal_) journal->push_back({node, entry});
}

}  // namespace tessera::sharding::partition
