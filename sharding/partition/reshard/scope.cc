// Collectives inside groups. A row (i0, i1, ..) of device numbers within a group becomes a row for
// every group g: (D[g][i0], D[g][i1], ..), those of the first group first. Nested groups are
// applied from the inside out. XLA: GetPerGroupCollectiveOpsCreator.

#include "tessera/sharding/partition/reshard/scope.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/memory/memory.h"

namespace tessera::sharding::partition {

Reduction SumOf(const Shape& shape) {
  return {shape.element_type() == layout::ElementType::kPred ? Opcode::kOr : Opcode::kAdd};
}

DeviceGroupScope& DeviceGroupScope::root() {
  DeviceGroupScope* scope = this;
  while (scope->parent_ != nullptr) scope = scope->parent_;
  return *scope;
}

DeviceGroupScope& DeviceGroupScope::PerGroup(const DeviceGroups& groups) {
  const int32_t number = graph_.scope_numbers().Of(number_, groups);
  std::unique_ptr<DeviceGroupScope>& child = children_[number];
  if (child == nullptr) {
    child.reset(new DeviceGroupScope(graph_, groups.size(), this, number));
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

std::vector<int64_t> DeviceGroupScope::NumbersOfParent() const {
  const std::vector<int64_t>& devices = groups_.devices();
  std::vector<int64_t> inside(devices.size());
  for (int64_t i = 0; i < Size(inside); ++i) At(inside, At(devices, i)) = i % groups_.size();
  return inside;
}

const std::vector<int64_t>& DeviceGroupScope::NumbersOfAllDevices() const {
  if (!numbers_.empty()) return numbers_;
  if (parent_ == nullptr) {
    const Dims all = Iota(devices_);
    numbers_.assign(all.begin(), all.end());
    return numbers_;
  }
  const std::vector<int64_t> inside = NumbersOfParent();
  numbers_ = parent_->NumbersOfAllDevices();
  for (int64_t& number : numbers_) number = At(inside, number);
  return numbers_;
}

namespace {

bool HasDevice(const DeviceGroups& groups, int64_t device, Graph& graph) {
  if (device < groups.size()) return true;
  graph.Fail("a way to reshard inside groups of devices leads out of them, which is not described");
  return false;
}

bool HasDevices(const DeviceGroups& groups, const TileAssignment& grid, Graph& graph) {
  if (grid.has_axes()) return HasDevice(groups, grid.num_devices() - 1, graph);
  const std::vector<int64_t> devices = grid.Devices();
  return HasDevice(groups, *std::max_element(devices.begin(), devices.end()), graph);
}

}  // namespace

std::vector<uint64_t>& DeviceGroupScope::NewKey(Of kind) const {
  std::vector<uint64_t>& key = graph_.known_devices().NewKey();
  key.push_back(static_cast<uint64_t>(kind));
  key.push_back(static_cast<uint64_t>(number_));
  return key;
}

TileAssignment DeviceGroupScope::OnAllDevices(const TileAssignment& groups) const {
  if (parent_ == nullptr) return groups;
  if (is_whole_) return parent_->OnAllDevices(groups);
  if (!HasDevices(groups_, groups, graph_)) return groups;
  return parent_->OnAllDevices(
      groups_.InOrderOf(groups).Reshape({groups_.groups() * groups.dim(0), groups.dim(1)}));
}

DeviceGroupScope::Pairs DeviceGroupScope::PairsOnAllDevices(Pairs pairs) const {
  if (parent_ == nullptr) return pairs;
  if (is_whole_) return parent_->PairsOnAllDevices(std::move(pairs));
  const auto leads_out = [this](const auto& pair) {
    return !HasDevice(groups_, pair.first, graph_) || !HasDevice(groups_, pair.second, graph_);
  };
  pairs.erase(std::remove_if(pairs.begin(), pairs.end(), leads_out), pairs.end());
  Pairs out(pairs.size() * static_cast<size_t>(groups_.groups()));
  auto to = out.begin();
  const Ints devices = groups_.devices();
  for (int64_t g = 0; g < groups_.groups(); ++g) {
    const int64_t* const group = devices.data() + g * groups_.size();
    for (const auto& [source, target] : pairs) *to++ = {group[source], group[target]};
  }
  return parent_->PairsOnAllDevices(std::move(out));
}

TileAssignment DeviceGroupScope::InOrder(const Tiling& tiling, const TileAssignment& groups) const {
  return graph_.behaviors().groups_in_mesh_order ? InMeshOrder(tiling, groups) : groups;
}

GivenGroups::Groups DeviceGroupScope::AllAsGroup() const {
  NewKey(Of::kAll);
  return graph_.known_devices().GroupsOf([this] {
    const TileAssignment own = TileAssignment::Plain({1, devices_});
    // The devices of a single group stand in their own order, not in that of the group.
    return Size(NumbersOfAllDevices()) == devices_ ? own : OnAllDevices(own);
  });
}

GivenGroups::Groups DeviceGroupScope::GroupsOverDims(const Tiling& tiling, Ints dims) const {
  std::vector<uint64_t>& key = NewKey(Of::kOver);
  key.insert(key.end(), dims.begin(), dims.end());
  key.push_back(graph_.reshard_cache().NumberOf(tiling));
  return graph_.known_devices().GroupsOf(
      [&] { return OnAllDevices(InOrder(tiling, GroupsOver(tiling, dims))); });
}

NodeId DeviceGroupScope::AllReduceIn(NodeId operand, const Reduction& reduction,
                                     GivenGroups::Groups groups) {
  CollectiveForm form;
  form.reduction = reduction.opcode;
  form.reduces_as_written = reduction.is_written;
  form.groups = std::move(groups);
  return graph_.AddCollective(Opcode::kAllReduce, graph_.shape(operand), {operand},
                              std::move(form));
}

NodeId DeviceGroupScope::AllReduce(NodeId operand, const Reduction& reduction) {
  return AllReduceIn(operand, reduction, AllAsGroup());
}

NodeId DeviceGroupScope::AllReduceOver(NodeId operand, const Tiling& tiling, Ints dims,
                                       const Reduction& reduction) {
  if (graph_.node(operand).unreduced) return operand;
  Dims cut;
  absl::c_copy_if(dims, std::back_inserter(cut), [&](int64_t dim) { return tiling.dim(dim) > 1; });
  if (graph_.options().sums_dims_at_once && !cut.empty()) {
    return AllReduceIn(operand, reduction, GroupsOverDims(tiling, cut));
  }
  for (int64_t i = Size(cut); i-- > 0;) {
    operand = AllReduceIn(operand, reduction, GroupsOverDims(tiling, {At(cut, i)}));
  }
  return operand;
}

NodeId DeviceGroupScope::AllGatherOver(NodeId operand, const Tiling& tiling, Ints dims) {
  Shape shape = graph_.shape(operand);
  for (int64_t i = Size(dims); i-- > 0;) {
    const int64_t dim = At(dims, i);
    if (tiling.dim(dim) == 1) continue;
    shape.set_dim(dim, shape.dim(dim) * tiling.dim(dim));
    CollectiveForm form;
    form.groups = GroupsOverDims(tiling, {dim});
    form.dimensions = {dim};
    operand = graph_.AddCollective(Opcode::kAllGather, shape, {operand}, std::move(form));
  }
  return operand;
}

NodeId DeviceGroupScope::AllToAllIn(NodeId operand, GivenGroups::Groups groups, int64_t split) {
  CollectiveForm form;
  form.groups = std::move(groups);
  form.dimensions = {split};
  return graph_.AddCollective(Opcode::kAllToAll, graph_.shape(operand), {operand}, std::move(form));
}

NodeId DeviceGroupScope::AllToAll(NodeId operand, int64_t split) {
  return AllToAllIn(operand, AllAsGroup(), split);
}

NodeId DeviceGroupScope::AllToAllAcross(NodeId operand, const Tiling& tiling, Ints dims, Ints sizes,
                                        int64_t split) {
  std::vector<uint64_t>& key = NewKey(Of::kAcross);
  key.push_back(dims.size());
  key.insert(key.end(), dims.begin(), dims.end());
  key.insert(key.end(), sizes.begin(), sizes.end());
  key.push_back(graph_.reshard_cache().NumberOf(tiling));
  return AllToAllIn(operand, graph_.known_devices().GroupsOf([&] {
    return OnAllDevices(InOrder(tiling, GroupsAcross(tiling, dims, sizes)));
  }),
                    split);
}

NodeId DeviceGroupScope::Permute(NodeId operand, const KnownDevices::Permutation& permutation) {
  if (permutation.pairs.empty()) return graph_.Zeros(graph_.shape(operand));
  if (permutation.stays && Size(permutation.pairs) == root().devices_) return operand;
  CollectiveForm form;
  form.pairs = permutation.pairs;
  return graph_.AddCollective(Opcode::kCollectivePermute, graph_.shape(operand), {operand},
                              std::move(form));
}

NodeId DeviceGroupScope::Permute(NodeId operand, const Pairs& pairs) {
  std::vector<uint64_t>& key = NewKey(Of::kPairs);
  key.reserve(key.size() + pairs.size());
  for (const auto& [source, target] : pairs) {
    key.push_back(Pair(static_cast<uint32_t>(source), static_cast<uint32_t>(target)));
  }
  return Permute(operand, graph_.known_devices().PairsOf([&] { return PairsOnAllDevices(pairs); }));
}

NodeId DeviceGroupScope::PermuteTo(NodeId operand, const Tiling& from, const Tiling& to) {
  std::vector<uint64_t>& key = NewKey(Of::kTiles);
  key.push_back(graph_.reshard_cache().NumberOf(from));
  key.push_back(graph_.reshard_cache().NumberOf(to));
  return Permute(operand, graph_.known_devices().PairsOf([&] {
    const std::vector<int64_t> sources = from.AsV1().grid().Devices();
    const std::vector<int64_t> targets = to.AsV1().grid().Devices();
    Pairs pairs(sources.size());
    for (int64_t i = 0; i < Size(sources); ++i) At(pairs, i) = {At(sources, i), At(targets, i)};
    return PairsOnAllDevices(pairs);
  }));
}

NodeId DeviceGroupScope::Shift(NodeId operand, const Tiling& tiling, int64_t dim,
                               int64_t distance) {
  std::vector<uint64_t>& key = NewKey(Of::kShift);
  key.push_back(static_cast<uint64_t>(dim));
  key.push_back(static_cast<uint64_t>(distance));
  key.push_back(graph_.reshard_cache().NumberOf(tiling));
  return Permute(operand, graph_.known_devices().PairsOf([&] {
    const std::vector<int64_t> devices = tiling.AsV1().grid().Devices();
    const int64_t stride = Product(tiling.dims().subspan(static_cast<size_t>(dim) + 1));
    const int64_t far = std::abs(distance);
    Pairs pairs;
    for (int64_t i = 0; i < Size(devices); ++i) {
      if (i / stride % tiling.dim(dim) < far) continue;
      const int64_t here = At(devices, i), there = At(devices, i - far * stride);
      pairs.push_back(distance > 0 ? std::make_pair(there, here) : std::make_pair(here, there));
    }
    return PairsOnAllDevices(pairs);
  }));
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
